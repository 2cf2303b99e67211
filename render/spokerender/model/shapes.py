"""Functions that read JSON of any shape: a value of an unexpected type counts as empty.

Validation against schemas reports such values, once.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

Json: TypeAlias = Any
"""None, bool, int, float, str, and lists and string-keyed dicts of these."""
JsonObject = dict[str, Any]

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def match_words(texts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds the texts as whole words: `eu` is not found in `queue`."""
    # The longest first, since a pattern takes the first of its choices that fits.
    choices = "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))
    return re.compile(f"(?<![A-Za-z0-9])(?:{choices})(?![A-Za-z0-9])")


def grouped(items: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Return the values of each key, keys and values in the order of the items."""
    groups: dict[_Key, list[_Value]] = {}
    for key, value in items:
        groups.setdefault(key, []).append(value)
    return groups


def as_text(value: Json) -> str:
    """Return `value` if it is a text; otherwise an empty text."""
    return value if isinstance(value, str) else ""


def as_list(value: Json) -> list[Any]:
    """Return `value` if it is a list; otherwise an empty list."""
    return value if isinstance(value, list) else []


def as_mapping(value: Json) -> Mapping[str, Any]:
    """Return `value` if it is a mapping; otherwise an empty mapping."""
    # With `dict` in front, objects as parsed need no look at their type's base classes.
    return value if isinstance(value, (dict, Mapping)) else {}


def as_mappings(value: Json) -> list[Mapping[str, Any]]:
    """Return those items of a list that are mappings; none if `value` is no list."""
    return [item for item in as_list(value) if isinstance(item, (dict, Mapping))]


def is_list_of_objects(value: Json) -> bool:
    """Return whether `value` is a list object: its kind ends in `List`, and `items` is a list."""
    return (
        isinstance(value, Mapping)
        and as_text(value.get("kind")).endswith("List")
        and isinstance(value.get("items"), list)
    )


def objects_of(value: Json) -> list[Mapping[str, Any]]:
    """Return the items if `value` is a list object; otherwise `value` alone."""
    if is_list_of_objects(value):
        return as_mappings(value["items"])
    return [value] if isinstance(value, Mapping) else []


def map_children(data: Json, function: Callable[[Any], Any]) -> Json:
    """Return a mapping or list with the function applied to its values; scalars are unchanged."""
    if isinstance(data, Mapping):
        return {key: function(value) for key, value in data.items()}
    return [function(item) for item in data] if isinstance(data, list | tuple) else data


def list_leaves(
    value: Json, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the path and value of each leaf: a value that is no mapping, or an empty mapping."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from list_leaves(item, (*path, key))
    else:
        yield path, value


def plain_json(data: Json) -> Json:
    """Return a copy that consists of plain lists and dicts."""
    return map_children(data, plain_json)


def without_nulls(data: Json) -> Json:
    """Return JSON without the keys whose value is null, which the API server treats as absent."""
    if isinstance(data, Mapping):
        return {key: without_nulls(item) for key, item in data.items() if item is not None}
    return [without_nulls(item) for item in data] if isinstance(data, list) else data


def exact_text(data: Json) -> str:
    """Return JSON as a text for comparison, in which 1, 1.0 and true differ, unlike with `==`."""
    # The order of keys means nothing in JSON.
    return json.dumps(data, sort_keys=True)


def is_unicode(text: str) -> bool:
    """Return whether a text is valid Unicode: in Python, lone surrogates stand for other bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a value that is made of Structs, tuples and sets, in no order."""
    pending = [value]
    while pending:
        # With a list instead of recursion: values may be nested as deeply as their text.
        part = pending.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, tuple | frozenset):
            pending += part
        elif isinstance(part, Struct):
            pending += [getattr(part, name) for name in part.__struct_fields__]


def keys_in(data: Json) -> Iterator[str]:
    """Yield every key in JSON-like data."""
    return (text for text, is_key in _texts_and_keys(data) if is_key)


def strings_in(data: Json) -> Iterator[str]:
    """Yield every string in JSON-like data, including keys."""
    return (text for text, _ in _texts_and_keys(data))


def _texts_and_keys(data: Json) -> Iterator[tuple[str, bool]]:
    if isinstance(data, str):
        yield data, False
    elif isinstance(data, dict):
        for key, value in data.items():
            yield str(key), True
            yield from _texts_and_keys(value)
    elif isinstance(data, (list, tuple)):
        for item in data:
            yield from _texts_and_keys(item)


def scalars_in(data: Json) -> Iterator[str | int | float]:
    """Yield every text, number and key in JSON-like data, in no order; fast on whole hubs."""
    pending = [data]
    while pending:
        value = pending.pop()
        # With a list of what is left instead of recursion: nested generators hand each value
        # through all levels above it.
        if isinstance(value, dict):
            yield from value
            pending += value.values()
        elif isinstance(value, (list, tuple)):
            pending += value
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            yield value
