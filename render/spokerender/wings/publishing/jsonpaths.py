"""Access to JSON by a path, as in upstream's sync agent: gjson's paths to read, sjson's to write.

Written from gjson's SYNTAX.md and sjson's README, on plain data instead of JSON text, so that
numbers stay exact and text is not HTML-escaped. A path has keys, indices, `#`, queries for equality
(`#(type=="Ready")`) and a last `@flatten`; other queries and modifiers, and wildcards, are refused.
Writing through `#` is refused as well: sjson would put the same text into every item, or do
nothing.
"""

import re
from functools import lru_cache
from itertools import chain
from typing import NoReturn

from msgspec import Struct

from spokerender.model.shapes import Json, as_list
from spokerender.wings.publishing import gojson

MAX_PATH = 2_000
"""The most characters of a path."""
MAX_STEPS = 100
"""The most steps of a path."""
MAX_INDEX = 10_000
"""The highest index that can be written: a path beyond the end fills the list with nulls."""
_MAX_INDEX_DIGITS = 9
_KEY = re.compile(r"(?:\\.|[^.\\])*\\?", re.DOTALL)
# People write so to conditions and ports, which are items of lists with names.
_QUERY = re.compile(r'#\(([^()="\s!<>%]+) *==? *(?:"([^"\\]*)"|([^()"\s]+))\)(#?)(?=\.|$)')
_FLATTEN = re.compile(r"[.|]@flatten$")
_UNSUPPORTED = re.compile(r"^[{\[!@]|^#.|(?<!\\)(?:\\\\)*[*?|]", re.DOTALL)
"""Steps that gjson reads as more than a key, such as queries, modifiers and wildcards."""


class JsonPathError(Exception):
    """A path is invalid, or is refused here; the text gives the reason."""


class FoundValue(Struct, frozen=True):
    """The value at a path; it may be null."""

    value: Json


class _Step(Struct, frozen=True):
    """A key of a mapping, an index of a list, or a selection of a list's items.

    With `is_each` the step selects all items, otherwise the first item that has the value `equals`
    at the path `where`.
    """

    name: str
    is_each: bool = False
    where: str = ""
    equals: str = ""

    @property
    def index(self) -> int | None:
        """The index, or None for a key that is not a number."""
        is_index = self.name.isascii() and self.name.isdigit()
        # Longer digits are keys, as no list has so many items.
        return int(self.name) if is_index and len(self.name) <= _MAX_INDEX_DIGITS else None

    @property
    def is_end(self) -> bool:
        """True for -1, which is the end of a list in sjson."""
        return self.name == "-1"

    @property
    def written_name(self) -> str:
        """The key to write: without the leading `:` that marks a key like `:0` as no index."""
        return self.name[1:] if self.name.startswith(":") and self.name != ":" else self.name


_Steps = tuple[_Step, ...]


def get_path(data: Json, path: str) -> FoundValue | None:
    """Return the value at a path, or None if the path leads nowhere. Raises `JsonPathError`."""
    flatten = _FLATTEN.search(path)
    result = _follow(data, _parse(path[: flatten.start()] if flatten else path))
    if flatten is None or result is None or not isinstance(result.value, list):
        return result
    lists = (item if isinstance(item, list) else [item] for item in result.value)
    return FoundValue([*chain.from_iterable(lists)])


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
    """Return a value as gjson's `Array()` does: [] for null, [value] unless it is a list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def read_number(text: str) -> float | int:
    """Read a number in a text; other texts count as 0, as in Go after a failed `ParseFloat`."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return 0


def put_path(data: Json, path: str, value: Json) -> Json:
    """Return the data with the value at the path; missing parents are created.

    `-1` appends to a list. `data` is not changed, and the result shares its unchanged parts. Raises
    `JsonPathError`.
    """
    steps = _parse_single(path, "written")
    if any(step.where for step in steps) and _follow(data, steps) is None:
        return data  # like sjson: a query that selects nothing has no place to write to
    return _put(data, steps, value)


def delete_path(data: Json, path: str) -> Json:
    """Return a copy without the value at the path (`-1`: last item). Raises `JsonPathError`."""
    steps = _parse_single(path, "deleted")
    if any(step.where for step in steps):
        _reject("nothing can be deleted through a query")  # sjson refuses it, too
    return _delete(data, steps)


