"""JSON data as canonical YAML in block style, and texts with slots that are filled per spoke.

Items of a list stand under their key without further indentation, as kustomize writes them. The
pieces end without a line end, so that they also fit into a text that exists already.
"""

from __future__ import annotations

import re
from typing import Any

from spokerender.formats.yamlio.scalars import find_invisible, scalar
from spokerender.formats.yamlio.simple import Json
from spokerender.model.slots import SLOT_START, NumberSlot, Values, fill_text

_STEP = "  "
_NO_BLOCK = re.compile(
    r"\A[ \t\n]|[ \t]$|\n\n\Z"  # needs an indentation indicator, or editors would trim it
    "|[\x00-\x08\x0b-\x1f\x7f]",
    re.MULTILINE,
)
# These stand around a scalar with slots until it is filled. Like slots themselves (`model.slots`)
# they are lone surrogates, which no text from outside can contain.
_TEXT, _NUMBER, _END = "\udc00", "\udc01", "\udc02"
_MARKED = f"([{_TEXT}{_NUMBER}])([^{_END}]*){_END}"
_MARKED_OR_LINE = f"[{_TEXT}{_NUMBER}][^{_END}]*{_END}|\n(?=[^\n])"


def emit(value: Json) -> str:
    """Write a document that every reader understands alike; keys keep their order."""
    if isinstance(value, dict) and value:
        return _mapping(value, "") + "\n"
    if isinstance(value, list) and value:
        return _sequence(value, "") + "\n"
    return flow(value) + "\n"


def after_colon(value: Json, indent: str) -> str:
    """Write what follows the colon of a key that is indented by `indent`."""
    if isinstance(value, dict) and value:
        return "\n" + _mapping(value, indent + _STEP)
    if isinstance(value, list) and value:
        return "\n" + _sequence(value, indent)
    return _leaf(value, indent)


def after_dash(value: Json, indent: str) -> str:
    """Write what follows the dash of an item whose dash is indented by `indent`."""
    inner = indent + _STEP
    if isinstance(value, dict) and value:
        return " " + _mapping(value, inner).removeprefix(inner)
    if isinstance(value, list) and value:
        return " " + _sequence(value, inner).removeprefix(inner)
    return _leaf(value, indent)


def entry(name: str, value: Json, indent: str) -> str:
    """Write a key with its value; the key itself is not indented."""
    return f"{key(name)}:{after_colon(value, indent)}"


def key(name: str) -> str:
    """Write a key, marked where it has slots."""
    return mark(name) if SLOT_START in name else scalar(name)


def flow(value: Json) -> str:
    """Write a value on one line, in flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(name)}: {flow(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    has_slot = SLOT_START in value if isinstance(value, str) else isinstance(value, NumberSlot)
    return mark(value) if has_slot else scalar(value)


def _mapping(value: dict[str, Any], indent: str) -> str:
    return "\n".join(indent + entry(name, item, indent) for name, item in value.items())


def _sequence(value: list[Any], indent: str) -> str:
    return "\n".join(f"{indent}-{after_dash(item, indent)}" for item in value)


def _leaf(value: Json, indent: str) -> str:
    is_multiline = isinstance(value, str) and "\n" in value
    if is_multiline and not (_NO_BLOCK.search(value) or find_invisible(value)):
        return _literal(value, indent + _STEP)
    return " " + flow(value)


def _literal(text: str, indent: str) -> str:
    """Write a literal block; its header says whether the text ends with a line end."""
    chomping = "" if text.endswith("\n") else "-"
    lines = text.removesuffix("\n").split("\n")
    return f" |{chomping}" + "".join(f"\n{indent}{line}" if line else "\n" for line in lines)


def mark(value: str | int) -> str:
    """Mark a text with slots, or a number that is a slot, for filling."""
    return f"{_TEXT if isinstance(value, str) else _NUMBER}{value}{_END}"


def indented(text_with_marks: str, prefix: str) -> str:
    """Indent the lines after the first; empty lines, and those inside a marked text, stay."""
    return re.sub(
        _MARKED_OR_LINE,
        lambda match: match[0] + prefix if match[0] == "\n" else match[0],
        text_with_marks,
    )


class TextTemplate:
    """The bytes of a text with places for the scalars that differ between spokes.

    `constant` is the whole text where nothing differs, None otherwise.
    """

    __slots__ = ("_pieces", "_scalars", "constant")

    def __init__(self, pieces: list[bytes], scalars: tuple[str, ...]) -> None:
        """Take pieces of which every second one is empty: the scalars go there."""
        self._scalars = scalars
        self._pieces = pieces
        self.constant: bytes | None = None if scalars else pieces[0]

    def fill(self, values: Values, memo: dict[str, bytes]) -> bytes:
        """Return the text for one spoke; texts filled with the same `values` share a `memo`."""
        if self.constant is not None:
            return self.constant
        scalars = []
        for marked in self._scalars:
            scalar_bytes = memo.get(marked)
            if scalar_bytes is None:
                scalar_bytes = memo[marked] = _fill_scalar(marked, values)
            scalars.append(scalar_bytes)
        parts = self._pieces.copy()
        parts[1::2] = scalars
        return b"".join(parts)


def compile_text(text_with_marks: str) -> TextTemplate:
    """Cut a text from `emit` or `compose` at its marked scalars."""
    pieces: list[bytes] = []
    scalars: list[str] = []
    end = 0
    for match in re.finditer(_MARKED, text_with_marks):
        pieces += (text_with_marks[end : match.start()].encode(), b"")
        scalars.append(match[1] + match[2])
        end = match.end()
    pieces.append(text_with_marks[end:].encode())
    return TextTemplate(pieces, tuple(scalars))


def _fill_scalar(marked: str, values: Values) -> bytes:
    text = marked[1:]
    return scalar(fill_text(text, values) if marked[0] == _TEXT else values[text]).encode()
