"""Paths that requests take: GatewayClass > Gateway > listener > route > rule (> backend)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from render.kinds.delegation import ROUTE
from render.kinds.kind import Role
from render.kinds.reference import Reference
from render.model import Ref
from render.topology.bounds import spend
from render.topology.classes import controller_of
from render.topology.doors import Door, doors
from render.topology.graph import Topology
from render.topology.hostnames import is_within
from render.topology.listening import gateways_of, listeners_of
from render.topology.node import Node
from render.topology.paths import RequestPath, section_of

_ONLY_RULE = "rule-1"
_PATHS = "paths for requests"


Paths = tuple[RequestPath, ...]


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
    `allowedRoutes`, `hostnames`), unless a route of another kind that comes first has it.
    A rule that does nothing but delegate to other routes has theirs. `namespaces` as for
    `listener_paths`.
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
        in_order = tuple(sorted(set(find(topology, namespaces)), key=lambda path: path.order))
        topology.kept[key] = (in_order, namespaces)  # kept alive, so that its id stays its own
    paths: Paths = topology.kept[key][0]
    return paths


def _listener_paths(topology: Topology, namespaces: Topology) -> Iterator[RequestPath]:
    for node in topology.nodes.values():
        for gateway in gateways_of(topology, node, namespaces) if node.listeners else ():
            declared = None if node is gateway else node.ref
            for listener in listeners_of(topology, node, namespaces):
                yield RequestPath(gateway.gateway_class, gateway.ref, declared, listener.name)


def _rule_paths(topology: Topology, namespaces: Topology) -> Iterator[RequestPath]:
    for door in doors(topology, namespaces):
        path = RequestPath(
            door.gateway.gateway_class,
            door.gateway.ref,
            None if door.parent is door.gateway else door.parent.ref,
            door.listener.name,
            hostnames=door.hostnames,
            beyond=_beyond(door),
        )
        delegates = controller_of(topology, path.gateway_class, namespaces).delegates
        yield from _through(topology, path, door.route, namespaces, delegates=delegates)


def _beyond(door: Door) -> tuple[str, ...]:
    """The hostnames that are not wholly the listener's.

    What such a one stands for on a listener is the listener's own hostname: it goes no further than
    a hostname that is just that.
    """
    listener = door.listener.hostname or "*"
    if listener in door.hostnames:
        return ()
    return tuple(name for name in door.hostnames if not is_within(name, listener))


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a route's rule names: routes it may delegate to, other backends, and filters."""

    name: str
    routes: tuple[Reference, ...]
    backends: tuple[Reference, ...]
    filters: tuple[Ref, ...]


def _rules_of(topology: Topology, route: Node) -> tuple[_Rule, ...]:
    """A route's rules, in order; what each names is looked up once."""
    key = ("rules of", route.ref)
    if key not in topology.kept:
        named: dict[tuple[Any, ...], list[Reference]] = {}
        for link in route.references:
            named.setdefault((link.row.role, *link.path[2:3]), []).append(link)
        topology.kept[key] = tuple(
            _Rule(
                name,
                tuple(link for link in named.get((Role.BACKEND, i), ()) if _is_route(link)),
                tuple(link for link in named.get((Role.BACKEND, i), ()) if not _is_route(link)),
                tuple(link.ref.whole for link in named.get((Role.FILTER, i), ())),
            )
            for i, name in enumerate(route.sections or (_ONLY_RULE,))
        )
    rules: tuple[_Rule, ...] = topology.kept[key]
    return rules


def _rule_of(topology: Topology, path: RequestPath, route: Ref) -> _Rule:
    """The rule that a path ends at: the first one of that name."""
    rules = _rules_of(topology, topology.nodes[route])
    return next(rule for rule in rules if rule.name == path.rule)


def _through(
    topology: Topology, path: RequestPath, route: Node, namespaces: Topology, *, delegates: bool
) -> Iterator[RequestPath]:
    """The paths through a route's rules; a rule that only delegates has those of its children."""
    for rule in _rules_of(topology, route):
        links = rule.routes if delegates else ()
        children = _children(topology, path, route, links) if links else []
        spend(topology, _PATHS, namespaces, 1 + len(path.parents) + len(children))
        parents = (*path.parents, route.ref, section_of(route.ref, rule.name)) if children else ()
        for child in children:
            node = topology.nodes.get(child)
            if node is not None and node.is_route:
                below = replace(path, parents=parents)
                yield from _through(topology, below, node, namespaces, delegates=delegates)
        if not children or rule.backends:
            yield RequestPath(
                path.gateway_class,
                path.gateway,
                path.listener_set,
                path.listener,
                route.ref,
                rule.name,
                hostnames=path.hostnames,
                beyond=path.beyond,
                parents=path.parents,
            )


def _children(
    topology: Topology, path: RequestPath, route: Node, links: Iterable[Reference]
) -> list[Ref]:
    """The routes that a rule delegates to, but for those that requests have come through."""
    above = {ref.whole for ref in path.parents} | {route.ref}
    carried = (child for link in links for child in topology.carried(route, link))
    return [child for child in dict.fromkeys(carried) if child not in above]


def _is_route(link: Reference) -> bool:
    return link.selector is not None or (link.ref.group, link.ref.kind) == ROUTE


def _backend_paths(topology: Topology, namespaces: Topology) -> Iterator[RequestPath]:
    for path in rule_paths(topology, namespaces):
        if path.route is not None:
            for link in _rule_of(topology, path, path.route).backends:
                if link.ref.name:
                    spend(topology, "paths to backends", namespaces)
                    yield _to(path, link, topology, namespaces)


def _to(
    path: RequestPath, link: Reference, topology: Topology, namespaces: Topology
) -> RequestPath:
    """The path to a backend; to one port of it, where its Service is among the objects."""
    backend = link.ref.whole
    node = topology.nodes.get(backend) or namespaces.nodes.get(backend)
    ports = {port: name for name, port in node.ports} if node is not None else {}
    if link.port not in ports:
        return replace(path, backend=backend)
    return replace(path, backend=section_of(backend, ports[link.port]), port=link.port)


def filters_of(topology: Topology, path: RequestPath) -> tuple[Ref, ...]:
    """What the path's rule names as its filters, in order (`ExtensionRef`)."""
    if path.route is None:
        return ()
    return _rule_of(topology, path, path.route).filters
