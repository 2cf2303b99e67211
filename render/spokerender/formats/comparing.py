"""The fields in which two objects differ."""

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
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
    return tuple(sorted(_differing(old, new, (), list_maps), key=lambda it: path_sort_key(it.path)))


def is_same_json(old: Json, new: Json) -> bool:
    """Tell whether two values are equal as JSON; in Python `1`, `1.0` and `True` are equal."""
    # `==` first, as it is fast and nearly always enough.
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


def _differing(old: Json, new: Json, path: Steps, list_maps: _ListMaps) -> Iterator[Change]:
    """Yield the fields in which two values differ; they do."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        left: Mapping[Step, Any] = old
        right: Mapping[Step, Any] = new
    elif isinstance(old, list) and isinstance(new, list):
        # As `list_maps` names the list: `spec.rules[].backendRefs`.
        steps = (f".{step}" if isinstance(step, str) else "[]" for step in path)
        left, right = _paired(old, new, list_maps.get("".join(steps).removeprefix("."), ()))
    else:
        yield Change(path, old, new)
        return
    for step in left.keys() | right.keys():
        was, now = left.get(step, ABSENT), right.get(step, ABSENT)
        if not is_same_json(was, now):
            yield from _differing(was, now, (*path, step), list_maps)


def _paired(
    old: list[Any], new: list[Any], keys: Sequence[str]
) -> tuple[dict[Step, Any], dict[Step, Any]]:
    """Return the items of two lists by steps; items to compare have the same step."""
    left, right = _by_key(old, keys), _by_key(new, keys)
    # By keys only in one order, since the order of list-maps may still matter to controllers.
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
