"""Find the fields in which two objects differ; only this module imports deepdiff.

deepdiff is imported when it is needed, as its import takes longer than a small build. It gets only
unequal data, as it needs a thousand times as long for equal data as `==` does.
"""

import gc
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
"""The old value of an added field, and the new value of a removed field."""


class Item(NamedTuple):
    """A step to an item of a list-map (a list that its CRD declares a map): its keys and values."""

    # A tuple, because deepdiff logs an error for every step of a type that it cannot print.
    keys: tuple[tuple[str, str | int], ...]

    def __str__(self) -> str:
        """Return the item as kustomize's replacements write it: `name=https`."""
        return ",".join(f"{key}={value}" for key, value in self.keys)


Step = str | int | Item
Steps = tuple[Step, ...]


class Change(Struct, frozen=True):
    """One field that differs; `old` or `new` may be `ABSENT`.

    An index in the path is valid in both objects, unless the item was added or removed.
    """

    path: Steps
    old: Any
    new: Any


_ListMaps = Mapping[str, Sequence[str]]
"""The lists of an object that are maps, by their paths, with the keys of their items."""
_NONE: _ListMaps = MappingProxyType({})


def changes(
    old: Json,
    new: Json,
    list_maps: _ListMaps = _NONE,
) -> tuple[Change, ...]:
    """Return every field in which two objects differ, sorted by path.

    Types count: `1`, `"1"`, `1.0` and `true` are four values. The order of keys does not count, the
    order of a list does. Items of `list_maps` are paired by their keys as long as they keep their
    order, so that an inserted item is one change. Other lists are paired by position, after equal
    items at both ends are left out.
    """
    if is_same_json(old, new):
        return ()
    one_sided: list[Change] = []
    left, right = _differing(old, new, (), list_maps, one_sided)
    # Deepdiff leaves cycles, and a command runs without the collector: only these are looked for.
    gc.freeze()
    differing = [*one_sided, *_changes_of_deepdiff(left, right)]
    gc.collect(0)
    gc.unfreeze()
    differing.sort(key=lambda item: path_sort_key(item.path))
    return tuple(differing)


def is_same_json(old: Json, new: Json) -> bool:
    """Return whether two values are equal as JSON; in Python `1`, `1.0` and `True` are equal."""
    # `==` first, as it is fast and nearly always enough.
    return old is new or (bool(old == new) and fingerprint(old) == fingerprint(new))


def fingerprint(value: Json) -> str:
    """Return a text that is equal for equal JSON values; `ABSENT` has a text of its own."""
    return "" if value is ABSENT else json.dumps(value, sort_keys=True, ensure_ascii=False)


def path_sort_key(path: Steps) -> tuple[tuple[str, int, str], ...]:
    """Return a path's sort key: mappings by key, lists by index, list-maps by their items' keys."""
    return tuple(
        ("", step, "") if isinstance(step, int) else (type(step).__name__, 0, str(step))
        for step in path
    )


def located(path: Steps, data: Json) -> FieldPath:
    """Return the path with indices for `Item` steps, up to the first step that `data` lacks."""
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
    old: Json,
    new: Json,
    path: Steps,
    list_maps: _ListMaps,
    one_sided: list[Change],
) -> tuple[Any, Any]:
    """Return the parts of two values that differ; lists become mappings from step to item.

    Fields of one value only are appended to `one_sided` instead: deepdiff takes 60 us for each.
    """
    left: dict[Step, Any]
    right: dict[Step, Any]
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        left, right = dict(old), dict(new)
    elif isinstance(old, list) and isinstance(new, list):
        # As `list_maps` names the list: `spec.rules[].backendRefs`.
        steps = (f".{step}" if isinstance(step, str) else "[]" for step in path)
        left, right = _paired(old, new, list_maps.get("".join(steps).removeprefix("."), ()))
    else:
        return old, new
    one_sided += (Change((*path, s), left.pop(s), ABSENT) for s in left.keys() - right.keys())
    one_sided += (Change((*path, s), ABSENT, right.pop(s)) for s in right.keys() - left.keys())
    for step in left.keys() & right.keys():
        if is_same_json(left[step], right[step]):
            del left[step], right[step]
            continue
        pair = left[step], right[step]
        left[step], right[step] = _differing(*pair, (*path, step), list_maps, one_sided)
    return left, right


def _paired(
    old: list[Any], new: list[Any], keys: Sequence[str]
) -> tuple[dict[Step, Any], dict[Step, Any]]:
    """Return the items of two lists by step; items to be compared with each other share a step."""
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
    """Return the items by their keys; None if a key is missing or not unique."""
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


def _changes_of_deepdiff(old: Json, new: Json) -> Iterator[Change]:
    from deepdiff import DeepDiff  # noqa: PLC0415  (imported when it is needed)
    from deepdiff.helper import notpresent  # noqa: PLC0415

    # Without a threshold deepdiff reports a whole mapping where few keys are equal.
    differences = DeepDiff(
        old, new, view="tree", ignore_private_variables=False, threshold_to_diff_deeper=0
    )
    for levels in differences.values():
        for level in levels:
            yield Change(
                tuple(level.path(output_format="list")),
                ABSENT if level.t1 is notpresent else level.t1,
                ABSENT if level.t2 is notpresent else level.t2,
            )
