"""Paths that requests take: GatewayClass > Gateway > listener > route > rule (> backend)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from render.kinds import Reference, Role
from render.model import GATEWAY_API, Ref
from render.topology.graph import Topology
from render.topology.hostnames import intersects, is_within
from render.topology.node import Listener, Node

_PROTOCOLS = {
    "HTTPRoute": ("HTTP", "HTTPS"),
    "GRPCRoute": ("HTTP", "HTTPS"),
    "TLSRoute": ("TLS",),
    "TCPRoute": ("TCP", "TLS"),
    "UDPRoute": ("UDP",),
}
"""Which listeners a route can attach to (Gateway API, `ProtocolType`)."""

_ONLY_RULE = "rule-1"


@dataclass(frozen=True)
class RequestPath:
    """One way through a gateway, down to a route's rule or to one of its backends.

    `listener_set` is where the listener is declared if not in the Gateway. `route` is None where
    the path ends at the listener. `rule` is the rule's name, or `rule-<n>` where it has none.
    `hostnames` are the route's that the listener serves, all of the listener's where it is empty.
    `is_within` tells whether one of them is wholly the listener's. `backend` has a port's name as
    its section where the path ends at one port.
    """

    gateway_class: str
    gateway: Ref
    listener_set: Ref | None
    listener: str
    route: Ref | None = None
    rule: str = ""
    backend: Ref | None = None
    hostnames: tuple[str, ...] = ()
    is_within: bool = True

    @cached_property
    def levels(self) -> tuple[Ref, ...]:
        """What policies on this path may hang on, the least specific first."""
        found = [Ref(GATEWAY_API, "GatewayClass", "", self.gateway_class), self.gateway]
        if self.listener_set is not None:
            found.append(self.listener_set)
        found.append(_section(self.listener_set or self.gateway, self.listener))
        if self.route is not None:
            found += [self.route, _section(self.route, self.rule)]
        if self.backend is not None:
            found.append(self.backend.whole)
            if self.backend.section_name:
                found.append(self.backend)
        return tuple(found)

    @property
    def order(self) -> tuple[tuple[Ref, ...], tuple[str, ...]]:
        """What paths are sorted by."""
        return self.levels[1:], self.hostnames


Paths = tuple[RequestPath, ...]


def _section(ref: Ref, name: str) -> Ref:
    return Ref(ref.group, ref.kind, ref.namespace, ref.name, name)


def listener_paths(topology: Topology, namespaces: Topology | None = None) -> Paths:
    """Every listener of every gateway, sorted, whether a route is on it or not.

    Labels of namespaces are those in `namespaces`, if it is given: a spoke's Namespaces are
    rarely among its objects.
    """
    return _kept("listeners", _listener_paths, topology, namespaces or topology)


def rule_paths(topology: Topology, namespaces: Topology | None = None) -> Paths:
    """Every path down to a rule, sorted.

    A route is on a listener that it names (`sectionName`, `port`), that admits its namespace and
    kind, and that has a hostname in common with it (Gateway API: `ParentReference`,
    `allowedRoutes`, `hostnames`). `namespaces` as for `listener_paths`.
    """
    return _kept("rules", _rule_paths, topology, namespaces or topology)


def backend_paths(topology: Topology, namespaces: Topology | None = None) -> Paths:
    """Every path down to a backend of a rule, sorted; a rule without any has none."""
    return _kept("backends", _backend_paths, topology, namespaces or topology)


Find = Callable[[Topology, Topology], Iterator[RequestPath]]


def _kept(name: str, find: Find, topology: Topology, namespaces: Topology) -> Paths:
    """The paths, found once: every stage asks for them, and a topology never changes."""
    key = (name, id(namespaces))
    if key not in topology.kept:
        found = tuple(sorted(set(find(topology, namespaces)), key=lambda path: path.order))
        topology.kept[key] = (found, namespaces)  # kept alive, so that its id stays its own
    paths: Paths = topology.kept[key][0]
    return paths


def _listener_paths(topology: Topology, namespaces: Topology) -> Iterator[RequestPath]:
    for node in topology.nodes.values():
        for gateway in gateways_of(topology, node, namespaces) if node.listeners else ():
            declared = None if node is gateway else node.ref
            for listener in node.listeners:
                yield RequestPath(gateway.gateway_class, gateway.ref, declared, listener.name)


def _rule_paths(topology: Topology, namespaces: Topology) -> Iterator[RequestPath]:
    for node in topology.nodes.values():
        for link in node.references if node.is_route else ():
            if link.rule.role is Role.PARENT:
                yield from _paths_of(topology, node, link, namespaces)


def _backend_paths(topology: Topology, namespaces: Topology) -> Iterator[RequestPath]:
    for path in rule_paths(topology, namespaces):
        if path.route is not None:
            for backend in _backends(topology.nodes[path.route], path.rule):
                yield replace(path, backend=backend)


def _paths_of(
    topology: Topology, route: Node, link: Reference, namespaces: Topology
) -> Iterator[RequestPath]:
    parent = topology.nodes.get(link.ref.whole)
    if parent is None:
        return
    for gateway in gateways_of(topology, parent, namespaces):
        for listener in listeners_meant(parent, link):
            served = tuple(name for name in route.hostnames if intersects(listener.hostname, name))
            if bool(served) != bool(route.hostnames):
                continue
            if not admits(parent, listener, route, namespaces):
                continue
            whole = not served or any(is_within(name, listener.hostname or "*") for name in served)
            for rule in route.sections or (_ONLY_RULE,):
                yield RequestPath(
                    gateway.gateway_class,
                    gateway.ref,
                    None if parent is gateway else parent.ref,
                    listener.name,
                    route.ref,
                    rule,
                    hostnames=served,
                    is_within=whole,
                )


def gateways_of(topology: Topology, parent: Node, namespaces: Topology) -> Iterator[Node]:
    """The gateway itself, or the one that admits the ListenerSet (GEP-1713)."""
    if parent.is_gateway:
        yield parent
        return
    labels = namespaces.labels_of_namespace(parent.ref.namespace)
    for link in parent.references:
        gateway = topology.nodes.get(link.ref.whole)
        if gateway is None or not gateway.is_gateway or link.rule.role is not Role.PARENT:
            continue
        if gateway.admits_listener_sets.admits(gateway.ref.namespace, parent.ref.namespace, labels):
            yield gateway


def listeners_meant(parent: Node, link: Reference) -> Iterator[Listener]:
    """The listeners that a parent reference means (Gateway API, `sectionName` and `port`).

    A listener without a port is one that a placement declares; it may be on any.
    """
    for listener in parent.listeners:
        has_name = not link.sections or listener.name in link.sections
        if has_name and (link.port is None or listener.port in ("", link.port)):
            yield listener


def admits(parent: Node, listener: Listener, route: Node, namespaces: Topology) -> bool:
    """Whether a listener takes routes of that namespace and kind (`allowedRoutes`)."""
    if not takes(listener, route.ref.group, route.ref.kind):
        return False
    labels = namespaces.labels_of_namespace(route.ref.namespace)
    return listener.routes.admits(parent.ref.namespace, route.ref.namespace, labels)


def takes(listener: Listener, group: str, kind: str) -> bool:
    """Whether a listener takes a kind: one that its protocol allows, of those that it lists.

    What is allowed under a protocol, or for a kind, of which the Gateway API says nothing is the
    implementation's affair.
    """
    if listener.kinds and (group, kind) not in listener.kinds:
        return False
    protocols = _PROTOCOLS.get(kind) if group == GATEWAY_API else None
    is_known = any(listener.protocol in known for known in _PROTOCOLS.values())
    return not (is_known and protocols) or listener.protocol in protocols


def _backends(route: Node, rule: str) -> Iterator[Ref]:
    index = (route.sections or (_ONLY_RULE,)).index(rule)
    for link in route.references:
        if link.rule.role is Role.BACKEND and link.path[2:3] == (index,):
            yield link.ref.whole
