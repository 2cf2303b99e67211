"""Doors: pairs of a Gateway's listener and a route on it, and why other routes are on none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from spokerender.kinds.kind import Controller, Role
from spokerender.kinds.reference import Reference
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology import conflicts
from spokerender.topology.admission import (
    explain_dead,
    find_named_listeners,
    find_parents,
    index_hostnames,
    is_namespace_admitted,
)
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.hostnames import EVERY_NAME, intersects, is_within
from spokerender.topology.node import TERMINATING, Dropped, Listener, Node, is_kind_allowed
from spokerender.topology.taken import HOSTNAME_CONFLICT

_UNDECIDED = Dropped.UNDECIDED
ONLY_RULE = "rule-1"
"""The name of the only rule of a route that declares no rules."""


def find_open_listeners(topology: Topology, parent: Node) -> Iterator[Listener]:
    """Yield the listeners of a Gateway or ListenerSet that don't lose a conflict for certain."""
    refused = conflicts.find_refused_listeners(topology)
    yield from (item for item in parent.listeners if (parent.ref, item.name) not in refused)


class Door(Struct, frozen=True, eq=False):
    """A listener, a route on it, and the hostnames of the route that the listener serves.

    No hostnames mean every hostname. If `is_certain` is false, the creation times of objects decide
    whether the listener is opened.
    """

    gateway: Node
    parent: Node
    listener: Listener
    route: Node
    hostnames: tuple[str, ...]
    is_certain: bool = True


@memoised
def find_doors(topology: Topology) -> tuple[Door, ...]:
    """Return each listener with each route that is, or may be, on it."""
    return tuple(
        door
        for node in topology.nodes.values()
        if node.is_route
        for parent, link in find_parents(topology, node)
        for door in _of(topology, node, parent, link)
    )


def _of(topology: Topology, route: Node, parent: Node, link: Reference) -> Iterator[Door]:
    # Looked up once per route and parent, however many listeners there are.
    met = {name: index_hostnames(topology, parent.ref).met_by(name) for name in route.hostnames}
    for gateway in conflicts.find_admitting_gateways(topology, parent):
        controller = find_class_controller(topology, gateway.gateway_class)
        # Some controllers serve no route of several rules (`RoutingRules.one_rule`).
        if not controller.takes_rules(route.ref.kind, len(route.rules)):
            continue
        if topology.dropped and not list_made_rules(topology, controller, route):
            continue
        opened = {listener.name for listener in find_open_listeners(topology, parent)}
        if TERMINATING in topology.dropped.get((route.ref, controller.id), {}):
            opened -= {one.name for one in parent.listeners if one.tls_mode in TERMINATING}
        for listener in find_named_listeners(parent, link):
            if (
                listener.name in opened
                and is_kind_allowed(listener, route.ref.group, route.ref.kind, controller)
                and is_namespace_admitted(topology, parent, listener, route)
            ):
                served = tuple(name for name in route.hostnames if listener.hostname in met[name])
                if served and controller.isolates:
                    served = isolate_hostnames(topology, gateway.ref, parent.ref, listener, served)
                # If the route has hostnames, at least one must be served; without any, all are.
                if bool(served) == bool(route.hostnames):
                    # Otherwise hubs with every route on every listener would need all memory.
                    topology.spend(1, "finding listeners of routes", route.ref)
                    is_certain = not may_be_refused(topology, parent.ref, listener.name)
                    yield Door(gateway, parent, listener, route, served, is_certain)


def list_made_rules(topology: Topology, controller: Controller, route: Node) -> tuple[str, ...]:
    """Return the names of a route's rules, except those that its controller certainly drops."""
    names = route.sections or (ONLY_RULE,)
    dropped = topology.dropped.get((route.ref, controller.id), {})
    return tuple(name for name in names if dropped.get(name, _UNDECIDED) is _UNDECIDED)


def isolate_hostnames(
    topology: Topology, gateway: Ref, parent: Ref, listener: Listener, hostnames: Iterable[str]
) -> tuple[str, ...]:
    """Return the `hostnames` of a route on a listener, without those that another listener serves.

    For some controllers (Envoy Gateway, helpers.go, computeHosts), only a hostname equal to another
    listener's is removed: the request decides whether a listener's wildcard is more specific.
    """
    # Per port, as isolation is between listeners that share a connection.
    on_port = _index_ports(topology, gateway).get(listener.port, {})
    if find_class_controller(topology, topology.nodes[gateway].gateway_class).isolates == "within":
        nearer = [
            name
            for name, holders in on_port.items()
            if not is_within(listener.hostname, name)
            and any(protocol == listener.protocol for _, _, protocol in holders)
        ]
        return tuple(
            name for name in hostnames if not any(is_within(name, other) for other in nearer)
        )
    own = parent, listener.name
    others = {
        name
        for name, holders in on_port.items()
        if any((ref, section) != own for ref, section, _ in holders)
    }
    return tuple(name for name in hostnames if find_narrower(name, listener.hostname) not in others)


