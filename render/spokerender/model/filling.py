"""Putting a spoke's own values into what was judged of its case."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model import slots
from spokerender.model.slots import Values

Value = TypeVar("Value")


def filled(value: Value, values: Values) -> Value:
    """A copy of a frozen value with the spoke's values in all of its texts; itself if none is."""
    return value if not values else _filled(value, values)


def holds_slots(value: object) -> bool:
    """Whether a text or number of a frozen value has a slot."""
    if isinstance(value, str | slots.NumberSlot):
        return slots.has_slot(value)
    if isinstance(value, dict | list):
        return slots.holds_slots(value)
    if isinstance(value, tuple | frozenset):
        return any(map(holds_slots, value))
    if isinstance(value, Struct):
        return any(holds_slots(getattr(value, name)) for name in value.__struct_fields__)
    return False


def _filled(value: Any, values: Values) -> Any:  # noqa: ANN401  (Structs and JSON of any shape)
    if isinstance(value, Enum):
        return value
    if isinstance(value, str | slots.NumberSlot | dict | list):
        return slots.fill(value, values)
    if isinstance(value, tuple):
        items = tuple(_filled(item, values) for item in value)
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    if isinstance(value, frozenset):
        return frozenset(_filled(item, values) for item in value)
    if isinstance(value, Struct):
        changed = {
            name: new
            for name in value.__struct_fields__
            if (new := _filled(old := getattr(value, name), values)) is not old
        }
        return replace(value, **changed) if changed else value
    return value
