"""Bundles: the objects that each spoke gets; each distinct blueprint is made once.

A spoke's bundle depends on how its gateways are placed, its overrides, and its own values.
Placements and overrides repeat over a fleet, and slots stand for the values, so the work grows with
the number of different blueprints, not with the number of spokes times objects.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.shipping import TOO_MANY_OVERRIDES
from spokerender.findings.errors import InputBudget
from spokerender.findings.results import ERROR, Result
from spokerender.formats.templating.template import is_template
from spokerender.model import Manifest, PlacedGateway, Spoke, grouped, slots
from spokerender.model.memo import memoised
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import scalars_in, strings_in
from spokerender.model.slots import Record, recording
from spokerender.model.spokes import NO_LABELS, LabelsByNamespace, make_labels_key
from spokerender.rendering import overrides
from spokerender.rendering.bundles.bases import NO_PATCHES, Base, Bases, PatchesOf, Variants
from spokerender.rendering.checks import check_spoke
from spokerender.rendering.checks.context import HubSide
from spokerender.rendering.holding import Known, Slots, SpokeSlots, compared_texts
from spokerender.rendering.overrides import Evaluator, may_set_kind
from spokerender.rendering.placement.assign import Assigner, implied_texts
from spokerender.rendering.values.bundles import Blueprint, Bundle, Evaluated, Variant
from spokerender.rendering.values.placement import Decision, Override, SyncList
from spokerender.rendering.values.stages import Stage
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub

_Placed = tuple[PlacedGateway, ...]

_EXAMPLES = 5
"""The number of spokes to bundle with real values, of a group refused for the same reason."""


def bundle_fleet(  # noqa: PLR0913  (as much as a fleet depends on; the last two are named)
    hub: Hub,
    topology: Topology,
    decision: Decision,
    sync: SyncList,
    *,
    stages: Sequence[Stage] = (),
    is_accepted: Callable[[Result, str], bool] = lambda _result, _spoke: False,
) -> tuple[Mapping[str, Bundle], Mapping[int, bool]]:
    """Return bundles by spoke name, and whether each applied override (by number) had an effect.

    All spokes are first bundled with slots. A spoke is bundled again with its real values if its
    blueprint has an error, or if a comparison has another result for the spoke's values. An error
    that is accepted for the spoke (`suppressions`) does not count. Of spokes that are refused for
    the same reason, only a few are bundled again, as examples.
    """
    bundler = Bundler(hub, topology, decision, sync, stages=stages)
    with recording() as record:
        bundles = {spoke.name: bundler.bundle(spoke) for spoke in decision.spokes}
    doubtful = [
        bundle
        for bundle in bundles.values()
        if bundle.values and _is_doubtful(bundle, record, is_accepted)
    ]
    if not doubtful:
        return bundles, bundler.used
    exact = Bundler(hub, topology, decision, sync, with_slots=False, stages=stages)
    groups = grouped((_alike_key(bundle, record), bundle) for bundle in doubtful)
    for alike in groups.values():
        # The values of the whole group change the same answers, so the first spoke shows whether
        # all are refused.
        first, *others = alike
        example = exact.bundle(first.spoke)
        is_refused = _has_error(example.blueprint.results, first.spoke.name, is_accepted)
        again = others[: _EXAMPLES - 1] if is_refused else others
        bundles[first.spoke.name] = example
        bundles.update({bundle.spoke.name: exact.bundle(bundle.spoke) for bundle in again})
        # A refused build writes nothing, so only the findings have to be right.
        blueprint = replace(first.blueprint, results=example.blueprint.results)
        for bundle in others[len(again) :]:
            refused = replace(bundle, blueprint=blueprint, results=example.results)
            bundles[bundle.spoke.name] = refused
    used = bundler.used | exact.used
    return bundles, {number: bundler.used.get(number, False) or used[number] for number in used}


def _alike_key(bundle: Bundle, record: Record) -> object:
    """Return a key that is equal for spokes for which the same comparisons are wrong."""
    return id(bundle.blueprint), record.list_corrections(bundle.values)


def _is_doubtful(
    bundle: Bundle, record: Record, is_accepted: Callable[[Result, str], bool]
) -> bool:
    """Return whether the build with slots has an error, or may be wrong for the spoke's values."""
    is_refused = _has_error(bundle.blueprint.results, bundle.spoke.name, is_accepted)
    return is_refused or not record.is_true_of(bundle.values)


