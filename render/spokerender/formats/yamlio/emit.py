"""Write JSON data as canonical YAML in block style, and texts with slots that each spoke fills.

Items of a list are in the column of their key, as kustomize writes them. The pieces have no line
end at their end, so that they also fit into an existing text.
"""

import re
from functools import lru_cache
from math import isfinite
from typing import Any

from spokerender.formats.yamlio.simple import PlainValue, json_integer, json_number, resolve
from spokerender.model.shapes import Json
from spokerender.model.slots import SLOT_START, NumberSlot, Values, fill_text, without_slots
from spokerender.model.unseen import CONTROLS, VARIATIONS

# Only what no reader could take for anything but a string; everything else is quoted.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*")
_QUOTED_WORDS = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity")
)
_BLANKS = "\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_UNDRAWN = f"{CONTROLS}{_BLANKS}\ue000-\uf8ff\ufff0-\uffff\U000e0000-\U0010ffff"
_EMOJI = "\xa9\xae\u203c-\u3299\U0001f000-\U0001faff"
_SELECTED = f"(?<![{_EMOJI}])[{VARIATIONS}]|[\ufe00-\ufe0e]"
_INVISIBLE = f"[{_UNDRAWN}]|{_SELECTED}"
_ESCAPED = rf'["\\\t\n{_UNDRAWN}]|{_SELECTED}'
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_LONGEST_KEY = 1000
_BASIC_PLANE_END = 0x10000
_DOUBLED_WHERE_FOLDED = re.compile(r"^[ \t]|\n\n\Z", re.MULTILINE)
_MISREAD = re.compile(
    r"[-+]?0[xXoObB][0-9a-fA-F_+-]*"  # an integer, or nearly
    r"|(?=[-+.0-9])[-+]?[0-9_,]*(?:\.[0-9_,]*)?(?:[eE][-+]?[0-9_]*)?"  # a number, or nearly
    r"|[-+]?[0-9][0-9_]*(?::[0-9]+)+(?:\.[0-9_]*)?"  # YAML 1.1 base 60
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s].*)?"  # a timestamp
    r"|[-+]?\.?(?:inf|nan)|<<|=",
    re.IGNORECASE | re.DOTALL,
)


@lru_cache(maxsize=4096)
def unsupported_key(name: str) -> str | None:
    """Return why kustomize can't carry a string as a key although it is a valid value, or None."""
    if name == "<<":
        return "kustomize takes it for a merge key"
    # Escapes count, as the limit is on the written key.
    if len(quote(name)) > _LONGEST_KEY:
        return f"kustomize can't carry a key longer than {_LONGEST_KEY} characters"
    return None


def find_invisible(text: str) -> list[int]:
    """Return the offsets of characters that a reviewer does not see, or sees in another order.

    A variation selector that turns a character into an emoji is visible.
    """
    if text.isascii():
        return []
    return [match.start() for match in re.finditer(_INVISIBLE, text)]


def show_invisible(comment: str) -> str:
    """Return a text that is no value, such as a comment, with its invisible characters escaped."""
    return re.sub(_INVISIBLE, _escape, comment)


