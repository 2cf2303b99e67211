"""What a plain scalar means to Kubernetes: the resolution of sigs.k8s.io/yaml.

That is go-yaml v2 (YAML 1.1 with changes of its own) followed by a conversion to JSON, and
it is what no YAML specification says: `y` is a boolean, `010` and `0o10` are 8, `1e3` is
1000, `12:30` and dates are strings. Measured against kubectl 1.32.
"""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from functools import lru_cache
from math import inf, isinf, isnan, nan
from typing import Any, TypeAlias

Scalar = str | int | float | bool | None
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
_SIGN_INSIDE = re.compile(r"0b([-+][01]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_POINT_FIRST = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_INT64_FIRST, _INT64_LAST, _UINT64_LAST = -(2**63), 2**63 - 1, 2**64 - 1
_LONGEST = 64  # binary digits; Python refuses to convert thousands of decimal ones
_EXPONENT_FROM = 1e21


@lru_cache(maxsize=16384)
def resolve(text: str) -> Scalar:
    """The JSON value of a plain scalar; infinities and NaN, which JSON has not, as such.

    Strings come back as the object that was seen first, so that the many equal keys and
    names of a large hub are one string in memory.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    number = parse_number(text)
    return text if number is None else _to_json(number)


def json_integer(digits: str) -> int | float:
    """A JSON integer as Kubernetes keeps it: one beyond 64 bits is a float."""
    return _to_json(float(digits) if len(digits) > _LONGEST else int(digits))


def parse_number(text: str) -> int | float | None:
    """The number that go-yaml v2 sees in a plain scalar, or None.

    An integer fits 64 bits, signed or unsigned; what is beyond is a float.
    """
    if text[0] == ".":
        return _finite(text.replace("_", "")) if _POINT_FIRST.fullmatch(text) else None
    digits = text.replace("_", "")
    integer = _parse_integer(digits)
    if integer is not None:
        return integer
    return _finite(digits) if _FLOAT.fullmatch(digits) else None


def _parse_integer(digits: str) -> int | None:
    """Go's `strconv.ParseInt(digits, 0, 64)`, then `ParseUint`, then go-yaml's own `0b`."""
    if match := _INTEGER.fullmatch(digits):
        which = (match.lastindex or 0) // 2 - 1
        sign, magnitude = match[which * 2 + 1], match[which * 2 + 2]
        if len(magnitude.lstrip("0")) > _LONGEST:
            return None
        number = int(sign + magnitude, _BASES[which])
        last = _INT64_LAST if sign else _UINT64_LAST
        return number if _INT64_FIRST <= number <= last else None
    if match := _SIGN_INSIDE.fullmatch(digits):
        return int(match[1], 2)
    return None


def _finite(digits: str) -> float | None:
    """A number out of range is no number to Go's `strconv.ParseFloat`: the text stays text."""
    number = float(digits)
    return None if isinf(number) else number


def _to_json(number: float) -> int | float:
    exact = isinstance(number, int) and _INT64_FIRST <= number <= _INT64_LAST
    return number if exact else json_number(float(number))


def json_number(number: float) -> int | float:
    """A float as it arrives through JSON written by Go: without a point where it is whole.

    Go writes the shortest digits that read back as the float and fills with zeros below
    1e21; Kubernetes then reads an integer.
    """
    if number.is_integer() and abs(number) < _EXPONENT_FROM:
        return int(Decimal(repr(number)))
    return number


def key_text(text: str) -> str | None:
    """The JSON key that a plain key becomes, or None where Kubernetes refuses it (null, uint64)."""
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
    """Go's `strconv.FormatFloat(number, 'g', -1, 32)`, with YAML's names for infinities."""
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
