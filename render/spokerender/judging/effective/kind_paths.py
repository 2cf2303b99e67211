"""The paths on which policies of a kind have an effect, with the possible targets on each."""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.columns import EVERYWHERE
from spokerender.kinds.kind import BACKEND_TLS, ROUTE, Kind, Role, Targetless
from spokerender.kinds.merging import Merging, Process
from spokerender.kinds.references import MERGES_DEEP, PREFERS_PARENT, ROOT_NAMESPACE
from spokerender.model import NAMESPACE, Ref
from spokerender.topology import graph, requests
from spokerender.topology.conflicts import find_silent_listeners
from spokerender.topology.node import PARENTS, Listener
from spokerender.topology.paths import RequestPath
from spokerender.topology.presented import explain_presented

_LISTENING = frozenset({"GatewayClass", *(kind for _, kind in PARENTS)})
"""Kinds of target that only have listeners below them."""


class KindPath(Struct, frozen=True, eq=False):
    """A path with its levels: the possible targets of a kind's policies, least specific first.

    `is_covered` is False if the kind's controller applies no policy to the path's hostnames.
    `unknown` says why the controller may or may not apply policies. `failing` says why requests
    fail on the path irrespective of policies.
    """

    path: RequestPath
    levels: tuple[Ref, ...]
    is_covered: bool = True
    unknown: str = ""
    failing: str = ""


