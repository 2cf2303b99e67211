"""Texts with slots: compiled once, filled for each spoke."""

from __future__ import annotations

import re

from render.formats.yamlio.characters import CLOSE, OPEN_KEY, OPEN_VALUE
from render.formats.yamlio.resolve import Json
from render.formats.yamlio.scalars import quote, scalar
from render.model.slots import Values, fill_text

_MARKED = re.compile(f"([{OPEN_KEY}{OPEN_VALUE}])([^{CLOSE}]*){CLOSE}")


class TextTemplate:
    """The bytes of a text with places for the scalars that differ between spokes.

    `constant` is the whole text where nothing differs, None otherwise.
    """

    __slots__ = ("_pieces", "_scalars", "constant")

    def __init__(self, pieces: list[bytes], scalars: tuple[str, ...]) -> None:
        """Alternate: a piece, a scalar, a piece, … a piece."""
        self._scalars = scalars
        self._pieces = pieces
        self.constant: bytes | None = None if scalars else pieces[0]

    def fill(self, values: Values, memo: dict[str, bytes]) -> bytes:
        """The text for one spoke; `memo` is shared by all texts that are filled with `values`."""
        if self.constant is not None:
            return self.constant
        filled = []
        for marked in self._scalars:
            written = memo.get(marked)
            if written is None:
                written = memo[marked] = _write(marked, values)
            filled.append(written)
        parts = self._pieces.copy()
        parts[1::2] = filled
        return b"".join(parts)


def compile_text(text_with_marks: str) -> TextTemplate:
    """Cut a text that `emit` or `compose` has made at its marked scalars."""
    pieces: list[bytes] = []
    scalars: list[str] = []
    end = 0
    for match in _MARKED.finditer(text_with_marks):
        pieces += (text_with_marks[end : match.start()].encode(), b"")
        scalars.append(match[1] + match[2])
        end = match.end()
    pieces.append(text_with_marks[end:].encode())
    return TextTemplate(pieces, tuple(scalars))


def mark_value(text: str) -> str:
    """Mark a value for filling: it takes the type of what is put in."""
    return OPEN_VALUE + text + CLOSE


def mark_key(text: str) -> str:
    """Mark a key for filling: it is a string whatever is put in."""
    return OPEN_KEY + text + CLOSE


def without_marks(text_with_marks: str) -> str:
    """The text with its marked scalars written as they are, slots and all, to be read again."""
    return _MARKED.sub(lambda match: quote(match[2]), text_with_marks)


def _write(marked: str, values: Values) -> bytes:
    value: Json = fill_text(marked[1:], values)
    return scalar(str(value) if marked[0] == OPEN_KEY else value).encode()
