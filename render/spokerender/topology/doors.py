"""Doors: the listeners of each Gateway, what they admit, and which of them each route is on."""

from collections.abc import Iterator, Sequence
from functools import cache

from msgspec import Struct

from spokerender.kinds.kind import ANY, Controller, Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import find_row, group_rows
from spokerender.model.memo import memoised
from spokerender.model.refs import GATEWAY_API, Ref
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.hostnames import Listening, intersects
from spokerender.topology.node import Listener, Node
from spokerender.topology.precedence import find_orders

_TLS = "TLS"
_TOGETHER = {"HTTPS": "TLS"}
"""Protocols of which listeners of one port may be, by what they are told apart as (SNI)."""
_DATAGRAMS = "UDP"


@cache
def _protocols() -> frozenset[str]:
    """Return the protocols that the Gateway API defines routes for (`ProtocolType`)."""
    rows = group_rows(GATEWAY_API).values()
    return frozenset(protocol for kind in rows for protocol in kind.protocols)


def find_admitting_gateways(topology: Topology, parent: Node) -> Iterator[Node]:
    """Yield the gateway itself, or those that admit the ListenerSet (GEP-1713)."""
    if parent.is_gateway:
        yield parent
        return
    labels = topology.around.labels_of_namespace(parent.ref.namespace)
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
def find_refused_listeners(topology: Topology) -> tuple[Refused, ...]:
    """Return the listeners of ListenerSets that conflict with those before them (GEP-1713).

    The Gateway's own come first, then those of the oldest ListenerSet. One that has the port of
    another with another protocol (ProtocolConflict), or with its protocol and hostname
    (HostnameConflict), is Conflicted: its port is not opened for it.
    """
    sets: dict[Ref, list[Node]] = {}
    for node in topology.nodes.values():
        if node.listeners and not node.is_gateway:
            for gateway in find_admitting_gateways(topology, node):
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


