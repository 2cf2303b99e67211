"""Rules as they are told: whole, or in parts where several policies wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from operator import attrgetter

from spokerender.judging.effective.model import EffectiveRule, Outcome, Overruled
from spokerender.judging.effective.rules import Sourced
from spokerender.model import FieldPath, Ref, shown

_REMEMBERED = 65_536
"""How many rules are kept as they are told."""
_KEY = attrgetter("key")


def outcome(rules: Iterable[EffectiveRule], overruled: Iterable[Overruled]) -> Outcome:
    """What is in force at the end, sorted by key, those of one key as they are given.

    A policy on two levels may overrule itself: of what is in force, nothing is told as overruled.
    """
    told_rules = tuple(sorted(rules, key=_KEY))
    overruled = tuple(dict.fromkeys(overruled))
    held = {(rule.policy, rule.key) for rule in told_rules} if overruled else ()
    return Outcome(
        rules=told_rules,
        overruled=tuple(item for item in overruled if (item.policy, item.key) not in held),
    )


@lru_cache(_REMEMBERED)
def told(path: FieldPath, item: Sourced) -> tuple[EffectiveRule, ...]:
    """A rule as it is told: in parts, where several policies wrote it.

    A policy's rules are the same ones on all paths that it is on.
    """
    return tuple(_told(path, item))


def _told(path: FieldPath, item: Sourced) -> Iterator[EffectiveRule]:
    policies = {policy for policy, _ in item.leaves.values()}
    if len(policies) > 1 and isinstance(item.value, list):
        yield from _told_list(path, item)
    elif len(policies) > 1:
        for key in item.value:
            yield from _told((*path, key), _below(item, key))
    elif item.value is not None:
        leaf, (policy, field) = next(iter(item.leaves.items()))
        yield EffectiveRule(shown(path), item.value, policy, field[: len(field) - len(leaf)])


def _told_list(path: FieldPath, item: Sourced) -> Iterator[EffectiveRule]:
    """The entries of a list, those of one policy at once; one that several wrote in parts."""
    of_one: dict[Ref, list[tuple[int, FieldPath]]] = {}
    for index in range(len(item.value)):
        entry = _below(item, index)
        policies = {policy for policy, _ in entry.leaves.values()}
        if len(policies) > 1:
            yield from _told((*path, index), entry)
        else:
            leaf, (policy, field) = next(iter(entry.leaves.items()))
            of_one.setdefault(policy, []).append((index, field[: len(field) - len(leaf)]))
    for policy, entries in of_one.items():
        fields = [field for _, field in entries]
        field = fields[0] if len(fields) == 1 else fields[0][:-1]
        values = [item.value[index] for index, _ in entries]
        yield EffectiveRule(shown(path), values, policy, field)


def _below(item: Sourced, key: str | int) -> Sourced:
    """A part of a rule, and who wrote what of it."""
    leaves = {leaf[1:]: source for leaf, source in item.leaves.items() if leaf[:1] == (key,)}
    return Sourced(item.value[key], leaves)


def every_leaf(value: object, path: FieldPath = ()) -> Iterator[tuple[FieldPath, object]]:
    """What is no mapping in a value, or an empty one, with its place."""
    if not isinstance(value, Mapping) or not value:
        yield path, value
        return
    for key, item in value.items():
        yield from every_leaf(item, (*path, key))
