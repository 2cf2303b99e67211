"""Admission: the listeners that a reference names, and what they and controllers admit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.hostnames import Listening
from spokerender.topology.node import Listener, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spokerender.kinds.routing import RoutingRules


def find_parents(topology: Topology, route: Node) -> Iterator[tuple[Node, Reference]]:
    """Yield the parents of a route that are here, default gateways among them."""
    for link in route.references:
        if link.row.role is Role.PARENT:
            for ref in topology.parents(link):
                yield topology.nodes[ref], link


@memoised
def index_hostnames(topology: Topology, parent: Ref) -> Listening:
    """Return an index of the hostnames of a parent's listeners."""
    return Listening(listener.hostname for listener in topology.nodes[parent].listeners)


def find_named_listeners(parent: Node, link: Reference) -> Iterator[Listener]:
    """Yield the listeners that a parent reference names (`sectionName` and `port`).

    A listener without a port is one that a placement declares; it may be on any.
    """
    for listener in parent.listeners:
        has_name = not link.sections or listener.name in link.sections
        if has_name and (link.port is None or listener.port in ("", link.port)):
            yield listener


def lacks_section(topology: Topology, route: Node, parent: Ref) -> bool:
    """Tell whether all that a route names of a parent are listeners that this does not have."""
    names = {listener.name for listener in topology.nodes[parent].listeners}
    links = [link for item, link in find_parents(topology, route) if item.ref == parent]
    return all(link.sections and names.isdisjoint(link.sections) for link in links)


def is_namespace_admitted(
    topology: Topology, parent: Node, listener: Listener, route: Node
) -> bool:
    """Tell whether a listener admits routes of the route's namespace (`allowedRoutes`)."""
    labels = topology.around.labels_of_namespace(route.ref.namespace)
    return listener.routes.admits(parent.ref.namespace, route.ref.namespace, labels)


def takes_backend_filters(
    topology: Topology, gateway_class: str, route: Ref, link: Reference
) -> bool:
    """Tell whether a class's controller takes the filters beside a backend, as far as is known.

    Envoy Gateway, processDestination: it refuses the backend before it looks for TLS.
    """
    rules = find_class_controller(topology, gateway_class).routing
    return rules is None or not find_refused_filters(rules, route.kind, link.filters)


def find_refused_filters(
    rules: RoutingRules, route_kind: str, filters: Iterable[str]
) -> tuple[str, ...]:
    """Return the types of filters that a controller refuses beside a backend of a route."""
    taken = dict(rules.backend_filters).get(route_kind, ())
    return tuple(kind for kind in filters if rules.wrong_backend_filter and kind not in taken)
