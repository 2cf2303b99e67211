"""Replacing slots by the values of a spoke in frozen values, such as findings (docs/slots.md)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model import slots
from spokerender.model.slots import Values

Value = TypeVar("Value")


def filled(value: Value, values: Values) -> Value:
    """Return a copy of a frozen value with its slots replaced; the value itself if it has none."""
    return value if not values else _filled(value, values)


def holds_slots(value: object) -> bool:
    """Tell whether a frozen value contains a slot."""
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


def unfilled(old: Any, new: Any, values: Values) -> Any:  # noqa: ANN401  (JSON of any shape)
    """Return old data of a spoke with the parts of new data that are equal, slots and all."""
    if old == slots.fill(new, values):
        return new
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = {str(slots.fill_text(key, values)): key for key in new}
        return {
            keys.get(key, key): unfilled(item, new[keys[key]], values) if key in keys else item
            for key, item in old.items()
        }
    if isinstance(old, list) and isinstance(new, list):
        return _unfilled_items(old, new, values)
    return old


def _unfilled_items(old: list[Any], new: list[Any], values: Values) -> list[Any]:
    """Pair items from the beginning, and those that are the same at the end from there."""
    shorter = min(len(old), len(new))
    new_items = slots.fill(new, values)
    tail = next((n for n in range(shorter) if old[-1 - n] != new_items[-1 - n]), shorter)
    head = [unfilled(*pair, values) for pair in zip(old[: len(old) - tail], new, strict=False)]
    rest = old[len(head) : len(old) - tail]
    return [*head, *rest, *new[len(new) - tail :]]
