"""Writing scalars so that every reader takes them for what they are.

Readers differ in what a plain scalar means: kubectl (go-yaml v2), kustomize (go-yaml v3),
YAML 1.1, YAML 1.2. A string is left plain only where none of them sees anything else in it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isfinite

from spokerender.formats.yamlio.resolve import Json, Scalar, json_integer, json_number
from spokerender.model.unseen import CONTROLS, VARIATIONS

_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*")
_WORDS = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity")
)
_BLANKS = "\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_UNDRAWN = f"{CONTROLS}{_BLANKS}\ue000-\uf8ff\ufff0-\uffff\U000e0000-\U0010ffff"
_EMOJI = "\xa9\xae\u203c-\u3299\U0001f000-\U0001faff"
_SELECTED = f"(?<![{_EMOJI}])[{VARIATIONS}]|[\ufe00-\ufe0e]"
_UNSEEN = re.compile(f"[{_UNDRAWN}]|{_SELECTED}")
_ESCAPED = re.compile(rf'["\\\t\n{_UNDRAWN}]|{_SELECTED}')
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


@lru_cache(maxsize=16384)
def _string(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else quote(text)


def quote(text: str) -> str:
    """A string in double quotes on one line; invisible characters are escaped."""
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    escape = _SHORT_ESCAPES.get(character)
    return escape or (f"\\u{code:04x}" if code < _BASIC_PLANE_END else f"\\U{code:08x}")


@lru_cache(maxsize=4096)
def unsupported_key(name: str) -> str | None:
    """Why kustomize can't carry a string as a key although it is a fine string, or None."""
    if name == "<<":
        return "kustomize takes it for a merge key"
    if len(quote(name)) > _LONGEST_KEY:
        return f"kustomize can't carry a key longer than {_LONGEST_KEY} characters"
    return None


def unseen(text: str) -> list[int]:
    """The places of what nobody would see who reviews a file, or see in another order.

    A selector that makes an emoji of a sign is seen.
    """
    return [] if text.isascii() else [match.start() for match in _UNSEEN.finditer(text)]


def with_unseen_shown(text: str) -> str:
    """A text that is no value, a comment, with escapes for what nobody would see in it."""
    return _UNSEEN.sub(_escape, text)


def scalar(value: Scalar) -> str:
    """A scalar on one line, valid as a value, as an item and in flow style, and a string as a key.

    Raises `ValueError` for an infinity or NaN, which JSON has not.
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


def stays_block(style: str, text: str) -> bool:
    """Whether a block (`|` or `>`) survives kustomize, which doubles line ends in some of them.

    It adds one to a literal block that keeps its last ones (`|+`), where a comment ends the text.
    """
    if style == ">":
        return not _DOUBLED_WHERE_FOLDED.search(text)
    return style != "|" or not text.endswith("\n\n")


def stays_plain(source: str, value: Json) -> bool:
    """Whether a plain scalar of the hub reads the same everywhere, so that it may stay as written.

    `value` is what Kubernetes reads in `source`. A number stays in its canonical form only.
    """
    if isinstance(value, float) and not isfinite(value):
        return False
    if not isinstance(value, str):
        return not source or source == scalar(value)
    if unseen(value):
        return False
    return value.lower() not in _WORDS and not _MISREAD.fullmatch(value)
