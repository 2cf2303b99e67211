"""The values that expressions may have, and their form inside a text."""

import json
import math
import re
from collections.abc import Mapping

from spokerender.findings.phrasing import describe
from spokerender.model.shapes import Json

MAX_CHARACTERS = 64 * 1024
"""The most characters of a value, which limits what an expression makes of a small text."""

MAX_DATA = 16 * MAX_CHARACTERS
"""The most characters of all texts in a list or mapping."""

_WHOLE_NUMBERS = range(-(2**63), 2**63)  # Kubernetes would read another one as a float
_SURROGATE = re.compile("[\ud800-\udfff]")
_NEEDS_ESCAPE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class TemplateProblem(Exception):  # noqa: N818  (a finding about the template, not a fault of ours)
    """A template that is malformed or can't be evaluated; the message says why."""

    def __init__(self, message: str) -> None:
        """Make an error; lone surrogates in the message, from quoted values, are escaped."""
        super().__init__(message.encode(errors="backslashreplace").decode())


def copy_as_json(value: Json) -> Json:
    """Return a copy of a value as JSON data of limited size. Raises `TemplateProblem`."""
    if isinstance(value, str):
        expect_length(len(value))
        return expect_encodable(value)
    if isinstance(value, (list, tuple, Mapping)):
        # Counted before copying, as a value may share parts and be huge once they are written out.
        _expect_extent(value)
    return _plain(value)


def _expect_extent(value: Json) -> None:
    """Raise `TemplateProblem` if a value is too large in all; shared parts count each time."""
    left, pending = MAX_DATA, [value]
    while pending:
        item = pending.pop()
        left -= len(item) + 1 if isinstance(item, (str, list, tuple, Mapping)) else 1
        if left < 0:
            raise TemplateProblem(f"the value would have more than {MAX_DATA} characters in all")
        if isinstance(item, Mapping):
            pending += (*item.keys(), *item.values())
        elif isinstance(item, (list, tuple)):
            pending += item


def _plain(value: Json) -> Json:
    if isinstance(value, str):
        return expect_encodable(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        bounded = math.isfinite(value) if isinstance(value, float) else value in _WHOLE_NUMBERS
        if not bounded:
            raise TemplateProblem("the number does not fit 64 bits")
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {_plain_key(key): _plain(item) for key, item in value.items()}
    raise TemplateProblem(f"the expression gives no data but a {type(value).__name__}; try: | list")


def expect_encodable(text: str) -> str:
    """Return the text unchanged. Raises `TemplateProblem` if it has surrogates, as slots have."""
    if not text.isascii() and (half := _SURROGATE.search(text)):
        raise TemplateProblem(f"the value has half a character in it (U+{ord(half[0]):04X})")
    return text


def _plain_key(key: Json) -> str:
    if not isinstance(key, str):
        raise TemplateProblem(f"the key of a mapping is {describe(key)}, and not a text")
    return expect_encodable(key)


def write_as_text(value: Json) -> str:
    """Return a value as part of a text. Raises `TemplateProblem` for null, lists and mappings."""
    if isinstance(value, str):
        return value
    # Before numbers: a boolean is an int to Python.
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, (Mapping, list, tuple)):
        what = "null" if value is None else describe(value)
        raise TemplateProblem(f"{what} can't stand inside a text")
    return str(value)


def as_json(value: Json) -> str:
    """Return JSON on one line that is also YAML, with the escapes that YAML requires."""
    text = json.dumps(copy_as_json(value), ensure_ascii=False)
    # JSON may hold these characters as they are, and YAML may not.
    return _NEEDS_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def expect_length(length: int) -> None:
    """Raise `TemplateProblem` if a text would be too long, before it is made."""
    if length > MAX_CHARACTERS:
        raise TemplateProblem(f"the value would be longer than {MAX_CHARACTERS} characters")
