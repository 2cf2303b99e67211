"""One state of a spoke, or of several equal spokes: objects, paths and effective policies.

All values in a view are those of its bundle. They may be slots (placeholders for spokes' values)
that both states' views use (`rendering.values.aligning`): equal in both means equal on each spoke.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.comparing import Change, changes, is_same_json
from spokerender.judging.effective.guarding import measure_outcome
from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.judging.judgement import Judgement, KindInForce
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.columns import Need
from spokerender.kinds.kind import FoundBy, Kind, Targetless
from spokerender.kinds.needs import Requirement, list_needed_objects
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import list_maps
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised, remembered
from spokerender.model.refs import DataByRef, GroupKind
from spokerender.model.selectors import ExternalObjects
from spokerender.model.shapes import Json, as_mapping
from spokerender.rendering.values.aligning import SharedWithSlots
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.topology.conflicts import find_doubtful_listeners, find_silent_listeners
from spokerender.topology.doors import list_common
from spokerender.topology.graph import Topology, find_proxy, has_effect_on
from spokerender.topology.matches import read_matches
from spokerender.topology.node import Match, Node
from spokerender.topology.paths import Levels, RequestPath
from spokerender.topology.requests import (
    asks_service,
    find_listener,
    find_listener_paths,
    find_rule_paths,
    is_answered,
)
from spokerender.topology.taken import ENCRYPTED, NAMELESS

_Value = TypeVar("_Value")
InForce = Mapping[Levels, EffectivePolicy]


class Way(Struct, frozen=True):
    """A path of requests to a listener or a rule, with the hostnames that it serves.

    `proxy` is the path's Gateway, or the GatewayClass if it merges its Gateways. `address` is the
    hostname, port and protocol of the listener; `match` are the matches of the rule. A listener
    with `is_closed` accepts no connections, so it has no paths to rules; with `may_be_closed` it
    accepts none if the spoke lacks CA certificates that are not in the files. With `asks_service`,
    a filter of the rule asks an external service who may call; with `is_answered`, a filter answers
    instead of the backends.
    """

    path: RequestPath
    levels: Levels
    hostnames: tuple[str, ...]
    proxy: Ref
    address: tuple[str, int | str, str]
    match: tuple[Match, ...] = ()
    is_closed: bool = False
    may_be_closed: bool = False
    asks_service: bool = False
    is_answered: bool = False

    def leads_through(self, target: Ref) -> bool:
        """Return whether the path includes an object or section."""
        return any(target in (level, level.whole) for level in self.levels)

    @property
    def entrance(self) -> tuple[Ref, int | str, str]:
        """Return where connections come in: proxy, port and protocol."""
        return self.proxy, *self.address[1:]

    @property
    def is_nameless(self) -> bool:
        """Return whether connections to the listener name no host."""
        return self.address[2] in NAMELESS

    @property
    def is_encrypted(self) -> bool:
        """Return whether connections to the listener are encrypted."""
        return self.address[2] in ENCRYPTED

    @property
    def door(self) -> Levels:
        """Return the levels down to the listener."""
        return self.levels[: self.levels.index(self.path.section) + 1]


class SpokeView:
    """The objects, paths and policies in one state of spokes that differ only in values."""

    def __init__(
        self,
        shared: "SharedViews",
        bundle: Bundle,
        judgement: Judgement,
        variants: Mapping[Ref, Variant],
    ) -> None:
        """Create the view; `bundle` has values for slots in `judgement` and `variants`."""
        self.shared = shared
        self.bundle = bundle
        self.judgement = judgement
        self._variants = variants

    @property
    def topology(self) -> Topology:
        """The topology; its texts may have slots."""
        return self.judgement.topology

    def fill(self, value: _Value) -> _Value:
        """Return `value` with this view's values for slots."""
        return self.bundle.share(value)

    @cached_property
    def variants(self) -> Mapping[Ref, Variant]:
        """The objects, by their names in this view."""
        return {self.fill(ref): item for ref, item in self._variants.items()}

    @cached_property
    def nodes(self) -> Mapping[Ref, Node]:
        """The nodes of the topology, by their names in this view."""
        nodes = self.topology.nodes
        return {self.fill(ref): self.fill(node) for ref, node in nodes.items()}

    @cached_property
    def routes(self) -> tuple[Variant, ...]:
        """The routes; their texts may have slots."""
        return tuple(item for item in self._variants.values() if item.node.is_route)

    @cached_property
    def extensions(self) -> tuple[Variant, ...]:
        """The objects of controllers' own kinds that are no policies; texts may have slots."""
        kinds = ((self.kind((ref.group, ref.kind)), item) for ref, item in self._variants.items())
        return tuple(item for kind, item in kinds if kind.controller.id and not kind.is_policy)

    def object_of(self, ref: Ref) -> Mapping[str, Any]:
        """Return the object with this identity; empty if there is none."""
        variant = self.variants.get(ref)
        return self.fill(variant.object) if variant is not None else {}

    def targets(self, ref: Ref) -> tuple[Ref, ...]:
        """Return the objects that `ref` is attached to by name, in the order of its references."""
        return tuple(link.ref.whole for link in self.links(ref) if link.ref.name)

    def links(self, ref: Ref) -> tuple[Reference, ...]:
        """Return the references by which an object is attached to other objects."""
        links = self.fill(self.variants[ref].node).references
        return tuple(link for link in links if link.row.role.guards)

    def kind(self, policy_kind: GroupKind) -> Kind:
        """Return the entry of a kind in the table of kinds."""
        return self.shared.catalogue.kind(*policy_kind)

    @cached_property
    def listeners(self) -> Mapping[Levels, Way]:
        """The paths that end at listeners."""
        return _index_ways(self.fill(list_ways(self.topology)[0]))

    @cached_property
    def rules(self) -> Mapping[Levels, Way]:
        """The paths that end at rules of routes."""
        return _index_ways(self.fill(list_ways(self.topology)[1]))

    def find_rule(self, levels: Levels) -> Way | None:
        """Return the path to the last rule on the path `levels`; None if there is no rule."""
        # The longest prefix that is a path to a rule counts.
        parts = (levels[:end] for end in range(len(levels), 0, -1))
        return next((self.rules[part] for part in parts if part in self.rules), None)

    def matches(self, route: Ref) -> Mapping[str, tuple[Match, ...]]:
        """Return the matches of each rule of a route, by the name of the rule."""
        return read_matches(self.nodes[route])

    @cached_property
    def in_force(self) -> Mapping[GroupKind, InForce]:
        """The effective policies by kind and by path; the paths begin below the GatewayClass."""
        return {key: item.by_levels for key, item in self._kinds.items()}

    @cached_property
    def _kinds(self) -> "Mapping[GroupKind, _IndexedKind]":
        kinds = (kind for kind in self.judgement.in_force if kind.effective)
        return {
            (kind.effective[0].group, kind.effective[0].kind): _index_kind(
                kind, self.fill(_list_levels(kind))
            )
            for kind in kinds
        }

    def below(self, policy_kind: GroupKind, way: Way) -> Iterator[tuple[Levels, EffectivePolicy]]:
        """Yield the effective policies of a path and of its backends, by the levels below the path.

        If policies of the kind are computed per listener, the policy of the listener is yielded.
        """
        kind = self._kinds.get(policy_kind)
        if kind is None:
            return
        items = kind.by_rule.get(way.levels)
        if items:
            yield from items.items()
        # Policies of listeners hold on each rule below, so they are not listed by rule.
        elif (item := kind.by_levels.get(way.door)) is not None:
            yield (), item

    def find_paths(self, policy: Ref) -> Sequence[Levels]:
        """Return the paths on which rules of `policy` are effective."""
        return self._paths_by_policy.get(policy, ())

    @cached_property
    def _paths_by_policy(self) -> Mapping[Ref, list[Levels]]:
        return grouped(
            (policy, levels)
            for by_levels in self.in_force.values()
            for levels, item in by_levels.items()
            for policy in {rule.policy for rule in self.fill(item.likely).rules}
        )

    def is_guarded(self, way: Way) -> bool:
        """Return whether a policy or filter on a path surely decides who may call."""
        return way.asks_service or any(self.list_guards(way))

    def list_guards(self, way: Way) -> Iterator[Ref]:
        """Yield the policies on a path that restrict callers, whichever policy is older."""
        for policy_kind in self.in_force:
            kind = self.kind(policy_kind)
            for _, item in self.below(policy_kind, way) if kind.traits.guards else ():
                # All outcomes must guard, as the ages that decide are not known.
                outcomes = (item.likely, *item.others)
                if all(o.unknown or _measure(kind, o).parts for o in outcomes):
                    yield from item.stack

    def is_compared_filter(self, filter_: Json, way: Way, earlier: Mapping[Ref, Ref]) -> bool:
        """Return whether a rule's filter is compared as an effective policy on the path `way`.

        False for a filter that is in no file. `earlier` has the old identities of renamed objects.
        """
        named = as_mapping(as_mapping(filter_).get("extensionRef"))
        group, kind_name, name = (str(named.get(key, "")) for key in ("group", "kind", "name"))
        ref = Ref(group, kind_name, way.levels[-2].namespace, name)
        kind = self.kind((group, kind_name))
        return (
            (ref in self.nodes or earlier.get(ref) in self.nodes)
            and kind.targetless is Targetless.FILTER
            and kind.merged.is_known
            and (not kind.routes or way.levels[-2].kind in kind.routes)
            and has_effect_on(kind.controller, self.topology, way.path.gateway_class)
        )

    def find_indexed(self, policy_kind: GroupKind) -> object:
        """Return a token that is equal for views with the same effective policies of a kind."""
        if self.kind(policy_kind).found_by is not FoundBy.PLUGIN:
            return self._kinds.get(policy_kind)
        # The plugin's answer for one kind depends on the policies of all its kinds.
        kinds = self._kinds.items()
        return tuple(it for key, it in kinds if self.kind(key).found_by is FoundBy.PLUGIN)

    def is_below_listeners(self, policy_kind: GroupKind) -> bool:
        """Return whether policies of a kind are computed for paths to rules."""
        kind = self._kinds.get(policy_kind)
        return kind is not None and kind.is_below_listeners


