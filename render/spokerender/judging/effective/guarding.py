"""Whether what is in force keeps anybody out, as its kind's row says (`Traits.guarding`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from spokerender.judging.effective.model import EffectiveRule, Outcome
from spokerender.kinds.columns import NOTHING, Guarding
from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Process
from spokerender.model import Ref


class Verdict(Struct, frozen=True):
    """Whether what is in force keeps anybody out, and whether it lets somebody in on purpose."""

    guards: bool
    opens: bool


def guards(kind: Kind, outcome: Outcome) -> bool:
    """Whether a rule in force guards (`verdict`)."""
    return verdict(kind, outcome).guards


def verdict(kind: Kind, outcome: Outcome) -> Verdict:
    """Whether a rule in force guards; some kinds have rules on more than that.

    Of kinds whose policies stand side by side each one guards for itself; of others the rules of
    all are one whole, and one that lets everybody in opens it: one that says in so many words that
    somebody is let in without being asked.
    """
    guarding = kind.traits.guarding
    if not guarding:
        return Verdict(bool(outcome.rules), opens=False)
    whole = _together(outcome.rules)
    wholes = [whole]
    if kind.merged.process is Process.ALL:
        by_policy: dict[Ref, list[EffectiveRule]] = {}
        for rule in outcome.rules:
            by_policy.setdefault(rule.policy, []).append(rule)
        wholes = list(map(_together, by_policy.values()))
    return Verdict(
        any(_holds(part, each) for each in wholes for part in guarding),
        any(find_values(whole, part.field) and not _holds(part, whole) for part in guarding),
    )


def _together(rules: Iterable[EffectiveRule]) -> dict[str, Any]:
    """The rules as one spec proper again, each at its place."""
    whole: dict[str, Any] = {}
    for rule in rules:
        *above, last = rule.key.split(".")
        inside = whole
        for key in above:
            below = inside.setdefault(key, {})
            inside = below if isinstance(below, dict) else {}
        inside.setdefault(last, rule.value)
    return whole


def _holds(part: Guarding, whole: Mapping[str, Any]) -> bool:
    if not find_values(whole, part.field):
        return False
    return not any(
        all(_is_said(whole, pattern, values) for pattern, values in opening)
        for opening in part.unless
    )


def _is_said(whole: Mapping[str, Any], pattern: str, values: tuple[Any, ...]) -> bool:
    """Whether one of the values is at a place; None among them stands for its absence."""
    said = [NOTHING if value == {} else value for _, value in find_values(whole, pattern)]
    if not values:
        return bool(said)
    return any(value in values for value in said) if said else None in values