# The same few paths are used for each object of a kind.
@lru_cache(maxsize=4096)
def _parse(path: str) -> _Steps:
    if not path:
        _reject("the path is empty")
    if len(path) > MAX_PATH:
        _reject(f"the path has more than {MAX_PATH:,} characters")
    steps: list[_Step] = []
    position = 0
    while True:
        query = _QUERY.match(path, position)
        # A query first: to a key it would only be characters.
        match = query or _KEY.match(path, position)
        text = match[0] if match is not None else ""
        if query is not None:
            steps.append(_Step(text, query[4] == "#", query[1], query[2] or query[3] or ""))
        elif _UNSUPPORTED.search(text):
            cure = "write keys and indices, with \\ before a sign that is part of a key"
            _reject(f"{text} is not supported: {cure}")
        else:
            name = re.sub(r"\\(.?)", r"\1", text, flags=re.DOTALL)
            steps.append(_Step(name, is_each=text == "#"))
        position += len(text) + 1
        # A final dot leaves one more, empty step.
        if position > len(path):
            break
    if len(steps) > MAX_STEPS:
        _reject(f"the path has more than {MAX_STEPS} steps")
    return tuple(steps)


def _parse_single(path: str, verb: str) -> _Steps:
    """Parse a path that leads to one place. Raises `JsonPathError` for any other path."""
    steps = _parse(path)
    for step in steps:
        if step.is_each:
            _reject(f"nothing can be {verb} through #, which stands for several places")
        if not step.name:
            _reject("a step is empty: the path begins or ends with a dot, or has two in a row")
        if (step.index or 0) > MAX_INDEX:
            _reject(f"the index {step.name} is above {MAX_INDEX:,}")
    return steps


def _reject(message: str) -> NoReturn:
    raise JsonPathError(message)


def _follow(value: Json, steps: _Steps) -> FoundValue | None:
    for number, step in enumerate(steps, 1):
        if step.is_each:
            return _follow_each(value, step, steps[number:])
        if step.where:
            place = _select(value, step)
            if place is None:
                return None
            value = value[place]
        elif isinstance(value, list):
            index = step.index
            if index is None or index >= len(value):
                return None
            value = value[index]
        elif isinstance(value, dict) and step.name in value:
            value = value[step.name]
        else:
            return None
    return FoundValue(value)


def _follow_each(value: Json, step: _Step, rest: _Steps) -> FoundValue | None:
    """Return the values at `rest` in all selected items; the number of items for `#` at the end."""
    if not isinstance(value, list):
        return None
    if not rest and not step.where:
        return FoundValue(len(value))
    items = (item for item in value if not step.where or _is_selected(item, step))
    results = (_follow(item, rest) for item in items)
    return FoundValue([result.value for result in results if result is not None])


def _select(value: Json, step: _Step) -> int | None:
    """Return the index of the first item that a query selects in a list, or None."""
    items = enumerate(as_list(value))
    return next((i for i, item in items if _is_selected(item, step)), None)


def _is_selected(item: Json, step: _Step) -> bool:
    """Return whether a query selects an item; as in gjson, the type of the item's value counts."""
    result = _follow(item, _parse(step.where))
    match result:
        case FoundValue(value=bool(value)):
            return step.equals == ("true" if value else "false")
        case FoundValue(value=int(value) | float(value)):
            return value == read_number(step.equals)
    return result is not None and result.value == step.equals


def _put(data: Json, steps: _Steps, value: Json) -> Json:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if step.where:
        place = _select(data, step)
        assert place is not None  # noqa: S101  (`put_path` has followed the path)
        # Copies along the path only, so that unchanged parts stay shared.
        return [*data[:place], _put(data[place], rest, value), *data[place + 1 :]]
    # sjson creates missing parents: a list for an index, or else a mapping.
    if not isinstance(data, dict | list):
        data = [] if step.index is not None or (data is None and step.is_end) else {}
    if isinstance(data, dict):
        return {**data, step.written_name: _put(data.get(step.written_name), rest, value)}
    index = len(data) if step.is_end else step.index
    if index is None:
        _reject(f'"{step.name}" is not an index of a list')
    filled = [*data, *[None] * (index + 1 - len(data))]
    filled[index] = _put(filled[index], rest, value)
    return filled


def _delete(data: Json, steps: _Steps) -> Json:
    step, rest = steps[0], steps[1:]
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
