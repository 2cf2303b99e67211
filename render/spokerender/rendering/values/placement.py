"""The declarations of placement sources, the resulting decision, and the sync list."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.results import FindingKind, Result
from spokerender.model import FieldPath, Manifest, Origin, Place, Ref, Spoke, join_fields
from spokerender.model.refs import GroupKind
from spokerender.model.selectors import Selector, SpokeSelector
from spokerender.model.shapes import Json

if TYPE_CHECKING:  # start-up counts: few hubs have Placements
    from spokerender.rendering.values.decisions import DecidedPlacement, HubPlacements


OPEN_LISTENER = {"allowedRoutes": {"namespaces": {"from": "All"}}}
"""The assumed fields of a listener of which only the name is declared."""


class PlacedSelector(Struct, frozen=True):
    """A selection of the hub's Gateways or Services: by `names`, or by a `selector`."""

    names: tuple[Ref, ...] = ()
    selector: Selector | None = None


NO_SELECTION = PlacedSelector()


class GatewayChanges(Struct, frozen=True, eq=False):
    """The changes of a placed Gateway; empty fields change nothing. Texts may be templates.

    If `is_mgc`, names are those that Kuadrant's multicluster gateway controller gave.
    `hub_listeners` has, for each of `listeners`, the listeners of the hub that it stands for.
    `allowed_routes` replaces `allowedRoutes` of the hub's listeners. A label or an annotation that
    is None is removed.
    """

    name: str | None = None
    namespace: str | None = None
    gateway_class: str | None = None
    is_mgc: bool = False
    hostnames: Mapping[str, str] = field(default_factory=dict)
    listeners: tuple[Mapping[str, Any], ...] = ()
    hub_listeners: tuple[tuple[str, ...], ...] = ()
    allowed_routes: Mapping[str, Any] | None = None
    labels: Mapping[str, str | None] = field(default_factory=dict)
    annotations: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def written(self) -> list[Any]:
        """Return all values in these changes, as JSON."""
        texts = [self.name, self.namespace, self.gateway_class]
        maps = [self.hostnames, self.allowed_routes, self.labels, self.annotations]
        return [*texts, list(self.listeners), *maps]


class PlacementEntry(Struct, frozen=True, eq=False):
    """A rule or an override; `number` is its position among all rules, or all overrides.

    If a Placement of the hub decides the spokes, `spokes` has their names and the Placement's key.
    """

    number: int
    spokes: SpokeSelector
    place: Place
    field: str

    @property
    def origin(self) -> Origin:
        """Return the file and line of the declaration."""
        return self.place()

    def result(  # noqa: PLR0913  (the parts of a finding; most have few of them)
        self,
        kind: FindingKind,
        message: str,
        cure: str,
        below: FieldPath = (),
        ref: Ref | None = None,
        *,
        causes: tuple[str, ...] = (),
    ) -> Result:
        """Return a finding about the field `below` this entry, and about the object `ref`."""
        return kind.result(
            message,
            cure=cure,
            resource=ref,
            field=join_fields(self.field, below),
            origin=self.place(*below),
            causes=causes,
        )


class Rule(PlacementEntry, frozen=True, eq=False):
    """A rule that places Gateways on spokes, with changes.

    If `existing`, the spokes have the gateways already. If `routes_follow`, the routes in a
    gateway's namespace move with it. An `optional` rule may select nothing. `services` are Services
    of a mesh on the spokes; the changes apply to these if there are no `gateways`.
    """

    gateways: PlacedSelector
    placed_as: GatewayChanges
    services: PlacedSelector = NO_SELECTION
    existing: bool = False
    routes_follow: bool = False
    optional: bool = False


class OverrideSelector(Struct, frozen=True):
    """A selection of objects by their identity and labels on the hub; None means any."""

    kind: str
    group: str | None = None
    namespace: str | None = None
    name: str | None = None
    selector: Selector | None = None


