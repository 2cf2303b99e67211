"""Writing by a path, as sjson does it, but never through what stands for several things at once.

Nothing that was given is changed; what was not touched is shared with it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from spokerender.wings.publishing.jsonpaths.parsing import (
    Each,
    Key,
    PathProblem,
    Query,
    Steps,
    parse,
)
from spokerender.wings.publishing.jsonpaths.reading import chosen_by, get

Json: TypeAlias = Any
"""None, bool, int, float, str, and lists and string-keyed dicts of these."""

MAX_INDEX = 10_000
"""Up to this item a list is filled with nulls, where a path leads past its end."""


def put(data: Json, path: str, value: Json) -> Json:
    """The data with the value at the path; parents that are missing are made.

    `-1` is the place after the last item. A query leads to one item, and only to what it has:
    where there is none, nothing is changed. Raises `PathProblem`.
    """
    steps = _plain(path, "written to")
    if any(isinstance(step, Query) for step in steps) and get(data, path) is None:
        return data
    return _put(data, steps, value)


def delete(data: Json, path: str) -> Json:
    """The data without what is at the path, or as it is where nothing is there.

    `-1` is the last item. Raises `PathProblem`, also for a query, which sjson refuses.
    """
    steps = _plain(path, "deleted")
    if any(isinstance(step, Query) for step in steps):
        message = "nothing can be deleted through a query"
        raise PathProblem(message)
    return _delete(data, steps)


def _plain(path: str, what: str) -> Steps:
    steps = parse(path)
    for step in steps:
        is_one = isinstance(step, Key) and step.pattern is None
        is_one = is_one or (isinstance(step, Query) and not step.all)
        if not is_one:
            sign = "#" if isinstance(step, Each | Query) else "a wildcard, | or @"
            message = f"nothing can be {what} through {sign}: it stands for several things at once"
            raise PathProblem(message)
        if isinstance(step, Key) and not step.name:
            message = "a step is empty: the path begins or ends with a dot, or has two in a row"
            raise PathProblem(message)
        if isinstance(step, Key) and (step.index or 0) > MAX_INDEX:
            message = f"an index above {MAX_INDEX:,}"
            raise PathProblem(message)
    return steps


def _put(data: Json, steps: Steps, value: Json) -> Json:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, Query):
        chosen = next(chosen_by(step, data))
        place = next(place for place, item in enumerate(data) if item is chosen)
        return [*data[:place], _put(chosen, rest, value), *data[place + 1 :]]
    assert isinstance(step, Key)  # noqa: S101  (`_plain` let nothing else through)
    if not isinstance(data, dict | list):
        data = [] if step.index is not None or (data is None and step.is_last) else {}
    if isinstance(data, dict):
        return {**data, step.written: _put(data.get(step.written), rest, value)}
    index = len(data) if step.is_last else step.index
    if index is None:
        message = f'"{step.name}" is no index, and there is a list'
        raise PathProblem(message)
    filled = [*data, *[None] * (index + 1 - len(data))]
    filled[index] = _put(filled[index], rest, value)
    return filled


def _delete(data: Json, steps: Steps) -> Json:
    step, rest = steps[0], steps[1:]
    assert isinstance(step, Key)  # noqa: S101  (`delete` let nothing else through)
    name = step.written if isinstance(data, dict) else ""
    if isinstance(data, dict) and name in data:
        if rest:
            return {**data, name: _delete(data[name], rest)}
        return {key: item for key, item in data.items() if key != name}
    if not isinstance(data, list):
        return data
    place = len(data) - 1 if step.is_last else step.index
    if place is None or not 0 <= place < len(data):
        return data
    changed = [_delete(data[place], rest)] if rest else []
    return [*data[:place], *changed, *data[place + 1 :]]