_measure = remembered(measure_outcome)


class _IndexedKind(Struct, frozen=True, eq=False):
    """The effective policies of one kind, by the levels of their paths.

    `by_rule` has the policies by the levels down to a rule or listener, then by further levels.
    """

    by_levels: InForce
    by_rule: Mapping[Levels, InForce]
    is_below_listeners: bool


def _make_way(path: RequestPath, topology: Topology) -> Way:
    listener = find_listener(topology, path)
    matches = read_matches(topology.nodes[path.route]) if path.route is not None else {}
    return Way(
        path,
        path.levels[1:],
        list_common(listener.hostname, path.hostnames),
        find_proxy(topology, path.gateway),
        (listener.hostname, listener.port, listener.protocol),
        matches.get(path.rule, ()),
        path.section in find_silent_listeners(topology),
        path.section in find_doubtful_listeners(topology),
        asks_service(topology, path),
        is_answered(topology, path),
    )


class SharedViews:
    """Data that the views of one state share."""

    def __init__(self, catalogue: Catalogue, external: ExternalObjects, hub: DataByRef) -> None:
        """Create the data; `external` are objects that spokes have by declaration (fleet.yaml)."""
        self.catalogue, self.external, self.hub = catalogue, external, hub
        self.once = SharedWithSlots().answer


