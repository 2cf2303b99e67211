"""Verdicts on whether the policies in force keep anybody out (`Traits.guarding`)."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from spokerender.judging.effective.outcomes import EffectiveRule, PolicyOutcome
from spokerender.kinds.columns import NOTHING, Guarding
from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Process
from spokerender.model import Ref


class Verdict(Struct, frozen=True):
    """A verdict: whether a policy keeps anybody out, and whether it lets somebody in on purpose."""

    guards: bool
    opens: bool


def guards(kind: Kind, outcome: PolicyOutcome) -> bool:
    """Tell whether a rule in force guards (`judge_outcome`)."""
    return judge_outcome(kind, outcome).guards


def judge_outcome(kind: Kind, outcome: PolicyOutcome) -> Verdict:
    """Judge whether a rule in force guards; some kinds also have rules that don't.

    Where policies stand side by side, each guards for itself. Otherwise the rules of all are one
    whole, and a rule that explicitly lets somebody in without being asked opens it.
    """
    guarding = kind.traits.guarding
    if not guarding:
        return Verdict(bool(outcome.rules), opens=False)
    whole = _join_rules(outcome.rules)
    wholes = [whole]
    if kind.merged.process is Process.ALL:
        by_policy: dict[Ref, list[EffectiveRule]] = {}
        for rule in outcome.rules:
            by_policy.setdefault(rule.policy, []).append(rule)
        wholes = list(map(_join_rules, by_policy.values()))
    return Verdict(
        any(_is_closed(part, item) for item in wholes for part in guarding),
        any(find_values(whole, part.field) and not _is_closed(part, whole) for part in guarding),
    )


def _join_rules(rules: Iterable[EffectiveRule]) -> dict[str, Any]:
    """Join the rules to one spec proper, each at its place."""
    whole: dict[str, Any] = {}
    for rule in rules:
        *above, last = rule.key.split(".")
        inside = whole
        for key in above:
            below = inside.setdefault(key, {})
            inside = below if isinstance(below, dict) else {}
        inside.setdefault(last, rule.value)
    return whole


def _is_closed(part: Guarding, whole: Mapping[str, Any]) -> bool:
    if not find_values(whole, part.field):
        return False
    return not any(
        all(_has_value(whole, pattern, values) for pattern, values in opening)
        for opening in part.unless
    )


def _has_value(whole: Mapping[str, Any], pattern: str, values: tuple[Any, ...]) -> bool:
    """Tell whether one of the values is at a place; None among them stands for its absence."""
    existing = [NOTHING if value == {} else value for _, value in find_values(whole, pattern)]
    if not values:
        return bool(existing)
    return any(value in values for value in existing) if existing else None in values
