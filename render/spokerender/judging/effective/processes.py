"""Processes: functions that merge the policies on a path into an outcome (`kinds.merging`).

A stack lists policies by target, the least specific first, and on one target by precedence.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.effective.blocks import PolicyBlock, Side, is_above_routes
from spokerender.judging.effective.failing import settle_errors
from spokerender.judging.effective.fields import merge_fields
from spokerender.judging.effective.outcomes import EffectiveRule, Overruled, PolicyOutcome
from spokerender.judging.effective.sourced_rules import SourcedRule, list_parts, make_outcome
from spokerender.judging.effective.strategies import Standing, Strategy, patch_rules, take_step
from spokerender.kinds.cutting import find_overlap
from spokerender.kinds.fields import read_value, split_pattern
from spokerender.kinds.merging import Merge, MergedList, Merging, Order, Process, Several, Ties
from spokerender.model import FieldPath, Ref, grouped
from spokerender.model.shapes import as_mappings

Stack = Sequence[PolicyBlock]


def run_process(merging: Merging, stack: Stack) -> PolicyOutcome:
    """Return the outcome on a path with these policies, at least one."""
    if merging.ties is Ties.UNBROKEN:
        # Beside a policy of its target that is carried out, a hollow one keeps no other away.
        carried_out = {block.target for block in stack if not block.is_hollow}
        stack = [it for it in stack if not (it.is_hollow and it.target in carried_out)]
    unknown = _explain_unknown(merging, stack)
    if unknown:
        return PolicyOutcome((), unknown=unknown, candidates=tuple(_list_rules(stack)))
    losses = dict(_find_losses(merging, stack))
    taking_part = [block for block in stack if block not in losses]
    lost = [Overruled(block.policy, "", *loss) for block, loss in losses.items()]
    if not taking_part:
        return PolicyOutcome((), tuple(lost))
    outcome = _PROCESSES[merging.process](merging, taking_part)
    in_force = [block for block in taking_part if block.policy in outcome.policies]
    hollow = [block.policy for block in in_force if block.is_hollow]
    if hollow:
        why = "its controller refuses it here, and takes no other"
        none = (Overruled(policy, "", policy, why) for policy in hollow)
        return PolicyOutcome((), (*outcome.overruled, *lost, *none))
    outcome = settle_errors(merging, in_force, outcome)
    if outcome.failing:
        return PolicyOutcome((), (*outcome.overruled, *lost), failing=outcome.failing)
    return replace(outcome, overruled=(*outcome.overruled, *dict.fromkeys(lost)))


def _explain_unknown(merging: Merging, stack: Stack) -> str:
    """Return why the result of merging these policies is unknown; empty if it is known."""
    if not merging.is_known:
        return merging.explain_unknown()
    if merging.process is Process.ALONE and len({block.target for block in stack}) > 1:
        return f"what policies on several levels come to is not known ({merging.source})"
    if merging.several is Several.ALONE:
        for target, group in groupby(stack, key=lambda block: block.target):
            if len({block.policy for block in group}) > 1:
                return f"what several policies on {target} come to is not known ({merging.source})"
    # kgateway merges some fields deeply if its setting `policyMerge` says so (`fields.deep`).
    opaque = dict.fromkeys(merging.fields.opaque, "") | dict(merging.fields.deep)
    for field, setting in opaque.items():
        having = [block for block in stack if any(path[0] == field for path in block.rules)]
        for side in (True, False):
            if len({b.policy for b in having if is_above_routes(b.target) is side}) > 1:
                why = f"{setting} is not declared" if setting else merging.source
                return f"what several policies with {field} come to is not known ({why})"
    return ""


_Losses = Iterator[tuple[PolicyBlock, tuple[Ref, str]]]
"""The policies that are left out, each with the policy that excludes it, and the reason."""

_FIRST = {
    Order.OLDEST: "the oldest, and of those made at once the first by name",
    Order.YOUNGEST: "the youngest, and of those made at once the last by name",
    Order.UNORDERED: "any, for nothing decides which",
}


def _find_losses(merging: Merging, stack: Stack) -> _Losses:
    """Yield the policies not to merge: on some targets, not all policies count (`Several`)."""
    is_oldest = merging.process is Process.OLDEST
    if (is_oldest or merging.holds_one) and merging.ties is not Ties.UNBROKEN:
        return _find_later(merging, stack)
    if merging.several is Several.DISJOINT:
        return _find_overlapping(merging, stack)
    if merging.several is Several.EQUAL:
        return _find_unequal(merging, stack)
    return _find_younger(merging, stack)


def _find_later(merging: Merging, stack: Stack) -> _Losses:
    """Yield all but the first policy of each target, or of all targets for `Process.OLDEST`."""
    is_oldest = merging.process is Process.OLDEST
    first: dict[Ref | None, Ref] = {}
    for block in stack:
        by = first.setdefault(None if is_oldest else block.target, block.policy)
        if by != block.policy:
            where = "the whole and its sections together" if is_oldest else block.target
            why = f"only one policy holds on {where}: {_FIRST[merging.first.order]}"
            yield block, (by, why)


def _find_younger(merging: Merging, stack: Stack) -> _Losses:
    """Yield the younger policies on targets of kinds in `Merging.oldest_on`."""
    oldest: dict[Ref, Ref] = {}
    for block in stack if merging.first.order is not Order.YOUNGEST else reversed(stack):
        if block.target.kind in merging.oldest_on:
            oldest.setdefault(block.target, block.policy)
    for block in stack:
        by = oldest.get(block.target, block.policy)
        if by != block.policy:
            why = f"only one policy counts on {block.target}: {_FIRST[Order.OLDEST]}"
            yield block, (by, why)


def _find_overlapping(merging: Merging, stack: Stack) -> _Losses:
    holding: dict[Ref, list[PolicyBlock]] = {}
    for block in stack:
        others = holding.setdefault(block.target, [])
        rivals = (it for it in others if find_overlap(merging, it.rules, block.rules))
        rival = next(rivals, None)
        if rival is None:
            others.append(block)
        else:
            why = f"{block.target} has an older policy that sets a field of it"
            yield block, (rival.policy, why)


def _find_unequal(merging: Merging, stack: Stack) -> _Losses:
    """Yield the policies on objects where policies (sections' too) differ in `equal`."""
    place = split_pattern(merging.equal)
    items = ((block.target.whole, block.rules.get(place)) for block in stack)
    values = grouped((whole, None if item is None else item.value) for whole, item in items)
    unequal = {whole for whole, each in values.items() if any(v != each[0] for v in each)}
    for block in stack:
        whole = block.target.whole
        if whole in unequal:
            by = next(other.policy for other in stack if other.policy != block.policy)
            yield block, (by, f"policies on {whole} differ in {merging.equal}: none of them holds")


def _kuadrant(_: Merging, stack: Stack) -> PolicyOutcome:
    """Return the merge from the most specific policy upwards (`EffectivePolicyForPath`)."""
    *above, last = stack
    standing, overruled = Standing.of(last), _overrule_ignored(stack)
    for policy in reversed(above):
        standing, fallen = take_step(_make_strategy(policy), Standing.of(policy), standing)
        overruled += fallen
    return _make_standing_outcome(standing, overruled)


def _gep_713(_: Merging, stack: Stack) -> PolicyOutcome:
    """Return the merge from the least specific policy downwards (GEP-713, abstract process)."""
    first, *below = stack
    standing, overruled, strategy = (
        Standing.of(first),
        _overrule_ignored(stack),
        _make_strategy(first),
    )
    for policy in below:
        if policy.asked is not None:
            # A policy that asks to be merged is a patch of the result above.
            strategy = Strategy(Merge.PATCH, Side.DEFAULTS, strategy.target)
        standing, fallen = take_step(strategy, standing, Standing.of(policy))
        overruled += fallen
        strategy = _make_strategy(policy)
    return _make_standing_outcome(standing, overruled)


def _make_standing_outcome(standing: Standing, overruled: Sequence[Overruled]) -> PolicyOutcome:
    rules = (rule for path, item in standing.rules.items() for rule in list_parts(path, item))
    return make_outcome(sorted(rules, key=lambda rule: rule.policy), overruled)


def _make_strategy(policy: PolicyBlock) -> Strategy:
    return Strategy(policy.strategy, policy.side, policy.target)


def _overrule_ignored(stack: Stack) -> list[Overruled]:
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


def _take_most_specific(merging: Merging, stack: Stack) -> PolicyOutcome:
    """Return all rules of the policies on the most specific target with a non-empty policy."""
    holding_at = next((block for block in reversed(stack) if not block.is_empty), stack[-1]).target
    holding = [block for block in stack if block.target == holding_at]
    partner = _find_partner(merging, holding[0], stack)
    by = holding[0].policy
    section = f"section {holding_at.section_name} of {holding_at.whole}"
    where = section if holding_at.section_name else holding_at
    empty = "it has nothing that counts here"
    lost = [
        Overruled(
            block.policy, "", by, empty if block.is_empty else f"{where} has a policy of its own"
        )
        for block in stack
        if block.target != holding_at and block is not partner
    ]
    if partner is None:
        return make_outcome(_list_rules(holding), lost)
    merged = _merge_into_partner(merging, partner, holding[0])
    rules = (rule for path, item in merged.rules.items() for rule in list_parts(path, item))
    outcome = make_outcome([*rules], [*merged.overruled, *lost])
    if merged.refused:
        return outcome
    return replace(outcome, merged=(partner.policy, by), failing=merged.failing)


def _find_partner(merging: Merging, holder: PolicyBlock, stack: Stack) -> PolicyBlock | None:
    """Return the closest policy less specific than routes if `holder` requests a merge, or None."""
    if merging.asking is None or holder.asked is None or is_above_routes(holder.target):
        return None
    return next((block for block in reversed(stack) if is_above_routes(block.target)), None)


class _Merged(Struct, frozen=True, eq=False):
    """The rules of two merged policies; if `refused`, only those of the less specific policy."""

    rules: Mapping[FieldPath, SourcedRule]
    overruled: tuple[Overruled, ...]
    refused: bool = False
    failing: str = ""


def _merge_into_partner(merging: Merging, partner: PolicyBlock, holder: PolicyBlock) -> _Merged:
    """Return the rules of `partner` patched with those of `holder` (Envoy Gateway, `mergeType`)."""
    assert merging.asking is not None  # noqa: S101  (a partner was found by it)
    refused, failing = holder.explain_merged(partner.policy, holder.target.kind)
    if refused:
        why = f"it can't be merged with {partner.policy}: {refused}"
        refusal = Overruled(holder.policy, "", partner.policy, why)
        return _Merged(partner.rules, (refusal,), refused=True)
    lists: dict[FieldPath, MergedList] = {
        split_pattern(joined.path): joined
        for joined in merging.asking.lists
        if holder.asked is Merge.STRATEGIC or _keeps_selected(holder, joined)
    }
    why = f"{merging.asking.field} of {holder.policy} has the same field"
    rules, fallen = patch_rules(holder.rules, partner.rules, why, lists)
    return _Merged(rules, tuple(fallen), failing=failing)


def _merge_by_field(merging: Merging, stack: Stack) -> PolicyOutcome:
    """Return the outcome of `merge_fields`, after the merge that the last policy may request."""
    holder = stack[-1]
    partner = _find_partner(merging, holder, stack)
    if partner is None:
        return merge_fields(merging, stack)
    merged = _merge_into_partner(merging, partner, holder)
    # Envoy Gateway, applyTrafficFeatureToRoute: the result of the merge is the route's policy.
    last = [] if merged.refused else [replace(holder, rules=merged.rules)]
    above = stack[:-1] if merged.refused else [one for one in stack[:-1] if one is not partner]
    outcome = merge_fields(merging, [*above, *last])
    outcome = replace(outcome, overruled=(*outcome.overruled, *merged.overruled))
    if merged.refused:
        return outcome
    return replace(outcome, merged=(partner.policy, holder.policy), failing=merged.failing)


def _keeps_selected(holder: PolicyBlock, joined: MergedList) -> bool:
    """Return whether list items with a selector remain in the JSON merge patch of `holder`.

    If the patch has such items, they replace the others; else it only changes the default item.
    """
    top, *inside = split_pattern(joined.path)
    rule = holder.rules.get((top,))
    items = as_mappings(read_value(rule.value, tuple(inside)) if rule is not None else None)
    return bool(joined.selector) and not any(item.get(joined.selector) for item in items)


def _take_all(_: Merging, stack: Stack) -> PolicyOutcome:
    return make_outcome(_list_rules(stack), ())


def _list_rules(stack: Stack) -> list[EffectiveRule]:
    return [
        rule
        for policy in stack
        for path, item in policy.rules.items()
        for rule in list_parts(path, item)
    ]


def _single(_: Merging, stack: Stack) -> PolicyOutcome:
    """Return the outcome: a field has its least specific override, or else most specific default.

    GEP-2649. On one target, the established policy comes first in both cases.
    """
    overrides = [policy for policy in stack if policy.side is Side.OVERRIDES]
    defaults = [policy for policy in stack if policy.side is Side.DEFAULTS]
    places = {target: place for place, target in enumerate(dict.fromkeys(p.target for p in stack))}
    defaults.sort(key=lambda policy: -places[policy.target])
    holders: dict[str, tuple[EffectiveRule, PolicyBlock]] = {}
    overruled = []
    for policy in [*overrides, *defaults]:
        for rule in _list_rules([policy]):
            # A field is taken whole, from the first policy that has it.
            first, holder = holders.setdefault(rule.key, (rule, policy))
            if first is not rule:
                why = f"{holder.beside or 'default'} on {holder.target} has the same field"
                by, fields = holder.policy, (rule.field, first.field)
                overruled.append(Overruled(policy.policy, rule.key, by, why, *fields))
    rules = sorted((rule for rule, _ in holders.values()), key=lambda rule: rule.key)
    return PolicyOutcome(tuple(rules), tuple(overruled))


_PROCESSES: Mapping[Process, Callable[[Merging, Stack], PolicyOutcome]] = {
    Process.NONE: _take_most_specific,
    Process.OLDEST: _take_all,
    Process.FIELDS: _merge_by_field,
    Process.ALL: _take_all,
    Process.GEP_713: _gep_713,
    Process.KUADRANT: _kuadrant,
    Process.SINGLE: _single,
    Process.ALONE: _take_most_specific,
}


def order_matters(merging: Merging) -> bool:
    """Return whether the outcome depends on which of two policies on one target comes first."""
    if merging.holds_one:
        # If the controller breaks no tie, it carries out all policies of one age.
        return merging.ties is not Ties.UNBROKEN
    return merging.process not in (Process.ALL, Process.UNKNOWN)
