"""Texts with slots: compiled once, filled for each spoke."""

from __future__ import annotations

import re

from spokerender.formats.yamlio.scalars import scalar
from spokerender.model.slots import Values, fill_text

_TEXT, _NUMBER, _END = "\udc00", "\udc01", "\udc02"
"""Around a scalar with slots in a text that is still to be filled.

Like slots themselves (`spokerender.model.slots`) they are no characters, which no text can have.
"""

_MARKED = re.compile(f"([{_TEXT}{_NUMBER}])([^{_END}]*){_END}")


_MARKED_OR_LINE = re.compile(f"[{_TEXT}{_NUMBER}][^{_END}]*{_END}|\n(?=[^\n])")


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


def mark(value: str | int) -> str:
    """A text with slots, or a number that is one, marked for filling."""
    return f"{_TEXT if isinstance(value, str) else _NUMBER}{value}{_END}"


def indented(text_with_marks: str, prefix: str) -> str:
    """Move the lines behind the first to the right.

    An empty one stays empty, and those of a marked text are none: it is written on one line.
    """
    return _MARKED_OR_LINE.sub(
        lambda match: match[0] + prefix if match[0] == "\n" else match[0], text_with_marks
    )


def _write(marked: str, values: Values) -> bytes:
    text = marked[1:]
    return scalar(fill_text(text, values) if marked[0] == _TEXT else values[text]).encode()
