"""Words that several pieces of advice share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spokerender.findings.words import count, listed
from spokerender.model import Ref
from spokerender.topology.paths import RequestPath

_NAMED = 3


def some(items: Iterable[object]) -> str:
    """A list as a sentence has it, three of them by name: `a, b, c and 4 more`."""
    return listed(items, _NAMED)


def name(ref: Ref) -> str:
    """Namespace and name, where the kind is clear: `shop/checkout`."""
    return ref.full_name


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
    return place(first) + (f" and {count(len(others), 'more path')}" if others else "")
