"""Attachments: the targets of policies, and the parents of routes and ListenerSets.

They are computed alike for the hub and each spoke, so that both can be compared. An attachment is a
single step: a policy attaches to a Gateway, and a route to one of its listeners. That the policy
protects the route follows from both.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import ROUTE as DELEGATED
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.admission import (
    find_named_listeners,
    index_hostnames,
    is_namespace_admitted,
)
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import intersects
from spokerender.topology.node import Listener, Node, is_kind_allowed


class Attached(Struct, frozen=True):
    """An object that another object attaches to, or the section of it that the reference names.

    `hostname` is a hostname of the route that a listener serves; empty if the route has none. `by`
    is the route that names the backend or the filter `thing`.
    """

    thing: Ref
    hostname: str = ""
    by: Ref | None = None


Guards = tuple[tuple[Attached, Reference | None], ...]
"""Attachments of an object, each with its reference; None if another object names this one."""


class Obstacle(StrEnum):
    """An obstacle for a route's hostname on a listener that the route names (Gateway API)."""

    KIND = "kind"
    NAMESPACE = "namespace"
    HOSTNAME = "hostname"


@memoised
def find_attachments(topology: Topology, ref: Ref) -> Guards:
    """Return the objects to which the object `ref` attaches."""
    attached: list[tuple[Attached, Reference | None]] = []
    for attachment in _guards(topology, topology.nodes[ref]):
        topology.spend(1, "finding attachments", ref)
        attached.append(attachment)
    return tuple(attached)


def _guards(topology: Topology, node: Node) -> Iterator[tuple[Attached, Reference | None]]:
    for link in node.references:
        if link.row.role is Role.PARENT:
            yield from ((attached, link) for attached in _parents(topology, node, link))
        elif link.row.role.guards:
            yield from ((attached, link) for attached in _targets(topology, node, link))
    # Objects may name this one as a filter, or as a route to delegate to.
    for carrier in dict.fromkeys(
        carrier
        for carrier, link in topology.carrying(node.ref)
        if node.is_route or link.row.role is Role.FILTER
    ):
        yield Attached(carrier, by=carrier), None


def _parents(topology: Topology, node: Node, link: Reference) -> Iterator[Attached]:
    """Yield a ListenerSet's Gateway, or a route's listeners, once for each hostname they serve."""
    for ref in topology.parents(link):
        parent = topology.nodes[ref]
        if not parent.is_route:  # a route is on another one if that one names it
            yield from _on(topology, parent, node, link)


def _on(topology: Topology, parent: Node, node: Node, link: Reference) -> Iterator[Attached]:
    if node.listeners:
        labels = topology.around.labels_of_namespace(node.ref.namespace)
        if parent.admits_listener_sets.admits(parent.ref.namespace, node.ref.namespace, labels):
            yield Attached(parent.ref)
        return
    met = {name: index_hostnames(topology, parent.ref).met_by(name) for name in node.hostnames}
    for listener in find_named_listeners(parent, link):
        if find_obstacle(topology, parent, listener, node, "") is None:
            section = parent.ref.section(listener.name)
            # A route without hostnames takes those of the listener.
            for hostname in node.hostnames or ("",):
                if not hostname or listener.hostname in met[hostname]:
                    yield Attached(section, hostname)


def find_obstacle(
    topology: Topology, parent: Node, listener: Listener, route: Node, hostname: str
) -> Obstacle | None:
    """Return what keeps a route's hostname (empty if it has none) off a listener, or None."""
    # In the order in which the Gateway API reports obstacles.
    if not is_kind_allowed(listener, route.ref.group, route.ref.kind):
        return Obstacle.KIND
    if not is_namespace_admitted(topology, parent, listener, route):
        return Obstacle.NAMESPACE
    if hostname and not intersects(listener.hostname, hostname):
        return Obstacle.HOSTNAME
    return None


def _targets(topology: Topology, node: Node, link: Reference) -> Iterator[Attached]:
    """Yield the targets of a policy's reference; in other namespaces only with a grant (GEP-709).

    Labels that select pods need no grant.
    """
    if link.selector is not None:
        for ref in topology.targets(link):
            if link.row.role is Role.LABEL or topology.permits(node.ref, ref):
                yield from _sections(topology.nodes[ref], link)
        return
    target = topology.nodes.get(link.ref.whole)
    if target is not None:
        yield from _sections(target, link)
    if (link.ref.group, link.ref.kind) != DELEGATED:  # a policy is for a child, wherever it is
        for route in topology.carriers(link.ref):
            yield Attached(link.ref.whole, by=route)


def _sections(target: Node, link: Reference) -> Iterator[Attached]:
    if not link.sections:
        yield Attached(target.ref)
        return
    sections = target.sections
    for section in link.sections:
        # If the sections of a kind are unknown, the section is assumed to exist.
        if not section or sections is None or section in sections:
            yield Attached(target.ref.section(section))
