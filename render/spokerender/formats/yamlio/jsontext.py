r"""Read JSON as JSON, as kubectl does, since not all JSON is YAML.

Escaped surrogate pairs, `\/`, tabs, and several objects in a row are valid only in JSON.
"""

import json
import re
from collections.abc import Iterable, Iterator
from math import isinf
from typing import Any

from spokerender.formats.yamlio.emit import unsupported_key
from spokerender.formats.yamlio.nodes import TextProblem, UnreadableError
from spokerender.formats.yamlio.simple import DEEPEST, complaint, json_integer, json_number
from spokerender.model.shapes import Json

# Compiled when a text is JSON: most hubs have none.
_STRING = r'(?s:"(?:[^"\\]|\\.)*+"?)'
"""A string; an unclosed string reaches to the end, so that each quote is read only once."""
_BRACKET = r"[\[\]{}]"
_VALUE = r"[^ \t\n]"


def read_json(text: str) -> tuple[list[tuple[int, Any]], list[TextProblem]]:
    """Return the offset and data of each JSON value in the text, and all problems of the text.

    Raises `json.JSONDecodeError` if the text is not JSON, `UnreadableError` if it is nested too
    deeply.
    """
    _check_depth(text)
    problems: list[TextProblem] = []
    values: list[tuple[int, Any]] = []
    end = 0
    while start := re.compile(_VALUE).search(text, end):
        offset = start.start()
        value, end, wrong = _decode(text, offset)
        values.append((offset, value))
        problems += (TextProblem(offset, message, cure) for message, cure in wrong)
    return values, problems


def _decode(text: str, offset: int) -> tuple[Any, int, list[tuple[str, str]]]:
    """Return a value, the offset of its end, and messages and suggested fixes for its problems."""
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
    """Yield messages and suggested fixes for valid JSON that kustomize can't carry to a cluster."""
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
        yield message, "remove it"


def _refuse_constant(name: str) -> Json:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


def _check_depth(text: str) -> None:
    """Raise `UnreadableError` if a text is nested too deeply: Python's decoder recurses."""
    depth = 0
    blanked = re.sub(_STRING, lambda match: " " * len(match[0]), text)
    for match in re.finditer(_BRACKET, blanked):
        depth += 1 if match[0] in "[{" else -1
        if depth > DEEPEST:
            message = f"nested deeper than {DEEPEST} levels"
            raise UnreadableError(match.start(), message, "flatten the document")
