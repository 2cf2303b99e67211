"""The losses of one spoke after the other; spokes that change alike are compared once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.cluster import Knowledge
from spokerender.judging.fleet.blueprints import BlueprintJudge
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind
from spokerender.model import PlacedGateway, Ref
from spokerender.rendering.values.bundles import Blueprint, Bundle, SharedAnswers, Variant
from spokerender.review.guard.comparison import SpokeComparison, SpokeState
from spokerender.review.guard.documents import ChangedObjects, ObjectReader
from spokerender.review.guard.earlier import EarlierObjects, has_value, is_harmless
from spokerender.review.guard.losses import LostObject
from spokerender.review.guard.protection import ClusterProtection

Differences = Mapping[Ref, Variant | None]


class _BlueprintChange(Struct, frozen=True, eq=False):
    """What of a blueprint was different before the change; texts may hold slots.

    `old` are objects as they were, `new` as they are; None for one that can't be read. Changes that
    do not affect protection are in neither. The blueprint has only what the change may concern.
    """

    blueprint: Blueprint
    old: Differences
    new: Differences

    @property
    def key(self) -> tuple[Blueprint, frozenset[object], frozenset[object]]:
        """What is equal for spokes that change alike."""
        return self.blueprint, frozenset(self.old.items()), frozenset(self.new.items())


class SpokeGuard:
    """A guard that compares one spoke after the other, and does common work once."""

    def __init__(self, knowledge: Knowledge, reader: ObjectReader) -> None:
        """Take what is known of every spoke, before the change as after it."""
        self._knowledge = knowledge
        self._reader = reader
        self._earlier = EarlierObjects(reader)
        self._judge = BlueprintJudge(knowledge)
        self._compared: dict[object, _ComparedBlueprint] = {}
        self._reduced: dict[tuple[Blueprint, frozenset[tuple[str, str]] | None], Blueprint] = {}
        self._distinct: dict[tuple[tuple[PlacedGateway, ...], tuple[Variant, ...]], Blueprint] = {}
        """The reduced blueprints by content: those of several blueprints may be the same."""
        self._shared = SharedAnswers[tuple[LostObject, ...]]()

    def find_lost(self, bundle: Bundle, objects: ChangedObjects) -> tuple[LostObject, ...]:
        """Return what a spoke loses by objects that come, go or change."""
        change, is_shared = self._read_change(bundle, objects)
        if not change.old and not _has_security_policy(change.new, self._knowledge.catalogue):
            return ()
        if is_shared:
            key = change.key
            if key not in self._compared:
                self._compared[key] = _ComparedBlueprint(change, self._judge, self._knowledge)
            compared = self._compared[key]
            lost = self._shared.answer(bundle, lambda: compared.lost)
            if lost is not None:
                return lost
        resolved = self._resolve(change, bundle)
        judge = BlueprintJudge(self._knowledge)
        return _ComparedBlueprint(resolved, judge, self._knowledge).lost

    def _read_change(
        self, bundle: Bundle, objects: ChangedObjects
    ) -> tuple[_BlueprintChange, bool]:
        """Return what was different, and whether it may be shared with other spokes.

        It may not if a value of this spoke is in an old text: others have other values there.
        """
        is_shared = True
        old: dict[Ref, Variant | None] = {}
        for ref, text in objects.gone.items():
            old[ref] = variant = self._reader.parse(text)
            texts = variant.node.texts if variant is not None else ()
            is_shared &= not any(has_value(text, bundle) for text in texts)
        new = {
            written.variant.ref if written.variant is not None else ref: written.variant
            for ref, written in objects.added.items()
        }
        for old_text, written in objects.changed.values():
            earlier = self._earlier.find(old_text, written, bundle)
            if earlier.variant is not None and written.variant is not None:
                old[written.variant.ref] = earlier.variant
                new[written.variant.ref] = written.variant
                is_shared &= not earlier.has_values_of(bundle)
        reduced = self._reduce(bundle.blueprint, {*old, *new})
        return _BlueprintChange(reduced, old, new), is_shared

    def _reduce(self, blueprint: Blueprint, changed: Iterable[Ref]) -> Blueprint:
        """Return a blueprint without policies whose protection the change can't affect.

        Where only policies change, those of other kinds protect what they did.
        """
        kinds = {(ref.group, ref.kind): self._kind(ref) for ref in changed}
        is_whole = not all(kind.is_policy for kind in kinds.values())
        concerned = None if is_whole else frozenset(key for key in kinds if kinds[key].security)
        if (blueprint, concerned) not in self._reduced:
            variants = tuple(
                variant for variant in blueprint.variants if self._is_concerned(variant, concerned)
            )
            reduced = replace(blueprint, outcomes=(), variants=variants, results=())
            reduced = self._distinct.setdefault((blueprint.placed, variants), reduced)
            self._reduced[blueprint, concerned] = reduced
        return self._reduced[blueprint, concerned]

    def _is_concerned(self, variant: Variant, concerned: frozenset[tuple[str, str]] | None) -> bool:
        kind = self._kind(variant.ref)
        if not kind.is_policy:
            return True
        return kind.security and (concerned is None or (kind.group, kind.kind) in concerned)

    def _kind(self, ref: Ref) -> Kind:
        return self._knowledge.catalogue.kind(ref.group, ref.kind)

    def _resolve(self, change: _BlueprintChange, bundle: Bundle) -> _BlueprintChange:
        """Return the same change with the values of one spoke."""
        resolved_variants: dict[Variant, Variant] = {}

        def resolve(variant: Variant) -> Variant:
            if variant not in resolved_variants:
                resolved_variants[variant] = self._reader.resolved(variant, bundle)
            return resolved_variants[variant]

        def resolve_all(objects: Differences) -> Differences:
            return {
                bundle.ref(ref): resolve(variant) if variant is not None else None
                for ref, variant in objects.items()
            }

        blueprint = replace(
            change.blueprint,
            placed=bundle.filled(change.blueprint.placed),
            variants=tuple(map(resolve, change.blueprint.variants)),
        )
        return _BlueprintChange(blueprint, resolve_all(change.old), resolve_all(change.new))


class _ComparedBlueprint:
    """A change of a blueprint, and what it takes away."""

    def __init__(
        self, change: _BlueprintChange, judge: BlueprintJudge, knowledge: Knowledge
    ) -> None:
        self._change = change
        self._judge = judge
        self._knowledge = knowledge

    @cached_property
    def lost(self) -> tuple[LostObject, ...]:
        """What goes, and what is not protected any more."""
        change, catalogue = self._change, self._knowledge.catalogue
        new_variants = change.blueprint.variants
        unchanged = (variant for variant in new_variants if variant.ref not in change.new)
        old_variants = (*unchanged, *(item for item in change.old.values() if item is not None))

        def state(differing: Differences, variants: tuple[Variant, ...]) -> SpokeState:
            objects = {variant.ref: variant for variant in variants}
            return SpokeState(differing, objects, lambda: self._judge_protection(variants))

        comparison = SpokeComparison(
            state(change.old, old_variants),
            state(change.new, new_variants),
            catalogue,
            may_weaken=self._may_weaken(),
        )
        return tuple(comparison.lost())

    def _may_weaken(self) -> bool:
        """Return whether something that stays may lose its protection."""
        old, new = self._change.old, self._change.new
        if old.keys() & new.keys():
            return True
        catalogue = self._knowledge.catalogue
        variants = (*old.values(), *new.values())
        return not all(item is None or is_harmless(item, catalogue) for item in variants)

    def _judge_protection(self, variants: tuple[Variant, ...]) -> ClusterProtection:
        judged = self._judge.judge(replace(self._change.blueprint, variants=variants))
        knowledge = self._knowledge
        return ClusterProtection(judged.judgement, knowledge.catalogue, knowledge.namespaces)


def _has_security_policy(objects: Differences, catalogue: Catalogue) -> bool:
    return any(catalogue.kind(ref.group, ref.kind).security for ref in objects)
