"""Fields of objects: reads values by path or pattern, and applies edits that copy only changes."""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any, Final

from msgspec import Struct, field

from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json

EACH_ITEM = "[]"
EACH_VALUE = "*"
ANYWHERE = "**"
"""The segment that stands for any number of keys and indices: `spec.**.secretRef`."""


@cache
def split_pattern(pattern: str) -> tuple[str, ...]:
    """Return the segments of a pattern, split at its dots; `[]` is a segment of its own."""
    return tuple(pattern.replace(EACH_ITEM, "." + EACH_ITEM).split("."))


def find_values(data: Json, pattern: str) -> list[tuple[FieldPath, Any]]:
    """Return each path in `data` that matches the pattern, in document order, with its value.

    Values that are absent, null or of another type than the pattern expects are skipped.
    """
    keys, rest = _parts(pattern)
    for key in keys:
        data = data.get(key) if isinstance(data, (dict, Mapping)) else None  # a dict is told fast
        if data is None:
            return []
    places: list[tuple[FieldPath, Any]] = [(keys, data)]
    for segment in rest:
        places = [place for path, value in places for place in _step(path, value, segment)]
    return places


@cache
def _parts(pattern: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a pattern's keys before its first `[]`, `*` or `**`, and the remaining segments."""
    parts = split_pattern(pattern)
    wide = (EACH_ITEM, EACH_VALUE, ANYWHERE)
    many = (index for index, part in enumerate(parts) if part in wide)
    first = next(many, len(parts))
    return parts[:first], parts[first:]


def find_mismatches(data: Json, pattern: str) -> list[tuple[FieldPath, str]]:
    """Return the paths at which `data` has a wrong type for the pattern, and the expected type.

    The value at the end of the pattern has to be a mapping. Absent values and null are no mismatch:
    the API server treats both as "not set".
    """
    places: list[tuple[FieldPath, Any]] = [((), data)]
    wrong: list[tuple[FieldPath, str]] = []
    for segment in (*split_pattern(pattern), None):
        expected, name = (list, "list") if segment == EACH_ITEM else (Mapping, "mapping")
        wrong += [(path, name) for path, value in places if not isinstance(value, expected)]
        if segment is not None:
            places = [place for path, value in places for place in _step(path, value, segment)]
    return wrong


def _step(path: FieldPath, value: Json, segment: str) -> Iterator[tuple[FieldPath, Any]]:
    if segment == ANYWHERE:
        yield path, value
        for key, item in (*_items(value, EACH_ITEM), *_items(value, EACH_VALUE)):
            # Scalars contain nothing, and a step for each would take most of the time of judging.
            if not (item is None or isinstance(item, (str, int, float))):
                yield from _step((*path, key), item, segment)
        return
    for key, item in _items(value, segment):
        if item is not None:
            yield (*path, key), item


def _items(value: Json, segment: str) -> Iterable[tuple[str | int, Any]]:
    if segment == EACH_ITEM:
        return enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, (dict, Mapping)):
        return ()
    return value.items() if segment == EACH_VALUE else ((segment, value.get(segment)),)


class _Removal(Enum):
    REMOVE = "REMOVE"


Edits = dict[FieldPath, Any]
"""New values by their paths."""

REMOVE: Final = _Removal.REMOVE
"""The value of an edit that removes the key or list item."""


class _Node(Struct):
    """The edits at one path: optionally a new value, and edits inside the value."""

    changed: bool = False
    value: Any = None
    children: "dict[str | int, _Node]" = field(default_factory=dict)

    @property
    def creates(self) -> bool:
        """Return whether the edits leave a value here if there was none before."""
        if self.changed and self.value is REMOVE:
            return False
        return self.changed or any(child.creates for child in self.children.values())


