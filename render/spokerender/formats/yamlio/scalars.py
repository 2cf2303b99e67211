"""Writing scalars so that every reader takes them for what they are.

Readers differ in what a plain scalar means: kubectl (go-yaml v2), kustomize (go-yaml v3), YAML 1.1
and YAML 1.2. A string stays plain only where none of them reads anything else in it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isfinite

from spokerender.formats.yamlio.simple import Json, PlainValue, json_integer, json_number, resolve
from spokerender.model.unseen import CONTROLS, VARIATIONS

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
    """Explain why kustomize can't carry a string as a key although it is a valid value, or None."""
    if name == "<<":
        return "kustomize takes it for a merge key"
    if len(quote(name)) > _LONGEST_KEY:
        return f"kustomize can't carry a key longer than {_LONGEST_KEY} characters"
    return None


def find_invisible(text: str) -> list[int]:
    """Return the offsets of characters that a reviewer would not see, or see in another order.

    A variation selector that makes an emoji of a sign is visible.
    """
    if text.isascii():
        return []
    return [match.start() for match in re.finditer(_INVISIBLE, text)]


def show_invisible(comment: str) -> str:
    """Replace invisible characters by escapes in a text that is no value, such as a comment."""
    return re.sub(_INVISIBLE, _escape, comment)


def scalar(value: PlainValue) -> str:
    """Write a scalar on one line: as a value, an item, in flow style and, if a string, as a key.

    Raises `ValueError` for an infinity or NaN, which JSON lacks.
    """
    if isinstance(value, str):
        return _string(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    number = json_number(value) if isinstance(value, float) else json_integer(str(value))
    if not isfinite(number):
        message = f"{value} has no JSON form"
        raise ValueError(message)
    return repr(number)


@lru_cache(maxsize=16384)
def _string(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _QUOTED_WORDS else quote(text)


def quote(text: str) -> str:
    """Write a string in double quotes on one line, with invisible characters escaped."""
    return '"' + re.sub(_ESCAPED, _escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    escape = _SHORT_ESCAPES.get(character)
    return escape or (f"\\u{code:04x}" if code < _BASIC_PLANE_END else f"\\U{code:08x}")


def stays_block(style: str, text: str) -> bool:
    """Tell whether a block scalar (`|` or `>`) survives kustomize.

    kustomize doubles line ends in some folded blocks. To a literal block that keeps its last line
    ends (`|+`) it adds one, where a comment ends the text.
    """
    if style == ">":
        return not _DOUBLED_WHERE_FOLDED.search(text)
    return style != "|" or not text.endswith("\n\n")


@lru_cache(maxsize=16384)
def is_firm_plain(source: str) -> bool:
    """Tell whether a plain scalar of the hub may stay as it is written: all readers agree on it."""
    return stays_plain(source, resolve(source))


def stays_plain(source: str, value: Json) -> bool:
    """Tell whether `source`, which Kubernetes reads as `value`, reads the same everywhere.

    A number stays in its canonical form only.
    """
    if isinstance(value, float) and not isfinite(value):
        return False
    if not isinstance(value, str):
        return not source or source == scalar(value)
    if find_invisible(value):
        return False
    return value.lower() not in _QUOTED_WORDS and not _MISREAD.fullmatch(value)