def find_open_listeners(topology: Topology, parent: Node) -> Iterator[Listener]:
    """Yield the listeners of a Gateway or ListenerSet that are not refused."""
    refused = {
        conflict.listener
        for conflict in find_refused_listeners(topology)
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


class Door(Struct, frozen=True, eq=False):
    """A listener that a route is on, and the route's hostnames that it serves; none: any."""

    gateway: Node
    parent: Node
    listener: Listener
    route: Node
    hostnames: tuple[str, ...]


class KeptOut(Struct, frozen=True):
    """A route that is refused on a listener, for a route of the other kind has its hostname.

    `is_certain` tells whether it is known which of the two is older.
    """

    listener: tuple[Ref, str]
    route: Ref
    by: Ref
    hostname: str
    is_certain: bool


def find_doors(topology: Topology) -> tuple[Door, ...]:
    """Return every listener that a route is on, if no other route keeps it out."""
    return _all(topology)[0]


def find_refused_routes(topology: Topology) -> tuple[KeptOut, ...]:
    """Return the routes that are refused on a listener because of another route, sorted."""
    return _all(topology)[1]


@memoised
def _all(topology: Topology) -> tuple[tuple[Door, ...], tuple[KeptOut, ...]]:
    doors = [
        door
        for node in topology.nodes.values()
        if node.is_route
        for parent, link in find_parents(topology, node)
        for door in _of(topology, node, parent, link)
    ]
    rivals = sorted(_kept_out(topology, doors), key=lambda rival: (rival.route, rival.by))
    refused = {(rival.listener, rival.route) for rival in rivals}
    open_doors = (door for door in doors if (_listener(door), door.route.ref) not in refused)
    return tuple(open_doors), tuple(rivals)


def find_parents(topology: Topology, route: Node) -> Iterator[tuple[Node, Reference]]:
    """Yield the parents of a route that are here, default gateways among them."""
    for link in route.references:
        if link.row.role is Role.PARENT:
            for ref in topology.parents(link):
                yield topology.nodes[ref], link


def _of(topology: Topology, route: Node, parent: Node, link: Reference) -> Iterator[Door]:
    met = {name: index_hostnames(topology, parent.ref).met_by(name) for name in route.hostnames}
    for gateway in find_admitting_gateways(topology, parent):
        controller = find_class_controller(topology, gateway.gateway_class)
        opened = {listener.name for listener in find_open_listeners(topology, parent)}
        for listener in find_named_listeners(parent, link):
            if (
                listener.name in opened
                and is_kind_allowed(listener, route.ref.group, route.ref.kind, controller)
                and is_namespace_admitted(topology, parent, listener, route)
            ):
                served = tuple(name for name in route.hostnames if listener.hostname in met[name])
                if bool(served) == bool(route.hostnames):
                    topology.spend(1, "finding listeners of routes", route.ref)
                    yield Door(gateway, parent, listener, route, served)


def _listener(door: Door) -> tuple[Ref, str]:
    return door.parent.ref, door.listener.name


def _kept_out(topology: Topology, doors: list[Door]) -> Iterator[KeptOut]:
    """Yield the HTTPRoutes and GRPCRoutes whose hostname an older route of the other kind has.

    So the Gateway API wants it; not every controller does it.
    """
    listeners: dict[tuple[Ref, str], dict[Ref, Door]] = {}
    for door in doors:
        row = find_row(door.route.ref.group, door.route.ref.kind)
        if row is not None and row.own_hostnames:
            listeners.setdefault(_listener(door), {})[door.route.ref] = door
    for listener, on in listeners.items():
        gateway_class = next(iter(on.values())).gateway.gateway_class
        if (
            len({ref.kind for ref in on}) > 1
            and not find_class_controller(topology, gateway_class).mixes_kinds
        ):
            yield from _refused(topology, listener, on)


def _refused(
    topology: Topology, listener: tuple[Ref, str], on: dict[Ref, Door]
) -> Iterator[KeptOut]:
    accepted: list[Ref] = []
    for ref in find_orders(on, topology.ages).likely:
        rivals = (other for other in accepted if other.kind != ref.kind)
        clash = next(((by, name) for by in rivals if (name := _common(on[by], on[ref]))), None)
        if clash is None:
            accepted.append(ref)
        else:
            by, name = clash
            is_certain = find_orders((by, ref), topology.ages).is_certain
            yield KeptOut(listener, ref, by, name, is_certain)


def _common(one: Door, other: Door) -> str:
    """Return a hostname that requests to both may have, or an empty text."""
    names = [door.hostnames or (door.listener.hostname or "*",) for door in (one, other)]
    every = ((a, b) for a in names[0] for b in names[1])
    return next((a for a, b in every if "*" in (a, b) or intersects(a, b)), "")


def explain_detachment(topology: Topology, route: Node) -> Iterator[tuple[Ref, str]]:
    """Yield each parent that a route is not attached to, and the reason.

    The reasons are the Gateway API's, in the order in which listeners drop out: NoMatchingParent,
    NotAllowedByListeners (by kind, then by namespace), NoMatchingListenerHostname.
    """
    for link in route.references:
        if link.row.role is not Role.PARENT:
            continue
        parents = topology.parents(link)
        if not parents and link.selector is None:
            yield link.ref.whole, f"{link.ref.whole} is not there"
        for ref in parents:
            why = _why(topology, route, topology.nodes[ref], link)
            if why:
                yield ref, why


def _why(topology: Topology, route: Node, parent: Node, link: Reference) -> str:
    if not any(find_admitting_gateways(topology, parent)):
        return f"no Gateway admits {parent.ref} (spec.allowedListeners)"
    stages = _stages(topology, route, parent, link)
    return next((f"no listener of {parent.ref} {why}" for left, why in stages if not left), "")


def _stages(
    topology: Topology, route: Node, parent: Node, link: Reference
) -> Iterator[tuple[Sequence[Listener], str]]:
    """Yield the listeners that are left after a condition, and what the others lack."""
    gateway = next(find_admitting_gateways(topology, parent))
    kind, namespace = route.ref.kind, route.ref.namespace
    left = [*find_named_listeners(parent, link)]
    yield left, "has the sectionName or port that it names"
    opened = {listener.name for listener in find_open_listeners(topology, parent)}
    left = [listener for listener in left if listener.name in opened]
    yield left, "is distinct from those of its Gateway that come first"
    controller = find_class_controller(topology, gateway.gateway_class)
    left = [
        listener
        for listener in left
        if is_kind_allowed(listener, route.ref.group, kind, controller)
    ]
    yield left, f"takes routes of kind {kind} (its protocol, tls.mode, or allowedRoutes.kinds)"
    left = [
        listener for listener in left if is_namespace_admitted(topology, parent, listener, route)
    ]
    yield left, f"admits routes of namespace {namespace} (allowedRoutes.namespaces)"
    if route.hostnames:
        left = [
            listener
            for listener in left
            if any(intersects(listener.hostname, name) for name in route.hostnames)
        ]
        yield left, f"has a hostname in common with {', '.join(route.hostnames)}"
