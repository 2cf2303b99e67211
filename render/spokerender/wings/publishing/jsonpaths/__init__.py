"""Access to JSON by a path, as upstream's sync agent has it: gjson's to read, sjson's to write.

Written from the documented syntax, on plain data instead of JSON text, so that numbers stay exact
and text is not HTML-escaped. Writing through `#` or a wildcard is refused: sjson then puts one text
into every item, or does nothing.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.model.shapes import Json
from spokerender.wings.publishing import gojson
from spokerender.wings.publishing.jsonpaths.paths import (
    EachStep,
    KeyStep,
    ModifierStep,
    PathSteps,
    PipeStep,
    QueryStep,
    parse_path,
    reject_path,
)

MAX_INDEX = 10_000
"""The highest index that can be written: a path beyond the end fills the list with nulls."""


class FoundValue(Struct, frozen=True):
    """The value at a path; it may be null."""

    value: Json


def get_path(data: Json, path: str) -> FoundValue | None:
    """Return the value at a path, or None if there is none. Raises `JsonPathError`."""
    return _follow_pipes(FoundValue(data), parse_path(path))


def format_result(value: Json) -> str:
    """Format a value as gjson's `String()`: JSON for lists and mappings, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return gojson.format_decimal(value)
    return gojson.encode(value, sort_keys=True, escape_html=False)


def list_result(value: Json) -> list[Json]:
    """List a value as gjson's `Array()`: nothing for null, and one item for what is no list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _follow_pipes(result: FoundValue | None, steps: PathSteps) -> FoundValue | None:
    """Follow the steps; a pipe passes the whole result before it to the steps after it."""
    while steps and result is not None:
        end = next((i for i, step in enumerate(steps) if isinstance(step, PipeStep)), len(steps))
        result = _follow(result.value, steps[:end])
        steps = steps[end + 1 :]
    return result


def _follow(value: Json, steps: PathSteps) -> FoundValue | None:
    for index, step in enumerate(steps):
        match step:
            case KeyStep(pattern=re.Pattern()) if index < len(steps) - 1:
                # In each match, until the steps after the wildcard lead to something.
                names = _match_keys(value, step) if isinstance(value, dict) else ()
                children = (value[name] for name in names if isinstance(value[name], dict | list))
                results = (_follow(child, steps[index + 1 :]) for child in children)
                return next((each for each in results if each is not None), None)
            case KeyStep():
                result = _get_child(value, step)
            case ModifierStep():
                result = FoundValue(_modify(value, step))
            case QueryStep(is_all=False):
                result = next((FoundValue(item) for item in _select_items(step, value)), None)
            case _:
                return _follow_items(value, step, steps[index + 1 :])
        if result is None:
            return None
        value = result.value
    return FoundValue(value)


def _follow_items(
    value: Json, step: EachStep | QueryStep | PipeStep, rest: PathSteps
) -> FoundValue | None:
    """Follow the steps after `#` or `#(…)#` in each item; items without a result are left out."""
    if not isinstance(value, list):
        return None
    if isinstance(step, QueryStep):
        items = list(_select_items(step, value))
    elif not rest:
        return FoundValue(len(value))
    else:
        items = value
    results = (_follow(item, rest) for item in items)
    return FoundValue([result.value for result in results if result is not None])


def _match_keys(value: Mapping[str, Json], key: KeyStep) -> Iterator[str]:
    return (name for name in sorted(value) if key.pattern and key.pattern.fullmatch(name))


def _get_child(value: Json, key: KeyStep) -> FoundValue | None:
    if isinstance(value, list):
        index = key.index
        return FoundValue(value[index]) if index is not None and index < len(value) else None
    if not isinstance(value, dict):
        return None
    if key.pattern is not None:
        return next((FoundValue(value[name]) for name in _match_keys(value, key)), None)
    return FoundValue(value[key.name]) if key.name in value else None


def _select_items(query: QueryStep, value: Json) -> Iterator[Json]:
    for item in value if isinstance(value, list) else ():
        result = _follow_pipes(FoundValue(item), query.path)
        if result is not None and _is_match(result.value, query):
            yield item


def _is_match(value: Json, query: QueryStep) -> bool:
    """Check a comparison; the type of the data decides how, as in gjson."""
    sign = query.operator
    match value:
        case _ if not sign:
            return True
        case bool() if sign == (">=" if value else "<="):
            return True  # gjson compares so, whatever the query's value is
        case bool():
            is_bool = query.value in {"true", "false"}
            return is_bool and _compare(value, sign, query.value == "true")
        case int() | float():
            return _compare(value, sign, read_number(query.value))
        case str() if query.pattern is not None:
            return (query.pattern.fullmatch(value) is not None) == (sign == "%")
    return isinstance(value, str) and _compare(value, sign, query.value)


def _compare(one: Any, sign: str, other: Any) -> bool:  # noqa: ANN401  (both of one type)
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


def read_number(text: str) -> float | int:
    """Read a number in a text; other texts count as 0, as in Go after a failed `ParseFloat`."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return 0


