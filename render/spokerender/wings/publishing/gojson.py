"""JSON text as Go's encoding/json writes it, to the byte: hashes of such texts are names.

Source: encoding/json of Go 1.22 and newer (`floatEncoder`, `appendString`, `mapEncoder`). It
differs from Python's json in numbers with a fraction or an exponent, and by default escapes `<`,
`>`, `&`, U+2028 and U+2029.
"""

import hashlib
from decimal import Decimal
from json.encoder import encode_basestring
from math import isfinite

from spokerender.model.shapes import Json

_HTML_ESCAPES = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})
_MIN_DECIMAL, _MAX_DECIMAL = 1e-6, 1e21


def encode(value: Json, *, sort_keys: bool = False, escape_html: bool = True) -> str:
    """Return the JSON of a value without spaces, with the keys in their order or sorted.

    Raises `ValueError` for infinities and NaN, as Go's `Marshal` returns an error.
    """
    text = _encode(value, sort_keys)
    return text.translate(_HTML_ESCAPES) if escape_html else text


def format_float64(value: float) -> str:
    """Return the text of a float64: `1`, `0.5`, `1e+21`, `1e-7`; -0 remains -0.

    Raises `ValueError` for infinities and NaN.
    """
    if not isfinite(value):
        raise ValueError(f"JSON has no number for {value}")
    if value and not _MIN_DECIMAL <= abs(value) < _MAX_DECIMAL:
        return format(Decimal(repr(value)).normalize(), "e")
    return format_decimal(value)


def format_decimal(value: float) -> str:
    """Return the shortest exact text of a float64 without an exponent (`FormatFloat` with 'f')."""
    return format(Decimal(repr(value)).normalize(), "f")


def hash_sha1(text: str) -> str:
    """Return the SHA-1 of a text in hexadecimal digits, as api-syncagent puts it into names."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def _encode(value: Json, sort_keys: bool) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        # Go sorts by bytes and Python by code points, which is the same order in UTF-8.
        items = sorted(value.items()) if sort_keys else value.items()
        pairs = [f"{encode_basestring(key)}:{_encode(item, sort_keys)}" for key, item in items]
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join([_encode(item, sort_keys) for item in value]) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else format_float64(value)
