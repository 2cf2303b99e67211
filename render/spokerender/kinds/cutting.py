"""Functions that cut a policy's `spec` into its rules, according to the kind (`Merging.rules`)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from spokerender.kinds.fields import split_pattern
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Merging
from spokerender.model.refs import FieldPath

_ANY = "*"
_TARGETS = frozenset({"targetRef", "targetRefs", "targetSelectors"})


Cut = tuple[FieldPath, FieldPath, Any]
"""A rule: its name, the path of its field, and its value."""


def cut_rules(data: Mapping[str, Any], patterns: Iterable[str]) -> Iterator[Cut]:
    """Yield the rules of `data`: the parts at which a pattern ends, or that no pattern enters.

    A pattern enters a list as `name[]` (items are named by index) or as `name[key]` (items are
    named by their value at `key`).
    """
    yield from _cut(data, tuple(tuple(pattern.split(".")) for pattern in patterns), (), ())


def _cut(
    data: Mapping[str, Any],
    patterns: tuple[tuple[str, ...], ...],
    path: FieldPath,
    field: FieldPath,
) -> Iterator[Cut]:
    for key, value in data.items():
        here, there = (*path, key), (*field, key)
        ahead = tuple(pattern[1:] for pattern in patterns if pattern[0] in (key, _ANY))
        lists = tuple(pattern for pattern in patterns if pattern[0].startswith(f"{key}["))
        if lists and isinstance(value, list):
            yield from _entries(value, lists, here, there)
        elif ahead and all(ahead) and isinstance(value, Mapping):
            yield from _cut(value, ahead, here, there)
        else:
            yield here, there, value


def _entries(
    entries: list[Any], patterns: tuple[tuple[str, ...], ...], path: FieldPath, field: FieldPath
) -> Iterator[Cut]:
    name = patterns[0][0].partition("[")[2].removesuffix("]")
    ahead = tuple(pattern[1:] for pattern in patterns)
    for index, entry in enumerate(entries):
        key = entry.get(name) if name and isinstance(entry, Mapping) else index
        here = (*path, key if isinstance(key, str | int) else index)
        if isinstance(entry, Mapping) and all(ahead):
            # The key is in the name of each rule already.
            inside = {part: value for part, value in entry.items() if part != name}
            yield from _cut(inside, ahead, here, (*field, index))
        else:
            yield here, (*field, index), entry


def find_other_fields(kind: Kind, merging: Merging) -> frozenset[str]:
    """Return the fields of `spec` that are not rules: targets, references, merging and locks."""
    named = {
        rule.path.split(".")[1].removesuffix("[]")
        for rule in kind.references
        if rule.role.guards and rule.path.startswith("spec.")
    }
    asking = {merging.asking.field} if merging.asking is not None else set()
    lock = {merging.fields.lock[0].split(".")[0]} if merging.fields.lock is not None else set()
    return _TARGETS | named | asking | lock


def find_overlap(
    merging: Merging, one: Iterable[FieldPath], other: Iterable[FieldPath]
) -> list[FieldPath]:
    """Return the fields that both policies set, although only one may (`Several.DISJOINT`)."""
    unites = {split_pattern(pattern) for pattern in merging.fields.unites}
    return [path for path in dict.fromkeys(one) if path not in unites and path in set(other)]
