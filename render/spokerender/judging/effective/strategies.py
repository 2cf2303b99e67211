"""Merge strategies: what becomes of an established policy and a challenger (GEP-713)."""

from __future__ import annotations

from msgspec import Struct

from spokerender.judging.effective.declared import Declared, Side
from spokerender.judging.effective.model import Overruled
from spokerender.judging.effective.patches import patched, source
from spokerender.judging.effective.rules import Rules, Sourced
from spokerender.judging.effective.telling import told
from spokerender.kinds.merging import Merge
from spokerender.model import FieldPath, Ref


class Standing(Struct, frozen=True):
    """What stands after some steps: rules, and the policy that they are told by.

    `head` is the established one of the policies that have rules in it.
    """

    head: Declared
    rules: Rules
    is_empty: bool

    @classmethod
    def of(cls, policy: Declared) -> Standing:
        """One policy alone."""
        return cls(policy, policy.rules, policy.is_empty)


class Strategy(Struct, frozen=True):
    """What a step does: a strategy for defaults or for overrides, and on which target it stands."""

    merge: Merge
    side: Side
    target: Ref

    def __str__(self) -> str:
        """As GEP-713 names strategies, with the target: `atomic overrides on Gateway a/b`."""
        return f"{self.merge} {self.side} on {self.target}"


Step = tuple[Standing, list[Overruled]]
"""What stands after a step, and what fell in it."""


def step(strategy: Strategy, established: Standing, challenger: Standing) -> Step:
    """Carry out one step: f(established, challenger) of GEP-713.

    Atomic defaults stay where the challenger is empty: kuadrant-operator asks for that, and
    otherwise nothing would be in force.
    """
    overrides = strategy.side is Side.OVERRIDES
    winner, loser = (established, challenger) if overrides else (challenger, established)
    if strategy.merge is Merge.ATOMIC:
        if not overrides and challenger.is_empty:
            why = f"{strategy} stay: this policy has no rules to take their place"
            return _whole(established, challenger, why)
        why = str(strategy) if overrides else f"{strategy} give way to {_whose(strategy, winner)}"
        return _whole(winner, loser, why)
    if strategy.merge is Merge.PATCH:
        same = "the same field"
        why = f"{strategy} have {same}" if overrides else f"{strategy} give way to {same}"
        rules, fallen = patched(winner.rules, loser.rules, why)
    else:
        rules, fallen = _merged(strategy, winner.rules, loser.rules)
    sources = {policy for item in rules.values() for policy, _ in item.leaves.values()}
    head = established.head if established.head.policy in sources else challenger.head
    return Standing(head, rules, established.is_empty and challenger.is_empty), fallen


def _whose(strategy: Strategy, winner: Standing) -> str:
    at = winner.head.target
    return "a later policy there" if at == strategy.target else f"a policy on {at}"


def _whole(winner: Standing, loser: Standing, why: str) -> Step:
    by = winner.head.policy
    return winner, [
        Overruled(rule.policy, rule.key, by, why, rule.field, _field_of(winner, path, by))
        for path, item in loser.rules.items()
        for rule in told(path, item)
    ]


def _field_of(winner: Standing, path: FieldPath, by: Ref) -> FieldPath:
    """Where the policy that overrules has the same rule, if it has one."""
    if path not in winner.rules:
        return ()
    policy, field = source(winner.rules[path], ())
    return field if policy == by else ()


def _merged(
    strategy: Strategy, winner: Rules, loser: Rules
) -> tuple[dict[FieldPath, Sourced], list[Overruled]]:
    """Both, rule by rule."""
    rules = {path: item for path, item in winner.items() if item.value is not None}
    fallen = []
    same = "a rule of the same name"
    why = f"{strategy} have {same}" if strategy.side is Side.OVERRIDES else ""
    for path, item in loser.items():
        if path not in rules:
            rules[path] = item
            continue
        by, field = source(rules[path], ())
        gave_way = why or f"{strategy} give way to {same}"
        fallen += [
            Overruled(rule.policy, rule.key, by, gave_way, rule.field, field)
            for rule in told(path, item)
        ]
    return rules, fallen
