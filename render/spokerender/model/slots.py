"""Slots: placeholders for the values that differ between spokes (docs/slots.md).

An object that differs between a thousand spokes only in a few values is rendered once, with a
slot in the place of each value, and filled a thousand times. A slot has the type of its value, so
code that compares, joins or cuts values works on it unchanged: a text slot is a text, alone or
inside another one; a number slot is a whole number of its own type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.model.refs import Ref

# A text slot is made of lone surrogates, so no input can forge one: UTF-8 can't encode them, and
# YAML, JSON (`formats.yamlio`) and expressions (`formats.templating`) with such an escape are
# refused. For the same reason a slot that was not filled can't be written into a file.
_OPEN, _CLOSE = "\ud800", "\ud801"
_FIRST_DIGIT, _BASE = 0xD802, 0xDC00 - 0xD802
SLOT_START = _OPEN
"""The first character of every text slot: a quick test for the many texts without one."""
_SLOT = re.compile(f"{_OPEN}[{chr(_FIRST_DIGIT)}-\udbff]+{_CLOSE}")
_BEYOND = 1 << 128
"""A number above all that Kubernetes accepts: slots are numbered from here."""

Values = Mapping[str, Any]
"""The values of one spoke, texts or whole numbers, by the text of their slot."""


class NumberSlot(int):
    """A slot for a whole number: equal only to itself; inside a text it becomes the slot's text."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Compare with another slot; a slot equals no number."""
        return isinstance(other, NumberSlot) and int(self) == int(other)

    def __ne__(self, other: object) -> bool:
        """Compare as `__eq__` does."""
        return not self == other

    def __hash__(self) -> int:
        """Hash unlike the number, as equality requires."""
        return hash((NumberSlot, int(self)))

    def __str__(self) -> str:
        """Return the slot's text, which filling replaces by the digits of the number."""
        return text_slot(int(self) - _BEYOND)

    def __format__(self, _: str) -> str:
        """Return the slot's text, for f-strings."""
        return str(self)

    def __repr__(self) -> str:
        """Return a printable form, for debugging."""
        return f"NumberSlot({int(self) - _BEYOND})"


def text_slot(number: int) -> str:
    """Return the `number`-th text slot, from 0. No slot's text is a part of another's."""
    if number < 0:
        message = f"slot {number} is below the first"
        raise ValueError(message)
    digits = chr(_FIRST_DIGIT + number % _BASE)
    while number := number // _BASE:
        digits = chr(_FIRST_DIGIT + number % _BASE) + digits
    return _OPEN + digits + _CLOSE


def number_slot(number: int) -> NumberSlot:
    """Return the `number`-th number slot, from 0; it is another slot than the text slot."""
    return NumberSlot(_BEYOND + number)


def has_slot(scalar: object) -> bool:
    """Tell whether a text contains a slot, or a number is one."""
    return _OPEN in scalar if isinstance(scalar, str) else isinstance(scalar, NumberSlot)


def without_slots(text: str) -> str:
    """Remove the slots from a text."""
    return _SLOT.sub("", text) if _OPEN in text else text


def slots_in(data: Any) -> tuple[str, ...]:  # noqa: ANN401  (JSON data of any shape)
    """Return the slots in JSON-like data, sorted; if their values are equal, so is the data."""
    return tuple(sorted(set(map(str, _slots_in(data)))))


def holds_slots(data: Any) -> bool:  # noqa: ANN401  (JSON data of any shape)
    """Tell whether JSON-like data contains a slot."""
    return next(_slots_in(data), None) is not None


def examples(data: Any) -> Values:  # noqa: ANN401  (JSON data of any shape)
    """Return example values for the slots in the data: a text that needs quotes, or a number."""
    return {
        str(slot): number if isinstance(slot, NumberSlot) else f"{number}: #"
        for number, slot in enumerate(dict.fromkeys(_slots_in(data)))
    }


def _slots_in(data: Any) -> Iterator[str | NumberSlot]:  # noqa: ANN401  (JSON data of any shape)
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            if _OPEN in value:
                yield from _SLOT.findall(value)
        elif isinstance(value, dict):
            pending += value
            pending += value.values()
        elif isinstance(value, (list, tuple)):
            pending += value
        elif isinstance(value, NumberSlot):
            yield value


def fill_text(text: str, values: Values) -> str:
    """Replace the slots in a text by values, in which no slots are looked for."""
    return _SLOT.sub(lambda match: str(values[match[0]]), text) if _OPEN in text else text


def fill_ref(ref: Ref, values: Values) -> Ref:
    """Replace the slots in the namespace and the name of an identity."""
    namespace, name = fill_text(ref.namespace, values), fill_text(ref.name, values)
    return replace(ref, namespace=namespace, name=name)


def values_key(held: Iterable[str], values: Values) -> tuple[Any, ...]:
    """Return a key that is equal for spokes with the same values of these slots."""
    return tuple(values[slot] for slot in held)


def fill(data: Any, values: Values) -> Any:  # noqa: ANN401  (JSON data of any shape)
    """Replace all slots in JSON-like data by values; parts without a slot are shared."""
    if isinstance(data, str):
        return fill_text(data, values)
    if isinstance(data, NumberSlot):
        return values[str(data)]
    if isinstance(data, dict):
        filled = {fill_text(key, values): fill(value, values) for key, value in data.items()}
        same = all(key in filled and filled[key] is value for key, value in data.items())
        return data if same else filled
    if isinstance(data, list):
        items = [fill(item, values) for item in data]
        return data if all(a is b for a, b in zip(items, data, strict=True)) else items
    return data


def keys_in(data: Any) -> Iterator[str]:  # noqa: ANN401  (JSON data of any shape)
    """Yield every key in JSON-like data."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from keys_in(value)
    elif isinstance(data, (list, tuple)):
        for item in data:
            yield from keys_in(item)


def strings_in(data: Any) -> Iterator[str]:  # noqa: ANN401  (JSON data of any shape)
    """Yield every string in JSON-like data, keys too."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from strings_in(value)
    elif isinstance(data, (list, tuple)):
        for item in data:
            yield from strings_in(item)


def scalars_in(data: Any) -> Iterator[str | int | float]:  # noqa: ANN401  (JSON data of any shape)
    """Yield every text and number in JSON-like data, keys too, in no order: fast on whole hubs."""
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            yield from value
            pending += value.values()
        elif isinstance(value, (list, tuple)):
            pending += value
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            yield value
