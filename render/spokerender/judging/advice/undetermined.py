"""What is in force depends on which policy is older, and files can't tell that.

The API server sets creation times, and one apply makes many objects within its second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import ERROR, Result
from spokerender.judging.advice.context import ELSEWHERE, Shipped, SpokeView
from spokerender.judging.advice.words import name, places, some
from spokerender.judging.effective.model import EffectivePolicy, EffectiveRule, Outcome
from spokerender.kinds import Merge
from spokerender.model import Ref
from spokerender.topology import RequestPath

_SHOWN = 2

Told = tuple[tuple[Ref, ...], str, str]


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each way in which a tie may be broken, with both outcomes."""
    paths_of: dict[Told, list[RequestPath]] = {}
    kinds = {}
    for effective in view.effective:
        if effective.others and not _contend(view, effective):
            conclusion = _told(effective)
            paths_of.setdefault(conclusion, []).append(effective.path)
            kinds[conclusion] = view.kind(effective)
    for conclusion, paths in paths_of.items():
        policies, likely, otherwise = conclusion
        security = kinds[conclusion].security
        hint, cure = _advice([view.objects[ref] for ref in policies])
        yield view.result(
            codes.UNDETERMINED,
            policies[0],
            f"what is in force on {places(paths)} depends on which of {some(map(name, policies))} "
            f"is older, and files can't tell{hint}. Made in one apply, names decide: {likely}; "
            f"otherwise {otherwise}",
            cure,
            severity=ERROR if security else None,
        )


def rivals(view: SpokeView) -> tuple[frozenset[Ref], ...]:
    """The policies that are told of together."""
    conclusions = (
        _told(each) for each in view.effective if each.others and not _contend(view, each)
    )
    return tuple(dict.fromkeys(frozenset(policies) for policies, _, _ in conclusions))


def _advice(policies: Sequence[Shipped]) -> tuple[str, str]:
    """Why the order matters, where that is not plain, and what to do."""
    if all(policy.is_bare for policy in policies):
        hint = " (without a merge strategy only the newest one on a target holds)"
        return hint, f"make one policy of them, or {policies[0].remedy}"
    is_whole = any(block.strategy is Merge.ATOMIC for each in policies for block in each.declared)
    if is_whole:
        return "", f"make one policy of them, or {ELSEWHERE}"
    same = "let none of their rules have the same name"
    return "", f"make one policy of them, {ELSEWHERE}, or {same}"


def _contend(view: SpokeView, effective: EffectivePolicy) -> bool:
    """Whether only one of them attaches: then that is told of their attachment."""
    attached = (view.attachments.get(ref) for ref in effective.stack)
    return any(each is not None and each.contentions for each in attached)


def _told(effective: EffectivePolicy) -> Told:
    """Which policies are in question, what is likely, and what else may be."""
    outcomes = (effective.likely, *effective.others)
    rules = [{rule.key: rule for rule in outcome.rules} for outcome in outcomes]
    keys = {key for each in rules for key in each if _differs(key, rules)}
    policies = {rule.policy for each in rules for key, rule in each.items() if key in keys}
    lost = (lost for outcome in outcomes for lost in outcome.overruled if lost.policy in policies)
    rivals = policies | {each.by for each in lost}
    ranked = tuple(ref for ref in effective.stack if ref in rivals)
    said = list(dict.fromkeys(_said(outcome, keys) for outcome in effective.others))
    return ranked, _said(effective.likely, keys), _either(said)


def _differs(key: str, outcomes: list[dict[str, EffectiveRule]]) -> bool:
    """Whether a rule has several values, or isn't always there."""
    rules = [each.get(key) for each in outcomes]
    values = [rule.value for rule in rules if rule is not None]
    return len(values) < len(rules) or any(value != values[0] for value in values)


def _said(outcome: Outcome, keys: set[str]) -> str:
    """Who gives which of the rules: `shop/a gives limits.x`."""
    given: dict[Ref, list[str]] = {}
    for rule in outcome.rules:
        if rule.key in keys:
            given.setdefault(rule.policy, []).append(rule.key)
    if not given:
        return "none of their rules holds"
    return " and ".join(f"{name(ref)} gives {some(names)}" for ref, names in sorted(given.items()))


def _either(said: Iterable[str]) -> str:
    first, *rest = said
    shown = [first, *rest[: _SHOWN - 1]]
    return ", or ".join(shown) + (", or others" if len(rest) >= _SHOWN else "")
