"""The only door to deepdiff: the fields in which two objects differ.

deepdiff is imported when it is needed (its import takes longer than a small build), and is
given only what differs: it takes a thousand times as long over equal data as `==` does. Its
results refer to each other, and a command runs without Python's collector: this module calls it.
"""

import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import count
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from msgspec import Struct

from spokerender.model import FieldPath
from spokerender.model.shapes import Json


class _Absence(Enum):
    ABSENT = "ABSENT"


ABSENT: Final = _Absence.ABSENT
"""The old value of what was added, the new value of what was removed."""


class Item(NamedTuple):
    """A step to one item of a list that its CRD declares a map: its keys and their values."""

    keys: tuple[tuple[str, str | int], ...]

    def __str__(self) -> str:
        """Write the item as kustomize's replacements do: `name=https`."""
        return ",".join(f"{key}={value}" for key, value in self.keys)


Step = str | int | Item
Steps = tuple[Step, ...]


class Change(Struct, frozen=True):
    """One field that differs; `old` or `new` may be `ABSENT`.

    An index in the path is right for both objects, unless the item is added or removed.
    """

    path: Steps
    old: Any
    new: Any


_ListMaps = Mapping[str, Sequence[str]]
"""The lists of an object that are maps, by their places, and the keys of their items."""
_NONE: _ListMaps = MappingProxyType({})
_number = count(1)
_COLLECTED = 256
"""After so many comparisons the collector looks at what is new since the last time."""


def changes(
    old: Json,
    new: Json,
    list_maps: _ListMaps = _NONE,
) -> tuple[Change, ...]:
    """Find every field in which two objects differ, ordered by path; nothing if they are equal.

    Types count: `1`, `"1"`, `1.0` and `true` are four values. The order of keys means nothing,
    that of a list always does. Items of `list_maps` are paired by their keys, so that one that
    is inserted is one change, as long as the others keep their order; other lists are paired
    by position after what is equal at both ends.
    """
    if is_same_json(old, new):
        return ()
    pairs = [*_differing(old, new, (), "", list_maps)]
    pairs.sort(key=lambda pair: path_sort_key(pair[0]))
    return tuple(_changes_of_deepdiff(pairs))


def is_same_json(old: Json, new: Json) -> bool:
    """Tell whether two values are equal as JSON; in Python `1`, `1.0` and `True` are equal."""
    return old is new or (bool(old == new) and fingerprint(old) == fingerprint(new))


def fingerprint(value: Json) -> str:
    """Return a text that two values share if they are the same JSON; `ABSENT` has its own."""
    return "" if value is ABSENT else json.dumps(value, sort_keys=True, ensure_ascii=False)


def path_sort_key(path: Steps) -> tuple[tuple[str, int, str], ...]:
    """Return the sort key of a path: mappings by key, lists by index, list-maps by their keys."""
    return tuple(
        ("", step, "") if isinstance(step, int) else (type(step).__name__, 0, str(step))
        for step in path
    )


def located(path: Steps, data: Json) -> FieldPath:
    """Return the path with indices in the place of keys, as far as it exists in `data`."""
    steps: list[str | int] = []
    for step in path:
        place = _place(step, data)
        if place is None:
            break
        steps.append(place)
        data = data[place]
    return tuple(steps)


def _place(step: Step, data: Json) -> str | int | None:
    if isinstance(data, Mapping):
        return step if isinstance(step, str) and step in data else None
    if not isinstance(data, list):
        return None
    if isinstance(step, Item):
        names = [name for name, _ in step.keys]
        return next((i for i, item in enumerate(data) if _item(item, names) == step), None)
    return step if isinstance(step, int) and step < len(data) else None


def _differing(
    old: Json, new: Json, path: Steps, pattern: str, list_maps: _ListMaps
) -> Iterator[tuple[Steps, Any, Any]]:
    """Yield the smallest parts in which two values differ; `pattern` is their path in a CRD."""
    left: Mapping[Step, Any]
    right: Mapping[Step, Any]
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        left, right = old, new
    elif isinstance(old, list) and isinstance(new, list):
        left, right = _paired(old, new, list_maps.get(pattern.removeprefix("."), ()))
    else:
        yield path, old, new
        return
    for step in left.keys() | right.keys():
        before, after = left.get(step, ABSENT), right.get(step, ABSENT)
        if before is ABSENT or after is ABSENT:
            yield (*path, step), before, after
        elif not is_same_json(before, after):
            below = pattern + (f".{step}" if isinstance(step, str) else "[]")
            yield from _differing(before, after, (*path, step), below, list_maps)


def _paired(
    old: list[Any], new: list[Any], keys: Sequence[str]
) -> tuple[dict[Step, Any], dict[Step, Any]]:
    """Return the items of two lists by steps; items to compare have the same step."""
    left, right = _by_key(old, keys), _by_key(new, keys)
    if left is not None and right is not None and _in_one_order(left, right):
        return left, right
    start = 0
    while start < min(len(old), len(new)) and is_same_json(old[start], new[start]):
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and is_same_json(old[-1 - end], new[-1 - end]):
        end += 1
    return (
        dict(enumerate(old[start : len(old) - end], start)),
        dict(enumerate(new[start : len(new) - end], start)),
    )


def _by_key(items: list[Any], keys: Sequence[str]) -> dict[Step, Any] | None:
    """Return the items by their keys; None where a key is missing or not unique."""
    by_step: dict[Step, Any] = {}
    for item in items:
        step = _item(item, keys)
        if step is None or step in by_step:
            return None
        by_step[step] = item
    return by_step


def _in_one_order(left: Mapping[Step, Any], right: Mapping[Step, Any]) -> bool:
    return [step for step in left if step in right] == [step for step in right if step in left]


def _item(item: Json, keys: Sequence[str]) -> Item | None:
    if not keys or not isinstance(item, Mapping):
        return None
    values = tuple((key, item[key]) for key in keys if isinstance(item.get(key), (str, int)))
    return Item(values) if len(values) == len(keys) else None


def _changes_of_deepdiff(pairs: Sequence[tuple[Steps, Any, Any]]) -> Iterator[Change]:
    from deepdiff import DeepDiff  # noqa: PLC0415  (imported when it is needed)

    old, new = (
        {number: pair[side] for number, pair in enumerate(pairs) if pair[side] is not ABSENT}
        for side in (1, 2)
    )
    differences = DeepDiff(old, new, view="tree", threshold_to_diff_deeper=0)
    levels = (level for group in differences.values() for level in group)
    for path in sorted(level.path(output_format="list") for level in levels):
        yield Change(*pairs[path[0]])
    if next(_number) % _COLLECTED == 0:
        gc.collect(0)
