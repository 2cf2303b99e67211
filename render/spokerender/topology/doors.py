"""Doors: the listeners that each route is on, and what it is there for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import find_row
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.gateways import (
    find_admitting_gateways,
    find_class_controller,
    find_named_listeners,
    find_open_listeners,
    index_hostnames,
    is_kind_allowed,
    is_namespace_admitted,
)
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import intersects
from spokerender.topology.node import Listener, Node
from spokerender.topology.precedence import find_orders


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


def find_doors(topology: Topology, namespaces: Topology) -> tuple[Door, ...]:
    """Return every listener that a route is on, if no other route keeps it out."""
    return _all(topology, namespaces)[0]


def find_refused_routes(
    topology: Topology, namespaces: Topology | None = None
) -> tuple[KeptOut, ...]:
    """Return the routes that are refused on a listener because of another route, sorted."""
    return _all(topology, namespaces or topology)[1]


@memoised
def _all(topology: Topology, namespaces: Topology) -> tuple[tuple[Door, ...], tuple[KeptOut, ...]]:
    doors = [
        door
        for node in topology.nodes.values()
        if node.is_route
        for parent, link in find_parents(topology, node)
        for door in _of(topology, node, parent, link, namespaces)
    ]
    rivals = sorted(
        _kept_out(topology, doors, namespaces), key=lambda rival: (rival.route, rival.by)
    )
    refused = {(rival.listener, rival.route) for rival in rivals}
    open_doors = (door for door in doors if (_listener(door), door.route.ref) not in refused)
    return tuple(open_doors), tuple(rivals)


def find_parents(topology: Topology, route: Node) -> Iterator[tuple[Node, Reference]]:
    """Yield the parents of a route that are here, default gateways among them."""
    for link in route.references:
        if link.row.role is Role.PARENT:
            for ref in topology.parents(link):
                yield topology.nodes[ref], link


def _of(
    topology: Topology, route: Node, parent: Node, link: Reference, namespaces: Topology
) -> Iterator[Door]:
    met = {name: index_hostnames(topology, parent.ref).met_by(name) for name in route.hostnames}
    for gateway in find_admitting_gateways(topology, parent, namespaces):
        controller = find_class_controller(topology, gateway.gateway_class, namespaces)
        opened = {listener.name for listener in find_open_listeners(topology, parent, namespaces)}
        for listener in find_named_listeners(parent, link):
            if (
                listener.name in opened
                and is_kind_allowed(listener, route.ref.group, route.ref.kind, controller)
                and is_namespace_admitted(parent, listener, route, namespaces)
            ):
                served = tuple(name for name in route.hostnames if listener.hostname in met[name])
                if bool(served) == bool(route.hostnames):
                    topology.spend(1, "finding listeners of routes", namespaces, route.ref)
                    yield Door(gateway, parent, listener, route, served)


def _listener(door: Door) -> tuple[Ref, str]:
    return door.parent.ref, door.listener.name


def _kept_out(topology: Topology, doors: list[Door], namespaces: Topology) -> Iterator[KeptOut]:
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
            and not find_class_controller(topology, gateway_class, namespaces).mixes_kinds
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


def explain_detachment(
    topology: Topology, route: Node, namespaces: Topology | None = None
) -> Iterator[tuple[Ref, str]]:
    """Yield each parent that a route is not attached to, and the reason.

    The reasons are the Gateway API's, in the order in which listeners drop out: NoMatchingParent,
    NotAllowedByListeners (by kind, then by namespace), NoMatchingListenerHostname. `namespaces` as
    for `rule_paths`.
    """
    around = namespaces or topology
    for link in route.references:
        if link.row.role is not Role.PARENT:
            continue
        parents = topology.parents(link)
        if not parents and link.selector is None:
            yield link.ref.whole, f"{link.ref.whole} is not there"
        for ref in parents:
            why = _why(topology, route, topology.nodes[ref], link, around)
            if why:
                yield ref, why


def _why(
    topology: Topology, route: Node, parent: Node, link: Reference, namespaces: Topology
) -> str:
    if not any(find_admitting_gateways(topology, parent, namespaces)):
        return f"no Gateway admits {parent.ref} (spec.allowedListeners)"
    stages = _stages(topology, route, parent, link, namespaces)
    return next((f"no listener of {parent.ref} {why}" for left, why in stages if not left), "")


def _stages(
    topology: Topology, route: Node, parent: Node, link: Reference, namespaces: Topology
) -> Iterator[tuple[Sequence[Listener], str]]:
    """Yield the listeners that are left after listener condition, and what the others lack."""
    gateway = next(find_admitting_gateways(topology, parent, namespaces))
    kind, namespace = route.ref.kind, route.ref.namespace
    left = [*find_named_listeners(parent, link)]
    yield left, "has the sectionName or port that it names"
    opened = {listener.name for listener in find_open_listeners(topology, parent, namespaces)}
    left = [listener for listener in left if listener.name in opened]
    yield left, "is distinct from those of its Gateway that come first"
    controller = find_class_controller(topology, gateway.gateway_class, namespaces)
    left = [
        listener
        for listener in left
        if is_kind_allowed(listener, route.ref.group, kind, controller)
    ]
    yield left, f"takes routes of kind {kind} (its protocol, tls.mode, or allowedRoutes.kinds)"
    left = [
        listener for listener in left if is_namespace_admitted(parent, listener, route, namespaces)
    ]
    yield left, f"admits routes of namespace {namespace} (allowedRoutes.namespaces)"
    if route.hostnames:
        left = [
            listener
            for listener in left
            if any(intersects(listener.hostname, name) for name in route.hostnames)
        ]
        yield left, f"has a hostname in common with {', '.join(route.hostnames)}"
