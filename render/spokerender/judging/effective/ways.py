"""On which paths policies of a kind are computed, and what they may hang on there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.effective.levels import NAMESPACE
from spokerender.kinds.controllers import Controller
from spokerender.kinds.kind import EVERYWHERE, ROUTE, Kind, Targetless
from spokerender.kinds.merging import Merging, Process
from spokerender.kinds.references import MERGES_DEEP, PREFERS_PARENT, ROOT_NAMESPACE
from spokerender.model import Ref
from spokerender.topology.gateways import find_class_controller, has_effect_on
from spokerender.topology.graph import Topology
from spokerender.topology.node import PARENTS
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import (
    find_backend_paths,
    find_filters,
    find_listener_paths,
    find_rule_paths,
)

_LISTENING = frozenset({"GatewayClass", *(kind for _, kind in PARENTS)})
"""What has to do with listeners only."""


class Way(Struct, frozen=True, eq=False):
    """A path, and the levels that policies on it may hang on, the least specific first.

    `is_covered` is not set where the kind's controller carries nothing out for its hostnames.
    """

    path: RequestPath
    levels: tuple[Ref, ...]
    is_covered: bool = True

    @property
    def order(self) -> tuple[tuple[Ref, ...], tuple[str, ...]]:
        """What paths are sorted by (`RequestPath.order`)."""
        return self.path.order


class Ways:
    """The paths of one topology, each sort of them found once."""

    def __init__(self, topology: Topology, namespaces: Topology | None) -> None:
        """`namespaces` as for `rule_paths`."""
        self._topology = topology
        self._namespaces = namespaces
        self._controllers: dict[str, Controller] = {}
        self._saying: dict[tuple[str, str], bool] = {}
        self._counting: dict[tuple[str, str, frozenset[Ref]], tuple[Way, ...]] = {}

    @cached_property
    def _listeners(self) -> tuple[Way, ...]:
        return _ways(find_listener_paths(self._topology, self._namespaces))

    @cached_property
    def _with_routes(self) -> tuple[Way, ...]:
        """Those listeners that a route is on."""
        used = {way.path.section for way in self._rules}
        return tuple(way for way in self._listeners if way.path.section in used)

    @cached_property
    def _rules(self) -> tuple[Way, ...]:
        return _ways(find_rule_paths(self._topology, self._namespaces))

    @cached_property
    def _backends(self) -> tuple[Way, ...]:
        """Down to backends; a rule without any ends at itself."""
        paths = find_backend_paths(self._topology, self._namespaces)
        above = {replace(path, backend=None, port=None) for path in paths}
        return (*_ways(paths), *(way for way in self._rules if way.path not in above))

    def of(self, kind: Kind, targets: Iterable[Ref]) -> tuple[Way, ...]:
        """The paths of a kind whose policies are attached to `targets`.

        A kind that attaches to nothing below listeners has paths that end there, if need be only
        at those with routes. One that is
        attached to backends has paths to them, and to each of their ports that a policy names;
        the path to the whole backend then stands for its other ports. A kind that can attach to
        routes has no path through routes of other kinds.
        """
        given = tuple(targets)
        ends = frozenset(target for target in given if self._is_backend(kind, target))
        key = (kind.group, kind.kind, ends)
        if key not in self._counting:
            self._counting[key] = self._of(kind, ends)
        return (*self._counting[key], *_beside(kind, given))

    def _of(self, kind: Kind, ends: frozenset[Ref]) -> tuple[Way, ...]:
        """The paths of a kind of which policies are attached to these backends."""
        if kind.targets and _LISTENING.issuperset(kind.targets):
            ways = self._with_routes if kind.traits.needs_routes else self._listeners
        else:
            ways = (*self._backends, *self._ports(ends)) if ends else self._rules
        counting = tuple(way for way in ways if self._counts(kind, way.path))
        if kind.controller.within and kind.routes:
            counting = tuple(part for way in counting for part in _by_coverage(way))
        if kind.reach is not EVERYWHERE or kind.targetless:
            counting = tuple(replace(way, levels=self._levels(kind, way)) for way in counting)
        return counting

    def _levels(self, kind: Kind, way: Way) -> tuple[Ref, ...]:
        levels = _seen(kind, way)
        if kind.controller.inherits:
            levels = self._inherited(way.path, levels)
        if kind.targetless is Targetless.FILTER:
            # Of several the first one counts most.
            levels += tuple(reversed(find_filters(self._topology, way.path)))
        return levels

    def merging(self, kind: Kind, way: Way) -> Merging:
        """How policies of a kind come together on a path: as its controller has it."""
        path = way.path
        merging = kind.merged
        if not kind.controller.id:
            own = self._controller(path.gateway_class).merging(kind.group, kind.kind)
            merging = own if own is not None and not kind.is_configured else merging
        if kind.controller.inherits:
            for parent in _parents(path):
                if self._topology.nodes[parent].inherits in MERGES_DEEP:
                    return _merged_deep(merging, parent)
        return merging.on(path.route.kind) if path.route is not None else merging

    def _inherited(self, path: RequestPath, levels: tuple[Ref, ...]) -> tuple[Ref, ...]:
        """The levels, those of a parent that is preferred after those of the routes below it."""
        parents = _parents(path)
        said = {each: self._topology.nodes[each].inherits for each in parents}
        preferring = [each for each in parents if said[each] in PREFERS_PARENT]
        if not preferring or path.route is None:
            return levels
        order = [path.route]
        for parent in reversed(parents):
            order = [*order, parent] if parent in preferring else [parent, *order]
        at = min(index for index, level in enumerate(levels) if level.whole in order)
        below = [level for level in levels[at:] if level.whole not in order]
        routes = [level for each in order for level in levels[at:] if level.whole == each]
        return (*levels[:at], *routes, *below)

    def _controller(self, gateway_class: str) -> Controller:
        if gateway_class not in self._controllers:
            controller = find_class_controller(self._topology, gateway_class, self._namespaces)
            self._controllers[gateway_class] = controller
        return self._controllers[gateway_class]

    def _has_a_say(self, controller: Controller, gateway_class: str) -> bool:
        key = controller.id, gateway_class
        if key not in self._saying:
            self._saying[key] = has_effect_on(
                controller, self._topology, gateway_class, self._namespaces
            )
        return self._saying[key]

    def _counts(self, kind: Kind, path: RequestPath) -> bool:
        """Whether policies of the kind are carried out on a path at all."""
        return (
            self._has_a_say(kind.controller, path.gateway_class)
            and (path.listener_set is None or kind.controller.listener_sets)
            and (not kind.routes or path.route is None or path.route.kind in kind.routes)
            and (not kind.reach.protocols or self._protocol(path) in kind.reach.protocols)
        )

    def _protocol(self, path: RequestPath) -> str:
        declared = self._topology.nodes[path.listener_set or path.gateway]
        listeners = (each for each in declared.listeners if each.name == path.listener)
        return next((each.protocol for each in listeners), "")

    def _is_backend(self, kind: Kind, target: Ref) -> bool:
        node = self._topology.nodes.get(target.whole)
        is_route = node.is_route if node is not None else target.kind.endswith(ROUTE)
        if target.kind in (*kind.reach.mesh, *kind.reach.beside):
            return False
        return target.kind not in _LISTENING and not is_route and not _is_namespace(target)

    def _ports(self, ends: frozenset[Ref]) -> tuple[Way, ...]:
        """Paths to ports of Services that are not among the objects: their ports are not known."""
        named = sorted(
            end for end in ends if end.section_name and end.whole not in self._known_ports
        )
        return tuple(
            Way(replace(way.path, backend=end), (*way.levels, end))
            for way in self._backends
            for end in named
            if end.whole == way.path.backend
        )

    @cached_property
    def _known_ports(self) -> frozenset[Ref]:
        """The Services whose ports are known: what a route sends elsewhere goes to none of them."""
        given = (self._topology, self._namespaces)
        nodes = (node for each in given if each is not None for node in each.nodes.values())
        return frozenset(node.ref for node in nodes if node.ports)


def _by_coverage(way: Way) -> Iterator[Way]:
    """A path for the hostnames that are wholly the listener's, and one for the others.

    On the second nothing is carried out (`Controller.within`).
    """
    path = way.path
    within = tuple(name for name in path.hostnames if name not in path.beyond)
    if within or not path.beyond:
        yield replace(way, path=replace(path, hostnames=within, beyond=()))
    if path.beyond:
        yield replace(way, path=replace(path, hostnames=path.beyond), is_covered=False)


def _is_namespace(target: Ref) -> bool:
    return (target.group, target.kind) == NAMESPACE


def _parents(path: RequestPath) -> tuple[Ref, ...]:
    """The routes that delegate to the path's, the first one first."""
    return tuple(dict.fromkeys(each.whole for each in path.parents))


