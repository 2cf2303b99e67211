"""A route's hostname that was within a listener's on the hub and is outside it on the spoke."""

from __future__ import annotations

from collections.abc import Iterator

from render.findings.codes.spoke import HOSTNAME_OUTSIDE
from render.findings.results import Result
from render.kinds import Reference, Role
from render.rendering.checks.context import SpokeContext
from render.topology import Node, Topology, intersects, listeners_meant


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every hostname that no listener of its parent serves any more."""
    for node in context.shipped:
        for link, hub_link in context.links(node):
            if link.rule.role is not Role.PARENT:
                continue
            before = context.hub_node(node).hostnames
            for index, hostname in enumerate(node.hostnames):
                was_served = index >= len(before) or _is_served(
                    context.hub, hub_link, before[index]
                )
                if was_served and not _is_served(context.spoke, link, hostname):
                    yield context.result(
                        HOSTNAME_OUTSIDE,
                        node,
                        f"hostname {hostname} is outside the listeners of {link.ref.whole} on the "
                        f"spoke ({_shown(context, link)})",
                        "map it in the rule's `as.hostnames`, or add a listener for it",
                        f"spec.hostnames[{index}]",
                    )


def _served_by(topology: Topology, link: Reference) -> tuple[str, ...] | None:
    """The hostnames of the listeners that a parent reference means; None if there is no parent."""
    parent: Node | None = topology.nodes.get(link.ref.whole)
    if parent is None:
        return None
    return tuple(listener.hostname for listener in listeners_meant(parent, link))


def _is_served(topology: Topology, link: Reference, hostname: str) -> bool:
    listeners = _served_by(topology, link)
    return listeners is None or any(intersects(listener, hostname) for listener in listeners)


def _shown(context: SpokeContext, link: Reference) -> str:
    return ", ".join(name or "any" for name in _served_by(context.spoke, link) or ()) or "none"
