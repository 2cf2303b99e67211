"""Compares the effective rules of a kind on a path before and after a change."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from spokerender.formats.comparing import ABSENT, fingerprint, is_same_json
from spokerender.judging.effective.guarding import (
    ANY_RULE,
    are_fulfilled,
    lets_all_in,
    measure_rules,
    measure_spec,
)
from spokerender.judging.effective.outcomes import EffectiveRule, join_rules
from spokerender.judging.effective.ranking import compare_specs
from spokerender.judging.effective.scales import traits_of_policies
from spokerender.judging.effective.shifts import Direction, Shift
from spokerender.kinds.columns import Guarding, Traits
from spokerender.kinds.fields import overlap
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Process
from spokerender.model import Ref, grouped
from spokerender.model.shapes import Json, as_list


def compare_rules(
    kind: Kind, before: Sequence[EffectiveRule], after: Sequence[EffectiveRule]
) -> tuple[Shift, ...]:
    """Return the changes between the effective rules on a path before and after a change.

    The rules have the values of one spoke. A renamed policy has its new name in `before`, too. The
    addition or removal of a field with its default value in the CRD is no change.
    """
    if kind.merged.process is Process.ALL:
        sides = [_specs_by_policy(side) for side in (before, after)]
    else:
        joined = (join_rules(sorted(side, key=_place_of)) for side in (before, after))
        sides = [{None: side} for side in joined]
    shifts = tuple(_compare_sides(kind, *sides))
    if shifts:
        # Start-up counts: CRDs are read only where rules differ.
        from spokerender.judging.validation.defaults import fill_defaults  # noqa: PLC0415

        completed = (
            {ref: fill_defaults(kind, spec) for ref, spec in side.items()} for side in sides
        )
        shifts = tuple(_leave_defaults(shifts, tuple(_compare_sides(kind, *completed))))
    return _mark_losses(kind, before, after, shifts)


def _leave_defaults(shifts: Sequence[Shift], completed: Sequence[Shift]) -> Iterator[Shift]:
    """Yield the `shifts` whose fields also differ in `completed`, the changes after defaulting."""
    for shift in shifts:
        near = [item for item in completed if overlap(item.place, shift.place)]
        same = next((item for item in near if item.place == shift.place), None)
        if near:
            yield replace(shift, direction=same.direction) if same is not None else shift


_Specs = Mapping[Ref | None, Mapping[str, Any]]
"""Specs proper by policy; the key None is for the merged spec of all policies."""


def _compare_sides(kind: Kind, before: _Specs, after: _Specs) -> Iterator[Shift]:
    if kind.merged.process is Process.ALL:
        yield from _compare_beside(kind, before, after)
    else:
        yield from compare_specs(traits_of_policies(kind), before[None], after[None])


def _mark_losses(
    kind: Kind,
    before: Iterable[EffectiveRule],
    after: Iterable[EffectiveRule],
    shifts: tuple[Shift, ...],
) -> tuple[Shift, ...]:
    """Return the changes with `loses` set if they leave the path with less protection.

    `loses` is also set if no rule about a change's subject, such as limits, is left.
    """
    left, own = measure_rules(kind, after), {part.about for part in kind.traits.guarding}
    # Of policies side by side, others may still restrict access, as a denial does beside a policy
    # that admits everybody: then access is weakened, not removed.
    asked = own if left.parts and len(own) == 1 else ()
    removed, weakened = Direction.REMOVED, Direction.WEAKENED
    shifts = tuple(
        replace(it, loses=bool(it.about), direction=weakened if it.about in asked else removed)
        if it.direction is removed
        else it
        for it in shifts
    )
    if left.covers(measure_rules(kind, before)):
        return shifts
    abouts = {part.about for part in traits_of_policies(kind).guarding}
    return tuple(
        replace(shift, loses=True)
        if shift.about in abouts and shift.direction is not Direction.STRICTER
        else shift
        for shift in shifts
    )


def _place_of(rule: EffectiveRule) -> tuple[Any, ...]:
    """Return a sort key: policy, then the rule's position in the lists of the policy."""
    return rule.policy, [step if isinstance(step, int) else -1 for step in rule.field]


