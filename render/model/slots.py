"""Slots: single characters that stand in an object for a spoke's own values.

An object that differs between a thousand spokes only in a few values is rendered once,
with slots in their places, and filled a thousand times. A slot is one character of the
last private-use plane of Unicode, so that a string with slots in it is still a string:
everything that compares, joins or cuts strings works on it as it is. `has_slot_range`
tells when an input uses that plane itself; such a project is rendered without slots.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from render.model import Ref

FIRST = 0x100000
LAST = 0x10FFF0
_SLOT = re.compile(f"[{chr(FIRST)}-{chr(LAST)}]")

Values = Mapping[str, Any]
"""The value of each slot on one spoke: slot character to string, number or boolean."""


def slot(number: int) -> str:
    """The character of the `number`-th slot (from 0)."""
    if not 0 <= number <= LAST - FIRST:
        message = f"slot {number} is outside the plane"
        raise ValueError(message)
    return chr(FIRST + number)


def has_slot(text: str) -> bool:
    """Whether the text has a slot in it."""
    return not text.isascii() and _SLOT.search(text) is not None


def slots_in(data: Any) -> tuple[str, ...]:  # noqa: ANN401  (JSON data of any shape)
    """The slots in JSON-like data, sorted; objects with equal values of these are equal."""
    found = (_SLOT.findall(text) for text in strings_in(data) if not text.isascii())
    return tuple(sorted({each for every in found for each in every}))


def fill_text(text: str, values: Values) -> Any:  # noqa: ANN401  (a slot may stand for any scalar)
    """Put the values in; a text that is one slot alone becomes the value itself, with its type."""
    if text.isascii():
        return text
    if len(text) == 1 and text in values:
        return values[text]
    return _SLOT.sub(lambda match: str(values.get(match[0], match[0])), text)


def fill_ref(ref: Ref, values: Values) -> Ref:
    """Put the values into the namespace and the name of an identity."""
    namespace, name = (str(fill_text(text, values)) for text in (ref.namespace, ref.name))
    return replace(ref, namespace=namespace, name=name)


def values_key(held: Iterable[str], values: Values) -> tuple[Any, ...]:
    """What is equal where these slots have the same values; 1, 1.0 and true are not the same."""
    own = [values.get(slot) for slot in held]  # a text may have such a character itself
    return tuple((type(value), value) for value in own)


def fill(data: Any, values: Values) -> Any:  # noqa: ANN401  (JSON data of any shape)
    """Put the values into every string of JSON-like data; what has no slot is shared."""
    if isinstance(data, str):
        return fill_text(data, values)
    if isinstance(data, dict):
        filled = {str(fill_text(key, values)): fill(value, values) for key, value in data.items()}
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
