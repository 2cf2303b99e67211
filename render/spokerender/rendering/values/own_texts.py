"""Replaces spokes' own values in texts with slots, so that texts equal but for them are joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model.shapes import Json
from spokerender.model.slots import Values, fill, holds_slots

_Value = TypeVar("_Value")
_SHORTEST = 3
"""The least length of an own value: shorter ones occur in too many words."""


class OwnTexts:
    """The texts among one spoke's own values, each with the slot that stands for it."""

    def __init__(self, values: Values) -> None:
        """Start with the spoke's values by slot; of slots with equal texts, the first is used."""
        texts = [item for item in values.items() if isinstance(item[1], str)]
        self._values = values
        self._slots = {text: slot for slot, text in reversed(texts)}
        self._short = tuple(item for item in texts if len(item[1]) < _SHORTEST)

    @cached_property
    def _longest(self) -> list[str]:
        # The longest first, as a shorter one may be a part of it.
        texts = (text for text in self._slots if len(text) >= _SHORTEST)
        return sorted(texts, key=len, reverse=True)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        return re.compile("|".join(map(re.escape, self._longest))) if self._longest else None

    @cached_property
    def _marks(self) -> list[tuple[bytes, bytes]]:
        # Slots are no valid UTF-8: no own text is in one, or across its end.
        marks = ((text, self._slots[text].encode(errors="surrogatepass")) for text in self._longest)
        return [(text.encode(), mark) for text, mark in marks]

    def blank(self, data: bytes | None) -> bytes | None:
        """Return data with slots in place of the spoke's own texts."""
        if data is not None:
            for text, mark in self._marks:
                data = data.replace(text, mark)
        return data

    def list_short(self, data: bytes) -> tuple[tuple[str, str], ...]:
        """Return (text, slot) pairs of texts in the data that are too short for `blank`."""
        return tuple(item for item in self._short if item[1].encode() in data)

    def with_slots(self, value: _Value, *, with_short: bool = False) -> _Value:
        """Return a value with slots for own texts; short ones only as a whole, if `with_short`."""
        pattern, slots = self._pattern, self._slots

        def slotted(text: str) -> str:
            if text in slots and (with_short or len(text) >= _SHORTEST):
                return slots[text]
            return pattern.sub(lambda match: slots[match[0]], text) if pattern else text

        result: _Value = map_texts(value, slotted)
        return result

    def fill(self, value: _Value) -> _Value:
        """Return a value with this spoke's texts in place of slots."""
        return fill(value, self._values)


def map_texts(
    value: Json, function: Callable[[str], str], numbers: Mapping[int, object] = {}
) -> Json:
    """Return JSON or a frozen value with its texts mapped by `function`, its ints by `numbers`."""
    if type(value) is str:
        return function(value)
    if type(value) is int:
        return numbers.get(value, value)
    again = partial(map_texts, function=function, numbers=numbers)
    if isinstance(value, Mapping):
        return {function(key): again(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        # A named tuple takes its items one by one, a plain tuple all at once.
        is_named = hasattr(value, "_fields")
        return type(value)(*map(again, value)) if is_named else type(value)(map(again, value))
    if isinstance(value, Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        mapped = {name: again(item) for name, item in fields.items()}
        value = replace(value, **mapped) if mapped != fields else value
    return value


class SharedByOwnTexts:
    """A pure function of texts, computed once for texts that differ only in spokes' own values."""

    def __init__(self, function: Callable[..., Any], own: Callable[[str], OwnTexts]) -> None:
        """Prepare; `function` must be pure. `own` returns the texts of a spoke, by its folder."""
        self._function, self._own = function, own
        self._answers: dict[tuple[bytes | None, ...], tuple[Any, bool]] = {}
        """The answers with slots, each with whether it has any slot."""

    def __call__(self, folder: str, *data: bytes | None) -> Json:
        """Return `function(*data)`, computed once for files that differ only in own texts."""
        # Most files contain none of a spoke's own values: these need no slots.
        own, marked = None, data
        if data not in self._answers:
            own = self._own(folder)
            marked = tuple([own.blank(item) for item in data])
        if own is not None and marked not in self._answers:
            answer = own.with_slots(self._function(*data))
            self._answers[marked] = answer, holds_slots(answer)
        answer, is_own = self._answers[marked]
        return (own or self._own(folder)).fill(answer) if is_own else answer
