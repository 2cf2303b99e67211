"""Advice on merged policies: ties, overridden policies, and conditions for others' rules."""

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import ERROR, Result
from spokerender.judging.advice.phrases import describe_paths, list_few
from spokerender.judging.advice.view import (
    SEPARATE_TARGETS,
    AdvisedObject,
    FleetView,
    JudgedSpokeView,
)
from spokerender.judging.effective.blocks import Side
from spokerender.judging.effective.outcomes import EffectivePolicy, EffectiveRule, PolicyOutcome
from spokerender.judging.effective.sourced_rules import list_values
from spokerender.kinds.fields import split_pattern
from spokerender.kinds.merging import Merge, Process
from spokerender.model import Ref, grouped, kind_name, shown
from spokerender.topology.graph import explain_unknown_class
from spokerender.topology.paths import RequestPath
from spokerender.topology.precedence import find_orders

_OUTCOMES_SHOWN = 3

Tie = tuple[tuple[Ref, ...], str]
"""Policies whose order files do not decide, and a text that lists the possible outcomes."""


def check_undetermined_orders(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each tie of policies that changes the rules in force, with outcomes."""
    # Files can't tell which policy is older: the API server sets creation times, and one apply
    # creates many objects within a second.
    paths_by_tie: dict[Tie, list[RequestPath]] = {}
    kinds = {}
    for effective in _list_ties(view):
        tie = _describe_tie(effective)
        paths_by_tie.setdefault(tie, []).append(effective.path)
        kinds[tie] = view.kind(effective)
    for tie, paths in paths_by_tie.items():
        policies, outcomes = tie
        hint, cure = _explain_tie([view.objects[ref] for ref in policies])
        names = list_few(ref.full_name for ref in policies)
        yield view.result(
            codes.UNDETERMINED,
            policies[0],
            f"what is in force on {describe_paths(paths)} depends on which of {names} is older, "
            f"and files can't tell{hint}: either {outcomes}",
            cure,
            severity=ERROR if kinds[tie].security else None,
        )


def _list_ties(view: JudgedSpokeView) -> Iterator[EffectivePolicy]:
    """Yield the effective policies that creation times decide, if all attachments are certain."""
    for effective in view.effective:
        if effective.by_order:
            attachments = (view.attachments.get(ref) for ref in effective.stack)
            # If only one of the policies attaches, the finding about their attachment says so.
            if not any(item and (item.contentions or item.undecided) for item in attachments):
                yield effective


def _explain_tie(policies: Sequence[AdvisedObject]) -> tuple[str, str]:
    """Return why the order of `policies` matters (empty if obvious), and the suggested fix."""
    if all(policy.is_bare for policy in policies):
        hint = " (without a merge strategy only the newest one on a target holds)"
        return hint, f"make one policy of them, or {policies[0].remedy}"
    if any(block.strategy is Merge.ATOMIC for policy in policies for block in policy.declared):
        return "", f"make one policy of them, or {SEPARATE_TARGETS}"
    names = "let none of their rules have the same name"
    return "", f"make one policy of them, {SEPARATE_TARGETS}, or {names}"


def _describe_tie(effective: EffectivePolicy) -> Tie:
    outcomes = (effective.likely, *effective.by_order)
    leaves = list(map(list_values, outcomes))
    keys = {key for values in leaves for key in values}
    differing = {key for key in keys if any(v.get(key) != leaves[0].get(key) for v in leaves)}
    rules = [rule for item in outcomes for rule in item.rules if _find_shares(rule, differing)]
    policies = {rule.policy for rule in rules}
    overruled = (lost for outcome in outcomes for lost in outcome.overruled)
    rivals = policies | {lost.by for lost in overruled if lost.policy in policies}
    names = list_few(dict.fromkeys(key for rule in rules for key in _find_shares(rule, differing)))
    words = list(dict.fromkeys(_describe_outcome(item, differing, names) for item in outcomes))
    others = [] if len(words) <= _OUTCOMES_SHOWN else ["others"]
    outcome_words = ", or ".join([*words[:_OUTCOMES_SHOWN], *others])
    return tuple(ref for ref in effective.stack if ref in rivals), outcome_words


def _find_shares(rule: EffectiveRule, differing: Collection[str]) -> tuple[str, ...]:
    """Return the keys of the rule's values that are in `differing`; if all are, only `rule.key`."""
    keys = list_values(PolicyOutcome((rule,)))
    shares = tuple(key for key in keys if key in differing)
    return (rule.key,) if len(shares) == len(keys) else shares


def _describe_outcome(outcome: PolicyOutcome, differing: Collection[str], names: str) -> str:
    """Return as text which policy sets which keys in `differing`: `shop/a gives limits.x`."""
    keys_by_policy: dict[Ref, list[str]] = {}
    for rule in outcome.rules:
        shares = _find_shares(rule, differing)
        if shares:
            keys_by_policy.setdefault(rule.policy, []).extend(shares)
    if not keys_by_policy:
        return f"nothing gives {names}"
    return " and ".join(
        f"{ref.full_name} gives {list_few(keys)}" for ref, keys in sorted(keys_by_policy.items())
    )


def check_bare_policies(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each target with several bare policies (`AdvisedObject.is_bare`)."""
    # Of atomic defaults the challenger wins (GEP-713; kuadrant-operator does the same): on one
    # target that is the newer policy, against the rule that people know from conflicts.
    policies_on = grouped(
        ((policy.ref.group, policy.ref.kind, target), policy.ref)
        for policy, attachment in view.policies
        for target in (attachment.targets if policy.is_bare else ())
    )
    crowded = {key: refs for key, refs in sorted(policies_on.items()) if len(refs) > 1}
    # A tie that changes what is in force is reported by check_undetermined_orders. The policies
    # that are left are in force nowhere yet, because policies below take their place.
    ties = {frozenset(_describe_tie(item)[0]) for item in _list_ties(view)} if crowded else set()
    for (_, kind, target), policies in crowded.items():
        is_reported = any(len(rivals.intersection(policies)) > 1 for rivals in ties)
        if is_reported or _are_equal(view, policies):
            continue
        *losers, winner = find_orders(policies, {}).likely
        names = list_few(ref.full_name for ref in [*losers, winner])
        yield view.result(
            codes.SECOND_BARE,
            losers[0],
            f"{target} has {len(policies)} policies of kind {kind} without a merge strategy "
            f"({names}): the newest holds whole and the others do nothing; files can't tell which "
            "one that is",
            f"make one policy of them, or {view.objects[winner].remedy}",
            field=view.target_field(losers[0]),
        )


def _are_equal(view: JudgedSpokeView, policies: Sequence[Ref]) -> bool:
    first, *others = (
        {
            path: rule.value
            for block in view.objects[ref].declared
            for path, rule in block.rules.items()
        }
        for ref in policies
    )
    return all(rules == first for rules in others)


_GIVES_WAY = "nothing is wrong if it is there for what comes later"
_NEVER_HOLDS = "remove it"
_HOW_TO_MERGE = {
    _GIVES_WAY: "; `strategy: merge` lets its rules hold beside theirs",
    _NEVER_HOLDS: (
        ", or let the rules of both hold with `strategy: merge` in the one that overrides"
    ),
}
"""The text to add to each suggested fix for kinds that have the strategy `merge`."""


def check_overruled_policies(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield an info for each policy that other policies override on every path."""
    overrulers: dict[Ref, set[Ref]] = {}
    in_force: set[Ref] = set()
    for likely, otherwise in view.outcomes:
        for outcome in (likely, *otherwise):  # a tie may bring the policy into force
            in_force.update(rule.policy for rule in outcome.rules)
        for lost in likely.overruled:
            overrulers.setdefault(lost.policy, set()).add(lost.by)
    for policy, rivals in sorted(overrulers.items()):
        others = sorted(rivals - {policy})
        if view.attachments[policy].is_accepted and policy not in in_force and others:
            cure = _GIVES_WAY if _is_default(view, policy, others) else _NEVER_HOLDS
            yield view.result(
                codes.WHOLLY_OVERRULED,
                policy,
                "nothing of it is in force: it is overridden by "
                f"{list_few(ref.full_name for ref in others)} on every path",
                cure + (_HOW_TO_MERGE[cure] if _can_merge(view.objects[policy]) else ""),
            )


def _can_merge(policy: AdvisedObject) -> bool:
    """Return whether to suggest `merge`; not if that adds rules that every request must pass."""
    narrowing = {split_pattern(pattern) for pattern in policy.kind.traits.narrowing}
    return policy.kind.merged.process is Process.KUADRANT and not any(
        len(path) == len(rule)
        and all(part in ("*", key) for key, part in zip(path, rule, strict=True))
        for block in policy.declared
        for path in block.rules
        for rule in narrowing
    )


def _is_default(view: JudgedSpokeView, policy: Ref, others: list[Ref]) -> bool:
    """Return whether a policy is a default that only more specific policies override."""
    targets = set(view.attachments[policy].targets)
    return not any(
        any(block.side is Side.OVERRIDES for block in view.objects[other].declared)
        or targets & set(view.attachments[other].targets)
        for other in others
    )


Pair = tuple[Ref, Ref]
_Gating = tuple[Sequence[Pair], Sequence[Pair], EffectiveRule | None]


def check_gating_conditions(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each policy whose rules depend on another policy's condition `when`.

    kuadrant-operator merges `when` as one rule that applies to all rules of the result (PR 988).
    So the author of `when` can disable the rules of other policies.
    """
    overridden: dict[Pair, list[RequestPath]] = {}
    gated: dict[Pair, list[RequestPath]] = {}
    conditions: dict[Ref, EffectiveRule] = {}
    gatings: dict[tuple[int, int, str], _Gating] = {}
    for effective in view.effective:
        # Paths share outcomes and stacks, which are compared by identity.
        key = id(effective.likely), id(effective.stack), view.kind(effective).merged.condition
        if key not in gatings:
            gatings[key] = _find_gated(view, effective)
        above, below, condition = gatings[key]
        if condition is not None:
            conditions[condition.policy] = condition
        for pairs, pairs_by_kind in ((above, overridden), (below, gated)):
            for pair in pairs:
                pairs_by_kind.setdefault(pair, []).append(effective.path)
    for (policy, writer), paths in overridden.items():
        name = conditions[writer].key
        yield view.result(
            codes.GATED_OVERRIDE,
            policy,
            f"its overrides hold only while `{name}` of {writer} is true, on "
            f"{describe_paths(paths)}: it has no `{name}` of its own, so whoever writes that one "
            "can switch the overrides off",
            f"give spec.overrides a `{name}` of its own; a predicate that is always true is enough",
            field="spec.overrides",
        )
    for (writer, policy), paths in gated.items():
        name = conditions[writer].key
        yield view.result(
            codes.GATED_RULES,
            writer,
            f"its `{name}` decides about the rules of {policy} as well, on "
            f"{describe_paths(paths)}: {policy.full_name} has none of its own there, or one that "
            "is overridden",
            f"write the condition into the single rules, or a `{name}` into {policy}",
            field=shown(conditions[writer].field),
        )


def _find_gated(view: JudgedSpokeView, effective: EffectivePolicy) -> _Gating:
    """Return pairs of policies of which one gates the other by `when`, and this condition.

    The first pairs are (policy that overrides, policy with the condition), the second are (policy
    with the condition, more specific policy). Without a condition: no pairs, and None.
    """
    key = view.kind(effective).merged.condition
    condition = next((rule for rule in effective.likely.rules if rule.key == key), None)
    if condition is None:
        return (), (), None
    heights = {ref: height for height, ref in enumerate(effective.stack)}
    others = [ref for ref in effective.likely.policies if ref != condition.policy]
    below = [ref for ref in others if heights[ref] > heights[condition.policy]]
    above = [
        ref
        for ref in others
        if heights[ref] < heights[condition.policy]
        and all(block.side is Side.OVERRIDES for block in view.objects[ref].declared)
    ]
    return (
        [(ref, condition.policy) for ref in above],
        [(condition.policy, ref) for ref in below],
        condition,
    )


_UnknownKind = tuple[str, str, str]
"""Group, kind, and why the controller of a GatewayClass is unknown (empty for other causes)."""


def check_unknown_kinds(fleet: FleetView) -> Iterator[Result]:
    """Yield one finding for each kind whose effective policies are unknown on any spoke.

    The cause is an unknown merging of policies, or a GatewayClass with an unknown controller.
    """
    first_result: dict[_UnknownKind, Result] = {}
    spokes_by_kind: dict[_UnknownKind, set[str]] = {}
    for view, spokes in fleet.cases:
        for key, (policy, why) in _find_unknown(view).items():
            if key not in first_result:
                cure = _DECLARE_CLASS if key[-1] else _DECLARE_KIND
                result = view.result(
                    codes.NOT_KNOWN,
                    policy,
                    "what is in force of policies of kind "
                    f"{kind_name(policy.group, policy.kind)} is not known: {why}",
                    f"{cure}; nothing is concluded from them until then",
                )
                first_result[key] = fleet.locate(result, spokes)
            spokes_by_kind.setdefault(key, set()).update(spokes)
    for key, result in sorted(first_result.items()):
        yield replace(result, spokes=tuple(sorted(spokes_by_kind[key])))


_DECLARE_KIND = "say under policyKinds in fleet.yaml how they come together, if you know"
_DECLARE_CLASS = (
    "place the gateway with a class of the policy's controller, or protect it otherwise"
)


def _find_unknown(view: JudgedSpokeView) -> dict[_UnknownKind, tuple[Ref, str]]:
    """Return the kinds whose effective policies are unknown, each with a policy and the reason."""
    candidates: dict[_UnknownKind, list[tuple[Ref, str]]] = {}
    for effective in view.effective:
        why = effective.likely.unknown
        if why:
            controller = view.kind(effective).controller
            doubt = explain_unknown_class(view.topology, controller, effective.path.gateway_class)
            reasons = [(policy, why) for policy in effective.stack]
            candidates.setdefault((effective.group, effective.kind, doubt), []).extend(reasons)
    for policy, attachment in view.policies:
        group, kind = policy.ref.group, policy.ref.kind
        if attachment.targets and not policy.kind.merged.is_known:
            reason = policy.ref, policy.kind.merged.explain_unknown()
            candidates.setdefault((group, kind, ""), []).append(reason)
        for target in attachment.targets:  # Gateways without a route count as well
            node = view.topology.nodes.get(target.whole)
            gateway_class = node.gateway_class if node is not None else ""
            doubt = explain_unknown_class(view.topology, policy.kind.controller, gateway_class)
            if doubt:
                candidates.setdefault((group, kind, doubt), []).append((policy.ref, doubt))
    # The first policy by its name on the hub, which is the same for every spoke.
    return {
        key: min(reasons, key=lambda reason: (view.hub_ref(reason[0]), reason[1]))
        for key, reasons in candidates.items()
    }
