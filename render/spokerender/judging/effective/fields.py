"""Policies that come together field by field: who gives each field (`spokerender.kinds.Fields`)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from spokerender.judging.effective.declared import Declared
from spokerender.judging.effective.levels import is_above_routes
from spokerender.judging.effective.model import EffectiveRule, Outcome, Overruled
from spokerender.judging.effective.patches import source
from spokerender.judging.effective.rules import Sourced
from spokerender.judging.effective.telling import outcome, told
from spokerender.kinds.fields import split_pattern
from spokerender.kinds.merging import Merging
from spokerender.model import FieldPath, shown


class _Candidate(Struct, frozen=True, eq=False):
    """One policy's value of a field: on which level, and how far from the first one there."""

    block: Declared
    level: int
    place: int
    item: Sourced


def by_field(merging: Merging, stack: Sequence[Declared]) -> Outcome:
    """Each field is the most specific level's, and there the first policy's that has it.

    Unless the row says otherwise of the field, or a policy keeps what it has from levels below.
    """
    fields: dict[FieldPath, list[_Candidate]] = {}
    levels = {target: level for level, target in enumerate(dict.fromkeys(b.target for b in stack))}
    for place, block in enumerate(stack):
        for path, item in block.rules.items():
            candidate = _Candidate(block, levels[block.target], place, item)
            fields.setdefault(path, []).append(candidate)
    rules: list[EffectiveRule] = []
    overruled: list[Overruled] = []
    for path, candidates in fields.items():
        holding, lost = _settled(merging, path, candidates)
        rules += [
            rule
            for each in sorted(holding, key=lambda each: each.place)
            for rule in told(path, each.item)
        ]
        overruled += lost
    return outcome(rules, overruled)


def _settled(
    merging: Merging, path: FieldPath, candidates: Sequence[_Candidate]
) -> tuple[list[_Candidate], list[Overruled]]:
    """Who gives one field, and who is overruled in it."""
    is_general = _is_one_of(path, merging.fields.general)
    ordered = sorted(
        candidates, key=lambda each: (each.level if is_general else -each.level, each.place)
    )
    lock = min((each.level for each in candidates if each.block.keeps), default=None)
    if lock is not None:
        ordered.sort(key=lambda each: each.level > lock)
    holding: list[_Candidate] = []
    lost = []
    for each in ordered:
        rival = next((one for one in holding if _meet(merging, path, one, each)), None)
        if rival is None or _join(merging, path, rival, each, lock):
            holding.append(each)
        else:
            lost.append(_overruled(path, each, rival, lock))
    return holding, lost


def _join(
    merging: Merging, path: FieldPath, one: _Candidate, other: _Candidate, lock: int | None
) -> bool:
    """Whether a field of two policies is that of both."""
    if _is_one_of(path, merging.fields.gathers):
        return lock is None or other.level <= lock
    return one.level == other.level and _is_one_of(path, merging.fields.unites)


def _meet(merging: Merging, path: FieldPath, one: _Candidate, other: _Candidate) -> bool:
    """Whether two policies have a field in common, and not two fields of one name."""
    for index, apart in enumerate(merging.fields.apart):
        if not _is_one_of(path, (apart.field,)):
            continue
        if apart.sides and is_above_routes(one.block.target) == is_above_routes(other.block.target):
            continue
        values = (one.block.marks[index], other.block.marks[index])
        if None not in values and values[0] != values[1]:
            return False
    return True


def _is_one_of(path: FieldPath, patterns: Sequence[str]) -> bool:
    """Whether a field is one that a pattern means, or is inside of one."""
    for pattern in patterns:
        wanted = split_pattern(pattern)
        if len(wanted) <= len(path) and all(
            part in ("*", key) for key, part in zip(path, wanted, strict=False)
        ):
            return True
    return False


def _overruled(path: FieldPath, each: _Candidate, by: _Candidate, lock: int | None) -> Overruled:
    if each.block.target == by.block.target:
        why = f"{by.block.target} has another policy that comes first, with the same field"
    elif lock is not None and each.level > lock:
        why = f"{by.block.target} has a policy that keeps its fields from those below it"
    else:
        why = f"{by.block.target} has a policy of its own with the same field"
    fields = source(each.item, ())[1], source(by.item, ())[1]
    return Overruled(each.block.policy, shown(path), by.block.policy, why, *fields)
