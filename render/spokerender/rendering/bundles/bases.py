"""Bases, which spokes with equal placements share before overrides, and variants of objects.

Every hub object is cleaned once, and retargeted (its references rewritten) once for each way in
which the gateways it depends on are placed. Added stages (`values.stages`) then edit, create and
remove objects. A variant is an object with its overrides; each distinct variant is made once.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.errors import InputBudget
from spokerender.findings.results import Result
from spokerender.formats.patching import count_values
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Edit, Manifest, PlacedGateway, Ref
from spokerender.model.memo import memoised
from spokerender.rendering import acceptable, overrides
from spokerender.rendering.marks import clean, mark_results, marks_of
from spokerender.rendering.retarget.links import GatewaySync
from spokerender.rendering.retarget.ship import Retargeter
from spokerender.rendering.values.bundles import Evaluated, How, Outcome, Outcomes, Variant
from spokerender.rendering.values.placement import Override, Rule, SyncList
from spokerender.rendering.values.stages import Given, Stage
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub
from spokerender.topology.node import Node
from spokerender.topology.reading import read_node

_Placed = tuple[PlacedGateway, ...]


class Base(Struct, frozen=True, eq=False, dict=True):
    """The objects of spokes with equal placements, before overrides.

    `manifests` are the hub's objects, followed by objects that stages created. `shipped` has only
    objects that spokes get: each as spokes get it, by its index in `manifests`.
    """

    placed: _Placed
    outcomes: Outcomes
    manifests: tuple[Manifest, ...]
    shipped: Mapping[int, Manifest]
    results: tuple[Result, ...]

    @cached_property
    def given(self) -> Given:
        """Return the input of a stage."""
        return Given(self.placed, tuple(self.shipped.values()))


class Bases:
    """Makes bases (see `Base`); work that several bases have in common is done only once."""

    def __init__(
        self,
        hub: Hub,
        topology: Topology,
        rules: Sequence[Rule],
        sync: SyncList,
        stages: Sequence[Stage],
    ) -> None:
        """Prepare; `topology` is the hub's, and `rules` are in the order of their numbers."""
        self._hub = hub
        self._rules = rules
        self._stages = stages
        self._clean = tuple(clean(manifest, hub.catalogue.marks) for manifest in hub.manifests)
        classes = {ref: topology.nodes[ref].gateway_class for ref in topology.roots}
        lists = {r: GatewaySync(sync.kinds(of), sync.spoke_class(of)) for r, of in classes.items()}
        self._retargeter = Retargeter(hub, topology, lists)
        self._depends = tuple(map(self._retargeter.depends_on, hub.manifests))
        self._retargeted: dict[Hashable, tuple[Outcome, Manifest]] = {}

    @memoised
    def of_hub(self, placed: _Placed) -> Base:
        """Return the base with the hub's objects for spokes with these placed gateways."""
        by_ref = {place.hub: place for place in placed}
        outcomes = [self._of_manifest(index, by_ref) for index in range(len(self._clean))]
        return Base(
            placed,
            outcomes=tuple(outcome for outcome, _ in outcomes),
            manifests=self._hub.manifests,
            shipped={
                index: manifest
                for index, (outcome, manifest) in enumerate(outcomes)
                if outcome.object is not None
            },
            results=tuple(result for outcome, _ in outcomes for result in outcome.results),
        )

    @memoised
    def without(self, base: Base, removed: tuple[tuple[int, Override], ...]) -> Base:
        """Return the base without the manifests in `removed`, each given by index and override."""
        reasons = {index: f"the override at {item.origin} removes it" for index, item in removed}
        return _without(base, reasons) if removed else base

    @memoised
    def amended(self, base: Base, number: int, asked: Hashable) -> Base:
        """Return the base after the stage `number`; `asked` is the stage's input from a spoke."""
        return _amended(base, self._stages[number], asked)

    def _of_manifest(
        self, index: int, placed: Mapping[Ref, PlacedGateway]
    ) -> tuple[Outcome, Manifest]:
        """Return outcome and manifest of the hub object `index`; shared for equal placements."""
        # Nothing else of a placement changes the object (`Retargeter.depends_on`).
        key = (index, tuple(placed.get(gateway) for gateway in self._depends[index]))
        if key not in self._retargeted:
            before = self._clean[index]
            outcome = self._checked(before, self._retargeter.outcome(before, placed), placed)
            data = before.object if outcome.object is None else outcome.object
            after = before.edited(outcome.ref, data, Edit(How.RULE, before.object))
            self._retargeted[key] = outcome, after
        return self._retargeted[key]

    def _checked(
        self, before: Manifest, outcome: Outcome, placed: Mapping[Ref, PlacedGateway]
    ) -> Outcome:
        """Return `outcome`, with findings about faults that the rule's `listeners` caused."""
        place = placed.get(before.ref)
        # Names, labels and hostnames are checked when a rule's expressions are evaluated
        # (`assign`).
        if place is None or outcome.object is None or not place.listeners.data:
            return outcome
        rule = self._rules[place.rule]
        faults = acceptable.check_rule(rule, before.ref, before.object, outcome.object)
        return replace(outcome, results=(*outcome.results, *faults))


