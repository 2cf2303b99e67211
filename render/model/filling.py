"""Putting a spoke's own values into what was judged of its case."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from render.model import slots
from render.model.slots import Values

Value = TypeVar("Value")


def filled(value: Value, values: Values) -> Value:
    """A copy of a frozen value with the spoke's values in all of its texts; itself if none is."""
    return value if not values else _filled(value, values)


def held_in(value: object) -> frozenset[str]:
    """The slots in all texts of a frozen value."""
    if isinstance(value, str | slots.NumberSlot | dict | list):
        return frozenset(slots.slots_in(value))
    if isinstance(value, tuple | frozenset):
        return frozenset().union(*map(held_in, value))
    if is_dataclass(value):
        return frozenset().union(*(held_in(getattr(value, each.name)) for each in fields(value)))
    return frozenset()


def _filled(value: Any, values: Values) -> Any:  # noqa: ANN401  (dataclasses and JSON of any shape)
    if isinstance(value, Enum):
        return value
    if isinstance(value, str | slots.NumberSlot | dict | list):
        return slots.fill(value, values)
    if isinstance(value, tuple):
        items = tuple(_filled(item, values) for item in value)
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    if isinstance(value, frozenset):
        return frozenset(_filled(item, values) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: new
            for field in fields(value)
            if (new := _filled(old := getattr(value, field.name), values)) is not old
        }
        return replace(value, **changed) if changed else value
    return value
