"""Admission: the listeners that a reference names, and what each of them admits."""

from collections.abc import Iterator
from functools import cache

from spokerender.kinds.kind import ANY, Controller, Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import find_row, group_rows
from spokerender.model.memo import memoised
from spokerender.model.refs import GATEWAY_API, Ref
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import Listening
from spokerender.topology.node import Listener, Node

_TLS = "TLS"


@cache
def _protocols() -> frozenset[str]:
    """Return the protocols that the Gateway API defines routes for (`ProtocolType`)."""
    rows = group_rows(GATEWAY_API).values()
    return frozenset(protocol for kind in rows for protocol in kind.protocols)


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


def is_namespace_admitted(
    topology: Topology, parent: Node, listener: Listener, route: Node
) -> bool:
    """Tell whether a listener admits routes of the route's namespace (`allowedRoutes`)."""
    labels = topology.around.labels_of_namespace(route.ref.namespace)
    return listener.routes.admits(parent.ref.namespace, route.ref.namespace, labels)


def is_kind_allowed(
    listener: Listener, group: str, kind: str, controller: Controller = ANY
) -> bool:
    """Tell whether a listener allows a kind of route, by its protocol and `allowedRoutes.kinds`.

    What is allowed under a protocol, or for a kind, of which the Gateway API says nothing is the
    implementation's affair; so is which routes a TLS listener takes in which mode.
    """
    if listener.kinds and (group, kind) not in listener.kinds:
        return False
    row = find_row(group, kind)
    if row is None or not row.protocols or listener.protocol not in _protocols():
        return True
    if listener.protocol not in row.protocols:
        return False
    modes = dict(controller.tls_listener) if listener.protocol == _TLS else {}
    return kind in modes.get(listener.tls_mode, (kind,))
