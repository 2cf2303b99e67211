"""What a run of generated questions takes from its caller: `make live SEED=7 HUBS=500`."""

import os
from collections.abc import Callable, Collection
from typing import Any

from spokerender.formats import yamlio

SEED = int(os.environ.get("SEED") or 20261124)
HUBS = int(os.environ.get("HUBS") or 60)


def smallest(value: Any, differs: Callable[[Any], bool]) -> Any:
    """Shrink plain data as long as it differs: items of mappings and lists are left out in turn.

    `differs` is asked about data of any such form, and must refuse what makes no sense.
    """
    while True:
        smaller = next((each for each in _smaller(value) if differs(each)), None)
        if smaller is None:
            return value
        value = smaller


def smallest_hub(
    objects: list[dict[str, Any]],
    fixed: Collection[str],
    differs: Callable[[list[dict[str, Any]]], bool],
) -> str:
    """The fewest objects that differ, beside those of the fixed kinds, as YAML."""
    basis = [one for one in objects if one["kind"] in fixed]
    rest = [one for one in objects if one["kind"] not in fixed]
    left = smallest(
        list(range(len(rest))),
        lambda indexes: differs([*basis, *(rest[index] for index in indexes)]),
    )
    return "---\n".join(yamlio.emit(rest[index]) for index in left)


def _smaller(value: Any) -> Any:
    """List data that has less in it: halves of a list first, then single items, then inside."""
    if isinstance(value, list):
        size = len(value)
        while size := size // 2:
            for start in range(0, len(value), size):
                yield value[:start] + value[start + size :]
        if len(value) == 1:
            yield []
    elif isinstance(value, dict):
        for key in value:
            yield {other: value[other] for other in value if other != key}
    keys = (
        range(len(value))
        if isinstance(value, list)
        else list(value)
        if isinstance(value, dict)
        else ()
    )
    for key in keys:
        for inner in _smaller(value[key]):
            copy = value.copy()
            copy[key] = inner
            yield copy
