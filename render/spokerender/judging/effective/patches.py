"""Patches: one policy's rules laid over another's, field by field, each leaf with whoever wrote it.

RFC 7386 replaces lists whole. A strategic patch merges some of them by a key of their entries, as
Kubernetes does (`patchMergeKey`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.formats import patching
from spokerender.judging.effective.model import Overruled
from spokerender.judging.effective.rules import Rules, Sourced
from spokerender.judging.effective.telling import every_leaf, told
from spokerender.kinds.fields import read
from spokerender.model import FieldPath, Ref, shown

Lists = Mapping[FieldPath, str]
"""Lists that are merged, by their places below the spec proper, with the key of their entries.

Without a key the patch's entries follow the target's.
"""

_ABSENT = object()
_NOTHING = Sourced(None, {})


def patched(
    patch: Rules, target: Rules, why: str, lists: Lists | None = None
) -> tuple[dict[FieldPath, Sourced], list[Overruled]]:
    """The patch applied to the target, and what it replaces or removes of it, for this reason."""
    rules = dict(target)
    fallen: list[Overruled] = []
    for path, item in patch.items():
        by, field = source(item, ())
        for other in [other for other in rules if other != path and _meet(other, path)]:
            fallen += [
                Overruled(rule.policy, rule.key, by, why, rule.field, field)
                for rule in told(other, rules.pop(other))
            ]
        below = rules.pop(path, _NOTHING)
        inside = {
            place[len(path) :]: key
            for place, key in (lists or {}).items()
            if place[: len(path)] == path
        }
        joined = _joined(item, below, inside)
        fallen += _fallen(path, joined, item, below, why)
        if joined.value is not None:
            rules[path] = joined
    return rules, fallen


def _meet(one: FieldPath, other: FieldPath) -> bool:
    """Whether one of the two places is inside of the other."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _joined(patch: Sourced, target: Sourced, lists: Lists) -> Sourced:
    """One rule patched, each leaf with whoever wrote it."""
    if () in lists and isinstance(patch.value, list) and isinstance(target.value, list):
        return _listed(patch, target, lists[()])
    if not isinstance(patch.value, Mapping):
        return patch
    value = patching.merge(target.value, patch.value)
    leaves: dict[FieldPath, tuple[Ref, FieldPath]] = {}
    for leaf, _ in every_leaf(value):
        theirs, ours = (read(item.value, leaf, _ABSENT) for item in (target, patch))
        if leaf in lists and isinstance(theirs, list) and isinstance(ours, list):
            joined = _listed(_at(patch, leaf), _at(target, leaf), lists[leaf])
            _put(value, leaf, joined.value)
            leaves.update({(*leaf, *inner): by for inner, by in joined.leaves.items()})
        else:
            leaves[leaf] = source(target if ours is _ABSENT else patch, leaf)
    return Sourced(value, leaves)


def _at(item: Sourced, leaf: FieldPath) -> Sourced:
    return Sourced(read(item.value, leaf), {(): source(item, leaf)})


def _put(value: Any, path: FieldPath, new: Any) -> None:  # noqa: ANN401  (JSON of any shape)
    """Set a value in a mapping that nobody else has: `patching.merge` made it."""
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


def _listed(patch: Sourced, target: Sourced, key: str) -> Sourced:
    """Two lists as one: entries with the same value at the key are one entry, patched."""
    value = list(target.value)
    leaves: dict[FieldPath, tuple[Ref, FieldPath]] = {
        (index,): source(target, (index,)) for index in range(len(value))
    }
    known = {
        entry[key]: index
        for index, entry in enumerate(value)
        if key and isinstance(entry, Mapping) and isinstance(entry.get(key), str)
    }
    for index, entry in enumerate(patch.value):
        ours = Sourced(entry, {(): source(patch, (index,))})
        name = entry.get(key) if key and isinstance(entry, Mapping) else None
        at = known.get(name) if isinstance(name, str) else None
        if at is None:
            leaves[(len(value),)] = ours.leaves[()]
            value.append(entry)
            continue
        joined = _joined(ours, Sourced(value[at], {(): leaves.pop((at,))}), {})
        value[at] = joined.value
        leaves.update({(at, *leaf): by for leaf, by in joined.leaves.items()})
    return Sourced(value, leaves)


def _fallen(
    path: FieldPath, joined: Sourced, patch: Sourced, target: Sourced, why: str
) -> Iterator[Overruled]:
    """The leaves of the target that the patch replaces or removes; all of them told as one."""
    leaves = [(leaf, value) for leaf, value in every_leaf(target.value) if value is not None]
    gone = {
        leaf: by
        for leaf, value in leaves
        if (by := _remover(patch, leaf, value))
        and not (isinstance(value, list) and _is_in(joined, leaf, target))
    }
    policies = {policy for policy, _ in target.leaves.values()}
    if gone and len(policies) == 1 and len(gone) == len(leaves):
        gone = {(): next(iter(gone.values()))}
    for leaf, (rival, rival_field) in gone.items():
        policy, field = source(target, leaf)
        yield Overruled(policy, shown((*path, *leaf)), rival, why, field, rival_field)


def _is_in(joined: Sourced, leaf: FieldPath, target: Sourced) -> bool:
    """Whether entries of the target's list are in the merged one."""
    by = source(target, leaf)[0]
    inside = (at for at in joined.leaves if at[: len(leaf)] == leaf and len(at) > len(leaf))
    return any(joined.leaves[at][0] == by for at in inside)


def _remover(patch: Sourced, leaf: FieldPath, value: object) -> tuple[Ref, FieldPath] | None:
    """Who has something else in the place of a leaf, or of a field that it is inside of."""
    for length in range(len(leaf) + 1):
        beneath = read(patch.value, leaf[:length], _ABSENT)
        if beneath is _ABSENT:
            return None
        if not isinstance(beneath, Mapping):
            return source(patch, leaf[:length])
    return None if isinstance(value, Mapping) else source(patch, leaf)


def source(item: Sourced, leaf: FieldPath) -> tuple[Ref, FieldPath]:
    """Who wrote the value at a place, and where; the first of those who wrote something in it."""
    for length in range(len(leaf), -1, -1):
        if leaf[:length] in item.leaves:
            policy, field = item.leaves[leaf[:length]]
            return policy, (*field, *leaf[length:])
    inside = (by for path, by in item.leaves.items() if path[: len(leaf)] == leaf)
    return next(inside)