@memoised
def list_ways(topology: Topology) -> tuple[tuple[Way, ...], tuple[Way, ...]]:
    """Return the paths to listeners and the paths to rules; texts may have slots."""
    # No API server accepts a listener without a name, so it is on no path.
    listeners, rules = (
        tuple(_make_way(path, topology) for path in find(topology) if path.listener)
        for find in (find_listener_paths, find_rule_paths)
    )
    return listeners, tuple(way for way in rules if not way.is_closed)


@memoised
def _list_levels(kind: KindInForce) -> tuple[Levels, ...]:
    paths = (item.path for item in kind.effective)
    return tuple(path.levels[1:] if path.listener else path.levels for path in paths)


@remembered
def recall_needs(
    needs: Sequence[Need], data: Mapping[str, Any], namespace: str
) -> tuple[Requirement, ...]:
    """Return the objects that an object needs by name, as the rows `needs` define."""
    items = list_needed_objects(needs, data, namespace)
    return tuple(item for item in items if item.selector is None)


@remembered
def _index_ways(ways: tuple[Way, ...]) -> Mapping[Levels, Way]:
    return {way.levels: way for way in ways}


@remembered
def _index_kind(kind: KindInForce, all_levels: tuple[Levels, ...]) -> _IndexedKind:
    by_rule: dict[Levels, dict[Levels, EffectivePolicy]] = {}
    for levels, item in zip(all_levels, kind.effective, strict=True):
        # The levels of the path to the rule, without the GatewayClass and the backend.
        rule = replace(item.path, backend=None, port=None)
        cut = len(levels) if item.path.backend is None else len(rule.levels) - 1
        by_rule.setdefault(levels[:cut], {})[levels[cut:]] = item
    return _IndexedKind(
        dict(zip(all_levels, kind.effective, strict=True)),
        by_rule,
        any(item.path.route is not None for item in kind.effective),
    )


is_same = remembered(is_same_json)
"""Returns whether two objects are equal."""


@remembered
def list_fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the fields in which two objects differ."""
    return changes(old, new, list_maps(new))