def find_narrower(name: str, listener: str) -> str:
    """Return the more specific of two hostnames that intersect: a route's and a listener's."""
    return name if not listener or is_within(name, listener) else listener


def list_common(listener: str, hostnames: Iterable[str]) -> tuple[str, ...]:
    """Return each of a path's hostnames, or the listener's hostname if that is more specific."""
    names = (find_narrower(name, listener) for name in hostnames)
    return tuple(dict.fromkeys(names)) or (listener or EVERY_NAME,)


@memoised
def _index_ports(
    topology: Topology, gateway: Ref
) -> Mapping[int | str, Mapping[str, list[tuple[Ref, str, str]]]]:
    """Return the listeners of a Gateway that won their conflicts, by port and hostname.

    A listener is given as a triple of its parent, its name and its protocol.
    """
    lost = {
        (conflict.parent, conflict.listener)
        for conflict in conflicts.find_conflicts(topology)
        if conflict.is_certain
        and conflict.reason == HOSTNAME_CONFLICT
        and not conflict.is_between  # validate.go, hostnameConflictLoser
        and all(ref.whole != conflict.parent for ref in conflict.by)
    }
    ports: dict[int | str, dict[str, list[tuple[Ref, str, str]]]] = {}
    for parent, listener in conflicts.find_gateway_listeners(topology).get(gateway, ()):
        # A listener without a hostname isolates nobody: others are always more specific.
        if listener.hostname and (parent.ref, listener.name) not in lost:
            holders = ports.setdefault(listener.port, {}).setdefault(listener.hostname, [])
            holders.append((parent.ref, listener.name, listener.protocol))
    return ports


def may_be_refused(topology: Topology, parent: Ref, listener: str) -> bool:
    """Return whether it is uncertain that a listener is refused because of another listener.

    The creation times of objects decide, or the spoke may lack the certificate of that listener.
    """
    return (parent, listener) in _find_open_questions(topology)


@memoised
def _find_open_questions(topology: Topology) -> frozenset[tuple[Ref, str]]:
    return frozenset(
        (conflict.parent, conflict.listener) for conflict in conflicts.find_conflicts(topology)
    ) - conflicts.find_refused_listeners(topology)


def explain_detachment(topology: Topology, route: Node) -> Iterator[tuple[Ref, str]]:
    """Yield each parent to which a route is not attached, with the reason.

    The reasons are those of the Gateway API, in the order in which they are checked:
    NoMatchingParent, NotAllowedByListeners (kind, then namespace), NoMatchingListenerHostname.
    """
    for link in route.references:
        if link.row.role is not Role.PARENT:
            continue
        parents = topology.parents(link)
        # A selector that selects nothing names no object that could be missing.
        if not parents and link.selector is None:
            yield link.ref.whole, f"{link.ref.whole} is not there"
        for ref in parents:
            why = _why(topology, route, topology.nodes[ref], link)
            if why:
                yield ref, why


def _why(topology: Topology, route: Node, parent: Node, link: Reference) -> str:
    if not any(conflicts.find_admitting_gateways(topology, parent)):
        dead = explain_dead(topology, parent)
        return dead or f"no Gateway admits {parent.ref} (spec.allowedListeners)"
    stages = _stages(topology, route, parent, link)
    # The first condition that no listener passes is the one that a controller reports.
    return next((f"no listener of {parent.ref} {why}" for left, why in stages if not left), "")


def _stages(
    topology: Topology, route: Node, parent: Node, link: Reference
) -> Iterator[tuple[Sequence[Listener], str]]:
    """Yield for each condition of attachment the listeners left after this condition, and a text.

    The text completes "no listener <text>".
    """
    gateway = next(conflicts.find_admitting_gateways(topology, parent))
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
        if controller.isolates == "equal":
            left = [
                listener
                for listener in left
                if isolate_hostnames(
                    topology,
                    gateway.ref,
                    parent.ref,
                    listener,
                    (name for name in route.hostnames if intersects(listener.hostname, name)),
                )
            ]
            names = ", ".join(route.hostnames)
            yield left, f"is for {names}: another one of its port is for exactly that"
