"""JSON text as Go's encoding/json writes it, to the byte: names are hashes of such texts.

Source: encoding/json of Go 1.22 and newer (`floatEncoder`, `appendString`, `mapEncoder`). Two
things are not as in Python's own module: how numbers with a fraction or an exponent look, and
that `<`, `>`, `&`, U+2028 and U+2029 are escaped where nobody asked otherwise.
"""

from __future__ import annotations

from decimal import Decimal
from json.encoder import encode_basestring
from math import isfinite
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""None, bool, int, float, str, and lists and string-keyed dicts of these."""

_HTML = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})
_SMALL, _LARGE = 1e-6, 1e21


def encode(value: Json, *, sort_keys: bool = False, escape_html: bool = True) -> str:
    """The value without any space: a struct's fields in their order, or a map's keys sorted.

    Raises `ValueError` for what JSON has no number for, as Go's `Marshal` returns an error.
    """
    text = _text(value, sort_keys)
    return text.translate(_HTML) if escape_html else text


def number(value: float) -> str:
    """A float64 as Go's JSON has it: `1`, `0.5`, `1e+21`, `1e-7`; -0 stays -0.

    Raises `ValueError` for an infinity, or what is no number.
    """
    if not isfinite(value):
        message = f"JSON has no number for {value}"
        raise ValueError(message)
    if value and not _SMALL <= abs(value) < _LARGE:
        digits, _, exponent = repr(value).partition("e")
        sign = "-" if exponent.startswith("-") else "+"
        return f"{digits.removesuffix('.0')}e{sign}{exponent.lstrip('+-').lstrip('0')}"
    return decimal(value)


def decimal(value: float) -> str:
    """A float64 without an exponent, in as few digits as tell it apart (`FormatFloat` with 'f')."""
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _text(value: Json, sort_keys: bool) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        # Python compares code points, and UTF-8 was made so that its bytes compare alike.
        items = sorted(value.items()) if sort_keys else value.items()
        return (
            "{"
            + ",".join([f"{encode_basestring(k)}:{_text(v, sort_keys)}" for k, v in items])
            + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ",".join([_text(item, sort_keys) for item in value]) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else number(value)
