"""Phrases that several checks use in their messages."""

from collections.abc import Iterable, Sequence

from spokerender.findings.phrasing import count, listed
from spokerender.topology.paths import RequestPath

_LISTED = 3


def list_few(items: Iterable[object]) -> str:
    """Return a text that names up to three items: `a, b, c and 4 more`."""
    return listed(items, _LISTED)


def describe_path(path: RequestPath) -> str:
    """Return a path as text: `HTTPRoute shop/cart [rule-1] on Gateway infra/web [http]`."""
    parent = path.listener_set or path.gateway
    listener = f"{parent} [{path.listener}]"
    if path.route is None:
        return listener
    return f"{path.route} [{path.rule}] on {listener}"


def describe_paths(paths: Sequence[RequestPath]) -> str:
    """Return the first path as text, and the number of further paths."""
    first, *others = paths
    return describe_path(first) + (f" and {count(len(others), 'more path')}" if others else "")
