"""Scalars: what a plain one means to Kubernetes, and how to write one that all readers agree on.

Reading follows sigs.k8s.io/yaml: go-yaml v2 (YAML 1.1 with changes of its own), then a conversion
to JSON. No YAML specification describes it: `y` is a boolean, `010` and `0o10` are 8, `1e3` is
1000, `12:30` and dates are strings. Measured against kubectl 1.32.

Writing must satisfy readers that disagree: kubectl (go-yaml v2), kustomize (go-yaml v3), YAML 1.1
and YAML 1.2. A string stays plain only where none of them reads anything else in it.
"""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from functools import lru_cache
from math import inf, isfinite, isinf, isnan, nan
from typing import Any, TypeAlias

from spokerender.model.unseen import CONTROLS, VARIATIONS

PlainValue = str | int | float | bool | None
Json: TypeAlias = Any
"""JSON data of any shape: dict, list or a scalar."""

_WORDS: dict[str, float | bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(
        ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True
    ),
    **dict.fromkeys(
        ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False
    ),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], inf),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], -inf),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], nan),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_INTEGER = re.compile(
    r"([-+]?)0[xX]([0-9a-fA-F]+)"
    r"|([-+]?)0[bB]([01]+)"
    r"|([-+]?)0[oO]?([0-7]+)"
    r"|([-+]?)(0|[1-9][0-9]*)"
)
_BASES = (16, 2, 8, 10)
# The patterns that are plain texts are compiled when a scalar first needs them.
_SIGN_INSIDE = r"0b([-+][01]+)"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_POINT_FIRST = r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?"
_INT64_FIRST, _INT64_LAST, _UINT64_LAST = -(2**63), 2**63 - 1, 2**64 - 1
_LONGEST = 64  # binary digits; Python refuses to convert thousands of decimal ones
_EXPONENT_FROM = 1e21

_UNSUPPORTED = "[\x7f-\x9f\ud800-\udfff\ufffe\uffff]"
_LINE_SEPARATORS = ("\u2028", "\u2029")

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


@lru_cache(maxsize=16384)
def resolve(text: str) -> PlainValue:
    """Return the JSON value of a plain scalar; infinities and NaN, which JSON lacks, as floats.

    A string comes back as the object that was seen first, so the many equal keys and names of a
    large hub are one string in memory.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    number = parse_number(text)
    return text if number is None else _to_json(number)


def json_integer(digits: str) -> int | float:
    """Return a JSON integer as Kubernetes keeps it: one that does not fit 64 bits is a float."""
    return _to_json(float(digits) if len(digits) > _LONGEST else int(digits))


def parse_number(text: str) -> int | float | None:
    """Return the number that go-yaml v2 reads in a plain scalar, or None.

    An integer fits 64 bits, signed or unsigned; a larger one is a float.
    """
    if text[0] == ".":
        return _finite(text.replace("_", "")) if re.fullmatch(_POINT_FIRST, text) else None
    digits = text.replace("_", "")
    integer = _parse_integer(digits)
    if integer is not None:
        return integer
    return _finite(digits) if re.fullmatch(_FLOAT, digits) else None


def _parse_integer(digits: str) -> int | None:
    """Parse like Go's `strconv.ParseInt(digits, 0, 64)`, `ParseUint`, then go-yaml's own `0b`."""
    if match := _INTEGER.fullmatch(digits):
        which = (match.lastindex or 0) // 2 - 1
        sign, magnitude = match[which * 2 + 1], match[which * 2 + 2]
        if len(magnitude.lstrip("0")) > _LONGEST:
            return None
        number = int(sign + magnitude, _BASES[which])
        last = _INT64_LAST if sign else _UINT64_LAST
        return number if _INT64_FIRST <= number <= last else None
    if match := re.fullmatch(_SIGN_INSIDE, digits):
        return int(match[1], 2)
    return None


def _finite(digits: str) -> float | None:
    """Parse a float; None out of range, which Go's `strconv.ParseFloat` refuses: it stays text."""
    number = float(digits)
    return None if isinf(number) else number


def _to_json(number: float) -> int | float:
    exact = isinstance(number, int) and _INT64_FIRST <= number <= _INT64_LAST
    return number if exact else json_number(float(number))


def json_number(number: float) -> int | float:
    """Return a float as it arrives through JSON that Go wrote: an integer where it is whole.

    Go writes the shortest digits that read back as the float, and fills with zeros below 1e21.
    """
    if number.is_integer() and abs(number) < _EXPONENT_FROM:
        return int(Decimal(repr(number)))
    return number


def key_text(text: str) -> str | None:
    """Return the JSON key that a plain key becomes; None where Kubernetes refuses it.

    It refuses null and integers above int64.
    """
    value = resolve(text)
    if isinstance(value, str):
        return value
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    number = parse_number(text)
    if isinstance(number, int):
        return str(number) if number <= _INT64_LAST else None
    return _float_key(value if number is None else number)


def _float_key(number: float) -> str:
    """Format like Go's `strconv.FormatFloat(number, 'g', -1, 32)`, with YAML's infinities."""
    single = _to_single(number)
    if isnan(single):
        return ".nan"
    if isinf(single):
        return ".inf" if single > 0 else "-.inf"
    candidates = (f"{single:.{digits}e}" for digits in range(9))
    shortest = next(text for text in candidates if _to_single(float(text)) == single)
    exponent = int(shortest.partition("e")[2])
    return f"{Decimal(shortest):f}" if -5 < exponent < 6 else shortest  # noqa: PLR2004  (Go's own)


def _to_single(number: float) -> float:
    try:
        single: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return inf if number > 0 else -inf
    return single


def unsupported(text: str) -> str | None:
    """Name the first character (`U+0085`) that can't be carried to a cluster, or return None.

    Measured by sending every character of the first plane, and samples of the others, as values
    and keys through kubectl 1.32 and its kustomize. kustomize refuses such a character, or turns it
    into a space (U+0085), even where it is escaped. A string of several lines that ends with U+2028
    or U+2029 makes it forget the line end before the next `---`: the next document is lost.
    """
    if text.isascii() and "\x7f" not in text:
        return None
    if match := re.search(_UNSUPPORTED, text):
        return name_character(match[0])
    return name_character(text[-1]) if text.endswith(_LINE_SEPARATORS) and "\n" in text else None


def name_character(character: str) -> str:
    """Return the character as Unicode writes it: `U+0085`."""
    return f"U+{ord(character):04X}"


def complaint(text: str) -> str | None:
    """Return the message about a string with an unsupported character, or None."""
    character = unsupported(text)
    if character is None:
        return None
    return f"the string has the character {character}, which kustomize can't carry to a cluster"


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
