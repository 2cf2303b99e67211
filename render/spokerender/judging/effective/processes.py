"""Processes: from the policies on a path to what is in force there, one function for each.

A stack has the least specific policy first, and on one target the first by precedence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from spokerender.judging.effective.declared import Declared, Side
from spokerender.judging.effective.fields import by_field
from spokerender.judging.effective.levels import is_above_routes
from spokerender.judging.effective.model import EffectiveRule, Outcome, Overruled
from spokerender.judging.effective.patches import patched
from spokerender.judging.effective.sharing import share
from spokerender.judging.effective.strategies import Standing, Strategy, step
from spokerender.judging.effective.telling import outcome, told
from spokerender.kinds.fields import split_pattern
from spokerender.kinds.merging import Merge, Merging, Process, Several, Ties
from spokerender.model import FieldPath

Stack = Sequence[Declared]


def run(merging: Merging, stack: Stack) -> Outcome:
    """What is in force where these policies are on a path; there is at least one."""
    unknown = _unknown(merging, stack)
    if unknown:
        return Outcome((), unknown=unknown, candidates=tuple(_in_order(stack)))
    held, lost = share(merging, stack)
    if not held:
        return Outcome((), tuple(lost))
    outcome = _PROCESSES[merging.process](merging, held)
    failing = next(
        (each.failing for each in held if each.failing and each.policy in outcome.policies), ""
    )
    if failing:
        return Outcome((), (*outcome.overruled, *lost), failing=failing)
    return replace(outcome, overruled=(*outcome.overruled, *dict.fromkeys(lost)))


def _unknown(merging: Merging, stack: Stack) -> str:
    """Why nobody can tell what these policies come to; empty where it is known."""
    if not merging.is_known:
        return unknown_kind(merging)
    if merging.process is Process.ALONE and len({block.target for block in stack}) > 1:
        return f"what policies on several levels come to is not known ({merging.source})"
    if merging.several is Several.ALONE:
        for target, group in groupby(stack, key=lambda block: block.target):
            if len({block.policy for block in group}) > 1:
                return f"what several policies on {target} come to is not known ({merging.source})"
    for field in merging.fields.opaque:
        having = [block for block in stack if any(path[0] == field for path in block.rules)]
        for side in (True, False):
            if len({b.policy for b in having if is_above_routes(b.target) is side}) > 1:
                return f"what several policies with {field} come to is not known ({merging.source})"
    return ""


def unknown_kind(merging: Merging) -> str:
    """What there is to say of a kind of which nothing is known."""
    return f"how policies of this kind come together is not known ({merging.source})"


def _kuadrant(_: Merging, stack: Stack) -> Outcome:
    """kuadrant-operator, `EffectivePolicyForPath`: each higher policy by its own strategy."""
    *above, last = stack
    standing, overruled = Standing.of(last), _ignored(stack)
    for policy in reversed(above):
        standing, fallen = step(_strategy(policy), Standing.of(policy), standing)
        overruled += fallen
    return _standing(standing, overruled)


def _gep_713(_: Merging, stack: Stack) -> Outcome:
    """GEP-713, abstract process: what stands takes the strategy of the policy it took in last.

    A policy that asks to be merged is a patch of what stands above.
    """
    first, *below = stack
    standing, overruled, strategy = Standing.of(first), _ignored(stack), _strategy(first)
    for policy in below:
        if policy.asked is not None:
            strategy = Strategy(Merge.PATCH, Side.DEFAULTS, strategy.target)
        standing, fallen = step(strategy, standing, Standing.of(policy))
        overruled += fallen
        strategy = _strategy(policy)
    return _standing(standing, overruled)


def _standing(standing: Standing, overruled: Sequence[Overruled]) -> Outcome:
    rules = (rule for path, item in standing.rules.items() for rule in told(path, item))
    return outcome(sorted(rules, key=lambda rule: rule.policy), overruled)


def _strategy(policy: Declared) -> Strategy:
    return Strategy(policy.strategy, policy.side, policy.target)


def _ignored(stack: Stack) -> list[Overruled]:
    return [
        Overruled(
            policy.policy,
            key,
            policy.policy,
            f"it stands beside {policy.beside}, and only what is in there counts",
        )
        for policy in stack
        for key in policy.ignored
    ]


def _none(merging: Merging, stack: Stack) -> Outcome:
    """The most specific level holds, whole; what gives way for being empty is passed over."""
    holding_at = next((block for block in reversed(stack) if not block.is_empty), stack[-1]).target
    holding = [block for block in stack if block.target == holding_at]
    partner = _partner(merging, holding[0], stack)
    by = holding[0].policy
    section = f"section {holding_at.section_name} of {holding_at.whole}"
    where = section if holding_at.section_name else holding_at
    empty = "it has nothing that counts here"
    lost = [
        Overruled(
            block.policy,
            "",
            by,
            empty if block.is_empty else f"{where} has a policy of its own",
        )
        for block in stack
        if block.target != holding_at and block is not partner
    ]
    if partner is None:
        return outcome(_in_order(holding), lost)
    return _asked(merging, partner, holding[0], lost)


def _partner(merging: Merging, holder: Declared, stack: Stack) -> Declared | None:
    """The policy that one on a route asks to be merged into: the closest one above all routes."""
    if merging.asking is None or holder.asked is None or is_above_routes(holder.target):
        return None
    return next((block for block in reversed(stack) if is_above_routes(block.target)), None)


def _asked(
    merging: Merging, partner: Declared, holder: Declared, lost: Sequence[Overruled]
) -> Outcome:
    """One policy laid over another as a patch (Envoy Gateway, `mergeType`)."""
    assert merging.asking is not None  # noqa: S101  (a partner was found by it)
    strategic = holder.asked is Merge.STRATEGIC
    lists: dict[FieldPath, str] = {}
    if strategic:
        lists = {split_pattern(path): key for path, key in merging.asking.lists}
    why = f"{merging.asking.field} of {holder.policy} has the same field"
    rules, fallen = patched(holder.rules, partner.rules, why, lists)
    merged = [rule for path, item in rules.items() for rule in told(path, item)]
    told_rules = outcome(merged, [*fallen, *lost])
    return replace(told_rules, merged=(partner.policy, holder.policy))


def _all(_: Merging, stack: Stack) -> Outcome:
    """All of them are in force, side by side."""
    return outcome(_in_order(stack), ())


def _in_order(stack: Stack) -> list[EffectiveRule]:
    return [
        rule for policy in stack for path, item in policy.rules.items() for rule in told(path, item)
    ]


def _single(_: Merging, stack: Stack) -> Outcome:
    """The RFC's: of `override` the least specific holds, then of `default` the most specific.

    On one target the established one holds, in both. A field is taken whole (GEP-2649).
    """
    overrides = [policy for policy in stack if policy.side is Side.OVERRIDES]
    defaults = [policy for policy in stack if policy.side is Side.DEFAULTS]
    places = {target: place for place, target in enumerate(dict.fromkeys(p.target for p in stack))}
    defaults.sort(key=lambda policy: -places[policy.target])
    held: dict[str, tuple[EffectiveRule, Declared]] = {}
    overruled = []
    for policy in [*overrides, *defaults]:
        for rule in _in_order([policy]):
            first, holder = held.setdefault(rule.key, (rule, policy))
            if first is not rule:
                why = f"{holder.beside or 'default'} on {holder.target} has the same field"
                by, fields = holder.policy, (rule.field, first.field)
                overruled.append(Overruled(policy.policy, rule.key, by, why, *fields))
    rules = sorted((rule for rule, _ in held.values()), key=lambda rule: rule.key)
    return Outcome(tuple(rules), tuple(overruled))


_PROCESSES: Mapping[Process, Callable[[Merging, Stack], Outcome]] = {
    Process.NONE: _none,
    Process.OLDEST: _all,
    Process.FIELDS: by_field,
    Process.ALL: _all,
    Process.GEP_713: _gep_713,
    Process.KUADRANT: _kuadrant,
    Process.SINGLE: _single,
    Process.ALONE: _none,
}


def order_matters(merging: Merging) -> bool:
    """Whether it makes a difference which of two policies on one target comes first."""
    if merging.holds_one:
        return merging.ties is not Ties.UNBROKEN
    if merging.process is Process.OLDEST:
        return True
    return merging.process not in (Process.ALL, Process.UNKNOWN)
