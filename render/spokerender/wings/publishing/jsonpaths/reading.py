"""Reading by a path, as gjson reads the JSON text that Go would have made of the data."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from spokerender.wings.publishing import gojson
from spokerender.wings.publishing.jsonpaths.parsing import (
    Each,
    Key,
    Modifier,
    Pipe,
    Query,
    Steps,
    parse,
)

Json: TypeAlias = Any
"""None, bool, int, float, str, and lists and string-keyed dicts of these."""


class Found(Struct, frozen=True):
    """What a path leads to; a null is something."""

    value: Json


def get(data: Json, path: str) -> Found | None:
    """What the path leads to, or None where that is nothing. Raises `PathProblem`."""
    return _get(Found(data), parse(path))


def as_text(value: Json) -> str:
    """What gjson's `String()` gives: of a container its JSON, of null nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return gojson.decimal(value)
    return gojson.encode(value, sort_keys=True, escape_html=False)


def as_items(value: Json) -> list[Json]:
    """What gjson's `Array()` gives: of null nothing, of what is no list that alone."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _get(found: Found | None, steps: Steps) -> Found | None:
    """Go on from what was found; a pipe hands on all of what came out before it."""
    while steps and found is not None:
        end = next((i for i, step in enumerate(steps) if isinstance(step, Pipe)), len(steps))
        found = _walk(found.value, steps[:end])
        steps = steps[end + 1 :]
    return found


def _walk(value: Json, steps: Steps) -> Found | None:
    for index, step in enumerate(steps):
        rest = steps[index + 1 :]
        match step:
            case Key():
                found = _child(value, step)
            case Modifier():
                found = Found(_modified(value, step))
            case Query(all=False):
                found = next((Found(item) for item in chosen_by(step, value)), None)
            case _:
                return _all(value, step, rest)
        if found is None:
            return None
        value = found.value
    return Found(value)


def _all(value: Json, step: Each | Query | Pipe, rest: Steps) -> Found | None:
    """What follows `#` or `#(…)#` is asked of each item; those that have nothing are left out."""
    if not isinstance(value, list):
        return None
    if isinstance(step, Query):
        items = list(chosen_by(step, value))
    elif not rest:
        return Found(len(value))
    else:
        items = value
    return Found([found.value for item in items if (found := _walk(item, rest)) is not None])


def _child(value: Json, key: Key) -> Found | None:
    if isinstance(value, list):
        index = key.index
        return Found(value[index]) if index is not None and index < len(value) else None
    if not isinstance(value, dict):
        return None
    if key.pattern is not None:
        fitting = (name for name in sorted(value) if key.pattern.fullmatch(name))
        return next((Found(value[name]) for name in fitting), None)
    return Found(value[key.name]) if key.name in value else None


def chosen_by(query: Query, value: Json) -> Iterator[Json]:
    """The items of a list for which a query holds, in their order."""
    for item in value if isinstance(value, list) else ():
        found = _get(Found(item), query.path)
        if found is not None and _holds(found.value, query):
            yield item


def _holds(value: Json, query: Query) -> bool:
    """Whether a comparison holds; the type of the data decides, as in gjson."""
    sign = query.operator
    match value:
        case _ if not sign:
            return True
        case bool() if sign == (">=" if value else "<="):
            return True  # whatever it is compared with, gjson says
        case bool():
            return query.value in _TRUTHS and _compares(value, sign, query.value == "true")
        case int() | float():
            return _compares(value, sign, _number(query.value))
        case str() if query.literal is not None:
            return (query.literal.fullmatch(value) is not None) == (sign == "%")
    return isinstance(value, str) and _compares(value, sign, query.value)


_TRUTHS = {"true", "false"}


def _compares(one: Any, sign: str, other: Any) -> bool:  # noqa: ANN401  (of one type, both)
    compare = _OPERATORS.get(sign)
    return compare is not None and bool(compare(one, other))


_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _number(text: str) -> float | int:
    """A query's value as a number; what is none counts as 0, as Go's `ParseFloat` leaves it."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return 0


def _modified(value: Json, modifier: Modifier) -> Json:
    match modifier.name:
        case "flatten":
            is_deep = '"deep":true' in modifier.argument.replace(" ", "")
            return list(_flat(value, is_deep)) if isinstance(value, list) else value
        case "reverse":
            return value[::-1] if isinstance(value, list) else value
        case "keys":
            return sorted(value) if isinstance(value, dict) else [None for _ in as_items(value)]
        case "values":
            return (
                [value[key] for key in sorted(value)]
                if isinstance(value, dict)
                else as_items(value)
            )
    return value


def _flat(items: list[Json], is_deep: bool) -> Iterator[Json]:
    for item in items:
        if isinstance(item, list):
            yield from _flat(item, is_deep) if is_deep else item
        else:
            yield item
