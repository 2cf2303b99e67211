"""Lists. Source: Go's text/template (`len`, `index`, `slice`), sprig's list.go and strings.go."""

from __future__ import annotations

from spokerender.wings.publishing.gotemplates.functions.texts import to_string
from spokerender.wings.publishing.gotemplates.problems import TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import Function
from spokerender.wings.publishing.gotemplates.values import (
    MAX_MADE,
    Record,
    Value,
    bounded,
    is_true,
    type_name,
)


def _len(value: Value) -> int:
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, list | dict):
        return len(value)
    message = f"a {type_name(value)} has no length"
    raise TemplateProblem(message)


def _index(value: Value, *keys: Value) -> Value:
    for key in keys:
        if isinstance(value, dict):
            if not isinstance(key, str):
                message = f"a map has no key of type {type_name(key)}"
                raise TemplateProblem(message)
            value = value.get(key)
        elif isinstance(value, list | str):
            value = _item(value, key)
        else:
            message = f"a {type_name(value)} can't be indexed"
            raise TemplateProblem(message)
    return value


def _item(value: list[Value] | str, key: Value) -> Value:
    items = value.encode() if isinstance(value, str) else value
    if isinstance(key, bool) or not isinstance(key, int):
        message = f"a {type_name(key)} is no index"
        raise TemplateProblem(message)
    if not 0 <= key < len(items):
        message = f"index out of range: {key}"
        raise TemplateProblem(message)
    return items[key]


def _slice(items: list[Value], start: int = 0, end: int | None = None) -> list[Value]:
    end = len(items) if end is None else end
    if not 0 <= start <= end <= len(items):
        message = "slice bounds out of range"
        raise TemplateProblem(message)
    return items[start:end]


def _strings(value: Value) -> list[str]:
    """What sprig makes texts of; what is missing in a list is left out."""
    if isinstance(value, list):
        return [to_string(item) for item in value if item is not None]
    return [] if value is None else [to_string(value)]


def _join(by: str, value: Value) -> str:
    texts = _strings(value)
    bounded(sum(map(len, texts)) + len(by) * len(texts))
    return by.join(texts)


def _split(by: str, text: str) -> list[str]:
    return text.split(by) if by else list(text)


def _uniq(items: list[Value]) -> list[Value]:
    return [item for index, item in enumerate(items) if not _has(item, items[:index])]


def _has(needle: Value, items: Value) -> bool:
    if items is None:
        return False
    if not isinstance(items, list):
        message = f"it can't look into {type_name(items)}"
        raise TemplateProblem(message)
    return any(type(item) is type(needle) and item == needle for item in items)


def _uniq_bounded(items: list[Value]) -> list[Value]:
    if len(items) ** 2 > MAX_MADE:
        message = f"a list of {len(items):,} items is too long"
        raise TemplateProblem(message)
    return _uniq(items)


def _until(count: int) -> list[int]:
    bounded(abs(count))
    return list(range(0, count, 1 if count >= 0 else -1))


def _concat(*lists: list[Value]) -> list[Value]:
    bounded(sum(map(len, lists)))
    return [item for items in lists for item in items]


def _list(*items: Value) -> list[Value]:
    if any(isinstance(item, Record) for item in items):
        message = "it takes no whole objects of the agent's"
        raise TemplateProblem(message)
    return list(items)


FUNCTIONS = (
    Function("len", _len, ("any",)),
    Function("index", _index, ("any", "any"), more=True),
    Function("slice", _slice, ("list", "integer", "integer"), optional=2),
    Function("list", _list, ("any",), more=True, nests=True),
    Function("tuple", _list, ("any",), more=True, nests=True),
    Function("join", _join, ("string", "any")),
    Function("splitList", _split, ("string", "string")),
    Function("first", lambda items: items[0] if items else None, ("list",)),
    Function("last", lambda items: items[-1] if items else None, ("list",)),
    Function("rest", lambda items: items[1:], ("list",)),
    Function("initial", lambda items: items[:-1], ("list",)),
    Function("append", lambda items, item: [*items, item], ("list", "any"), nests=True),
    Function("prepend", lambda items, item: [item, *items], ("list", "any"), nests=True),
    Function("concat", _concat, ("list",), more=True, nests=True),
    Function("reverse", lambda items: items[::-1], ("list",)),
    Function("uniq", _uniq_bounded, ("list",)),
    Function(
        "without",
        lambda items, *gone: [i for i in items if not _has(i, [*gone])],
        ("list", "any"),
        more=True,
    ),
    Function("has", _has, ("any", "any")),
    Function("compact", lambda items: [item for item in items if is_true(item)], ("list",)),
    Function("sortAlpha", lambda value: sorted(_strings(value)), ("any",)),
    Function("toStrings", _strings, ("any",)),
    Function("until", _until, ("whole",)),
)
