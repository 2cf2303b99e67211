"""One state of a spoke, or of several that are alike: its objects, paths and policies in force.

Everything in a view has the values of its bundle, which may be slots that the other view has, too
(`rendering.values.bundles.align_bundles`): what is equal in both is equal on every spoke.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from spokerender.judging.effective.outcomes import EffectivePolicy, PolicyOutcome
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind
from spokerender.model import Ref
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.values import ReviewedState
from spokerender.topology.node import Listener, Node, name_rules
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_listener_paths, find_rule_paths

Levels = tuple[Ref, ...]
"""A path below its GatewayClass: gateway, listener, route, rule, backend."""
PolicyKind = tuple[str, str]
"""Group and kind of policies."""
InForce = Mapping[Levels, EffectivePolicy]


class Way(Struct, frozen=True):
    """A path of requests to a listener or a rule, with the hostnames that it serves.

    `address` is the listener's hostname, port and protocol; `match` what the rule asks of requests.
    """

    path: RequestPath
    levels: Levels
    hostnames: tuple[str, ...]
    address: tuple[str, int | str, str]
    match: tuple[object, ...] = ()

    @property
    def door(self) -> Levels:
        """Return the levels down to the listener."""
        return self.levels[: self.levels.index(self.path.section) + 1]

    def __str__(self) -> str:
        """Write the path as people read it, from its gateway down."""
        return write_levels(self.levels)


def write_levels(levels: Iterable[Ref]) -> str:
    """Write the levels of a path: an object that a section of it follows is left out."""
    texts = list(levels)
    return " > ".join(
        str(ref)
        for ref, below in zip(texts, (*texts[1:], None), strict=True)
        if below is None or below.whole != ref
    )


class SpokeView:
    """One state of spokes that are alike."""

    def __init__(self, bundle: Bundle, judged: JudgedBlueprint, catalogue: Catalogue) -> None:
        self.bundle = bundle
        self.judged = judged
        self.catalogue = catalogue

    @cached_property
    def variants(self) -> Mapping[Ref, Variant]:
        """The objects, by their names in this view."""
        return {self.bundle.ref(ref): item for ref, item in self.judged.variants.items()}

    @cached_property
    def nodes(self) -> Mapping[Ref, Node]:
        """The nodes of the topology, by their names in this view."""
        nodes = self.judged.judgement.topology.nodes
        return {self.bundle.ref(ref): self.bundle.filled(node) for ref, node in nodes.items()}

    def object_of(self, ref: Ref) -> Mapping[str, Any]:
        """Return an object by its name; empty where there is none."""
        variant = self.variants.get(ref)
        return self.bundle.object_of(variant) if variant is not None else {}

    def kind(self, policy_kind: PolicyKind) -> Kind:
        """Return the row of a kind."""
        return self.catalogue.kind(*policy_kind)

    @cached_property
    def listeners(self) -> Mapping[Levels, Way]:
        """The paths that end at listeners."""
        topology = self.judged.judgement.topology
        return {way.levels: way for way in map(self._make_way, find_listener_paths(topology))}

    @cached_property
    def rules(self) -> Mapping[Levels, Way]:
        """The paths that end at rules of routes."""
        topology = self.judged.judgement.topology
        return {way.levels: way for way in map(self._make_way, find_rule_paths(topology))}

    def _make_way(self, path: RequestPath) -> Way:
        parent = self.nodes[self.bundle.ref(path.listener_set or path.gateway)]
        levels = tuple(map(self._fill_level, path.levels[1:]))
        names = [self.bundle.text(name) for name in path.hostnames]
        listener = next((one for one in parent.listeners if one.name == path.listener), None)
        return Way(
            self.bundle.filled(path),
            levels,
            tuple(names) or ((listener and listener.hostname) or "*",),
            _address(listener),
            self._read_match(path),
        )

    def _fill_level(self, ref: Ref) -> Ref:
        filled = self.bundle.ref(ref)
        return filled.section(ref.section_name) if ref.section_name else filled

    def _read_match(self, path: RequestPath) -> tuple[object, ...]:
        if path.route is None:
            return ()
        return self.matches(self.bundle.ref(path.route)).get(path.rule, ())

    def matches(self, route: Ref) -> Mapping[str, tuple[object, ...]]:
        """Return what each rule of a route asks of requests, by the rule's name."""
        node = self.nodes[route]
        names = name_rules(node.rules) if node.rules else ("rule-1",)
        return dict(zip(names, (*node.matches, *((),) * len(names)), strict=False))

    @cached_property
    def in_force(self) -> Mapping[PolicyKind, InForce]:
        """The effective policies of paths, by kind and by the levels below the GatewayClass."""
        by_kind: dict[PolicyKind, dict[Levels, EffectivePolicy]] = {}
        for item in self.judged.judgement.effective:
            path = item.path
            levels = path.levels[1:] if path.listener else path.levels
            key = tuple(map(self._fill_level, levels))
            by_kind.setdefault((item.group, item.kind), {})[key] = item
        return by_kind

    def fill_outcome(self, outcome: PolicyOutcome) -> PolicyOutcome:
        """Return an outcome with the values of this view."""
        return self.bundle.filled(outcome)

    def below(self, policy_kind: PolicyKind, way: Way) -> Iterator[tuple[Levels, EffectivePolicy]]:
        """Yield what is in force on a path and on those to its backends, by the levels below it.

        Where policies of the kind are computed for listeners, that is what is in force there.
        """
        items = self._by_rule.get(policy_kind, {}).get(way.levels)
        if items:
            yield from items.items()
        elif (item := self.in_force.get(policy_kind, {}).get(way.door)) is not None:
            yield (), item

    @cached_property
    def _by_rule(self) -> Mapping[PolicyKind, Mapping[Levels, InForce]]:
        found: dict[PolicyKind, dict[Levels, dict[Levels, EffectivePolicy]]] = {}
        for policy_kind, items in self.in_force.items():
            by_rule = found.setdefault(policy_kind, {})
            for levels, item in items.items():
                cut = len(levels) if item.path.backend is None else _rule_length(item.path)
                by_rule.setdefault(levels[:cut], {})[levels[cut:]] = item
        return found

    def is_below_listeners(self, policy_kind: PolicyKind) -> bool:
        """Tell whether policies of a kind are computed for paths below listeners."""
        items = self.in_force.get(policy_kind, {}).values()
        return any(item.path.route is not None for item in items)


def _rule_length(path: RequestPath) -> int:
    """Return the number of levels, below the GatewayClass, of a path down to its rule."""
    from msgspec.structs import replace  # noqa: PLC0415  (paths to backends are rare)

    return len(replace(path, backend=None, port=None).levels) - 1


def _address(listener: Listener | None) -> tuple[str, int | str, str]:
    if listener is None:
        return "", "", ""
    return listener.hostname, listener.port, listener.protocol


class FleetState(Struct, frozen=True, eq=False):
    """One state of a fleet: as it was rendered, as it was judged, and how a user calls it."""

    rendered: Rendered
    fleet: JudgedFleet
    about: ReviewedState

    @property
    def catalogue(self) -> Catalogue:
        """The rows of the kinds in this state."""
        return self.rendered.hub.catalogue

    def view(self, bundle: Bundle, spoke: str) -> SpokeView:
        """Return the view of a spoke, with the values of `bundle`."""
        return SpokeView(bundle, self.fleet.judged[spoke], self.catalogue)