class KindPaths:
    """Finds the paths of one topology for each kind of policy, and caches them."""

    def __init__(self, topology: graph.Topology) -> None:
        self._topology = topology
        self._paths_by_kind: dict[tuple[str, str, frozenset[Ref]], tuple[KindPath, ...]] = {}

    @cached_property
    def _listeners(self) -> tuple[KindPath, ...]:
        return add_levels(requests.find_listener_paths(self._topology))

    @cached_property
    def _rules(self) -> tuple[KindPath, ...]:
        return add_levels(requests.find_rule_paths(self._topology))

    @cached_property
    def _backends(self) -> tuple[KindPath, ...]:
        """The paths to backends, and the paths to rules that have no backend."""
        paths = requests.find_backend_paths(self._topology)
        above = {replace(path, backend=None, port=None) for path in paths}
        return (*add_levels(paths), *(item for item in self._rules if item.path not in above))

    def list_paths(self, kind: Kind, targets: Iterable[Ref]) -> tuple[KindPath, ...]:
        """Return the paths of a kind whose policies are attached to `targets`.

        Paths end at listeners if the kind has no more specific targets; some such kinds need
        listeners with routes. Otherwise paths end at rules, or, if a target is a backend, at
        backends and at each port that a policy names: the path to the whole backend then stands
        for its other ports. A kind for some kinds of route has no path through other routes.
        """
        targets = tuple(targets)
        backends = frozenset(target for target in targets if self._is_backend(kind, target))
        key = (kind.group, kind.kind, backends)
        if key not in self._paths_by_kind:
            self._paths_by_kind[key] = self._list_gateway_paths(kind, backends)
        # Requests reach these targets beside the paths through Gateways.
        beside = (
            KindPath(RequestPath("", target, None, ""), (target,))
            for target in targets
            if target.kind in kind.reach.beside
        )
        return (*self._paths_by_kind[key], *beside)

    def _list_gateway_paths(self, kind: Kind, backends: frozenset[Ref]) -> tuple[KindPath, ...]:
        if kind.targets and _LISTENING.issuperset(kind.targets):
            paths = self._listeners
            if kind.traits.needs_routes:
                used = {item.path.section for item in self._rules}
                paths = tuple(item for item in paths if item.path.section in used)
        else:
            paths = (*self._backends, *self._list_ports(backends)) if backends else self._rules
        paths = tuple(
            replace(item, unknown=why) if (why := self._explain_doubt(kind, item.path)) else item
            for item in paths
            if self._is_carried_out(kind, item.path)
        )
        if (kind.group, kind.kind) == BACKEND_TLS:
            paths = tuple(self._check_presented(item) for item in paths)
        if kind.controller.within and kind.routes:
            paths = tuple(part for item in paths for part in _split_by_coverage(item))
        if kind.reach is not EVERYWHERE or kind.targetless:
            paths = tuple(replace(item, levels=self._find_levels(kind, item)) for item in paths)
        return paths

    def _find_levels(self, kind: Kind, item: KindPath) -> tuple[Ref, ...]:
        levels = _find_seen_levels(kind, item)
        if kind.controller.inherits:
            levels = self._order_inherited(item.path, levels)
        if kind.targetless is Targetless.FILTER and item.path.route in self._topology.nodes:
            # The first of several filters counts most, and the last level does.
            filters = requests.find_filters(self._topology, item.path)
            backend = item.path.backend
            node = self._topology.find(backend.whole) if backend is not None else None
            needs = node.needs if node is not None else ()
            # A plugin of the route is nearer to a request than a plugin that the backend names.
            own = (link.ref for link in needs if link.row.role is Role.FILTER)
            levels += (*own, *reversed(filters))
        return levels

    def find_merging(self, kind: Kind, item: KindPath) -> Merging:
        """Return how policies of a kind merge on a path, according to the path's controller."""
        path = item.path
        merging = kind.merged
        if not kind.controller.id:
            controller = graph.find_class_controller(self._topology, path.gateway_class)
            controller_merging = controller.merging(kind.group, kind.kind)
            if controller_merging is not None and not kind.is_configured:
                merging = controller_merging
        if kind.controller.inherits:
            for parent in _list_parents(path):
                if self._topology.nodes[parent].inherits in MERGES_DEEP:
                    return _make_unmerged(merging, f"{parent} asks for a deep merge")
        if merging.delegated and path.parents:
            return _make_unmerged(merging, merging.delegated)
        if path.route is not None:
            return merging.on(path.route.kind)
        listener = self._find_listener(path)
        return merging.on(listener.handling) if listener is not None else merging

    def _order_inherited(self, path: RequestPath, levels: tuple[Ref, ...]) -> tuple[Ref, ...]:
        """Return the levels; a parent route that overrides its children comes after them."""
        parents = _list_parents(path)
        nodes = self._topology.nodes
        # kgateway reads the annotation from HTTPRoutes alone (krtcollections/policy.go): on a
        # Gateway it has no effect.
        preferred = [ref for ref in parents if nodes[ref].inherits in PREFERS_PARENT]
        if not preferred or path.route is None:
            return levels
        order = [path.route]
        for parent in reversed(parents):
            order = [*order, parent] if parent in preferred else [parent, *order]
        start = min(index for index, level in enumerate(levels) if level.whole in order)
        below = [level for level in levels[start:] if level.whole not in order]
        routes = [level for route in order for level in levels[start:] if level.whole == route]
        return (*levels[:start], *routes, *below)

    def _is_carried_out(self, kind: Kind, path: RequestPath) -> bool:
        return (
            graph.has_effect_on(kind.controller, self._topology, path.gateway_class)
            and (path.listener_set is None or kind.controller.listener_sets)
            and (
                not kind.routes
                or path.route is None
                or path.route.kind in (*kind.routes, *kind.reach.from_above)
            )
            and path.section not in find_silent_listeners(self._topology)
            and self._is_for_protocol(kind, path)
        )

    def _is_for_protocol(self, kind: Kind, path: RequestPath) -> bool:
        listener, protocols = self._find_listener(path), kind.reach.protocols
        return not protocols or (listener is not None and listener.protocol in protocols)

    def _explain_doubt(self, kind: Kind, path: RequestPath) -> str:
        return graph.explain_unknown_class(self._topology, kind.controller, path.gateway_class)

    def _check_presented(self, item: KindPath) -> KindPath:
        """Return the path, `failing` or `unknown` if the certificate for backends is absent."""
        why, is_certain = explain_presented(self._topology, (item.path.gateway,))
        if not why or item.unknown:
            return item
        return replace(item, failing=why) if is_certain else replace(item, unknown=why)

    def _find_listener(self, path: RequestPath) -> Listener | None:
        parent = self._topology.nodes.get(path.listener_set or path.gateway)
        listeners = parent.listeners if parent is not None else ()
        return next((item for item in listeners if item.name == path.listener), None)

    def _is_backend(self, kind: Kind, target: Ref) -> bool:
        node = self._topology.nodes.get(target.whole)
        is_route = node.is_route if node is not None else target.kind.endswith(ROUTE)
        if target.kind in (*kind.reach.mesh, *kind.reach.beside):
            return False
        is_namespace = (target.group, target.kind) == NAMESPACE
        return target.kind not in _LISTENING and not is_route and not is_namespace

    def _list_ports(self, backends: frozenset[Ref]) -> tuple[KindPath, ...]:
        """Return the paths to the ports that policies name on Services in no file."""
        named = sorted(
            ref
            for ref in backends
            if ref.section_name
            and ref.whole not in self._known_ports
            and not requests.has_numbers(ref)
        )
        return tuple(
            KindPath(replace(item.path, backend=port), (*item.levels, port))
            for item in self._backends
            for port in named
            if port.whole == item.path.backend
        )

    @cached_property
    def _known_ports(self) -> frozenset[Ref]:
        """The Services whose ports are known: no path leads to a port that they lack."""
        topologies = (self._topology, self._topology.around)
        nodes = (node for topology in topologies for node in topology.nodes.values())
        return frozenset(node.ref for node in nodes if node.ports)


