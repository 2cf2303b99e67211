"""Whether what is in force keeps anybody out, as its kind's row says (`Traits.guarding`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from render.judging.effective.model import EffectiveRule, Outcome
from render.kinds import Kind, Process, found
from render.kinds.traits import NOTHING, Guarding
from render.model import Ref


def guards(kind: Kind, outcome: Outcome) -> bool:
    """Whether a rule in force guards; some kinds have rules on more than that.

    Of kinds whose policies stand side by side each one guards for itself; of others the rules of
    all are one whole, and one that lets everybody in opens it.
    """
    if not kind.traits.guarding:
        return bool(outcome.rules)
    if kind.merged.process is not Process.ALL:
        return _guard(kind, outcome.rules)
    by_policy: dict[Ref, list[EffectiveRule]] = {}
    for rule in outcome.rules:
        by_policy.setdefault(rule.policy, []).append(rule)
    return any(_guard(kind, rules) for rules in by_policy.values())


def opens(kind: Kind, outcome: Outcome) -> bool:
    """Whether a rule in force says in so many words that somebody is let in without being asked."""
    whole = _together(outcome.rules)
    return any(
        found(whole, part.field) and not _holds(part, whole) for part in kind.traits.guarding
    )


def _guard(kind: Kind, rules: Iterable[EffectiveRule]) -> bool:
    whole = _together(rules)
    return any(_holds(part, whole) for part in kind.traits.guarding)


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
    if not found(whole, part.field):
        return False
    return not any(
        all(_is_said(whole, pattern, values) for pattern, values in opening)
        for opening in part.unless
    )


def _is_said(whole: Mapping[str, Any], pattern: str, values: tuple[Any, ...]) -> bool:
    """Whether one of the values is at a place; None among them stands for its absence."""
    said = [NOTHING if value == {} else value for _, value in found(whole, pattern)]
    if not values:
        return bool(said)
    return any(value in values for value in said) if said else None in values
