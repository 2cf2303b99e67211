"""What one spoke after the other loses; those that change alike are compared once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.cluster import Knowledge
from spokerender.judging.fleet.blueprints import BlueprintJudge
from spokerender.judging.fleet.model import JudgedBlueprint
from spokerender.kinds import Catalogue, Kind
from spokerender.model import Ref
from spokerender.rendering.values.bundles import Blueprint, Bundle, SharedAnswers, Variant
from spokerender.review.guard.comparison import Comparison, Side
from spokerender.review.guard.differing import Differing
from spokerender.review.guard.documents import Reader, opened
from spokerender.review.guard.earlier import EarlierObjects, has_own_values, has_value
from spokerender.review.guard.facts import opens_nothing
from spokerender.review.guard.losses import Lost
from spokerender.review.guard.protection import Protections

Differences = Mapping[Ref, Variant | None]


class _Turn(Struct, frozen=True, eq=False):
    """What of a blueprint was otherwise before the change; texts may hold slots.

    `old` are objects as they were, `new` as they are; None where there is none to read. What
    changed without any bearing on protection is in neither. The blueprint has what these may
    concern, and no more.
    """

    blueprint: Blueprint
    old: Differences
    new: Differences

    @property
    def key(self) -> tuple[Any, ...]:
        """What is equal for spokes that change alike."""
        sides = (
            tuple(sorted((ref, id(item)) for ref, item in each.items()))
            for each in (self.old, self.new)
        )
        return id(self.blueprint), *sides


class Spokes:
    """Compares one spoke after the other, and does what they have in common once."""

    def __init__(self, knowledge: Knowledge, reader: Reader) -> None:
        """`knowledge` is of every spoke, before the change and after it."""
        self._knowledge = knowledge
        self._reader = reader
        self._earlier = EarlierObjects(reader)
        self._judge = BlueprintJudge(knowledge)
        self._compared: dict[tuple[Any, ...], _Compared] = {}
        self._narrow: dict[tuple[Any, ...], Blueprint] = {}
        """By a blueprint, and by what is left of it: what is left of several may be the same."""
        self._shared = SharedAnswers[tuple[Lost, ...]]()

    def lost(self, bundle: Bundle, found: Differing) -> tuple[Lost, ...]:
        """What a spoke loses by objects that come, go or change."""
        turn, is_shared = self._turn(bundle, found)
        if not turn.old and not _policies(turn.new, self._knowledge.catalogue):
            return ()
        if is_shared:
            key = turn.key
            if key not in self._compared:
                self._compared[key] = _Compared(turn, self._judge, self._knowledge)
            compared = self._compared[key]
            lost = self._shared.answer(bundle, lambda: compared.lost)
            if lost is not None:
                return lost
        plain = self._filled(turn, bundle)
        return _Compared(plain, BlueprintJudge(self._knowledge), self._knowledge).lost

    def _turn(self, bundle: Bundle, found: Differing) -> tuple[_Turn, bool]:
        """What was otherwise, and whether slots stand for all of the spoke's values in it."""
        is_shared = True
        old: dict[Ref, Variant | None] = {}
        for ref, text in found.gone.items():
            old[ref] = item = self._reader.parse(text)
            texts = item.node.texts if item is not None else ()
            is_shared &= not any(has_value(each, bundle) for each in texts)
        new = {
            item.variant.ref if item.variant is not None else ref: item.variant
            for ref, item in found.added.items()
        }
        for text, written in found.changed.values():
            earlier = self._earlier.of(text, written, bundle)
            if earlier.variant is not None and written.variant is not None:
                old[written.variant.ref] = earlier.variant
                new[written.variant.ref] = written.variant
                is_shared &= not has_own_values(earlier, bundle)
        return _Turn(self._concerned(bundle.blueprint, {*old, *new}), old, new), is_shared

    def _concerned(self, blueprint: Blueprint, changed: Iterable[Ref]) -> Blueprint:
        """A blueprint without the policies that protect nothing, or nothing that could change.

        Where only policies change, those of other kinds protect what they did.
        """
        kinds = {(ref.group, ref.kind): self._kind(ref) for ref in changed}
        is_whole = not all(kind.is_policy for kind in kinds.values())
        wanted = None if is_whole else frozenset(key for key in kinds if kinds[key].security)
        known = (id(blueprint), wanted)
        if known not in self._narrow:
            left = tuple(item for item in blueprint.variants if self._is_concerned(item, wanted))
            key = (blueprint.placed, tuple(map(id, left)))
            made = replace(blueprint, outcomes=(), variants=left, results=())
            self._narrow[known] = self._narrow.setdefault(key, made)
        return self._narrow[known]

    def _is_concerned(self, item: Variant, wanted: frozenset[tuple[str, str]] | None) -> bool:
        kind = self._kind(item.ref)
        if not kind.is_policy:
            return True
        return kind.security and (wanted is None or (kind.group, kind.kind) in wanted)

    def _kind(self, ref: Ref) -> Kind:
        return self._knowledge.catalogue.kind(ref.group, ref.kind)

    def _filled(self, turn: _Turn, bundle: Bundle) -> _Turn:
        """The same with the spoke's values in the place of slots."""
        known: dict[int, Variant] = {}

        def of(item: Variant) -> Variant:
            if id(item) not in known:
                known[id(item)] = opened(item, bundle, self._knowledge.catalogue)
            return known[id(item)]

        def each(items: Differences) -> Differences:
            return {
                bundle.ref(ref): of(item) if item is not None else None
                for ref, item in items.items()
            }

        made = replace(
            turn.blueprint,
            placed=bundle.filled(turn.blueprint.placed),
            variants=tuple(map(of, turn.blueprint.variants)),
        )
        return _Turn(made, each(turn.old), each(turn.new))


