"""Merges policies field by field (`spokerender.kinds.Fields`)."""

from collections.abc import Sequence

from msgspec import Struct

from spokerender.judging.effective import sourced_rules
from spokerender.judging.effective.blocks import PolicyBlock, is_above_routes
from spokerender.judging.effective.outcomes import EffectiveRule, Overruled, PolicyOutcome
from spokerender.kinds.fields import read_value, split_pattern
from spokerender.kinds.merging import Merging
from spokerender.model import FieldPath, shown
from spokerender.model.shapes import Json


class _Candidate(Struct, frozen=True, eq=False):
    """A policy's value of a field; a higher `level` is more specific, `place` is a stack index."""

    block: PolicyBlock
    level: int
    place: int
    item: sourced_rules.SourcedRule


def merge_fields(merging: Merging, stack: Sequence[PolicyBlock]) -> PolicyOutcome:
    """Return the outcome in which each field has the value of the most specific policy with it.

    On one target, the first policy counts. `merging.fields` may have exceptions: for instance,
    policies can lock their fields, so that more specific policies can't change them.
    """
    fields: dict[FieldPath, list[_Candidate]] = {}
    levels = {target: level for level, target in enumerate(dict.fromkeys(b.target for b in stack))}
    for place, block in enumerate(stack):
        for path, item in block.rules.items():
            if is_above_routes(block.target) and _matches_any(path, merging.fields.on_routes):
                # Such a field has an effect only in policies on routes.
                continue
            if _is_unset(merging, path, item.value):
                continue
            candidate = _Candidate(block, levels[block.target], place, item)
            fields.setdefault(path, []).append(candidate)
    rules: list[EffectiveRule] = []
    overruled: list[Overruled] = []
    for path, candidates in fields.items():
        holding, lost = _settle_field(merging, path, candidates)
        rules += [
            rule
            for candidate in sorted(holding, key=lambda candidate: candidate.place)
            for rule in sourced_rules.list_parts(path, candidate.item)
        ]
        overruled += lost
    return sourced_rules.make_outcome(rules, overruled)


def _settle_field(
    merging: Merging, path: FieldPath, candidates: Sequence[_Candidate]
) -> tuple[list[_Candidate], list[Overruled]]:
    gathers, unites = (
        _matches_any(path, patterns) for patterns in (merging.fields.gathers, merging.fields.unites)
    )
    is_general = _matches_any(path, merging.fields.general)
    ordered = sorted(
        candidates, key=lambda item: (item.level if is_general else -item.level, item.place)
    )
    lock = min((item.level for item in candidates if item.block.keeps), default=None)
    if lock is not None:
        ordered.sort(key=lambda item: item.level > lock)
    holding: list[_Candidate] = []
    lost = []
    for candidate in ordered:
        rival = next((item for item in holding if _is_same(merging, path, item, candidate)), None)
        may_join = rival is not None and (
            (lock is None or candidate.level <= lock)
            if gathers
            else unites and rival.level == candidate.level
        )
        if rival is None or may_join:
            holding.append(candidate)
        else:
            lost.append(_overrule(path, candidate, rival, lock))
    return holding, lost


def _is_same(merging: Merging, path: FieldPath, one: _Candidate, other: _Candidate) -> bool:
    """Return whether two policies' values at `path` compete; `Fields.apart` lists exceptions."""
    for index, apart in enumerate(merging.fields.apart):
        if not _matches_any(path, (apart.field,)):
            continue
        if apart.sides and is_above_routes(one.block.target) == is_above_routes(other.block.target):
            continue
        values = (one.block.marks[index], other.block.marks[index])
        if None not in values and values[0] != values[1]:
            return False
    return True


def _matches_any(path: FieldPath, patterns: Sequence[str]) -> bool:
    """Return whether one of the patterns matches a field or a field that contains it."""
    for pattern in patterns:
        parts = split_pattern(pattern)
        if len(parts) <= len(path) and all(
            part in ("*", key) for key, part in zip(path, parts, strict=False)
        ):
            return True
    return False


def _is_unset(merging: Merging, path: FieldPath, value: Json) -> bool:
    """Return whether a value means that the field is not set."""
    for pattern, values in merging.fields.unset:
        parts = split_pattern(pattern)
        if parts[: len(path)] == path and read_value(value, parts[len(path) :]) in values:
            return True
    return False


def _overrule(path: FieldPath, lost: _Candidate, by: _Candidate, lock: int | None) -> Overruled:
    if lost.block.target == by.block.target:
        why = f"{by.block.target} has another policy that comes first, with the same field"
    elif lock is not None and lost.level > lock:
        why = f"{by.block.target} has a policy that keeps its fields from those below it"
    else:
        why = f"{by.block.target} has a policy of its own with the same field"
    fields = sourced_rules.find_source(lost.item, ())[1], sourced_rules.find_source(by.item, ())[1]
    return Overruled(lost.block.policy, shown(path), by.block.policy, why, *fields)
