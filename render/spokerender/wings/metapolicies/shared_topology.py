"""The topology that a stage starts from, shared by the spokes that differ only in slots.

It has the relations of objects, and the policies in force on the paths of requests. Texts may
contain placeholders (slots); `topology_view` fills them with one spoke's values.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.fleet.slotted_rules import holds_rule_of_slots
from spokerender.judging.judge import judge_cluster
from spokerender.judging.judgement import Judgement
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind, Role
from spokerender.model import GATEWAY_CLASS, Ref, grouped, slots
from spokerender.model.memo import memoised
from spokerender.model.refs import GroupKind
from spokerender.rendering.values.stages import Given
from spokerender.topology.admission import find_named_listeners, find_parents
from spokerender.topology.conflicts import find_admitting_gateways
from spokerender.topology.graph import Topology
from spokerender.topology.node import PARENTS, Listener, Node
from spokerender.topology.paths import RequestPath
from spokerender.topology.reading import build_spoke_topology, read_node
from spokerender.topology.requests import find_rule_paths

_Levels = Mapping[Ref, frozenset[str]]
"""An object and its ancestors, each with the sections that lead to the object; empty: all of it."""


class SharedTopology:
    """The graph of a spoke's objects before a stage runs; equal spokes share one."""

    def __init__(self, given: Given, catalogue: Catalogue, hub: Topology) -> None:
        """Index the objects; `hub` has the Namespaces with their labels."""
        self.given = given
        self._catalogue, self._hub = catalogue, hub
        self.by_ref = {manifest.ref: index for index, manifest in enumerate(given.objects)}

    @memoised
    def indices_of_kind(self, kind: GroupKind) -> tuple[int, ...]:
        """Return the indices of a kind's objects in `given.objects`."""
        return tuple(index for ref, index in self.by_ref.items() if (ref.group, ref.kind) == kind)

    @cached_property
    def topology(self) -> Topology:
        """The graph of the objects, and of the spoke's gateways."""
        # Read anew: earlier stages may have edited the objects.
        nodes = (read_node(item.ref, item.object, self._catalogue) for item in self.given.objects)
        return build_spoke_topology(nodes, self.given.placed, self._catalogue, self._hub)

    @cached_property
    def all_kinds(self) -> tuple[GroupKind, ...]:
        """The kinds of the spoke's objects, sorted."""
        return tuple(sorted({(ref.group, ref.kind) for ref in self.topology.nodes}))

    @cached_property
    def refs_with_slots(self) -> tuple[Ref, ...]:
        """The objects whose names differ between spokes, sorted."""
        refs = sorted({*self.by_ref, *self.topology.nodes})
        return tuple(ref for ref in refs if slots.has_slot(ref.namespace + ref.name))

    @cached_property
    def _routes_below(self) -> Mapping[Ref, Sequence[tuple[Node, frozenset[str]]]]:
        """The routes below each object, with the object's sections that each route attaches to."""
        return grouped(
            (level, (item, sections))
            for item in self.topology.nodes.values()
            if item.is_route
            for level, sections in self.levels(item.ref).items()
        )

    @cached_property
    def _policies_on(self) -> Mapping[Ref, Sequence[tuple[Node, frozenset[str]]]]:
        """The policies on each object, with the sections that they target; empty for the whole."""
        return grouped(
            (target, (item, frozenset(link.sections)))
            for item in self.topology.nodes.values()
            for link in item.references
            if link.row.role in (Role.TARGET, Role.SELECTOR, Role.LABEL)
            # A target that is missing is listed as well: a policy on it still is one.
            for target in (self.topology.targets(link) if link.selector else (link.ref.whole,))
        )

    @cached_property
    def _judgement(self) -> Judgement:
        knowledge = Knowledge(self._catalogue, self._hub, holds=holds_rule_of_slots)
        existing = (place for place in self.given.placed if place.existing)
        return judge_cluster(Cluster.of(self.given.objects, self._catalogue, existing), knowledge)

    def paths(self) -> tuple[RequestPath, ...]:
        """Return all paths from Gateways to rules of routes, sorted."""
        return tuple(find_rule_paths(self._judgement.topology))

    def contributing(self, target: Ref, kind: GroupKind) -> tuple[Ref, ...]:
        """Return the policies of a kind with a rule in force on a path through `target`, sorted.

        If creation times decide, all policies that may have a rule in force are included.
        """
        policies = {
            ref
            for item in self._judgement.effective
            if (item.group, item.kind) == kind and target in item.path.levels
            for outcome in (item.likely, *item.others)
            for ref in outcome.policies
            if (ref.group, ref.kind) == kind
        }
        return tuple(sorted(policies))

    def rules(self, path: RequestPath, kind: GroupKind) -> dict[str, tuple[Any, Ref]]:
        """Return value and policy of each rule in force, by key; if ages decide, likely rules."""
        return {
            rule.key: (rule.value, rule.policy)
            for item in self._judgement.effective
            if (item.group, item.kind) == kind and item.path == path
            for rule in item.likely.rules
        }

    def kind(self, ref: Ref) -> Kind:
        """Return the facts about an object's kind."""
        return self._catalogue.kind(ref.group, ref.kind)

    def targets_of(self, policy: Ref) -> list[Ref]:
        """Return the targets that a policy names in `targetRefs`, with their sections."""
        item = self.topology.nodes.get(policy)
        return [
            link.ref
            for link in (item.references if item is not None else ())
            if link.row.role is Role.TARGET
        ]

    def gateways(self, start: Ref) -> frozenset[Ref]:
        """Return the Gateways that an object is attached to; for a Gateway, the Gateway itself."""
        nodes = self.topology.nodes
        # What is above a policy are its targets, which `targets_of` lists.
        if self.kind(start.whole).is_policy:
            return frozenset()
        return frozenset(
            ref for ref in self.levels(start) if ref in nodes and nodes[ref].is_gateway
        )

    @memoised
    def levels(self, start: Ref) -> _Levels:
        """Return `start` and its ancestors; empty if the object or its section does not exist."""
        levels: dict[Ref, frozenset[str]] = {}
        if self._exists(start):
            sections = frozenset([start.section_name] if start.section_name else [])
            self._climb(start.whole, sections, levels)
        return levels

    def _exists(self, start: Ref) -> bool:
        item = self.topology.nodes.get(start.whole)
        if item is None:
            return bool(self.topology.carriers(start.whole))
        sections = item.sections
        return not start.section_name or sections is None or start.section_name in sections

    def _climb(self, ref: Ref, sections: frozenset[str], levels: dict[Ref, frozenset[str]]) -> None:
        # Visited already with these sections; routes may delegate in a ring.
        if ref in levels and sections <= levels[ref]:
            return
        levels[ref] = sections | levels.get(ref, frozenset())
        item = self.topology.nodes.get(ref)
        if item is None or not (item.is_route or item.is_gateway or item.listeners):
            for carrier in self.topology.carriers(ref):
                # A Gateway carries its class, too, but a class is above it, not below.
                if self.topology.nodes[carrier].is_route:
                    # A delegating route counts as a whole.
                    self._climb(carrier, frozenset(), levels)
            return
        for parent, listeners in self._parents(item):
            self._climb(parent.ref, frozenset(listener.name for listener in listeners), levels)
        if item.listeners and not item.is_gateway:
            for gateway in find_admitting_gateways(self.topology, item):
                self._climb(gateway.ref, frozenset(), levels)
        if item.is_gateway and item.gateway_class:
            levels.setdefault(Ref(*GATEWAY_CLASS, "", item.gateway_class), frozenset())

    def _parents(self, route: Node) -> Iterator[tuple[Node, tuple[Listener, ...]]]:
        """Yield the parents that a route names, each with the listeners that the route names."""
        for parent, link in find_parents(self.topology, route):
            yield parent, tuple(find_named_listeners(parent, link))

    def policies(self, start: Ref, is_of_kind: Callable[[Ref], bool]) -> Iterator[Ref]:
        """Yield the policies on an object and its ancestors for which `is_of_kind` is True."""
        for level, sections in self.levels(start).items():
            for policy, targeted in self._policies_on.get(level, ()):
                # A policy without a section is for all of them.
                if is_of_kind(policy.ref) and (not targeted or targeted & sections):
                    yield policy.ref

    def routes(self, start: Ref) -> Iterator[Ref]:
        """Yield the routes below a Gateway or a listener; for a route, the route itself."""
        for item, sections in self._routes_below.get(start.whole, ()):
            if not start.section_name or item.ref == start.whole or start.section_name in sections:
                yield item.ref

    def listeners(self, start: Ref) -> Iterator[tuple[Ref, Listener]]:
        """Yield the listeners of a Gateway or ListenerSet, or those that a route names."""
        item = self.topology.nodes.get(start.whole)
        if item is None:
            return
        if (item.ref.group, item.ref.kind) in PARENTS:
            for listener in item.listeners:
                if start.section_name in ("", listener.name):
                    yield item.ref, listener
        else:
            for parent, listeners in self._parents(item):
                yield from ((parent.ref, listener) for listener in listeners)
