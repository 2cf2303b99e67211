"""Hostnames that slots cannot compare: with a value, one may be below the other, or above it."""

from __future__ import annotations

from collections.abc import Iterator

from render.kinds import Role
from render.model.slots import has_slot
from render.rendering.checks.context import SpokeContext
from render.topology import Node, intersects, listeners_meant


def unsettled(context: SpokeContext) -> tuple[tuple[str, str], ...]:
    """A listener's and a route's hostname that don't meet, and may with values; each pair once.

    What meets with slots meets with whatever they stand for.
    """
    routes = (node for node in context.shipped if node.is_route and node.hostnames)
    return tuple(
        dict.fromkeys(
            (listener, hostname)
            for node in routes
            for listener in dict.fromkeys(_listeners(context, node))
            for hostname in node.hostnames
            if (has_slot(listener) or has_slot(hostname)) and not intersects(listener, hostname)
        )
    )


def _listeners(context: SpokeContext, route: Node) -> Iterator[str]:
    for link in route.references:
        parent = context.spoke.nodes.get(link.ref.whole) if link.rule.role is Role.PARENT else None
        for listener in listeners_meant(parent, link) if parent is not None else ():
            yield listener.hostname