def _split_by_coverage(item: KindPath) -> Iterator[KindPath]:
    """Yield a path for the hostnames that the listener covers, and one for all other hostnames."""
    path = item.path
    within = tuple(name for name in path.hostnames if name not in path.beyond)
    if within or not path.beyond:
        yield replace(item, path=replace(path, hostnames=within, beyond=()))
    if path.beyond:
        yield replace(item, path=replace(path, hostnames=path.beyond), is_covered=False)


def _list_parents(path: RequestPath) -> tuple[Ref, ...]:
    return tuple(dict.fromkeys(ref.whole for ref in path.parents))


@cache
def _make_unmerged(merging: Merging, why: str) -> Merging:
    """Return `merging` with an unknown result for policies on several targets; `why` says why."""
    return replace(merging, process=Process.ALONE, source=why)


def _find_seen_levels(kind: Kind, item: KindPath) -> tuple[Ref, ...]:
    """Return the levels of a path that the kind's controller reads, in its order (`Reach`)."""
    reach, path = kind.reach, item.path
    levels = [level for level in item.levels if level.kind not in reach.mesh]
    # Envoy Gateway accepts a policy on a rule of a TLSRoute, and never carries it out (route.go).
    if reach.whole_routes:
        levels = [
            level
            for level in levels
            if not (level.section_name and level.kind in reach.whole_routes)
        ]
    # To agentgateway, a policy of a Service is less specific than a policy of a route (binds.rs).
    if reach.before_routes and path.backend is not None and path.route is not None:
        backend = [level for level in levels if level.whole == path.backend.whole]
        index = levels.index(path.route)
        below = [level for level in levels[index:] if level not in backend]
        levels = [*levels[:index], *backend, *below]
    # A policy of Istio without targets is for its namespace; in the root namespace it is for all
    # (pilot/pkg/model/policyattachment.go).
    if kind.targetless is Targetless.NAMESPACE and NAMESPACE[1] not in reach.mesh:
        namespaces = dict.fromkeys((ROOT_NAMESPACE, path.gateway.namespace))
        levels = [*(Ref(*NAMESPACE, "", name) for name in namespaces), *levels]
    return tuple(levels)


def add_levels(paths: Iterable[RequestPath]) -> tuple[KindPath, ...]:
    """Return the paths with their levels, which include a backend's port as a section."""
    items = []
    for path in paths:
        levels = path.levels
        if path.backend is not None and path.port is not None:
            # agentgateway names a port of a Service by its number, as a section.
            levels = (*levels, replace(path.backend, section_name=str(path.port)))
        items.append(KindPath(path, levels))
    return tuple(items)
