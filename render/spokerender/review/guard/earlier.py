"""What a changed object was before, with slots where the new one has them.

The spokes that share a new object mostly shared the old one too. So it is read once, from the text
of one of them; which others have the same is told by the lines that differ. Where a spoke's own
values are in these, its text is read, and what it comes to with slots is one for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.model import slots
from spokerender.model.slots import Values
from spokerender.rendering.values.bundles import Variant
from spokerender.rendering.values.trees import Written
from spokerender.review.guard.documents import Reader, opened, variant
from spokerender.review.guard.facts import facts


class Earlier(Struct, frozen=True, eq=False):
    """An object before the change.

    `variant` is None where protection can't depend on what changed, or nobody can read it. `own`
    are its texts that no slot stands for; an equal value of a spoke would be taken for another.
    """

    variant: Variant | None
    own: frozenset[str] = frozenset()


class EarlierObjects:
    """Tells what objects were; each distinct difference is read once."""

    def __init__(self, reader: Reader) -> None:
        """`reader` reads both texts."""
        self._reader = reader
        self._known: dict[tuple[Any, ...], Earlier] = {}
        self._made: dict[tuple[int, str], Variant] = {}

    def of(self, old: bytes, new: Written, values: Values) -> Earlier:
        """What an object was whose text changed, on a spoke with these values."""
        lines = _differing_lines(old, new.text)
        if new.variant is None or has_value(lines[-1].decode(errors="replace"), values):
            return self._read(old, new, values)
        key = (id(new.variant), *lines)
        if key not in self._known:
            self._known[key] = self._read(old, new, values)
        return self._known[key]

    def _read(self, old: bytes, new: Written, values: Values) -> Earlier:
        was = self._reader.parse(old)
        if was is None or new.variant is None:
            return Earlier(None)
        catalogue = self._reader.catalogue
        if facts(was, catalogue) == facts(opened(new.variant, values, catalogue), catalogue):
            return Earlier(None)
        data = _held(was.object, new.variant.object, values)
        key = (id(new.variant), repr(data))
        if key not in self._made:
            self._made[key] = variant(new.variant.ref, data, catalogue)
        made = self._made[key]
        return Earlier(made, frozenset(made.node.texts) - frozenset(new.variant.node.texts))


def has_own_values(earlier: Earlier, values: Values) -> bool:
    """Whether one of its texts has a value of the spoke in it that a slot should stand for."""
    return any(has_value(text, values) for text in earlier.own)


def has_value(text: str, values: Values) -> bool:
    """Whether a value of the spoke is in a text."""
    return any(isinstance(value, str) and value and value in text for value in values.values())


def _differing_lines(old: bytes, new: bytes) -> tuple[int, int, bytes]:
    """How many lines are the same at the beginning and at the end, and what was between them."""
    before, after = old.split(b"\n"), new.split(b"\n")
    most = min(len(before), len(after))
    start = next((n for n in range(most) if before[n] != after[n]), most)
    most -= start
    end = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    return start, end, b"\n".join(before[start : len(before) - end])


def _held(old: Any, new: Any, values: Values) -> Any:  # noqa: ANN401  (JSON of any shape)
    """The old data, with what is the same in the new taken from there, slots and all."""
    if old == slots.fill(new, values):
        return new
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = {str(slots.fill_text(key, values)): key for key in new}
        return {
            keys.get(key, key): _held(item, new[keys[key]], values) if key in keys else item
            for key, item in old.items()
        }
    if isinstance(old, list) and isinstance(new, list):
        return _held_items(old, new, values)
    return old


def _held_items(old: list[Any], new: list[Any], values: Values) -> list[Any]:
    """Items are paired from the beginning, those that are the same at the end from there."""
    most = min(len(old), len(new))
    filled = slots.fill(new, values)
    end = next((n for n in range(most) if old[-1 - n] != filled[-1 - n]), most)
    start = [_held(*pair, values) for pair in zip(old[: len(old) - end], new, strict=False)]
    rest = old[len(start) : len(old) - end]
    return [*start, *rest, *new[len(new) - end :]]