def scalar(value: PlainValue) -> str:
    """Return a scalar on one line: as a value, an item, in flow style or, if a string, as a key.

    Raises `ValueError` for an infinity or NaN, which JSON lacks.
    """
    if isinstance(value, str):
        return _string(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    # Through JSON's numbers, so that 1.0 is written as Kubernetes keeps it: 1.
    number = json_number(value) if isinstance(value, float) else json_integer(str(value))
    if not isfinite(number):
        raise ValueError(f"{value} has no JSON form")
    return repr(number)


def scalars(value: PlainValue | list[str]) -> str:
    """Return a scalar or a list of strings as YAML on one line."""
    if isinstance(value, list):
        return "[" + ", ".join(map(scalar, value)) + "]"
    return scalar(value)


# A large hub has few different strings.
@lru_cache(maxsize=16384)
def _string(text: str) -> str:
    # Python's `lower`, since YAML 1.1 has these words in three cases only, and readers differ.
    return text if _PLAIN.fullmatch(text) and text.lower() not in _QUOTED_WORDS else quote(text)


def quote(text: str) -> str:
    """Return a string in double quotes on one line, with invisible characters escaped."""
    return '"' + re.sub(_ESCAPED, _escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    escape = _SHORT_ESCAPES.get(character)
    return escape or (f"\\u{code:04x}" if code < _BASIC_PLANE_END else f"\\U{code:08x}")


def stays_block(style: str, text: str) -> bool:
    """Return whether kustomize leaves a block scalar (`|` or `>`) unchanged.

    kustomize doubles line ends in some folded blocks. If a comment ends the text, kustomize adds a
    line end to a literal block that keeps its last line ends (`|+`).
    """
    if style == ">":
        return not _DOUBLED_WHERE_FOLDED.search(text)
    return style != "|" or not text.endswith("\n\n")


@lru_cache(maxsize=16384)
def is_firm_plain(source: str) -> bool:
    """Return whether a plain scalar of the hub can remain as written: all readers agree on it."""
    return stays_plain(source, resolve(source))


def stays_plain(source: str, value: Json) -> bool:
    """Return whether all readers read `source` as Kubernetes does, which reads `value`.

    For a number, this holds in its canonical form only.
    """
    if isinstance(value, float) and not isfinite(value):
        return False
    if not isinstance(value, str):
        # 010 and 0x8 are 8 to Kubernetes and not to others, so only 8 stays.
        return not source or source == scalar(value)
    if find_invisible(value):
        return False
    return value.lower() not in _QUOTED_WORDS and not _MISREAD.fullmatch(value)


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
    """Return a document that every reader understands alike; keys keep their order."""
    if isinstance(value, dict) and value:
        return _mapping(value, "") + "\n"
    if isinstance(value, list) and value:
        return _sequence(value, "") + "\n"
    return flow(value) + "\n"


def after_colon(value: Json, indent: str) -> str:
    """Return the text after the colon of a key that is indented by `indent`."""
    if isinstance(value, dict) and value:
        return "\n" + _mapping(value, indent + _STEP)
    if isinstance(value, list) and value:
        # A sequence stands in the column of its key, as kustomize writes it.
        return "\n" + _sequence(value, indent)
    return _leaf(value, indent)


def after_dash(value: Json, indent: str) -> str:
    """Return the text after the dash of an item whose dash is indented by `indent`."""
    inner = indent + _STEP
    if isinstance(value, dict) and value:
        # The first entry stands on the line of the dash.
        return " " + _mapping(value, inner).removeprefix(inner)
    if isinstance(value, list) and value:
        return " " + _sequence(value, inner).removeprefix(inner)
    return _leaf(value, indent)


def entry(name: str, value: Json, indent: str) -> str:
    """Return a key with its value; the key itself is not indented."""
    return f"{key(name)}:{after_colon(value, indent)}"


def key(name: str) -> str:
    """Return the text of a key, marked for filling if it has slots."""
    return mark(name) if SLOT_START in name else scalar(name)


def flow(value: Json) -> str:
    """Return a value on one line, in flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(name)}: {flow(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    # Marked, because whether a filled text needs quotes depends on the value.
    has_slot = SLOT_START in value if isinstance(value, str) else isinstance(value, NumberSlot)
    return mark(value) if has_slot else scalar(value)


def _mapping(value: dict[str, Any], indent: str) -> str:
    return "\n".join(indent + entry(name, item, indent) for name, item in value.items())


def _sequence(value: list[Any], indent: str) -> str:
    return "\n".join(f"{indent}-{after_dash(item, indent)}" for item in value)


def _leaf(value: Json, indent: str) -> str:
    is_multiline = isinstance(value, str) and "\n" in value
    # Without invisible characters only: a block has no escapes for them.
    if is_multiline and not (_NO_BLOCK.search(value) or find_invisible(value)):
        chomping = "" if value.endswith("\n") else "-"
        lines = value.removesuffix("\n").split("\n")
        inner = f"\n{indent}{_STEP}"
        # Empty lines without spaces, which editors would trim.
        return f" |{chomping}" + "".join(f"{inner}{line}" if line else "\n" for line in lines)
    return " " + flow(value)


def mark(value: str | int) -> str:
    """Return a text with slots, or a number that is a slot, marked for filling."""
    return f"{_TEXT if isinstance(value, str) else _NUMBER}{value}{_END}"


def settle_marks(text_with_marks: str) -> str:
    """Return a text whose marked scalars are written as if each slot stood for a plain word."""

    def settle(match: re.Match[str]) -> str:
        text = match[2]
        word = "x" * text.startswith(SLOT_START) + without_slots(text)
        if match[1] == _NUMBER or _PLAIN.fullmatch(word):
            return text
        return '"' + re.sub(f"(?![\ud800-\udfff])(?:{_ESCAPED})", _escape, text) + '"'

    return re.sub(_MARKED, settle, text_with_marks) if _END in text_with_marks else text_with_marks


def write_item(text_with_marks: str) -> str:
    """Return a text as an item of a list; empty lines, and lines in marked texts, are unchanged."""
    indented = re.sub(
        _MARKED_OR_LINE,
        lambda match: "\n  " if match[0] == "\n" else match[0],
        text_with_marks.removesuffix("\n"),
    )
    return f"- {indented}\n"


class TextTemplate:
    """The bytes of a text with gaps for the scalars that differ between spokes.

    `constant` is the whole text if nothing differs, else None.
    """

    __slots__ = ("_pieces", "_scalars", "constant")

    def __init__(self, pieces: list[bytes], scalars: tuple[str, ...]) -> None:
        self._scalars = scalars
        self._pieces = pieces
        self.constant: bytes | None = None if scalars else pieces[0]

    def fill(self, values: Values, memo: dict[str, bytes]) -> bytes:
        """Return the text for one spoke; texts filled with the same `values` share a `memo`."""
        if self.constant is not None:
            return self.constant
        scalars = []
        for marked in self._scalars:
            # Spokes that share values fill the same scalars again and again.
            scalar_bytes = memo.get(marked)
            if scalar_bytes is None:
                scalar_bytes = memo[marked] = _fill_scalar(marked, values)
            scalars.append(scalar_bytes)
        parts = self._pieces.copy()
        # Pieces and scalars alternate, so one slice fills them all.
        parts[1::2] = scalars
        return b"".join(parts)


def cut_at_marks(text_with_marks: str) -> TextTemplate:
    """Return a template for a text from `emit` or `compose`, cut at its marked scalars."""
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
