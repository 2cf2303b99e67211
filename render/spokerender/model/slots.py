"""Slots: what stands in an object for a spoke's own values.

An object that differs between a thousand spokes only in a few values is rendered once, with slots
in their places, and filled a thousand times. A slot has the type of what it stands for, so that
everything that compares, joins or cuts works on it as it is: for a text it is a text, alone or
inside of another one; for a whole number it is a number of a type of its own.

Nothing from outside can be taken for a slot. Its text is made of lone surrogates, which are no
characters: UTF-8 can't say them, what reads YAML and JSON refuses their escapes
(`spokerender.formats.yamlio`), and an expression whose value has one is refused
(`formats.templating`). For the same reason a slot that was forgotten can't be written into
a file: it has no bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.model.refs import Ref

_OPEN, _CLOSE = "\ud800", "\ud801"
_FIRST_DIGIT, _BASE = 0xD802, 0xDC00 - 0xD802
_SLOT = re.compile(f"{_OPEN}[{chr(_FIRST_DIGIT)}-\udbff]+{_CLOSE}")
_BEYOND = 1 << 128
"""More than any number that Kubernetes keeps."""

Values = Mapping[str, Any]
"""The value of each slot on one spoke, by the slot's text: a text, or a whole number."""


class NumberSlot(int):
    """A slot for a whole number: equal to itself alone, and in a text the slot's text."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Whether it is the same slot."""
        return isinstance(other, NumberSlot) and int(self) == int(other)

    def __ne__(self, other: object) -> bool:
        """Whether it is anything else."""
        return not self == other

    def __hash__(self) -> int:
        """As different from a number's as equality is."""
        return hash((NumberSlot, int(self)))

    def __str__(self) -> str:
        """The slot's text, which becomes the digits of the number."""
        return text_slot(int(self) - _BEYOND)

    def __format__(self, _: str) -> str:
        """The same, inside of a text."""
        return str(self)

    def __repr__(self) -> str:
        """For whoever looks for a fault of ours: it can be printed."""
        return f"NumberSlot({int(self) - _BEYOND})"


def text_slot(number: int) -> str:
    """The `number`-th slot (from 0), for a text. No slot's text is a part of another's."""
    if number < 0:
        message = f"slot {number} is below the first"
        raise ValueError(message)
    digits = chr(_FIRST_DIGIT + number % _BASE)
    while number := number // _BASE:
        digits = chr(_FIRST_DIGIT + number % _BASE) + digits
    return _OPEN + digits + _CLOSE


def number_slot(number: int) -> NumberSlot:
    """The `number`-th slot, for a whole number. Of a text and a number it is another slot."""
    return NumberSlot(_BEYOND + number)


def has_slot(scalar: object) -> bool:
    """Whether a text has a slot in it, or a number is one."""
    return _OPEN in scalar if isinstance(scalar, str) else isinstance(scalar, NumberSlot)


def without_slots(text: str) -> str:
    """The text without the slots in it."""
    return _SLOT.sub("", text) if _OPEN in text else text


def slots_in(data: Any) -> tuple[str, ...]:  # noqa: ANN401  (JSON data of any shape)
    """The slots in JSON-like data, sorted; objects with equal values of these are equal."""
    return tuple(sorted(set(map(str, _slots_in(data)))))


def holds_slots(data: Any) -> bool:  # noqa: ANN401  (JSON data of any shape)
    """Whether there is a slot in JSON-like data."""
    return next(_slots_in(data), None) is not None


def examples(data: Any) -> Values:  # noqa: ANN401  (JSON data of any shape)
    """Some value for each slot in the data, to try things out: an odd text, or a number."""
    return {
        str(slot): number if isinstance(slot, NumberSlot) else f"{number}: #"
        for number, slot in enumerate(dict.fromkeys(_slots_in(data)))
    }


def _slots_in(data: Any) -> Iterator[str | NumberSlot]:  # noqa: ANN401  (JSON data of any shape)
    if isinstance(data, str):
        if _OPEN in data:
            yield from _SLOT.findall(data)
    elif isinstance(data, NumberSlot):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _slots_in(key)
            yield from _slots_in(value)
    elif isinstance(data, (list, tuple)):
        for item in data:
            yield from _slots_in(item)


def fill_text(text: str, values: Values) -> str:
    """Put the values in. What they bring is not looked at again."""
    return _SLOT.sub(lambda match: str(values[match[0]]), text) if _OPEN in text else text


def fill_ref(ref: Ref, values: Values) -> Ref:
    """Put the values into the namespace and the name of an identity."""
    namespace, name = fill_text(ref.namespace, values), fill_text(ref.name, values)
    return replace(ref, namespace=namespace, name=name)


def values_key(held: Iterable[str], values: Values) -> tuple[Any, ...]:
    """What is equal where these slots have the same values."""
    return tuple(values[slot] for slot in held)


def fill(data: Any, values: Values) -> Any:  # noqa: ANN401  (JSON data of any shape)
    """Put the values into every text and number of JSON-like data; what has no slot is shared."""
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
    """Every key in JSON-like data."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from keys_in(value)
    elif isinstance(data, (list, tuple)):
        for item in data:
            yield from keys_in(item)


def strings_in(data: Any) -> Iterator[str]:  # noqa: ANN401  (JSON data of any shape)
    """Every string in JSON-like data, keys too."""
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
    """Every text and number in JSON-like data, keys too, in no order: whole hubs are asked."""
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
