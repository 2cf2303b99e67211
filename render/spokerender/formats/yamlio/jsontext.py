r"""JSON files, which kubectl reads as JSON and not as the YAML that they nearly are.

Escaped surrogate pairs, `\/`, tabs, several objects in a row: JSON to Kubernetes, no YAML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from math import isinf
from typing import Any

from spokerender.formats.yamlio.characters import complaint
from spokerender.formats.yamlio.nodes import DEEPEST
from spokerender.formats.yamlio.problems import TextProblem, UnreadableError
from spokerender.formats.yamlio.resolve import Json, json_integer, json_number
from spokerender.formats.yamlio.scalars import unsupported_key

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
"""A string; one that is never closed reaches to the end, so that each quote is looked at once."""
_BRACKET = re.compile(r"[\[\]{}]")
_SPACE = re.compile(r"[ \t\n]*")


def looks_like_json(text: str) -> bool:
    """Whether the first character opens an object or a list, as kubectl guesses."""
    return text.lstrip().startswith(("{", "["))


def read_json(text: str) -> tuple[list[tuple[int, Any]], list[TextProblem]]:
    """The offset and data of each JSON value in the text, and everything that is wrong with them.

    Raises `json.JSONDecodeError` where it is not JSON, `UnreadableError` where it is too deep.
    """
    _check_depth(text)
    problems: list[TextProblem] = []
    values: list[tuple[int, Any]] = []
    offset = _skip_space(text, 0)
    while offset < len(text):
        value, end, wrong = _decode(text, offset)
        values.append((offset, value))
        problems += (TextProblem(offset, message, cure) for message, cure in wrong)
        offset = _skip_space(text, end)
    return values, problems


def _decode(text: str, offset: int) -> tuple[Any, int, list[tuple[str, str]]]:
    """One value, where it ends, and what is wrong in it."""
    wrong: list[tuple[str, str]] = []

    def unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key in result:
                shown = key.encode(errors="backslashreplace").decode()
                wrong.append((f"key `{shown}` is in one object twice", "keep one of the two"))
            result[key] = value
        return result

    decoder = json.JSONDecoder(
        object_pairs_hook=unique,
        parse_int=json_integer,
        parse_float=lambda digits: json_number(float(digits)),
        parse_constant=_refuse_constant,
    )
    value, end = decoder.raw_decode(text, offset)
    wrong += _unfit(value)
    return value, end, wrong


def _unfit(value: Json) -> Iterator[tuple[str, str]]:
    """What JSON can say and a cluster can't take."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _unfit(key)
            if reason := unsupported_key(key):
                yield f"key `{key[:40]}`: {reason}", "use another key"
            yield from _unfit(item)
    elif isinstance(value, list):
        for item in value:
            yield from _unfit(item)
    elif isinstance(value, float) and isinf(value):
        yield "a number is out of range", "give a number below 1e308"
    elif isinstance(value, str) and (message := complaint(value)):
        yield message, "take it out"


def _skip_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def _refuse_constant(name: str) -> Json:
    message = f"{name} is no JSON"
    raise json.JSONDecodeError(message, name, 0)


def _check_depth(text: str) -> None:
    """Python's decoder recurses; what is too deep for us must not reach it."""
    depth = 0
    for match in _BRACKET.finditer(_STRING.sub(lambda found: " " * len(found[0]), text)):
        depth += 1 if match[0] in "[{" else -1
        if depth > DEEPEST:
            message = f"nested deeper than {DEEPEST} levels"
            raise UnreadableError(match.start(), message, "flatten the document")