def _has_error(
    results: Iterable[Result], spoke: str, is_accepted: Callable[[Result, str], bool]
) -> bool:
    return any(result.severity is ERROR and not is_accepted(result, spoke) for result in results)


def known_values(hub: Hub, decision: Decision, stages: Sequence[Stage] = ()) -> Known:
    """Return the texts and numbers that no slot may replace, since they may be compared.

    They are all texts and numbers in the hub, the placement, a stage or our own code. Numbers are
    included as texts, too: they may be compared as such (the port of a Service). Empty if nothing
    differs between spokes.
    """
    written: list[Any] = [rule.placed_as.written for rule in decision.rules]
    written += [override.written for override in decision.overrides]
    if not stages and not _has_template(written):
        return frozenset()
    spelled: set[Any] = {*scalars_in(written)}
    spelled.update(*(stage.spelled_out for stage in stages))
    for manifest in hub.manifests:
        spelled.update(scalars_in(manifest.object))
        spelled.add(manifest.ref.namespace)  # `default` may be spelled out nowhere
    spelled |= implied_texts(manifest.ref.namespace for manifest in hub.manifests)
    # A slot for a kind is compared with rows of any group; one for a name or hostname is not.
    places = (rule.placed_as for rule in decision.rules)
    anywhere = [value for place in places for value in (place.listeners, place.annotations)]
    is_anywhere = (
        bool(stages) or _has_template(anywhere) or any(map(may_set_kind, decision.overrides))
    )
    spelled |= compared_texts(None if is_anywhere else [text for text in spelled if _is_text(text)])
    texts = [value for value in spelled if _is_text(value)]
    # Wildcards are included without `*.`, too.
    spelled.update(text[2:] for text in texts if text.startswith("*."))
    spelled.update([str(value) for value in spelled if not isinstance(value, str)])
    return frozenset(spelled)


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _has_template(written: list[Any]) -> bool:
    return any(map(is_template, strings_in(written)))


class _Bare(Struct, frozen=True, eq=False):
    """The variants of a base before overrides, and the findings of checks about these variants."""

    variants: Mapping[int, Variant]
    checked: tuple[Result, ...]