class Override(PlacementEntry, frozen=True, eq=False):
    """A change to objects of some spokes; overrides are applied in the order of `number`.

    `patch` is a JSON merge patch if `is_merge`, else the operations of a JSON Patch; None removes
    the objects. Its texts may be expressions. An `optional` override may apply to nothing.
    """

    target: OverrideSelector
    patch: Any
    is_merge: bool
    optional: bool = False

    @property
    def change(self) -> FieldPath:
        """Return the path of the field with the patch, relative to the override."""
        return ("remove" if self.removes else "merge" if self.is_merge else "patch",)

    @property
    def removes(self) -> bool:
        """Return whether the override removes the objects from its spokes."""
        return self.patch is None

    @property
    def written(self) -> Json:
        """Return all values in the override, as JSON."""
        if self.is_merge or self.removes:
            return self.patch
        # Pointers don't get into an object, so they are not compared with anything.
        return [operation.get("value") for operation in self.patch]


class Declarations(Struct, frozen=True):
    """Spokes, rules and overrides of all documents; the spokes are sorted by name."""

    spokes: tuple[Spoke, ...]
    rules: tuple[Rule, ...]
    overrides: tuple[Override, ...]
    hub: HubPlacements | None = None

    @property
    def placements(self) -> Mapping[str, DecidedPlacement]:
        """Return the decided Placements of the hub, by namespace and name."""
        return self.hub.placements if self.hub is not None else {}


class Decision(Declarations, frozen=True, kw_only=True):
    """The resolved placement: each rule's gateways, and each spoke's rules and overrides."""

    gateways_of_rule: tuple[tuple[Ref, ...], ...]
    rules_of_spoke: dict[str, tuple[Rule, ...]]
    overrides_of_spoke: dict[str, tuple[Override, ...]]
    results: tuple[Result, ...]

    @property
    def overrides_in_use(self) -> tuple[Override, ...]:
        """Return the overrides that select a spoke; an override without spokes has a finding."""
        used = {one.number for of_spoke in self.overrides_of_spoke.values() for one in of_spoke}
        return tuple(override for override in self.overrides if override.number in used)

    @property
    def idle_rules(self) -> tuple[Rule, ...]:
        """Return the rules that select no spoke, although they are not optional."""
        used = {rule.number for of_spoke in self.rules_of_spoke.values() for rule in of_spoke}
        return tuple(rule for rule in self.rules if not (rule.optional or rule.number in used))

    def select(self, spokes: Collection[str] | None) -> Decision:
        """Return the decision about these spokes; about all if None."""
        named = (spoke for spoke in self.spokes if spokes is None or spoke.name in spokes)
        return replace(self, spokes=tuple(named))

    def gateways_on(self, spoke: str) -> tuple[tuple[Ref, Rule], ...]:
        """Return the hub gateways on a spoke, each with the rule that placed it."""
        return tuple(
            (gateway, rule)
            for rule in self.rules_of_spoke.get(spoke, ())
            for gateway in self.gateways_of_rule[rule.number]
        )


class ClassParameters(Struct, frozen=True):
    """The sync parameters of a GatewayClass; `ours` is false if the class has none of them."""

    kinds: frozenset[GroupKind] = frozenset()
    downstream_class: str = ""
    ours: bool = False
    config_map: Manifest | None = None


class SyncList(Struct, frozen=True):
    """The kinds to sync for each hub Gateway, and its default class on a spoke."""

    fleet: frozenset[GroupKind]
    classes: Mapping[str, ClassParameters]
    results: tuple[Result, ...] = ()
    listed_anywhere: frozenset[GroupKind] = frozenset()
    added: frozenset[GroupKind] = frozenset()
    """The kinds that only an entry of fleet.yaml adds, and no other list has."""

    def with_kinds(self, kinds: frozenset[GroupKind]) -> SyncList:
        """Return the list with more kinds, which ship with every Gateway."""
        if not kinds:
            return self
        listed = self.listed_anywhere | kinds
        return replace(self, fleet=self.fleet | kinds, listed_anywhere=listed, added=kinds)

    @property
    def own_classes(self) -> frozenset[str]:
        """Return the classes with sync parameters, for which only the hub has a controller."""
        return frozenset(name for name, of_class in self.classes.items() if of_class.ours)

    def kinds(self, gateway_class: str) -> frozenset[GroupKind]:
        """Return the kinds that ship with a Gateway of that class."""
        of_class = self.classes.get(gateway_class)
        return self.fleet | of_class.kinds if of_class else self.fleet

    def spoke_class(self, gateway_class: str) -> str:
        """Return `downstreamClass` of the class, or else the class itself."""
        of_class = self.classes.get(gateway_class)
        return (of_class.downstream_class if of_class else "") or gateway_class
