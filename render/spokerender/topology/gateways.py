"""Gateways: their controllers, their listeners, and what these admit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from spokerender.kinds.kind import ANY, Controller, Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import find_controller, find_row, gateway_api_rows
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import Listening
from spokerender.topology.node import GATEWAY_CLASS, Listener, Node
from spokerender.topology.precedence import find_orders


def find_class_controller(
    topology: Topology, gateway_class: str, namespaces: Topology | None = None
) -> Controller:
    """Return the controller of a GatewayClass, or `kinds.kind.ANY` if it is unknown.

    A spoke's class is rarely among its objects: `namespaces`, the hub's topology, may have it.
    """
    return _declared(topology, gateway_class, namespaces) or find_controller("", gateway_class)


def has_effect_on(
    own: Controller, topology: Topology, gateway_class: str, namespaces: Topology | None = None
) -> bool:
    """Tell whether a controller's policies may count on gateways of a class.

    They may where no file has the class: anybody can make one of any name.
    """
    other = _declared(topology, gateway_class, namespaces)
    return other is None or own.looks_at(other)


def find_merged_gateways(
    topology: Topology, gateway: Ref, namespaces: Topology | None = None
) -> set[Ref]:
    """Return the Gateway and those that its class merges with it."""
    if not is_merged(topology, gateway, namespaces):
        return {gateway}
    gateway_class = topology.nodes[gateway].gateway_class
    return {
        other for other in topology.gateways if topology.nodes[other].gateway_class == gateway_class
    }


def is_merged(topology: Topology, gateway: Ref, namespaces: Topology | None = None) -> bool:
    """Tell whether a class's parameters merge all its Gateways, this one among them, into one.

    Not where no file has the class, or the parameters.
    """
    graphs = [graph for graph in (topology, namespaces) if graph is not None]
    node = topology.nodes.get(gateway)
    gateway_class = node.gateway_class if node is not None else ""
    ref = Ref(*GATEWAY_CLASS, "", gateway_class)
    classes = (graph.nodes[ref] for graph in graphs if ref in graph.nodes)
    parameters = {link.ref for node in classes for link in node.needs}
    return any(
        graph.nodes[ref].merges for graph in graphs for ref in parameters if ref in graph.nodes
    )


def _declared(
    topology: Topology, gateway_class: str, namespaces: Topology | None
) -> Controller | None:
    """Return the controller that a GatewayClass among the objects names, or None."""
    ref = Ref(*GATEWAY_CLASS, "", gateway_class)
    for graph in (topology, namespaces):
        node = graph.nodes.get(ref) if graph is not None else None
        if node is not None and node.controller:
            return find_controller(node.controller)
    return None


_TLS = "TLS"
_TOGETHER = {"HTTPS": "TLS"}
"""Protocols of which listeners of one port may be, by what they are told apart as (SNI)."""
_DATAGRAMS = "UDP"


@cache
def _protocols() -> frozenset[str]:
    """Return the protocols that the Gateway API defines routes for (`ProtocolType`)."""
    return frozenset(protocol for kind in gateway_api_rows() for protocol in kind.protocols)


def find_admitting_gateways(
    topology: Topology, parent: Node, namespaces: Topology
) -> Iterator[Node]:
    """Yield the gateway itself, or those that admit the ListenerSet (GEP-1713)."""
    if parent.is_gateway:
        yield parent
        return
    labels = namespaces.labels_of_namespace(parent.ref.namespace)
    for link in parent.references:
        gateway = topology.nodes.get(link.ref.whole)
        if gateway is None or not gateway.is_gateway or link.row.role is not Role.PARENT:
            continue
        if gateway.admits_listener_sets.admits(gateway.ref.namespace, parent.ref.namespace, labels):
            yield gateway


class Refused(Struct, frozen=True):
    """A listener of a ListenerSet that is refused because another one is there before it."""

    parent: Ref
    listener: str
    by: Ref
    reason: str


@memoised
def find_refused_listeners(topology: Topology, namespaces: Topology) -> tuple[Refused, ...]:
    """Return the listeners of ListenerSets that conflict with those before them (GEP-1713).

    The Gateway's own come first, then those of the oldest ListenerSet. One that has the port of
    another with another protocol (ProtocolConflict), or with its protocol and hostname
    (HostnameConflict), is Conflicted: its port is not opened for it.
    """
    sets: dict[Ref, list[Node]] = {}
    for node in topology.nodes.values():
        if node.listeners and not node.is_gateway:
            for gateway in find_admitting_gateways(topology, node, namespaces):
                sets.setdefault(gateway.ref, []).append(node)
    refused = (one for ref, nodes in sets.items() for one in _refused_of(topology, ref, nodes))
    return tuple(sorted(refused, key=lambda listener: (listener.parent, listener.listener)))


def _refused_of(topology: Topology, gateway: Ref, sets: list[Node]) -> Iterator[Refused]:
    accepted = [(gateway, listener) for listener in topology.nodes[gateway].listeners]
    for ref in find_orders((node.ref for node in sets), topology.ages).likely:
        for listener in topology.nodes[ref].listeners:
            rival = next(
                ((by, why) for by, one in accepted if (why := _clash(one, listener))), None
            )
            if rival is None:
                accepted.append((ref, listener))
            else:
                yield Refused(ref, listener.name, *rival)


def _clash(one: Listener, other: Listener) -> str:
    """Return why two listeners of one Gateway conflict, or an empty text."""
    if one.port != other.port or one.port == "":
        return ""
    protocols = {_TOGETHER.get(listener.protocol, listener.protocol) for listener in (one, other)}
    if len(protocols) > 1:
        return "" if _DATAGRAMS in protocols else "ProtocolConflict"
    return "HostnameConflict" if one.hostname == other.hostname else ""


def find_open_listeners(
    topology: Topology, parent: Node, namespaces: Topology
) -> Iterator[Listener]:
    """Yield the listeners of a Gateway or ListenerSet that are not refused."""
    refused = {
        conflict.listener
        for conflict in find_refused_listeners(topology, namespaces)
        if conflict.parent == parent.ref
    }
    yield from (listener for listener in parent.listeners if listener.name not in refused)


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
    parent: Node, listener: Listener, route: Node, namespaces: Topology
) -> bool:
    """Tell whether a listener admits routes of the route's namespace (`allowedRoutes`)."""
    labels = namespaces.labels_of_namespace(route.ref.namespace)
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
