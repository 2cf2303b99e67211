"""Rules with the policies that set their values, during and after merging."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any

from msgspec import Struct

from spokerender.judging.effective.outcomes import EffectiveRule, Overruled, PolicyOutcome
from spokerender.kinds.cutting import cut_rules
from spokerender.kinds.fields import find_values
from spokerender.kinds.merging import Writes
from spokerender.model.refs import FieldPath, Ref
from spokerender.model.shapes import grouped, list_leaves

_REMEMBERED = 65_536
"""For how many rules the result of `list_parts` is cached."""


class SourcedRule(Struct, frozen=True, eq=False):
    """A rule's value, and the policies that set its parts.

    `leaves` maps field paths in the value to the policy, and the field of its object, that set this
    part; () is the whole value. In a merge patch, the value None removes a rule.
    """

    value: Any
    leaves: Mapping[FieldPath, tuple[Ref, FieldPath]]


Rules = Mapping[FieldPath, SourcedRule]
"""Rules by their field paths in the spec proper."""


def source_rules(
    policy: Ref, proper: Mapping[str, Any], patterns: tuple[str, ...], place: FieldPath
) -> dict[FieldPath, SourcedRule]:
    """Return the rules, as `patterns` cut them, in the policy's fields `proper` at `place`."""
    return {
        path: SourcedRule(value, {(): (policy, (*place, *field))})
        for path, field, value in cut_rules(proper, patterns)
    }


def read_written_rules(
    policy: Ref, spec: Mapping[str, Any], writes: Writes
) -> dict[FieldPath, SourcedRule]:
    """Return the rules of the object that a controller creates for a policy (`Writes`)."""
    rules: dict[FieldPath, SourcedRule] = {}
    for rule, pattern in writes.rules:
        # Only rules of earlier rows are joined; fields of one row are rules of their own.
        earlier = dict(rules)
        for field, value in find_values(spec, pattern):
            name = value.get(writes.name) if isinstance(value, Mapping) and writes.name else ""
            path = tuple(str(name) if part == "*" else part for part in rule.split("."))
            item = SourcedRule(value, {(): (policy, ("spec", *field))})
            if path in earlier and isinstance(earlier[path].value, Mapping):
                joined = {**earlier[path].value, str(field[-1]): value}
                item = SourcedRule(joined, earlier[path].leaves)
                rules[path] = item
            rules.setdefault(path, item)
    return rules


def find_source(item: SourcedRule, leaf: FieldPath) -> tuple[Ref, FieldPath]:
    """Return the policy and field that set a part of a rule; if several did, the first."""
    # From the place itself upwards: a policy that wrote a mapping wrote what is in it.
    for length in range(len(leaf), -1, -1):
        if leaf[:length] in item.leaves:
            policy, field = item.leaves[leaf[:length]]
            return policy, (*field, *leaf[length:])
    return next(source for path, source in item.leaves.items() if path[: len(leaf)] == leaf)


def make_outcome(rules: Iterable[EffectiveRule], overruled: Iterable[Overruled]) -> PolicyOutcome:
    """Return an outcome of these rules, sorted by key; rules with one key keep their order."""
    # Sorted by key alone, and stably: parts of one rule keep the order of precedence.
    in_force = tuple(sorted(rules, key=attrgetter("key")))
    overruled = tuple(dict.fromkeys(overruled))
    # A policy on two levels may overrule itself: a rule in force is not listed as overruled.
    keys = {(rule.policy, rule.key) for rule in in_force} if overruled else ()
    return PolicyOutcome(
        rules=in_force,
        overruled=tuple(item for item in overruled if (item.policy, item.key) not in keys),
    )


@lru_cache(_REMEMBERED)
def list_parts(path: FieldPath, item: SourcedRule) -> tuple[EffectiveRule, ...]:
    """Return a rule split into parts, one for each policy that set a part.

    Results are cached, as a policy's rules have the same values on all paths.
    """
    return tuple(_list_parts(path, item))


def _list_parts(path: FieldPath, item: SourcedRule) -> Iterator[EffectiveRule]:
    policies = {policy for policy, _ in item.leaves.values()}
    if len(policies) > 1 and isinstance(item.value, list):
        yield from _list_entries(path, item)
    elif len(policies) > 1:
        for key in item.value:
            yield from _list_parts((*path, key), _take_part(item, key))
    elif item.value is not None:
        leaf, (policy, field) = next(iter(item.leaves.items()))
        # The field leads to the leaf, and the rule is that much above it.
        yield EffectiveRule(path, item.value, policy, field[: len(field) - len(leaf)])


def _list_entries(path: FieldPath, item: SourcedRule) -> Iterator[EffectiveRule]:
    """Yield one rule for each policy's entries; an entry that several policies set is split."""
    entries_by_policy: dict[Ref, list[tuple[int, FieldPath]]] = {}
    for index in range(len(item.value)):
        entry = _take_part(item, index)
        policies = {policy for policy, _ in entry.leaves.values()}
        if len(policies) > 1:
            yield from _list_parts((*path, index), entry)
        else:
            leaf, (policy, field) = next(iter(entry.leaves.items()))
            entries_by_policy.setdefault(policy, []).append(
                (index, field[: len(field) - len(leaf)])
            )
    for policy, entries in entries_by_policy.items():
        fields = [field for _, field in entries]
        # Several entries of a list: their common field is the list.
        field = fields[0] if len(fields) == 1 else fields[0][:-1]
        values = [item.value[index] for index, _ in entries]
        yield EffectiveRule(path, values, policy, field)


def _take_part(item: SourcedRule, key: str | int) -> SourcedRule:
    leaves = {leaf[1:]: source for leaf, source in item.leaves.items() if leaf[:1] == (key,)}
    return SourcedRule(item.value[key], leaves)


def list_values(outcome: PolicyOutcome) -> dict[str, list[Any]]:
    """Return all values that an outcome's rules set, as lists by field.

    Outcomes with the same rules give equal results, however the rules are ordered or split.
    """
    return grouped(
        (".".join((rule.key, *map(str, path))), value)
        # By policy, so that two outcomes with the same rules give equal lists.
        for rule in sorted(outcome.rules, key=lambda rule: rule.policy)
        for path, value in list_leaves(rule.value)
    )
