"""A condition that decides about rules of another policy: whoever writes it can switch them off.

kuadrant-operator merges `when` as one rule, and then it gates all rules of the result (PR 988).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import Shipped, SpokeView
from spokerender.judging.advice.words import name, places
from spokerender.judging.effective.declared import Side
from spokerender.judging.effective.model import EffectivePolicy, EffectiveRule
from spokerender.model import Ref, shown
from spokerender.topology import RequestPath

Pair = tuple[Ref, Ref]
_Concerned = tuple[Sequence[Pair], Sequence[Pair], EffectiveRule | None]


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each policy whose rules depend on another policy's condition."""
    overridden: dict[Pair, list[RequestPath]] = {}
    gated: dict[Pair, list[RequestPath]] = {}
    conditions: dict[Ref, EffectiveRule] = {}
    concerned: dict[tuple[int, int, str], _Concerned] = {}
    for effective in view.effective:
        key = id(effective.likely), id(effective.stack), view.kind(effective).merged.condition
        if key not in concerned:
            concerned[key] = _concerned(view, effective)
        above, below, condition = concerned[key]
        if condition is not None:
            conditions[condition.policy] = condition
        for pair in above:
            overridden.setdefault(pair, []).append(effective.path)
        for pair in below:
            gated.setdefault(pair, []).append(effective.path)
    for (policy, writer), paths in overridden.items():
        yield _switched_off(view, policy, conditions[writer], paths)
    for (writer, policy), paths in gated.items():
        yield _decides(view, conditions[writer], policy, paths)


def _concerned(view: SpokeView, effective: EffectivePolicy) -> _Concerned:
    """Whose overrides a condition switches off, whose rules it decides about, and the condition."""
    condition = _condition(view, effective)
    if condition is None:
        return (), (), None
    heights = {ref: height for height, ref in enumerate(effective.stack)}
    others = [ref for ref in effective.likely.policies if ref != condition.policy]
    below = [ref for ref in others if heights[ref] > heights[condition.policy]]
    above = [
        ref
        for ref in others
        if heights[ref] < heights[condition.policy] and _overrides(view.objects[ref])
    ]
    return (
        [(ref, condition.policy) for ref in above],
        [(condition.policy, ref) for ref in below],
        condition,
    )


def _condition(view: SpokeView, effective: EffectivePolicy) -> EffectiveRule | None:
    """The condition that is in force, if there is one."""
    kind = view.kind(effective)
    rules = (rule for rule in effective.likely.rules if rule.key == kind.merged.condition)
    return next(rules, None)


def _overrides(policy: Shipped) -> bool:
    """Whether what it has in force is there whatever the policies below it say."""
    return all(block.side is Side.OVERRIDES for block in policy.declared)


def _switched_off(
    view: SpokeView, policy: Ref, condition: EffectiveRule, paths: list[RequestPath]
) -> Result:
    key = condition.key
    return view.result(
        codes.GATED_OVERRIDE,
        policy,
        f"its overrides hold only while `{key}` of {condition.policy} is true, on {places(paths)}: "
        f"it has no `{key}` of its own, so whoever writes that one can switch the overrides off",
        f"give spec.overrides a `{key}` of its own; a predicate that is always true is enough",
        field="spec.overrides",
    )


def _decides(
    view: SpokeView, condition: EffectiveRule, policy: Ref, paths: list[RequestPath]
) -> Result:
    return view.result(
        codes.GATED_RULES,
        condition.policy,
        f"its `{condition.key}` decides about the rules of {policy} as well, on {places(paths)}: "
        f"{name(policy)} has none of its own there, or one that is overridden",
        f"write the condition into the single rules, or a `{condition.key}` into {policy}",
        field=shown(condition.field),
    )