class _Compared:
    """A turn, and what it takes away."""

    def __init__(self, turn: _Turn, judge: BlueprintJudge, knowledge: Knowledge) -> None:
        self._turn = turn
        self._judge = judge
        self._knowledge = knowledge

    @cached_property
    def lost(self) -> tuple[Lost, ...]:
        """What goes, and what is protected no longer."""
        catalogue, turn = self._knowledge.catalogue, self._turn
        came_or_went = [
            item
            for some, others in ((turn.old, turn.new), (turn.new, turn.old))
            for ref, item in some.items()
            if item is not None and ref not in others
        ]
        may_weaken = bool(turn.old.keys() & turn.new.keys()) or not all(
            opens_nothing(item, catalogue) for item in came_or_went
        )
        return tuple(
            Comparison(
                Side(turn.old, _by_ref(self._old_variants), lambda: self._protections[0]),
                Side(turn.new, _by_ref(turn.blueprint.variants), lambda: self._protections[1]),
                catalogue,
                may_weaken=may_weaken,
            ).lost()
        )

    @cached_property
    def _old_variants(self) -> tuple[Variant, ...]:
        turn = self._turn
        stays = (item for item in turn.blueprint.variants if item.ref not in turn.new)
        return (*stays, *(item for item in turn.old.values() if item is not None))

    @cached_property
    def _judged(self) -> tuple[JudgedBlueprint, JudgedBlueprint]:
        """Before and after the change."""
        blueprint = self._turn.blueprint
        old = replace(blueprint, variants=self._old_variants)
        return self._judge.judge(old), self._judge.judge(blueprint)

    @cached_property
    def _protections(self) -> tuple[Protections, Protections]:
        catalogue, namespaces = self._knowledge.catalogue, self._knowledge.namespaces
        old, new = (Protections(each.judgement, catalogue, namespaces) for each in self._judged)
        return old, new


def _by_ref(variants: Iterable[Variant]) -> dict[Ref, Variant]:
    return {item.ref: item for item in variants}


def _policies(items: Differences, catalogue: Catalogue) -> bool:
    return any(catalogue.kind(ref.group, ref.kind).security for ref in items)
