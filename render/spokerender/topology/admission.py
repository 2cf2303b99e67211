"""Admission: the listeners that a reference names, and the routes that listeners admit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import Listening
from spokerender.topology.node import Listener, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def find_parents(topology: Topology, route: Node) -> Iterator[tuple[Node, Reference]]:
    """Yield the parents of a route that are in the topology, including default Gateways."""
    for link in route.references:
        if link.row.role is Role.PARENT:
            for ref in topology.parents(link):
                yield topology.nodes[ref], link


def explain_dead(topology: Topology, parent: Node) -> str:
    """Return why no controller processes `parent` (for a ListenerSet: its Gateway); else empty."""
    above = (parent.ref, *(link.ref.whole for link in parent.references))
    faults = ((ref, topology.dead[ref]) for ref in above if ref in topology.dead)
    return next((f"{ref} is not processed: {fault.why}" for ref, fault in faults), "")


@memoised
def index_hostnames(topology: Topology, parent: Ref) -> Listening:
    """Return an index of the hostnames of the parent's listeners."""
    return Listening(listener.hostname for listener in topology.nodes[parent].listeners)


def find_named_listeners(parent: Node, link: Reference) -> Iterator[Listener]:
    """Yield the listeners that a parent reference names (`sectionName` and `port`).

    A listener without a port is declared in a placement; it may have any port.
    """
    for listener in parent.listeners:
        has_name = not link.sections or listener.name in link.sections
        if has_name and (link.port is None or listener.port in ("", link.port)):
            yield listener


def lacks_section(topology: Topology, route: Node, parent: Ref) -> bool:
    """Return whether `parent` has none of the listeners that the route's references name."""
    names = {listener.name for listener in topology.nodes[parent].listeners}
    links = [link for item, link in find_parents(topology, route) if item.ref == parent]
    return all(link.sections and names.isdisjoint(link.sections) for link in links)


def has_placeholder(topology: Topology, route: Node, parents: Iterable[Ref]) -> bool:
    """Return whether a hostname of a route, or of its parents' listeners, is a Flux placeholder."""
    listeners = (listener for parent in parents for listener in topology.nodes[parent].listeners)
    return any("${" in name for name in (*route.hostnames, *(it.hostname for it in listeners)))


def is_namespace_admitted(
    topology: Topology, parent: Node, listener: Listener, route: Node
) -> bool:
    """Return whether a listener admits routes of the route's namespace (`allowedRoutes`)."""
    labels = topology.around.labels_of_namespace(route.ref.namespace)
    return listener.routes.admits(parent.ref.namespace, route.ref.namespace, labels)