def _amended(base: Base, stage: Stage, asked: Hashable) -> Base:
    # A stage numbers the objects it is given; a base also numbers those that do not ship.
    indices = tuple(base.shipped)
    answer = stage.amend(base.given, asked)
    left = _without(base, {indices[place]: why for place, why in answer.removed.items()})
    shipped = dict(left.shipped)
    for place, manifest in answer.edited.items():
        shipped[indices[place]] = manifest
    manifests = (*base.manifests, *answer.added)
    shipped.update(enumerate(answer.added, len(base.manifests)))
    results = (*base.results, *answer.results)
    return Base(base.placed, left.outcomes, manifests, shipped, results)


def _without(base: Base, reasons: Mapping[int, str]) -> Base:
    """Return the base without the objects in `reasons`, which has the reason by manifest index."""
    outcomes = list(base.outcomes)
    for index, reason in reasons.items():
        if index < len(outcomes):  # objects that other stages made have no outcome
            removed = replace(outcomes[index], object=None, reason=reason, is_meant=True)
            outcomes[index] = replace(removed, is_removed=True)
    shipped = {index: item for index, item in base.shipped.items() if index not in reasons}
    return replace(base, outcomes=tuple(outcomes), shipped=shipped)


Patches = tuple[Evaluated, ...]
_ONE_OPERATION = 50
"""The cost of a merge or patch operation, in addition to copying the object, in copied values."""


class Variants:
    """Makes variants of objects, each distinct variant once."""

    def __init__(self, catalogue: Catalogue, budget: InputBudget) -> None:
        """Prepare; applying an override spends a step of `budget` for each value in the object."""
        self._catalogue = catalogue
        self._budget = budget
        self._known: dict[tuple[Any, ...], Variant] = {}
        self.used: dict[int, bool] = {}
        """The numbers of the overrides that were applied, each with whether it changed anything."""

    def of(self, manifest: Manifest, shipped: Manifest, patches: Patches = ()) -> Variant:
        """Return the variant of an object with these overrides."""
        # Bases share objects that a stage leaves unchanged, so their variants are shared, too.
        key = (id(shipped), *patches_key(patches))
        if key not in self._known:
            self._known[key] = self._patched(manifest, shipped, patches)
        return self._known[key]

    def _patched(self, manifest: Manifest, shipped: Manifest, patches: Patches) -> Variant:
        first = last = self._node(shipped)
        marks = dict.fromkeys(marks_of(shipped.object, self._catalogue.marks))
        results: list[Result] = list(acceptable.check_stages(manifest, shipped))
        for patch in patches:
            override = patch.override
            operations = len(patch.patch) if isinstance(patch.patch, list) else 1
            values = _ONE_OPERATION * operations + count_values(shipped.object)
            self._budget.spend(values, "applying its overrides", manifest.ref)
            data, fault = overrides.applied(shipped.object, patch, manifest)
            is_idle = fault is None and not patch.results and data == shipped.object
            self.used[override.number] = self.used.get(override.number, False) or not is_idle
            if fault is None:
                results += acceptable.check_override(override, manifest.ref, shipped.object, data)
                present = marks_of(data, self._catalogue.marks)
                # The first override that adds a mark is at fault; one that repeats the mark is not.
                marks = {mark: marks.get(mark, override) for mark in present}
                edit = Edit(How.OVERRIDE, shipped.object, override.place, patch.patch)
                shipped = shipped.edited(shipped.ref, data, edit)
            before, last = last, self._node(shipped)
            # An override may restore what an earlier one changed: that is no further change.
            if last.attachments not in (before.attachments, first.attachments):
                fault = overrides.reference_changed(override, manifest)
            results += [fault] if fault is not None else []
        results += mark_results(manifest, marks)
        return Variant(manifest, shipped, last, tuple(results), patches)

    def _node(self, shipped: Manifest) -> Node:
        return read_node(shipped.ref, shipped.object, self._catalogue)


class PatchesOf(Struct, frozen=True, eq=False, dict=True):
    """The evaluated overrides of each object, in order, by the object's index in `manifests`."""

    of_objects: Mapping[int, Patches]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PatchesOf) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        """Return a hashable key that is equal if all patches are equal."""
        return tuple((index, patches_key(own)) for index, own in self.of_objects.items())

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """Return the findings about the overrides' expressions."""
        every = (patch for own in self.of_objects.values() for patch in own)
        return tuple(result for patch in every for result in patch.results)


NO_PATCHES = PatchesOf({})


def patches_key(patches: Patches) -> tuple[tuple[int, str], ...]:
    """Return a key that is equal for equal patches."""
    return tuple((patch.override.number, patch.key) for patch in patches)
