"""Merge strategies: ways to merge an established policy and a challenger (GEP-713).

The strategy `patch` follows RFC 7386, which replaces whole lists. A strategic patch merges some
lists by a key of their entries, as Kubernetes does (`patchMergeKey`).
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from spokerender.formats import patching
from spokerender.judging.effective.blocks import PolicyBlock, Side
from spokerender.judging.effective.outcomes import Overruled
from spokerender.judging.effective.sourced_rules import (
    Rules,
    SourcedRule,
    find_source,
    list_parts,
)
from spokerender.kinds.fields import overlap, read_value
from spokerender.kinds.merging import Merge, MergedList
from spokerender.model import FieldPath, Ref, shown
from spokerender.model.shapes import Json, list_leaves

Lists = Mapping[FieldPath, MergedList]
"""Lists that are merged entry by entry, by their field paths in the spec proper."""

# None is a value here, which removes a rule.
_ABSENT = object()
_NOTHING = SourcedRule(None, {})


class Standing(Struct, frozen=True):
    """The result of the merging steps so far.

    `head` is the policy that messages name: the established one if any of its rules remains.
    """

    head: PolicyBlock
    rules: Rules
    is_empty: bool

    @classmethod
    def of(cls, policy: PolicyBlock) -> "Standing":
        """Return the result of one policy alone."""
        return cls(policy, policy.rules, policy.is_empty)


class Strategy(Struct, frozen=True):
    """The strategy of a merging step, with the target of the policy that it comes from."""

    merge: Merge
    side: Side
    target: Ref

    def __str__(self) -> str:
        """Return the strategy in GEP-713's words: `atomic overrides on Gateway infra/web`."""
        return f"{self.merge} {self.side} on {self.target}"


_Step = tuple[Standing, list[Overruled]]
"""The rules that result from a step, and the rules that it overrules."""


def take_step(strategy: Strategy, established: Standing, challenger: Standing) -> _Step:
    """Return the result of one merging step: f(established, challenger) of GEP-713."""
    is_override = strategy.side is Side.OVERRIDES
    # Overrides keep the established policy, defaults give way to the challenger.
    winner, loser = (established, challenger) if is_override else (challenger, established)
    if strategy.merge is Merge.ATOMIC:
        if not is_override and challenger.is_empty:
            # kuadrant-operator, `Empty()`: else nothing would be in force.
            why = f"{strategy} stay: this policy has no rules to take their place"
            return _take_whole(established, challenger, why)
        target = winner.head.target
        rival = "a later policy there" if target == strategy.target else f"a policy on {target}"
        why = str(strategy) if is_override else f"{strategy} give way to {rival}"
        return _take_whole(winner, loser, why)
    if strategy.merge is Merge.PATCH:
        same = "the same field"
        why = f"{strategy} have {same}" if is_override else f"{strategy} give way to {same}"
        rules, fallen = patch_rules(winner.rules, loser.rules, why)
    else:
        rules, fallen = _merge(strategy, winner.rules, loser.rules)
    # The head is whoever still has a rule in the result, the established policy first.
    sources = {policy for item in rules.values() for policy, _ in item.leaves.values()}
    head = established.head if established.head.policy in sources else challenger.head
    return Standing(head, rules, established.is_empty and challenger.is_empty), fallen


def _take_whole(winner: Standing, loser: Standing, why: str) -> _Step:
    by = winner.head.policy
    return winner, [
        Overruled(rule.policy, rule.key, by, why, rule.field, _find_same_field(winner, path, by))
        for path, item in loser.rules.items()
        for rule in list_parts(path, item)
    ]


def _find_same_field(winner: Standing, path: FieldPath, by: Ref) -> FieldPath:
    """Return the field of policy `by` that sets the same rule; empty if it does not set it."""
    if path not in winner.rules:
        return ()
    policy, field = find_source(winner.rules[path], ())
    return field if policy == by else ()


def _merge(
    strategy: Strategy, winner: Rules, loser: Rules
) -> tuple[dict[FieldPath, SourcedRule], list[Overruled]]:
    """Return the rules of `winner`, and of `loser` at other paths; and the overruled rules."""
    # A rule that is removed by null is no rule to give way to.
    rules = {path: item for path, item in winner.items() if item.value is not None}
    fallen = []
    same = "a rule of the same name"
    why = f"{strategy} have {same}" if strategy.side is Side.OVERRIDES else ""
    for path, item in loser.items():
        if path not in rules:
            rules[path] = item
            continue
        by, field = find_source(rules[path], ())
        gave_way = why or f"{strategy} give way to {same}"
        fallen += [
            Overruled(rule.policy, rule.key, by, gave_way, rule.field, field)
            for rule in list_parts(path, item)
        ]
    return rules, fallen


def patch_rules(
    patch: Rules, target: Rules, why: str, lists: Lists | None = None
) -> tuple[dict[FieldPath, SourcedRule], list[Overruled]]:
    """Return the patched rules, and the overruled rules of `target`, with the reason `why`."""
    rules = dict(target)
    fallen: list[Overruled] = []
    for path, item in patch.items():
        by, field = find_source(item, ())
        for other in [other for other in rules if other != path and overlap(other, path)]:
            fallen += [
                Overruled(rule.policy, rule.key, by, why, rule.field, field)
                for rule in list_parts(other, rules.pop(other))
            ]
        below = rules.pop(path, _NOTHING)
        inside = {
            place[len(path) :]: joined
            for place, joined in (lists or {}).items()
            if place[: len(path)] == path
        }
        joined = _patch_rule(item, below, inside)
        fallen += _list_overruled(path, joined, item, below, why)
        if joined.value is not None:
            rules[path] = joined
    return rules, fallen


