"""Merge strategies: what becomes of an established policy and a challenger (GEP-713)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from render.formats import patching
from render.judging.effective.declared import Declared, Rules, Side, Sourced
from render.judging.effective.model import EffectiveRule, Outcome, Overruled
from render.kinds import Merge, read
from render.model import FieldPath, Ref, shown

_ABSENT = object()
_NOTHING = Sourced(None, {})


@dataclass(frozen=True, slots=True)
class Standing:
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


@dataclass(frozen=True, slots=True)
class Strategy:
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
    join = _patched if strategy.merge is Merge.PATCH else _merged
    rules, fallen = join(strategy, winner.rules, loser.rules)
    sources = {policy for item in rules.values() for policy, _ in item.leaves.values()}
    head = established.head if established.head.policy in sources else challenger.head
    return Standing(head, rules, established.is_empty and challenger.is_empty), fallen


def _whose(strategy: Strategy, winner: Standing) -> str:
    at = winner.head.target
    return "a later policy there" if at == strategy.target else f"a policy on {at}"


def outcome(standing: Standing, overruled: list[Overruled]) -> Outcome:
    """What is in force at the end, sorted by key; a policy on two levels may overrule itself."""
    rules = [rule for path, item in standing.rules.items() for rule in told(path, item)]
    held = {(rule.policy, rule.key) for rule in rules}
    return Outcome(
        rules=tuple(sorted(rules, key=lambda rule: (rule.key, rule.policy))),
        overruled=tuple(
            item for item in dict.fromkeys(overruled) if (item.policy, item.key) not in held
        ),
    )


def told(path: FieldPath, item: Sourced) -> Iterator[EffectiveRule]:
    """A rule as it is told: in parts, where several policies wrote it."""
    policies = {policy for policy, _ in item.leaves.values()}
    if len(policies) > 1:
        for key in item.value:
            leaves = {
                leaf[1:]: source for leaf, source in item.leaves.items() if leaf[:1] == (key,)
            }
            yield from told((*path, key), Sourced(item.value[key], leaves))
    elif item.value is not None:
        leaf, (policy, field) = next(iter(item.leaves.items()))
        yield EffectiveRule(shown(path), item.value, policy, field[: len(field) - len(leaf)])


def _whole(winner: Standing, loser: Standing, why: str) -> Step:
    by = winner.head.policy
    fallen = [rule for path, item in loser.rules.items() for rule in told(path, item)]
    return winner, [Overruled(rule.policy, rule.key, by, why) for rule in fallen]


def _merged(strategy: Strategy, winner: Rules, loser: Rules) -> tuple[Rules, list[Overruled]]:
    """Both, rule by rule."""
    rules = {path: item for path, item in winner.items() if item.value is not None}
    fallen = []
    same = "a rule of the same name"
    why = f"{strategy} have {same}" if strategy.side is Side.OVERRIDES else ""
    for path, item in loser.items():
        if path not in rules:
            rules[path] = item
            continue
        by = _source(rules[path], ())[0]
        fallen += [
            Overruled(rule.policy, rule.key, by, why or f"{strategy} give way to {same}")
            for rule in told(path, item)
        ]
    return rules, fallen


def _patched(strategy: Strategy, patch: Rules, target: Rules) -> tuple[Rules, list[Overruled]]:
    """The patch applied to the target, field by field (RFC 7386)."""
    rules = dict(target)
    fallen = []
    same = "the same field"
    overrides = strategy.side is Side.OVERRIDES
    why = f"{strategy} have {same}" if overrides else f"{strategy} give way to {same}"
    for path, item in patch.items():
        by = _source(item, ())[0]
        for other in [other for other in rules if other != path and _meet(other, path)]:
            fallen += [
                Overruled(rule.policy, rule.key, by, why) for rule in told(other, rules.pop(other))
            ]
        below = rules.pop(path, _NOTHING)
        fallen += _fallen(path, item, below, why)
        if item.value is not None:
            rules[path] = _joined(item, below)
    return rules, fallen


def _meet(one: FieldPath, other: FieldPath) -> bool:
    """Whether one of the two places is inside of the other."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _joined(patch: Sourced, target: Sourced) -> Sourced:
    """One rule patched, each leaf with whoever wrote it."""
    if not isinstance(patch.value, Mapping):
        return patch
    value = patching.merge(target.value, patch.value)
    leaves = {}
    for leaf, _ in every_leaf(value):
        written = patch if read(patch.value, leaf, _ABSENT) is not _ABSENT else target
        leaves[leaf] = _source(written, leaf)
    return Sourced(value, leaves)


def _fallen(path: FieldPath, patch: Sourced, target: Sourced, why: str) -> Iterator[Overruled]:
    """The leaves of the target that the patch replaces or removes; all of them told as one."""
    leaves = [(leaf, value) for leaf, value in every_leaf(target.value) if value is not None]
    gone = {leaf: by for leaf, value in leaves if (by := _remover(patch, leaf, value))}
    policies = {policy for policy, _ in target.leaves.values()}
    if gone and len(policies) == 1 and len(gone) == len(leaves):
        yield Overruled(policies.pop(), shown(path), next(iter(gone.values())), why)
        return
    for leaf, by in gone.items():
        yield Overruled(_source(target, leaf)[0], shown((*path, *leaf)), by, why)


def _remover(patch: Sourced, leaf: FieldPath, value: object) -> Ref | None:
    """Who has something else in the place of a leaf, or of a field that it is inside of."""
    for length in range(len(leaf) + 1):
        found = read(patch.value, leaf[:length], _ABSENT)
        if found is _ABSENT:
            return None
        if not isinstance(found, Mapping):
            return _source(patch, leaf[:length])[0]
    return None if isinstance(value, Mapping) else _source(patch, leaf)[0]


def _source(item: Sourced, leaf: FieldPath) -> tuple[Ref, FieldPath]:
    """Who wrote the value at a place, and where; the first of those who wrote something in it."""
    for length in range(len(leaf), -1, -1):
        if leaf[:length] in item.leaves:
            policy, field = item.leaves[leaf[:length]]
            return policy, (*field, *leaf[length:])
    inside = (source for path, source in item.leaves.items() if path[: len(leaf)] == leaf)
    return next(inside)


def every_leaf(value: object, path: FieldPath = ()) -> Iterator[tuple[FieldPath, object]]:
    """What is no mapping in a value, or an empty one, with its place."""
    if not isinstance(value, Mapping) or not value:
        yield path, value
        return
    for key, item in value.items():
        yield from every_leaf(item, (*path, key))
