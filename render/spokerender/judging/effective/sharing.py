"""Several policies on one target: which of them take part at all (`spokerender.kinds.Several`)."""

from __future__ import annotations

from collections.abc import Sequence

from spokerender.judging.effective.declared import Declared
from spokerender.judging.effective.model import Overruled
from spokerender.kinds.cutting import overlapping
from spokerender.kinds.fields import segments
from spokerender.kinds.merging import Merging, Order, Process, Several, Ties
from spokerender.model import Ref

Shared = tuple[list[Declared], list[Overruled]]
"""Those that take part, in their order, and those that don't, each with why."""

_FIRST = {
    Order.OLDEST: "the oldest, and of those made at once the first by name",
    Order.YOUNGEST: "the youngest, and of those made at once the last by name",
    Order.UNORDERED: "any, for nothing decides which",
}


def share(merging: Merging, stack: Sequence[Declared]) -> Shared:
    """Leave out the policies that others on their target keep from taking part."""
    if merging.process is Process.OLDEST and merging.ties is not Ties.UNBROKEN:
        return _first_of(merging, stack, "the whole and its sections together")
    if merging.holds_one and merging.ties is not Ties.UNBROKEN:
        return _one_each(merging, stack)
    if merging.several is Several.DISJOINT:
        return _disjoint(merging, stack)
    if merging.several is Several.EQUAL:
        return _equal(merging, stack)
    return list(stack), []


def _one_each(merging: Merging, stack: Sequence[Declared]) -> Shared:
    first: dict[Ref, Ref] = {}
    for block in stack:
        first.setdefault(block.target, block.policy)
    return (
        [block for block in stack if block.policy == first[block.target]],
        [
            _lost(merging, block, first[block.target], str(block.target))
            for block in stack
            if block.policy != first[block.target]
        ],
    )


def _first_of(merging: Merging, stack: Sequence[Declared], where: str) -> Shared:
    first = stack[0].policy
    return (
        [block for block in stack if block.policy == first],
        [_lost(merging, block, first, where) for block in stack if block.policy != first],
    )


def _lost(merging: Merging, block: Declared, by: Ref, where: str) -> Overruled:
    why = f"only one policy holds on {where}: {_FIRST[merging.first.order]}"
    return Overruled(block.policy, "", by, why)


def _disjoint(merging: Merging, stack: Sequence[Declared]) -> Shared:
    held: list[Declared] = []
    lost = []
    for block in stack:
        rival = next(
            (
                other
                for other in held
                if other.target == block.target and overlapping(merging, other.rules, block.rules)
            ),
            None,
        )
        if rival is None:
            held.append(block)
        else:
            why = f"{block.target} has an older policy that sets a field of it"
            lost.append(Overruled(block.policy, "", rival.policy, why))
    return held, lost


def _equal(merging: Merging, stack: Sequence[Declared]) -> Shared:
    """None of the policies on an object and its sections hold if they differ in the field."""
    place = segments(merging.equal)
    said: dict[Ref, list[object]] = {}
    for block in stack:
        item = block.rules.get(place)
        said.setdefault(block.target.whole, []).append(None if item is None else item.value)
    apart = {whole for whole, values in said.items() if any(v != values[0] for v in values)}
    held = [block for block in stack if block.target.whole not in apart]
    lost = [
        Overruled(
            block.policy,
            "",
            next(each.policy for each in stack if each.policy != block.policy),
            f"policies on {block.target.whole} differ in {merging.equal}: none of them holds",
        )
        for block in stack
        if block.target.whole in apart
    ]
    return held, lost
