"""Finds paths of requests: GatewayClass > Gateway > listener > route > rule (> backend)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.kind import Controller, Role
from spokerender.kinds.merging import Names, Precedence
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import ROUTE
from spokerender.kinds.table import find_row
from spokerender.model import grouped
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology import doors
from spokerender.topology.conflicts import find_admitting_gateways
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.hostnames import is_within
from spokerender.topology.node import Dropped, DroppedParts, Listener, Node
from spokerender.topology.paths import RequestPath, make_section, walk_chain
from spokerender.topology.precedence import find_orders

_PATHS = "finding paths for requests"
_BACKENDS = "backendRefs"
"""The field of a rule whose filters apply to one backend."""


_Paths = tuple[RequestPath, ...]


def _in_order(paths: Iterable[RequestPath]) -> _Paths:
    # Several parentRefs may lead to one listener.
    return tuple(sorted(set(paths), key=lambda path: path.order))


@memoised
def find_listener_paths(topology: Topology) -> _Paths:
    """Return the paths to all open listeners of all Gateways, sorted, even without routes."""
    return _in_order(
        _to_listener(topology, gateway, node, listener)
        for node in topology.nodes.values()
        for gateway in (find_admitting_gateways(topology, node) if node.listeners else ())
        for listener in doors.find_open_listeners(topology, node)
    )


def find_listener(topology: Topology, path: RequestPath) -> Listener:
    """Return the listener of a path through a Gateway; a path through a mesh has none."""
    holder = topology.nodes[path.listener_set or path.gateway]
    return next(listener for listener in holder.listeners if listener.name == path.listener)


@memoised
def find_rule_paths(topology: Topology) -> _Paths:
    """Return all paths to rules, sorted.

    A route is on a listener that it names (`sectionName`, `port`), that admits its namespace and
    kind, and that has a hostname in common with it (Gateway API: `ParentReference`,
    `allowedRoutes`, `hostnames`). A rule that only delegates to other routes is replaced by their
    rules.
    """
    # The rules behind doors are in order, unless some of them delegate.
    # Delegation brings the paths of one route into the middle of those of another.
    if any(
        rule.routes
        for node in topology.nodes.values()
        if node.is_route
        for rule in _rules_of(topology, node.ref).values()
    ):
        return _in_order(_behind_doors(topology))
    return tuple(_behind_doors(topology))


def _behind_doors(topology: Topology) -> Iterator[RequestPath]:
    """Yield the paths to rules through Gateways, sorted by listener and then by route."""
    by_route = groupby(doors.find_doors(topology), key=lambda door: door.route.ref)
    listeners: dict[tuple[Ref, Ref, int], dict[Ref, doors.Door]] = {}
    # By route, so that rules behind a listener come out in the order of their routes.
    for ref, doors_of in sorted((ref, tuple(of_route)) for ref, of_route in by_route):
        for door in doors_of:
            listener = door.gateway.ref, door.parent.ref, door.listener.index
            listeners.setdefault(listener, {})[ref] = door
    firsts = ((next(iter(on.values())), on.values()) for on in listeners.values())
    behind = [
        (_to_listener(topology, door.gateway, door.parent, door.listener), on)
        for door, on in firsts
    ]
    # A listener's path is made once, and each rule on it is appended to it.
    for path, on in sorted(behind, key=lambda listener: listener[0].order):
        controller = find_class_controller(topology, path.gateway_class)
        delegates = controller.delegates
        for door in _find_served(topology, controller, on):
            served = replace(
                path, hostnames=door.hostnames, beyond=_beyond(door), is_certain=door.is_certain
            )
            yield from _through(topology, served, door.route, delegates=delegates)


def _find_served(
    topology: Topology, controller: Controller, on: Collection[doors.Door]
) -> Iterator[doors.Door]:
    """Yield the routes on a listener that get requests: for some kinds, only the first route."""
    # Envoy Gateway serves one TCPRoute or UDPRoute on a listener.
    rivals = [door.route.ref for door in on if door.route.ref.kind in controller.single_routes]
    others = [door for door in on if door.route.ref not in rivals]
    # A route of another kind that is certainly on the listener displaces all of them.
    if not rivals or any(door.is_certain for door in others):
        yield from others
        return
    firsts = find_orders(rivals, topology.ages, Precedence(names=Names.PAIR)).firsts
    is_alone = len(firsts) == 1 and not others
    for door in on:
        if door.route.ref not in rivals:
            yield door
        elif door.route.ref in firsts:
            yield replace(door, is_certain=door.is_certain and is_alone)


def _to_listener(
    topology: Topology, gateway: Node, parent: Node, listener: Listener
) -> RequestPath:
    listener_set = None if parent is gateway else parent.ref
    is_certain = not doors.may_be_refused(topology, parent.ref, listener.name)
    return RequestPath(
        gateway.gateway_class, gateway.ref, listener_set, listener.name, is_certain=is_certain
    )


def _beyond(door: doors.Door) -> tuple[str, ...]:
    """Return a route's hostnames that are not within the listener's hostname.

    On the listener, such a hostname means only the listener's own hostname.
    """
    listener = door.listener.hostname or "*"
    if listener in door.hostnames:
        return ()
    return tuple(name for name in door.hostnames if not is_within(name, listener))


class _Rule(Struct, frozen=True):
    """The references of a route's rule: routes it may delegate to, other backends, and filters.

    If `is_asking`, a filter has a service check the caller (`ExternalAuth`).
    """

    section: Ref
    routes: tuple[Reference, ...]
    backends: tuple[Reference, ...]
    filters: tuple[Ref, ...]
    is_asking: bool


@memoised
def _rules_of(topology: Topology, ref: Ref) -> Mapping[str, _Rule]:
    """Return a route's rules by name, sorted; of equal names, the first rule counts."""
    route = topology.nodes[ref]
    links = grouped(((link.row.role, *link.path[2:3]), link) for link in route.references)
    of_all = tuple(link for link in route.needs if link.row.role is Role.FILTER)
    rules: dict[str, _Rule] = {}
    # A route without rules has one by default.
    for i, name in enumerate(route.sections or (doors.ONLY_RULE,)):
        backends = links.get((Role.BACKEND, i), ())
        rules.setdefault(
            name,
            _Rule(
                make_section(ref, name),
                tuple(link for link in backends if _is_route(link)),
                tuple(link for link in backends if not _is_route(link)),
                tuple(
                    each
                    for link in (*links.get((Role.FILTER, i), ()), *of_all)
                    # Filters of a backend see the requests to that backend only.
                    if _BACKENDS not in link.path
                    for each in _list_chained(topology, link.ref.whole)
                ),
                any(
                    "externalAuth" in link.path and _BACKENDS not in link.path for link in backends
                ),
            ),
        )
    return dict(sorted(rules.items()))


