"""Paths that requests take: GatewayClass > Gateway > listener > route > rule (> backend)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from render.kinds import Reference, Role
from render.kinds.delegation import ROUTE
from render.model import GATEWAY_API, Ref
from render.topology.controllers import controller_of
from render.topology.doors import Door, doors
from render.topology.graph import Topology
from render.topology.hostnames import is_within
from render.topology.listening import gateways_of, listeners_of
from render.topology.node import Node

_ONLY_RULE = "rule-1"
_REMEMBERED = 65_536
"""How many sections are kept: those of a large hub."""


@dataclass(frozen=True)
class RequestPath:
    """One way through a gateway, down to a route's rule or to one of its backends.

    `listener_set` is where the listener is declared if not in the Gateway; the listener is empty
    where requests reach `gateway`, which is none, by another way. `parents` are the routes and
    rules that delegate to the route, the first one first. `route` is None where the path ends at
    the listener. `rule` is the rule's name, or `rule-<n>` where it has none. `hostnames` are the
    route's that the listener serves, all of the listener's where it is empty; `beyond` are those of
    them that are not wholly the listener's. `backend` has a port's name as its section where the
    path ends at one port, and `port` is that port's number where it is known.
    """

    gateway_class: str
    gateway: Ref
    listener_set: Ref | None
    listener: str
    route: Ref | None = None
    rule: str = ""
    backend: Ref | None = None
    hostnames: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    parents: tuple[Ref, ...] = ()
    port: int | None = None

    @cached_property
    def levels(self) -> tuple[Ref, ...]:
        """What policies on this path may hang on, the least specific first."""
        if not self.listener:
            return (self.gateway,)
        levels = [Ref(GATEWAY_API, "GatewayClass", "", self.gateway_class), self.gateway]
        if self.listener_set is not None:
            levels.append(self.listener_set)
        levels.append(self.section)
        if self.route is not None:
            levels += [*self.parents, self.route, _section(self.route, self.rule)]
        if self.backend is not None:
            levels.append(self.backend.whole)
            if self.backend.section_name:
                levels.append(self.backend)
        return tuple(levels)

    @property
    def section(self) -> Ref:
        """The listener, as a section of what declares it."""
        return _section(self.listener_set or self.gateway, self.listener)

    @property
    def is_within(self) -> bool:
        """Whether all of its hostnames are wholly the listener's."""
        return not self.beyond

    @property
    def order(self) -> tuple[tuple[Ref, ...], tuple[str, ...]]:
        """What paths are sorted by."""
        return self.levels[1:], self.hostnames


Paths = tuple[RequestPath, ...]


@lru_cache(_REMEMBERED)
def _section(ref: Ref, name: str) -> Ref:
    """A section of an object, the same one each time: what is the same is soon compared."""
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
        yield from _through(topology, path, door.route, delegates=delegates)


def _beyond(door: Door) -> tuple[str, ...]:
    """The hostnames that are not wholly the listener's.

    What such a one stands for on a listener is the listener's own hostname: it goes no further than
    a hostname that is just that.
    """
    listener = door.listener.hostname or "*"
    if listener in door.hostnames:
        return ()
    return tuple(name for name in door.hostnames if not is_within(name, listener))


def _through(
    topology: Topology, path: RequestPath, route: Node, *, delegates: bool
) -> Iterator[RequestPath]:
    """The paths through a route's rules; a rule that only delegates has those of its children."""
    for index, rule in enumerate(route.sections or (_ONLY_RULE,)):
        links = [link for link in _backends(route, index) if delegates and _is_route(link)]
        above = {ref.whole for ref in path.parents} | {route.ref}
        carried = (child for link in links for child in topology.carried(route, link))
        children = [child for child in dict.fromkeys(carried) if child not in above]
        parents = (*path.parents, route.ref, _section(route.ref, rule))
        for child in children:
            node = topology.nodes.get(child)
            if node is not None and node.is_route:
                below = replace(path, parents=parents)
                yield from _through(topology, below, node, delegates=delegates)
        if not children or len(links) < len(list(_backends(route, index))):
            yield replace(path, route=route.ref, rule=rule)


def _is_route(link: Reference) -> bool:
    return link.selector is not None or (link.ref.group, link.ref.kind) == ROUTE


def _backend_paths(topology: Topology, namespaces: Topology) -> Iterator[RequestPath]:
    for path in rule_paths(topology, namespaces):
        if path.route is not None:
            route = topology.nodes[path.route]
            index = (route.sections or (_ONLY_RULE,)).index(path.rule)
            for link in _backends(route, index):
                if link.ref.name and not _is_route(link):
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
    return replace(path, backend=_section(backend, ports[link.port]), port=link.port)


def filters_of(topology: Topology, path: RequestPath) -> tuple[Ref, ...]:
    """What the path's rule names as its filters, in order (`ExtensionRef`)."""
    if path.route is None:
        return ()
    route = topology.nodes[path.route]
    index = (route.sections or (_ONLY_RULE,)).index(path.rule)
    return tuple(
        link.ref.whole
        for link in route.references
        if link.row.role is Role.FILTER and link.path[2:3] == (index,)
    )


def _backends(route: Node, index: int) -> Iterator[Reference]:
    for link in route.references:
        if link.row.role is Role.BACKEND and link.path[2:3] == (index,):
            yield link