class Bundler:
    """Makes the bundles of a fleet's spokes; each distinct blueprint is made once and shared."""

    def __init__(  # noqa: PLR0913  (what a spoke's tree depends on)
        self,
        hub: Hub,
        topology: Topology,
        decision: Decision,
        sync: SyncList,
        *,
        with_slots: bool = True,
        stages: Sequence[Stage] = (),
    ) -> None:
        """Prepare; without slots, spokes do not share blueprints."""
        self._hub = hub
        self._topology = topology
        self._decision = decision
        self._stages = stages
        self._first = frozenset[GroupKind]().union(*(stage.first_of for stage in stages))
        origins = {manifest.ref: manifest.origin for manifest in hub.manifests}
        self._side = HubSide(topology, hub.catalogue, sync.own_classes, origins)
        self._slots = Slots(known_values(hub, decision, stages) if with_slots else None)
        self._assigner = Assigner(decision, topology)
        self._evaluator = Evaluator()
        self._bases = Bases(hub, topology, decision.rules, sync, stages)
        things = len(hub.manifests) * (1 if with_slots else len(decision.spokes))
        limit = 200_000 + 1_000 * (things + len(decision.spokes))  # a dozen of each are honest
        cure = "join overrides of the same objects, or write in the hub what holds everywhere"
        budget = InputBudget(limit, TOO_MANY_OVERRIDES, cure)
        self._variants = Variants(hub.catalogue, budget)
        self._targets = _targets(hub, decision)
        self._plain: dict[tuple[int, int, bool], PatchesOf] = {}
        self._checked: dict[tuple[Any, ...], tuple[Result, ...]] = {}
        self._labelled: dict[tuple[Any, ...], Blueprint] = {}

    @property
    def used(self) -> dict[int, bool]:
        """Return the numbers of the applied overrides, each with whether it changed anything."""
        return self._variants.used

    def bundle(self, spoke: Spoke) -> Bundle:
        """Return the bundle of one spoke."""
        spoke_slots = SpokeSlots(self._slots)
        placed, faults = self._assigner.assign(spoke, spoke_slots)
        of_hub = self._left(spoke, self._bases.of_hub(placed))
        # The order matters. No stage sees objects that an override removes. Overrides of kinds that
        # a stage reads precede the stages; all others follow them, and may change their objects.
        first = (
            self._evaluated(spoke, of_hub, spoke_slots, is_first=True)
            if self._first
            else NO_PATCHES
        )
        base = self._overridden(of_hub, first)
        for number, stage in enumerate(self._stages):
            base = self._bases.amended(base, number, stage.ask(spoke, base.given, spoke_slots))
        patches = self._evaluated(spoke, base, spoke_slots)
        results = (*faults, *first.results, *patches.results)
        # Last: labels change only findings, and spokes that differ in nothing else share a tree.
        blueprint = self._under_labels(spoke.namespaces, base, self._blueprint(base, patches))
        return Bundle(spoke, blueprint, spoke_slots.values, results)

    def _left(self, spoke: Spoke, base: Base) -> Base:
        """Return the base without the objects that the spoke's overrides remove."""
        removing = [o for o in self._decision.overrides_of_spoke.get(spoke.name, ()) if o.removes]
        removed: dict[int, Override] = {}
        for override in removing:
            for index in self._targets[override.number]:
                if index in base.shipped:
                    removed.setdefault(index, override)
                    self.used[override.number] = True
        return self._bases.without(base, tuple(removed.items()))

    @memoised
    def _overridden(self, base: Base, first: PatchesOf) -> Base:
        """Return the base with `first` applied: the overrides that stages must see applied."""
        variants = self._patched(base, first)
        shipped = {index: variant.shipped for index, variant in variants.items()}
        results = (result for variant in variants.values() for result in variant.results)
        if not variants:
            return base
        return replace(base, shipped={**base.shipped, **shipped}, results=(*base.results, *results))

    def _patched(self, base: Base, patches: PatchesOf) -> dict[int, Variant]:
        return {
            index: self._variants.of(base.manifests[index], base.shipped[index], own)
            for index, own in patches.of_objects.items()
        }

    def _evaluated(
        self, spoke: Spoke, base: Base, spoke_slots: SpokeSlots, *, is_first: bool = False
    ) -> PatchesOf:
        """Return the evaluated overrides of each object that ships.

        If `is_first`, these are the overrides that stages must see applied, otherwise all others.
        Spokes with equal overrides share the result, unless an override has an expression.
        """
        every = self._decision.overrides_of_spoke.get(spoke.name, ())
        # `placement.decide` gives spokes with equal overrides one tuple.
        shared = (id(base), id(every), is_first)
        if shared in self._plain:
            return self._plain[shared]
        patches: dict[int, list[Evaluated]] = {}
        number_of_hub = len(self._hub.manifests)
        for override in every:
            if override.removes:
                continue
            for index in self._targets_in(base, override):
                ref = base.manifests[index].ref
                # Objects that stages create have no overrides before the stages.
                goes_first = index < number_of_hub and (ref.group, ref.kind) in self._first
                if index not in base.shipped or goes_first is not is_first:
                    continue
                manifest = base.manifests[index]
                evaluated = self._evaluator.evaluate(
                    override,
                    manifest,
                    partial(self._context, manifest, spoke, base.placed, spoke_slots.values),
                    spoke_slots,
                )
                patches.setdefault(index, []).append(evaluated)
        patches_of_objects = PatchesOf({index: tuple(patches[index]) for index in sorted(patches)})
        if all(not patch.key for object_patches in patches.values() for patch in object_patches):
            self._plain[shared] = patches_of_objects
        return patches_of_objects

    @memoised
    def _targets_in(self, base: Base, override: Override) -> tuple[int, ...]:
        """Return the indices in `base.manifests` of the objects that an override targets."""
        first = len(self._hub.manifests)
        return self._targets[override.number] + tuple(
            index
            for index, manifest in enumerate(base.manifests[first:], first)
            if overrides.is_override_target(override, manifest)
        )

    def _context(
        self, manifest: Manifest, spoke: Spoke, placed: _Placed, values: slots.Values
    ) -> dict[str, Any]:
        """Return variables for expressions; with `gateway` if the object ships with only one."""
        metadata = manifest.object["metadata"]
        context: dict[str, Any] = {
            "spoke": spoke.context,
            "policy": {
                "kind": manifest.ref.kind,
                "name": manifest.ref.name,
                "namespace": manifest.ref.namespace,
                "labels": metadata.get("labels") or {},
                "annotations": metadata.get("annotations") or {},
            },
        }
        here = [place for place in placed if place.hub in self._topology.ships_with(manifest.ref)]
        if len(here) == 1:
            target = here[0].ref
            context["gateway"] = {
                "name": slots.fill_text(target.name, values),
                "namespace": slots.fill_text(target.namespace, values),
            }
        return context

    @memoised
    def _blueprint(self, base: Base, patches: PatchesOf) -> Blueprint:
        bare = self._without_overrides(base)
        overridden = self._patched(base, patches)
        variants = tuple(overridden.get(index, variant) for index, variant in bare.variants.items())
        # Checks only read nodes, which most overrides leave unchanged.
        is_alike = all(bare.variants[index].node == new.node for index, new in overridden.items())
        checked = bare.checked
        if not is_alike:
            checked = self._checks(base.placed, variants, bare.variants.values())
        faults = (result for variant in variants for result in variant.results)
        results = tuple(dict.fromkeys((*base.results, *faults, *checked)))
        return Blueprint(base.placed, base.outcomes, variants, results)

    @memoised
    def _without_overrides(self, base: Base) -> _Bare:
        variants = {
            index: self._variants.of(base.manifests[index], shipped)
            for index, shipped in base.shipped.items()
        }
        checked = self._checks(base.placed, tuple(variants.values()), variants.values())
        return _Bare(variants, checked)

    def _checks(
        self,
        placed: _Placed,
        variants: tuple[Variant, ...],
        before: Iterable[Variant],
        labels: LabelsByNamespace = NO_LABELS,
    ) -> tuple[Result, ...]:
        """Return the findings of checks about a spoke's `variants`; `before` lack its overrides."""
        nodes = tuple(variant.node for variant in variants)
        key = (placed, nodes, make_labels_key(labels) if labels else ())
        if key not in self._checked:
            sources = {variant.ref: variant.manifest for variant in variants}
            retargeted = {variant.node.ref: variant.node for variant in before}
            checked = check_spoke(nodes, sources, placed, self._side, retargeted, labels=labels)
            self._checked[key] = checked
        return self._checked[key]

    def _under_labels(
        self, labels: LabelsByNamespace, base: Base, blueprint: Blueprint
    ) -> Blueprint:
        """Return the blueprint of spokes whose namespaces are declared to have these labels.

        It is the same blueprint unless the labels change the findings.
        """
        if not labels:
            return blueprint
        # The listeners of a gateway that the spoke has already are in no variant.
        has_own = any(place.existing for place in base.placed)
        if not has_own and not any(map(_has_selector, blueprint.variants)):
            return blueprint
        before = self._without_overrides(base).variants.values()
        plain = self._checks(base.placed, blueprint.variants, before)
        labelled = self._checks(base.placed, blueprint.variants, before, labels)
        if plain == labelled:
            return blueprint
        key = (id(blueprint), labelled)
        if key not in self._labelled:
            others = (result for result in blueprint.results if result not in plain)
            results = tuple(dict.fromkeys((*others, *labelled)))
            self._labelled[key] = replace(blueprint, results=results)
        return self._labelled[key]


def _has_selector(variant: Variant) -> bool:
    """Return whether an object is a parent that admits namespaces according to their labels."""
    node = variant.node
    admissions = (node.admits_listener_sets, *(listener.routes for listener in node.listeners))
    return any(admission.source == "Selector" for admission in admissions)


def _targets(hub: Hub, decision: Decision) -> dict[int, tuple[int, ...]]:
    """Return the indices of the hub manifests that each override targets, by its number."""
    # By kind, as otherwise each override would be compared with every object.
    by_kind = grouped([(manifest.ref.kind, at) for at, manifest in enumerate(hub.manifests)])
    return {
        override.number: tuple(
            index
            for index in by_kind.get(override.target.kind, ())
            if overrides.is_override_target(override, hub.manifests[index])
        )
        for override in decision.overrides
    }