def _through(
    topology: Topology, path: RequestPath, route: Node, *, delegates: bool
) -> Iterator[RequestPath]:
    """Yield the paths through a route's rules; if `delegates`, with those of its child routes."""
    rules = [*_rules_of(topology, route.ref).values()]
    dropped: DroppedParts = {}
    # Looked up only where something is dropped, as this runs for each rule on each listener.
    if topology.dropped:
        controller = find_class_controller(topology, path.gateway_class)
        dropped = topology.dropped.get((route.ref, controller.id), {})
        names = doors.list_made_rules(topology, controller, route)
        rules = [rule for rule in rules if rule.section.section_name in names]
    # Delegation can multiply paths without end; each one costs a part of the budget.
    topology.spend(len(rules) * (1 + len(path.parents)), _PATHS, route.ref)
    for rule in rules:
        children = _children(topology, path, route, rule.routes) if delegates else []
        if children:
            topology.spend(len(children), _PATHS, route.ref)
            parents = (*path.parents, route.ref, rule.section)
            below = replace(path, parents=parents)
            for child in children:
                node = topology.nodes.get(child)
                if node is not None and node.is_route:
                    yield from _through(topology, below, node, delegates=delegates)
        if rule.section.section_name in dropped:
            yield replace(path, is_certain=False).to_rule(route.ref, rule.section)
        # A rule that only delegates answers nothing itself.
        elif not children or rule.backends:
            yield path.to_rule(route.ref, rule.section)


def _children(
    topology: Topology, path: RequestPath, route: Node, links: tuple[Reference, ...]
) -> list[Ref]:
    """Return the routes that a rule delegates to, except routes that are on the path already."""
    if not links:
        return []
    # Routes may delegate in a cycle.
    above = {ref.whole for ref in path.parents} | {route.ref}
    carried = (child for link in links for child in topology.carried(route, link))
    return [child for child in dict.fromkeys(carried) if child not in above]


def _is_route(link: Reference) -> bool:
    return link.selector is not None or (link.ref.group, link.ref.kind) == ROUTE