def overlap(one: FieldPath, other: FieldPath) -> bool:
    """Return whether two paths are equal, or one leads into the value at the other."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def find_opened(patterns: Iterable[str], spec: Mapping[Any, Any], path: FieldPath) -> FieldPath:
    """Return the path of the part of `spec` around `path` with `failOpen: true`; else empty."""
    for pattern in patterns:
        keys = split_pattern(pattern)
        part = path[: len(keys)]
        if path[:1] == keys[:1] and read_value(spec, (*part, "failOpen")) is True:
            return part
    return ()


def read_value(data: Json, path: FieldPath, default: Json = None) -> Json:
    """Return the value at a path, or the default if there is none; raise nothing."""
    for key in path:
        if isinstance(data, (dict, Mapping)):
            if key not in data:
                return default
            data = data[key]
        elif isinstance(data, list) and isinstance(key, int) and 0 <= key < len(data):
            data = data[key]
        else:
            return default
    return data


def is_written(patch: Json, path: Iterable[object]) -> bool:
    """Return whether a merge patch (RFC 7386) sets a field, or replaces a parent of it."""
    for step in path:
        if not isinstance(patch, Mapping):
            return True
        if step not in patch:
            return False
        patch = patch[step]
    return True


def apply_edits(data: Json, edits: Mapping[FieldPath, Any]) -> Json:
    """Return `data` with all edits applied at once; `data` and the new values are never changed.

    Missing (or null) mappings on the path to a new value are created. A new key comes last, but
    `namespace` comes right after `name`. Indices are those of the original list. If one edit is
    inside another, the outer edit is applied first; nothing is put into a removed value. Without
    any change the result is `data` itself.

    Raises:
    LookupError: an index that the list does not have.
    TypeError: a path that leads through something that is neither mapping nor list, or an
    index into a mapping.
    ValueError: the removal of all of `data`.
    """
    root = _Node()
    # As a tree, so that each mapping is copied once, however many edits are inside of it.
    for path, value in edits.items():
        node = root
        for key in path:
            node = node.children.setdefault(key, _Node())
        node.changed, node.value = True, value
    result = _applied(data, root, ())
    if result is REMOVE:
        raise ValueError("the whole object can't be removed from itself")
    return result


def _applied(data: Json, node: _Node, path: FieldPath) -> Json:
    if node.changed:
        if node.value is REMOVE:
            return REMOVE
        # An equal text is no change, and `data` itself is returned. For other types, equality says
        # too little (1 == True).
        same = type(node.value) is type(data) and isinstance(data, str) and node.value == data
        data = data if same else node.value
    if not node.children:
        return data
    if isinstance(data, list):
        return _list(data, node, path)
    if data is None or isinstance(data, dict):
        return _mapping(data, node, path)
    message = f"{path} is a {type(data).__name__}, so it has no {next(iter(node.children))!r}"
    raise TypeError(message)


def _list(data: list[Any], node: _Node, path: FieldPath) -> list[Any]:
    for key in node.children:
        if not isinstance(key, int) or not 0 <= key < len(data):
            raise LookupError(f"{path} has {len(data)} items and no {key!r}")
    items = [
        _applied(item, node.children[index], (*path, index)) if index in node.children else item
        for index, item in enumerate(data)
    ]
    # Before removals, so that indices are still those of the original list.
    if all(new is old for new, old in zip(items, data, strict=True)):
        return data
    return [item for item in items if item is not REMOVE]


def _mapping(data: dict[str, Any] | None, node: _Node, path: FieldPath) -> dict[str, Any] | None:
    result, changed = dict(data or {}), False
    for key, child in node.children.items():
        if not isinstance(key, str):
            raise TypeError(f"{path} is a mapping and has no index {key!r}")
        # Removing an absent value must not create the mappings on its path.
        if key not in result and not child.creates:
            continue
        value = _applied(result.get(key), child, (*path, key))
        if value is REMOVE:
            del result[key]
        elif key in result and value is result[key]:
            continue
        elif key == "namespace" and key not in result and "name" in result:
            result = _after_name(result, value)
        else:
            result[key] = value
        changed = True
    return result if changed else data


def _after_name(data: dict[str, Any], namespace: Json) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in data.items():
        result[key] = value
        if key == "name":
            result["namespace"] = namespace
    return result
