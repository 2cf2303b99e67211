"""The spokes' own values in texts: texts that are equal up to these are compared once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model.shapes import Json

_Answer = TypeVar("_Answer")
_SHORTEST = 3
"""A shorter value is in too many words to be of use."""


class OwnTexts:
    """The texts that one spoke has of its own; two spokes have as many, in one order."""

    def __init__(self, values: Iterable[object]) -> None:
        texts = [value for value in values if isinstance(value, str)]
        self._short = tuple(text for text in texts if len(text) < _SHORTEST)
        # Numbers are places among all texts: which of them are short may differ between spokes.
        self._numbers: dict[str, int] = {}
        for number, text in enumerate(texts):
            if len(text) >= _SHORTEST:
                self._numbers.setdefault(text, number)

    @cached_property
    def _longest(self) -> list[str]:
        # The longest first, since a shorter one may be a part of it.
        return sorted(self._numbers, key=len, reverse=True)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        return re.compile("|".join(map(re.escape, self._longest))) if self._longest else None

    @cached_property
    def _marks(self) -> list[tuple[bytes, bytes]]:
        # In UTF-16 each digit comes after NUL, so no other own text is in a mark or across its end.
        numbers = self._numbers
        return [(text.encode(), f"{numbers[text]}\0".encode("utf-16-be")) for text in self._longest]

    def blank(self, data: bytes | None) -> bytes | None:
        """Return a text with a mark for each own text: marks hold NUL, which no YAML does."""
        if data is not None:
            for text, mark in self._marks:
                data = data.replace(text, mark)
        return data

    def list_short(self, data: bytes) -> tuple[str, ...]:
        """Return the own texts that are too short for a mark, and are in the data."""
        return tuple(text for text in self._short if text.encode() in data)

    def with_slots(self, value: Json, slots: Mapping[str, Any]) -> Json:
        """Return a value with slots for the texts of this spoke; `slots` are its values by slot.

        A short value has to be the whole text.
        """
        pattern, names = self._pattern, dict[str, str]()
        for slot, text in slots.items():
            if isinstance(text, str):
                names.setdefault(text, slot)

        def slotted(text: str) -> str:
            if text in names:
                return names[text]
            return pattern.sub(lambda match: names[match[0]], text) if pattern else text

        return map_texts(value, slotted)

    def are_in(self, value: Json) -> bool:
        """Return whether one of this spoke's texts is in a text of a value."""
        pattern = self._pattern
        if pattern is None:
            return False
        texts: list[str] = []

        def note(text: str) -> str:
            texts.append(text)
            return text

        map_texts(value, note)
        return any(map(pattern.search, texts))

    def translate(self, value: Json, other: OwnTexts) -> Json:
        """Return a value with the texts of another spoke in the place of this one's."""
        pattern = self._pattern
        if pattern is None:
            return value
        names = {number: text for text, number in other._numbers.items()}

        def other_text(match: re.Match[str]) -> str:
            return names.get(self._numbers[match[0]], match[0])

        return map_texts(value, lambda text: pattern.sub(other_text, text))


def map_texts(
    value: Json, function: Callable[[str], str], numbers: Mapping[int, object] = {}
) -> Json:
    """Return JSON or a frozen value with a function of each of its texts, and other numbers."""
    if type(value) is str:
        return function(value)
    if type(value) is int:
        return numbers.get(value, value)
    again = partial(map_texts, function=function, numbers=numbers)
    if isinstance(value, Mapping):
        return {function(key): again(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        # A named tuple takes its items one by one, a plain one takes them all at once.
        is_named = hasattr(value, "_fields")
        return type(value)(*map(again, value)) if is_named else type(value)(map(again, value))
    if isinstance(value, Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        mapped = {name: again(item) for name, item in fields.items()}
        value = replace(value, **mapped) if mapped != fields else value
    return value


class SharedByOwnTexts:
    """A function of texts, worked out once for texts that differ in own values alone."""

    def __init__(self, function: Callable[..., _Answer], own: Callable[[str], OwnTexts]) -> None:
        """Share the answers of a pure function of bytes; `own` has the texts of a folder."""
        self._function = function
        self._own = own
        self._answers: dict[tuple[bytes | None, ...], tuple[Any, OwnTexts | None]] = {}

    def __call__(self, folder: str, *data: bytes | None) -> Json:
        """Return the function's answer about texts of a folder."""
        # Most files have nothing of a spoke's own: these need no marks.
        if data in self._answers:  # without a mark: it is about these very texts
            return self._answers[data][0]
        own = self._own(folder)
        marked = tuple([own.blank(item) for item in data])
        if marked not in self._answers:
            answer = self._function(*data)
            # An answer without own texts holds for every folder as it is.
            self._answers[marked] = answer, own if own.are_in(answer) else None
        answer, first = self._answers[marked]
        return answer if first is None or first is own else first.translate(answer, own)
