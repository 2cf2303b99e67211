"""Phrases that several pieces of advice use."""

from collections.abc import Iterable, Sequence

from spokerender.findings.phrasing import count, listed
from spokerender.topology.paths import RequestPath

_LISTED = 3


def list_few(items: Iterable[object]) -> str:
    """List up to three items by name: `a, b, c and 4 more`."""
    return listed(items, _LISTED)


def describe_path(path: RequestPath) -> str:
    """Describe the end of a path: `HTTPRoute shop/cart [rule-1] on Gateway infra/web [http]`."""
    parent = path.listener_set or path.gateway
    listener = f"{parent} [{path.listener}]"
    if path.route is None:
        return listener
    return f"{path.route} [{path.rule}] on {listener}"


def describe_paths(paths: Sequence[RequestPath]) -> str:
    """Describe the first path and count the further paths."""
    first, *others = paths
    return describe_path(first) + (f" and {count(len(others), 'more path')}" if others else "")
