"""Paths into objects: patterns such as `spec.targetRefs[].name`, and where they lead.

In a pattern `[]` stands for each item of a list and `*` for each value of a mapping; no key in
a pattern has a dot. A concrete path is a tuple of keys and indices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from spokerender.model.origins import FieldPath

EACH_ITEM = "[]"
EACH_VALUE = "*"


@cache
def segments(pattern: str) -> tuple[str, ...]:
    """Cut a pattern at its dots, with `[]` as a segment of its own."""
    return tuple(pattern.replace(EACH_ITEM, "." + EACH_ITEM).split("."))


def found(data: Any, pattern: str) -> list[tuple[FieldPath, Any]]:  # noqa: ANN401  (JSON of any shape)
    """Every place in `data` that the pattern leads to, in document order, with its value.

    What is absent, null or of another type than the pattern expects is passed over.
    """
    keys, rest = _parts(pattern)
    for key in keys:
        data = data.get(key) if isinstance(data, (dict, Mapping)) else None  # a dict is told fast
        if data is None:
            return []
    places: list[tuple[FieldPath, Any]] = [(keys, data)]
    for segment in rest:
        places = [place for path, value in places for place in _step(path, value, segment)]
    return places


@cache
def _parts(pattern: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys that a pattern begins with, which lead to one place, and what comes then."""
    parts = segments(pattern)
    many = (index for index, part in enumerate(parts) if part in (EACH_ITEM, EACH_VALUE))
    first = next(many, len(parts))
    return parts[:first], parts[first:]


def mismatches(data: Any, pattern: str) -> list[tuple[FieldPath, str]]:  # noqa: ANN401
    """Places where the pattern goes on and the data does not, with what would have to be there.

    The place that the whole pattern leads to has to be a mapping. Absent and null are no
    mismatch: the API server takes both for "not set".
    """
    places: list[tuple[FieldPath, Any]] = [((), data)]
    wrong: list[tuple[FieldPath, str]] = []
    for segment in (*segments(pattern), None):
        expected, name = (list, "list") if segment == EACH_ITEM else (Mapping, "mapping")
        wrong += [(path, name) for path, value in places if not isinstance(value, expected)]
        if segment is not None:
            places = [place for path, value in places for place in _step(path, value, segment)]
    return wrong


def _step(path: FieldPath, value: Any, segment: str) -> Iterator[tuple[FieldPath, Any]]:  # noqa: ANN401
    if segment == EACH_ITEM:
        items: Iterator[tuple[str | int, Any]] = iter(
            enumerate(value) if isinstance(value, list) else ()
        )
    elif not isinstance(value, Mapping):
        return
    elif segment == EACH_VALUE:
        items = iter(value.items())
    else:
        items = iter(((segment, value.get(segment)),))
    for key, item in items:
        if item is not None:
            yield (*path, key), item
