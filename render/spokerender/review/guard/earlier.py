"""What a changed object was before, with slots where the new one has them.

The spokes that share a new object mostly shared the old one too. So it is read once, from the text
of one of them; which others have the same is told by the lines that differ. Where a spoke's own
values are in these, its text is read, and what it comes to with slots is one for all.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from spokerender.rendering.values.bundles import Bundle, Variant
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

    def of(self, old: bytes, new: Written, bundle: Bundle) -> Earlier:
        """What an object was whose text changed, on the spoke of a bundle."""
        lines = _differing_lines(old, new.text)
        if new.variant is None or has_value(lines[-1].decode(errors="replace"), bundle):
            return self._read(old, new, bundle)
        key = (id(new.variant), *lines)
        if key not in self._known:
            self._known[key] = self._read(old, new, bundle)
        return self._known[key]

    def _read(self, old: bytes, new: Written, bundle: Bundle) -> Earlier:
        was = self._reader.parse(old)
        if was is None or new.variant is None:
            return Earlier(None)
        catalogue = self._reader.catalogue
        if facts(was, catalogue) == facts(opened(new.variant, bundle, catalogue), catalogue):
            return Earlier(None)
        data = bundle.unfilled(was.object, new.variant.object)
        key = (id(new.variant), repr(data))
        if key not in self._made:
            self._made[key] = variant(new.variant.ref, data, catalogue)
        made = self._made[key]
        return Earlier(made, frozenset(made.node.texts) - frozenset(new.variant.node.texts))


def has_own_values(earlier: Earlier, bundle: Bundle) -> bool:
    """Whether one of its texts has a value of the spoke in it that a slot should stand for."""
    return any(has_value(text, bundle) for text in earlier.own)


def has_value(text: str, bundle: Bundle) -> bool:
    """Whether a value of the spoke is in a text."""
    values = bundle.values.values()
    return any(isinstance(value, str) and value and value in text for value in values)


def _differing_lines(old: bytes, new: bytes) -> tuple[int, int, bytes]:
    """How many lines are the same at the beginning and at the end, and what was between them."""
    before, after = old.split(b"\n"), new.split(b"\n")
    most = min(len(before), len(after))
    start = next((n for n in range(most) if before[n] != after[n]), most)
    most -= start
    end = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    return start, end, b"\n".join(before[start : len(before) - end])