def _modify(value: Json, modifier: ModifierStep) -> Json:
    match modifier.name:
        case "flatten" if isinstance(value, list):
            return list(_flatten(value, '"deep":true' in modifier.argument.replace(" ", "")))
        case "reverse" if isinstance(value, list):
            return value[::-1]
        case "keys":
            return sorted(value) if isinstance(value, dict) else [None for _ in list_result(value)]
        case "values" if isinstance(value, dict):
            return [value[key] for key in sorted(value)]
        case "values":
            return list_result(value)
    return value


def _flatten(items: list[Json], is_deep: bool) -> Iterator[Json]:
    for item in items:
        if isinstance(item, list):
            yield from _flatten(item, is_deep) if is_deep else item
        else:
            yield item


def put_path(data: Json, path: str, value: Json) -> Json:
    """Return the data with the value at the path, and with the parents that it needs.

    `-1` appends to a list. A query selects one item; without a match the data stays as it is.
    `data` is not changed, and the result shares the parts that stay. Raises `JsonPathError`.
    """
    steps = _parse_single(path, "written")
    if any(isinstance(step, QueryStep) for step in steps) and get_path(data, path) is None:
        return data
    return _put(data, steps, value)


def delete_path(data: Json, path: str) -> Json:
    """Return the data without the value at the path; `-1` is the last item of a list.

    `data` is not changed. Raises `JsonPathError`, also for a query, which sjson refuses.
    """
    steps = _parse_single(path, "deleted")
    if any(isinstance(step, QueryStep) for step in steps):
        reject_path("nothing can be deleted through a query")
    return _delete(data, steps)


def _parse_single(path: str, verb: str) -> PathSteps:
    """Parse a path that leads to one place. Raises `JsonPathError` for others."""
    steps = parse_path(path)
    for step in steps:
        is_single = isinstance(step, KeyStep) and step.pattern is None
        if not is_single and not (isinstance(step, QueryStep) and not step.is_all):
            sign = "#" if isinstance(step, EachStep | QueryStep) else "a wildcard, | or @"
            reject_path(f"nothing can be {verb} through {sign}, which stands for several places")
        if isinstance(step, KeyStep) and not step.name:
            reject_path("a step is empty: the path begins or ends with a dot, or has two in a row")
        if isinstance(step, KeyStep) and (step.index or 0) > MAX_INDEX:
            reject_path(f"the index {step.name} is above {MAX_INDEX:,}")
    return steps


def _put(data: Json, steps: PathSteps, value: Json) -> Json:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, QueryStep):
        selected = next(_select_items(step, data))
        place = next(place for place, item in enumerate(data) if item is selected)
        return [*data[:place], _put(selected, rest, value), *data[place + 1 :]]
    assert isinstance(step, KeyStep)  # noqa: S101  (see `_parse_single`)
    if not isinstance(data, dict | list):
        data = [] if step.index is not None or (data is None and step.is_end) else {}
    if isinstance(data, dict):
        return {**data, step.written_name: _put(data.get(step.written_name), rest, value)}
    index = len(data) if step.is_end else step.index
    if index is None:
        reject_path(f'"{step.name}" is not an index of a list')
    filled = [*data, *[None] * (index + 1 - len(data))]
    filled[index] = _put(filled[index], rest, value)
    return filled


def _delete(data: Json, steps: PathSteps) -> Json:
    step, rest = steps[0], steps[1:]
    assert isinstance(step, KeyStep)  # noqa: S101  (see `delete_path`)
    name = step.written_name if isinstance(data, dict) else ""
    if isinstance(data, dict) and name in data:
        if rest:
            return {**data, name: _delete(data[name], rest)}
        return {key: item for key, item in data.items() if key != name}
    if not isinstance(data, list):
        return data
    index = len(data) - 1 if step.is_end else step.index
    if index is None or not 0 <= index < len(data):
        return data
    changed = [_delete(data[index], rest)] if rest else []
    return [*data[:index], *changed, *data[index + 1 :]]
