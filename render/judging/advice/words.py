"""Words that several pieces of advice share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from render.model import Ref
from render.topology import RequestPath

_NAMED = 3


def some(items: Iterable[object]) -> str:
    """A list as a sentence has it, three of them by name: `a, b, c and 4 more`."""
    texts = [str(item) for item in items]
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return ", ".join(texts[:_NAMED]) + more


def name(ref: Ref) -> str:
    """Namespace and name, where the kind is clear: `shop/checkout`."""
    return f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name


def place(path: RequestPath) -> str:
    """Where a path ends, and on which listener: `HTTPRoute shop/cart [rule-1] on …`."""
    parent = path.listener_set or path.gateway
    listener = f"{parent} [{path.listener}]"
    if path.route is None:
        return listener
    return f"{path.route} [{path.rule}] on {listener}"


def places(paths: Sequence[RequestPath]) -> str:
    """The first of the paths, and how many more there are."""
    first, *others = paths
    more = f" and {len(others)} more path{'s' if len(others) > 1 else ''}" if others else ""
    return place(first) + more