def _patch_rule(patch: SourcedRule, target: SourcedRule, lists: Lists) -> SourcedRule:
    """Return one patched rule; each value inside keeps the policy that set it."""
    if () in lists and isinstance(patch.value, list) and isinstance(target.value, list):
        return _merge_lists(patch, target, lists[()])
    if not isinstance(patch.value, Mapping):
        return patch
    value = patching.merge(target.value, patch.value)
    leaves: dict[FieldPath, tuple[Ref, FieldPath]] = {}
    for leaf, _ in list_leaves(value):
        theirs, ours = (read_value(item.value, leaf, _ABSENT) for item in (target, patch))
        if leaf in lists and isinstance(theirs, list) and isinstance(ours, list):
            joined = _merge_lists(_take_leaf(patch, leaf), _take_leaf(target, leaf), lists[leaf])
            _set_leaf(value, leaf, joined.value)
            leaves.update({(*leaf, *inner): by for inner, by in joined.leaves.items()})
        else:
            leaves[leaf] = find_source(target if ours is _ABSENT else patch, leaf)
    return SourcedRule(value, leaves)


def _take_leaf(item: SourcedRule, leaf: FieldPath) -> SourcedRule:
    return SourcedRule(read_value(item.value, leaf), {(): find_source(item, leaf)})


def _set_leaf(value: Json, path: FieldPath, new: Json) -> None:
    """Set a value in place: `patching.merge` has copied the mapping, so nothing else changes."""
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


def _merge_lists(patch: SourcedRule, target: SourcedRule, merged: MergedList) -> SourcedRule:
    """Return a merged list: entries with the same value of the key become one patched entry.

    Without a key, the patch's entries are appended.
    """
    key, selector = merged.key, merged.selector
    stays = [
        index
        for index, entry in enumerate(target.value)
        if not selector or (isinstance(entry, Mapping) and entry.get(selector))
    ]
    value = [target.value[index] for index in stays]
    leaves: dict[FieldPath, tuple[Ref, FieldPath]] = {
        (at,): find_source(target, (index,)) for at, index in enumerate(stays)
    }
    index_by_name = {
        entry[key]: index
        for index, entry in enumerate(value)
        if key and isinstance(entry, Mapping) and isinstance(entry.get(key), str)
    }
    for index, entry in enumerate(patch.value):
        ours = SourcedRule(entry, {(): find_source(patch, (index,))})
        name = entry.get(key) if key and isinstance(entry, Mapping) else None
        at = index_by_name.get(name) if isinstance(name, str) else None
        # Without a partner in the target the entry is appended.
        if at is None:
            leaves[(len(value),)] = ours.leaves[()]
            value.append(entry)
            continue
        joined = _patch_rule(ours, SourcedRule(value[at], {(): leaves.pop((at,))}), {})
        value[at] = joined.value
        leaves.update({(at, *leaf): by for leaf, by in joined.leaves.items()})
    return SourcedRule(value, leaves)


def _list_overruled(
    path: FieldPath, joined: SourcedRule, patch: SourcedRule, target: SourcedRule, why: str
) -> Iterator[Overruled]:
    """Yield the overruled values of `target`; if all are overruled, only the whole rule."""
    leaves = [(leaf, value) for leaf, value in list_leaves(target.value) if value is not None]
    gone = {
        leaf: by
        for leaf, value in leaves
        if (by := _find_remover(patch, leaf, value))
        and not (isinstance(value, list) and _has_entries(joined, leaf, target))
    }
    policies = {policy for policy, _ in target.leaves.values()}
    # All leaves of one policy: the rule is reported as a whole.
    if gone and len(policies) == 1 and len(gone) == len(leaves):
        gone = {(): next(iter(gone.values()))}
    for leaf, (rival, rival_field) in gone.items():
        policy, field = find_source(target, leaf)
        yield Overruled(policy, shown((*path, *leaf)), rival, why, field, rival_field)


def _has_entries(joined: SourcedRule, leaf: FieldPath, target: SourcedRule) -> bool:
    """Return whether the list `leaf` in the merged rule has entries from the target."""
    by = find_source(target, leaf)[0]
    inside = (at for at in joined.leaves if at[: len(leaf)] == leaf and len(at) > len(leaf))
    return any(joined.leaves[at][0] == by for at in inside)


def _find_remover(
    patch: SourcedRule, leaf: FieldPath, value: object
) -> tuple[Ref, FieldPath] | None:
    """Return the policy and field in `patch` that replace the value at `leaf`, or None."""
    # From the rule down: a field that is replaced takes along what is below it.
    for length in range(len(leaf) + 1):
        beneath = read_value(patch.value, leaf[:length], _ABSENT)
        if beneath is _ABSENT:
            return None
        if not isinstance(beneath, Mapping):
            return find_source(patch, leaf[:length])
    return None if isinstance(value, Mapping) else find_source(patch, leaf)