@memoised
def find_backend_paths(topology: Topology) -> _Paths:
    """Return all paths to backends of rules, sorted; a rule without backends has none."""
    paths: list[RequestPath] = []
    for path in find_rule_paths(topology):
        backends = _rule_of(topology, path).backends if path.route is not None else ()
        named = [
            link
            for link in backends
            if link.ref.name
            and not link.is_idle
            and path.route is not None
            and not _is_refused(topology, path, path.route, link)
            and topology.permits(path.route, link.ref.whole)
            and not is_answered(topology, path)
        ]
        if named:
            topology.spend(len(named), "finding paths to backends", path.route)
            paths += _in_order(_to(path, link, topology) for link in named)
    return tuple(paths)


def _is_refused(topology: Topology, path: RequestPath, route: Ref, link: Reference) -> bool:
    """Return whether the path's controller refuses a backend or a filter of that backend."""
    node = topology.find(link.ref.whole)
    if node is not None and node.is_off:
        return True
    if not topology.dropped:
        return False
    controller = find_class_controller(topology, path.gateway_class)
    why = topology.dropped.get((route, controller.id), {}).get(link.path, Dropped.UNDECIDED)
    # An undecided backend may get requests, so its path counts.
    return why is not Dropped.UNDECIDED


def is_answered(topology: Topology, path: RequestPath) -> bool:
    """Return whether a filter of the path's rule answers requests in place of its backends."""
    filters = [topology.find(ref) for ref in find_filters(topology, path)]
    return any(node is not None and node.answers for node in filters)


def _rule_of(topology: Topology, path: RequestPath) -> _Rule:
    assert path.route is not None  # noqa: S101  (who asks looked)
    return _rules_of(topology, path.route)[path.rule]


def _to(path: RequestPath, link: Reference, topology: Topology) -> RequestPath:
    """Return the path to a backend; to a port of the backend if the section's name is known."""
    backend = link.ref.whole
    # Policies name some backends' ports by number, so no Service has to be known.
    if link.port is not None and has_numbers(backend):
        return replace(path, backend=make_section(backend, str(link.port)), port=link.port)
    node = topology.find(backend)
    ports = {port: name for name, port in node.ports} if node is not None else {}
    if link.port not in ports:
        return replace(path, backend=backend)
    return replace(path, backend=make_section(backend, ports[link.port]), port=link.port)


def has_numbers(backend: Ref) -> bool:
    """Return whether a backend's sections are port numbers, as in references of routes."""
    row = find_row(backend.group, backend.kind)
    return row is not None and row.numbered_ports


def _list_chained(topology: Topology, ref: Ref) -> tuple[Ref, ...]:
    """Return a filter, followed by the filters of its kind that it chains (Traefik)."""
    nodes = topology.nodes
    return walk_chain(
        ref, lambda one: tuple(link.ref.whole for link in nodes[one].needs) if one in nodes else ()
    )


def find_filters(topology: Topology, path: RequestPath) -> tuple[Ref, ...]:
    """Return the filters that the path's rule names, in order (`ExtensionRef`)."""
    if path.route is None:
        return ()
    return _rule_of(topology, path).filters


def find_narrowing(topology: Topology, path: RequestPath) -> str:
    """Return the conditions on requests that the filters of a path's rule add to its matches."""
    filters = find_filters(topology, path)
    return "".join(_narrowing(topology, filter_ref) for filter_ref in filters)


def _narrowing(topology: Topology, ref: Ref) -> str:
    """Return a filter's conditions on requests; for an unknown filter, its identity as a text."""
    node, row = topology.nodes.get(ref), find_row(ref.group, ref.kind)
    # An absent filter narrows nothing; an unknown one might, so it counts as different from all
    # others.
    if node is not None or topology.is_absent(ref):
        return node.narrows if node is not None else ""
    return str(ref) if row is None or row.narrows else ""


@memoised
def find_filters_of_backends(topology: Topology) -> tuple[Ref, ...]:
    """Return the filters for requests to single backends of a rule (`ExtensionRef`)."""
    return tuple(
        each
        for node in topology.nodes.values()
        for link in (node.references if node.is_route else ())
        if link.row.role is Role.FILTER and _BACKENDS in link.path
        for each in _list_chained(topology, link.ref.whole)
    )


def asks_service(topology: Topology, path: RequestPath) -> bool:
    """Return whether a filter of the path's rule has a service check callers (`ExternalAuth`)."""
    return path.route is not None and _rule_of(topology, path).is_asking