@cache
def _merged_deep(merging: Merging, parent: Ref) -> Merging:
    """How policies come together where a parent asks for more than fields as wholes."""
    return replace(merging, process=Process.ALONE, source=f"{parent} asks for a deep merge")


def _seen(kind: Kind, way: Way) -> tuple[Ref, ...]:
    """The levels of a path as a kind's controller sees them (`Reach`)."""
    reach, path = kind.reach, way.path
    levels = [level for level in way.levels if level.kind not in reach.mesh]
    if reach.whole_routes:
        levels = [
            level
            for level in levels
            if not (level.section_name and level.kind in reach.whole_routes)
        ]
    if reach.before_routes and path.backend is not None and path.route is not None:
        backend = [level for level in levels if level.whole == path.backend.whole]
        at = levels.index(path.route)
        levels = [*levels[:at], *backend, *(each for each in levels[at:] if each not in backend)]
    if kind.targetless is Targetless.NAMESPACE:
        namespaces = dict.fromkeys((ROOT_NAMESPACE, path.gateway.namespace))
        levels = [*(Ref(*NAMESPACE, "", name) for name in namespaces), *levels]
    return tuple(levels)


def _beside(kind: Kind, targets: Iterable[Ref]) -> Iterator[Way]:
    """What requests reach on no gateway's path, each a path of its own."""
    for target in targets:
        if target.kind in kind.reach.beside:
            yield Way(RequestPath("", target, None, ""), (target,))


def _ways(paths: Iterable[RequestPath]) -> tuple[Way, ...]:
    return tuple(Way(path, (*path.levels, *_number(path))) for path in paths)


def _number(path: RequestPath) -> Iterator[Ref]:
    """A port by its number, which agentgateway's section names are."""
    if path.backend is not None and path.port is not None:
        yield replace(path.backend, section_name=str(path.port))
