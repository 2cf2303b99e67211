"""What a stage is given, as a topology: what hangs together, for all spokes that are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from spokerender.kinds import Catalogue, Kind, Reference, Role
from spokerender.model import GATEWAY_API, Ref, slots
from spokerender.rendering.values.stages import Given, GroupKind
from spokerender.topology import (
    PARENTS,
    Listener,
    Node,
    RequestPath,
    Topology,
    gateways_of,
    listeners_meant,
    node,
    spoke_topology,
)
from spokerender.topology.doors import parents_of


class InForce(Protocol):
    """What is in force on a spoke that is still being made; given from outside."""

    def contributing(self, given: Given, target: Ref, kind: GroupKind) -> Iterable[Ref]:
        """The policies of a kind of which a rule is in force on a path of the target."""

    def paths(self, given: Given) -> Sequence[RequestPath]:
        """All paths down to a rule, sorted."""

    def rules(
        self, given: Given, path: RequestPath, kind: GroupKind
    ) -> Mapping[str, tuple[Any, Ref]]:
        """The rules in force on a path, by their names, each with its policy."""


_Levels = Mapping[Ref, frozenset[str] | None]
"""What a thing is below, each with the sections of it that it is below; None for all of it."""


class Seen:
    """What a stage is given, as a topology; the same for all spokes that are alike up to there."""

    def __init__(self, given: Given, catalogue: Catalogue, hub: Topology) -> None:
        """`hub` has the Namespaces with their labels."""
        self.given = given
        self._catalogue = catalogue
        self.hub = hub
        self.by_ref = {manifest.ref: index for index, manifest in enumerate(given.objects)}
        self._levels: dict[Ref, _Levels] = {}
        self._of_kind: dict[GroupKind, tuple[int, ...]] = {}

    def of_kind(self, kind: GroupKind) -> tuple[int, ...]:
        """The objects of a kind, by their places."""
        if kind not in self._of_kind:
            self._of_kind[kind] = tuple(
                index for ref, index in self.by_ref.items() if (ref.group, ref.kind) == kind
            )
        return self._of_kind[kind]

    @cached_property
    def topology(self) -> Topology:
        """The objects and the spoke's own gateways, rebuilt from what there is by now."""
        nodes = (node(each.ref, each.object, self._catalogue) for each in self.given.objects)
        return spoke_topology(nodes, self.given.placed, self._catalogue, self.hub)

    @cached_property
    def routes_here(self) -> tuple[Ref, ...]:
        """All routes."""
        return tuple(ref for ref, item in self.topology.nodes.items() if item.is_route)

    @cached_property
    def policies_here(self) -> tuple[Ref, ...]:
        """All policies."""
        return tuple(ref for ref in self.topology.nodes if self.kind(ref).is_policy)

    @cached_property
    def kinds_here(self) -> tuple[GroupKind, ...]:
        """The kinds of all that is there, sorted."""
        return tuple(sorted({(ref.group, ref.kind) for ref in self.topology.nodes}))

    @cached_property
    def _below(self) -> Mapping[Ref, tuple[tuple[Node, frozenset[str]], ...]]:
        """The routes below each thing, with the sections of it that they are below."""
        found: dict[Ref, list[tuple[Node, frozenset[str]]]] = {}
        for item in self.topology.nodes.values():
            if item.is_route:
                for level, sections in self.levels(item.ref).items():
                    if sections is not None:
                        found.setdefault(level, []).append((item, sections))
        return {ref: tuple(items) for ref, items in found.items()}

    def kind(self, ref: Ref) -> Kind:
        """What is known of an object's kind."""
        return self._catalogue.kind(ref.group, ref.kind)

    @cached_property
    def with_slots(self) -> tuple[Ref, ...]:
        """The objects whose names differ from spoke to spoke."""
        found = {*self.by_ref, *self.topology.nodes}
        return tuple(ref for ref in sorted(found) if slots.has_slot(ref.namespace + ref.name))

    @cached_property
    def _on(self) -> Mapping[Ref, tuple[tuple[Node, frozenset[str]], ...]]:
        """The policies on each object, with the sections that they are for; none for all of it."""
        found: dict[Ref, list[tuple[Node, frozenset[str]]]] = {}
        for item in self.topology.nodes.values():
            for link in item.references:
                if link.row.role in (Role.TARGET, Role.SELECTOR, Role.LABEL):
                    for target in self._targets(link):
                        found.setdefault(target, []).append((item, frozenset(link.sections)))
        return {ref: tuple(items) for ref, items in found.items()}

    def _targets(self, link: Reference) -> tuple[Ref, ...]:
        if link.selector is not None:
            return self.topology.targets(link)
        return (link.ref.whole,)

    def targets_of(self, ref: Ref) -> list[Ref]:
        """What a policy is for."""
        item = self.topology.nodes.get(ref)
        return [
            link.ref
            for link in (item.references if item is not None else ())
            if link.row.role is Role.TARGET
        ]

    def gateways(self, start: Ref) -> frozenset[Ref]:
        """The Gateways above an object, or itself."""
        nodes = self.topology.nodes
        if self.kind(start.whole).is_policy:
            return frozenset()
        return frozenset(
            ref for ref in self.levels(start) if ref in nodes and nodes[ref].is_gateway
        )

    def is_there(self, start: Ref) -> bool:
        """Whether there is such a thing, with such a section."""
        item = self.topology.nodes.get(start.whole)
        if item is None:
            return bool(self.topology.carriers(start.whole))
        sections = item.sections
        return not start.section_name or sections is None or start.section_name in sections

    def levels(self, start: Ref) -> _Levels:
        """An object and all that it is below."""
        if start not in self._levels:
            found: dict[Ref, frozenset[str] | None] = {}
            if self.is_there(start):
                own = frozenset([start.section_name] if start.section_name else [])
                self._climb(start.whole, own, found)
            self._levels[start] = found
        return self._levels[start]

    def _climb(
        self, ref: Ref, sections: frozenset[str], found: dict[Ref, frozenset[str] | None]
    ) -> None:
        known = found.get(ref)
        if ref in found and known is not None and sections <= known:
            return
        found[ref] = sections | (known or frozenset())
        item = self.topology.nodes.get(ref)
        if item is None or not (item.is_route or item.is_gateway or item.listeners):
            for carrier in self.topology.carriers(ref):
                if self.topology.nodes[carrier].is_route:  # a Gateway carries its class
                    self._climb(carrier, frozenset(), found)
            return
        for parent, listeners in self.listeners_above(item):
            self._climb(parent.ref, frozenset(each.name for each in listeners), found)
        if item.listeners and not item.is_gateway:
            for gateway in gateways_of(self.topology, item, self.hub):
                self._climb(gateway.ref, frozenset(), found)
        if item.is_gateway and item.gateway_class:
            found.setdefault(Ref(GATEWAY_API, "GatewayClass", "", item.gateway_class), frozenset())

    def listeners_above(self, route: Node) -> Iterator[tuple[Node, tuple[Listener, ...]]]:
        """What a route names as its parents, with the listeners that it means there."""
        for parent, link in parents_of(self.topology, route):
            yield parent, tuple(listeners_meant(parent, link))

    def policies(self, start: Ref, wanted: Callable[[Ref], bool]) -> Iterator[Ref]:
        """The policies on an object and on all that it is below."""
        for level, sections in self.levels(start).items():
            for policy, meant in self._on.get(level, ()):
                if wanted(policy.ref) and (not meant or meant & (sections or frozenset())):
                    yield policy.ref

    def routes(self, start: Ref) -> Iterator[Ref]:
        """The routes below a Gateway or one of its listeners; a route itself."""
        for item, level in self._below.get(start.whole, ()):
            if not start.section_name or item.ref == start.whole or start.section_name in level:
                yield item.ref

    def listeners(self, start: Ref) -> Iterator[tuple[Ref, Listener]]:
        """The listeners of a Gateway, or those that a route is for."""
        item = self.topology.nodes.get(start.whole)
        if item is None:
            return
        if (item.ref.group, item.ref.kind) in PARENTS:
            for listener in item.listeners:
                if start.section_name in ("", listener.name):
                    yield item.ref, listener
        else:
            for parent, listeners in self.listeners_above(item):
                yield from ((parent.ref, listener) for listener in listeners)