def _compare_beside(kind: Kind, before: _Specs, after: _Specs) -> Iterator[Shift]:
    """Yield the changes between policies that apply side by side: changed, added or removed."""
    pooled = kind.merged.pooled
    old, new = _leave_moved(pooled, before, after), _leave_moved(pooled, after, before)
    for policy in [ref for ref in old if ref in new]:
        yield from compare_specs(traits_of_policies(kind), old.pop(policy), new.pop(policy))
    for policy, spec in list(old.items()):
        same = next((ref for ref in new if is_same_json(new[ref], spec)), None)
        if same is not None:
            del old[policy], new[same]
    # A policy that repeats another policy's spec changes nothing when it comes or goes.
    remaining = [spec for policy, spec in after.items() if policy not in new]
    if kind.traits.guarding:
        old = {ref: spec for ref, spec in old.items() if not _is_among(spec, remaining)}
        new = {ref: spec for ref, spec in new.items() if not _is_among(spec, remaining)}
    old, new = (
        {ref: spec for ref, spec in side.items() if not _decides_nothing(kind.traits, spec)}
        for side in (old, new)
    )
    if len(old) == len(new) == 1:
        yield from compare_specs(traits_of_policies(kind), *old.values(), *new.values())
        return
    for spec in old.values():
        yield from _judge_going(traits_of_policies(kind), spec, [*remaining, *new.values()])
    for spec in new.values():
        yield from _judge_coming(traits_of_policies(kind), spec, [*remaining, *old.values()])


def _is_among(value: Json, others: Iterable[Json]) -> bool:
    return any(is_same_json(value, other) for other in others)


def _leave_moved(pooled: str, own: _Specs, other: _Specs) -> dict[Ref | None, Mapping[str, Any]]:
    """Return the specs in `own`, without the entries of list `pooled` that moved between policies.

    Such an entry is in a policy in `other` that is equal except for the list, so that the entry
    has the same effect. `pooled` is empty if the kind has no such list.
    """
    left: dict[Ref | None, Mapping[str, Any]] = {}
    for policy, spec in own.items():
        alike = [
            ref for ref in other if is_same_json({**other[ref], pooled: 0}, {**spec, pooled: 0})
        ]
        lists = {ref: {*map(fingerprint, as_list(other[ref].get(pooled)))} for ref in alike}
        moved = set[str]().union(*lists.values()) - lists.get(policy, set())
        entries = [item for item in as_list(spec.get(pooled)) if fingerprint(item) not in moved]
        if not pooled or len(entries) == len(as_list(spec.get(pooled))):
            left[policy] = spec
        elif entries or policy in other:
            left[policy] = {**spec, pooled: entries} if entries else spec
    return left


def _specs_by_policy(rules: Iterable[EffectiveRule]) -> _Specs:
    by_policy = grouped((rule.policy, rule) for rule in rules)
    return {policy: join_rules(items) for policy, items in by_policy.items()}


def _decides_nothing(traits: Traits, spec: Mapping[str, Any]) -> bool:
    """Return whether a policy's action, such as Istio's `AUDIT`, switches all restrictions off."""
    openings = [set(part.unless) for part in traits.guarding]
    common = set.intersection(*openings) if openings else set()
    return any(are_fulfilled(spec, item) for item in common)


def _find_parts(traits: Traits, spec: Mapping[str, Any]) -> list[Guarding]:
    """Return the parts that restrict requests in a spec, at most one for each subject."""
    parts: dict[str, Guarding] = {}
    for part in (*traits.guarding, *traits.besides):
        if part.about not in parts and measure_spec(replace(traits, guarding=(part,)), spec).parts:
            parts[part.about] = part
    return list(parts.values())


def _judge_going(
    traits: Traits, spec: Mapping[str, Any], others: Iterable[Mapping[str, Any]]
) -> Iterator[Shift]:
    parts = _find_parts(traits, spec)
    remaining = [part for other in others for part in _find_parts(traits, other)]
    if not parts:
        yield Shift("", Direction.CHANGED, (), spec)
    for part in parts:
        if part not in remaining:
            yield Shift(part.about, Direction.REMOVED, ())
        else:
            is_any = part.beside == "any"
            yield Shift(part.about, Direction.STRICTER if is_any else Direction.WEAKENED, (), spec)


def _judge_coming(
    traits: Traits, spec: Mapping[str, Any], others: Iterable[Mapping[str, Any]]
) -> Iterator[Shift]:
    parts = _find_parts(traits, spec)
    existing = [part for other in others for part in _find_parts(traits, other)]
    if not parts or ANY_RULE in parts:
        opened = [part for part in existing if part.beside == "any" and lets_all_in(part, spec)]
        about = opened[0].about if opened else parts[0].about if parts else ""
        way = Direction.WEAKENED if opened else Direction.CHANGED
        yield Shift(about, way, (), ABSENT, spec)
        return
    for part in parts:
        is_wider = part in existing and part.beside == "any"
        direction = Direction.WEAKENED if is_wider else Direction.STRICTER
        yield Shift(part.about, direction, (), ABSENT, spec)
