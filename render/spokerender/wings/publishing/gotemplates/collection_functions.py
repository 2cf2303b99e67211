"""Functions of lists and maps; none changes its arguments.

Source: Go's text/template (`len`, `index`, `slice`), sprig's list.go, dict.go and strings.go.
"""

from spokerender.wings.publishing.gotemplates.values import (
    MAX_OUTPUT,
    GoStruct,
    GoValue,
    TemplateFunction,
    check_size,
    format_value,
    is_truthy,
    name_go_type,
    reject_template,
)


def _len(value: GoValue) -> int:
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, list | dict):
        return len(value)
    return reject_template(f"{name_go_type(value)} has no length")


def _index(value: GoValue, *keys: GoValue) -> GoValue:
    for key in keys:
        if isinstance(value, dict):
            if not isinstance(key, str):
                reject_template(f"a map has no key of type {name_go_type(key)}")
            value = value.get(key)
        elif isinstance(value, list | str):
            value = _read_item(value, key)
        else:
            reject_template(f"{name_go_type(value)} can't be indexed")
    return value


def _read_item(value: list[GoValue] | str, key: GoValue) -> GoValue:
    items = value.encode() if isinstance(value, str) else value
    if isinstance(key, bool) or not isinstance(key, int):
        reject_template(f"{name_go_type(key)} is not an index")
    if not 0 <= key < len(items):
        reject_template(f"index out of range: {key}")
    return items[key]


def _slice(items: list[GoValue], start: int = 0, end: int | None = None) -> list[GoValue]:
    end = len(items) if end is None else end
    if not 0 <= start <= end <= len(items):
        reject_template("slice bounds out of range")
    return items[start:end]


def _to_strings(value: GoValue) -> list[str]:
    """Format the items of a list, without nil, or one value as a list."""
    if isinstance(value, list):
        return [format_value(item) for item in value if item is not None]
    return [] if value is None else [format_value(value)]


def _join(separator: str, value: GoValue) -> str:
    texts = _to_strings(value)
    check_size(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _has(needle: GoValue, items: GoValue) -> bool:
    if items is None:
        return False
    if not isinstance(items, list):
        reject_template(f"{name_go_type(items)} can't be searched")
    return any(type(item) is type(needle) and item == needle for item in items)


def _uniq(items: list[GoValue]) -> list[GoValue]:
    if len(items) ** 2 > MAX_OUTPUT:  # each item is compared with all before it
        reject_template(f"a list of {len(items):,} items is too long")
    return [item for index, item in enumerate(items) if not _has(item, items[:index])]


def _until(count: int) -> list[int]:
    check_size(abs(count))
    return list(range(0, count, 1 if count >= 0 else -1))


def _concat(*lists: list[GoValue]) -> list[GoValue]:
    check_size(sum(map(len, lists)))
    return [item for items in lists for item in items]


def _list(*items: GoValue) -> list[GoValue]:
    for item in items:
        if isinstance(item, GoStruct):
            reject_template(f"a list can't hold {item.name}")
    return list(items)


def _dict(*pairs: GoValue) -> dict[str, GoValue]:
    keys, values = pairs[::2], pairs[1::2]
    return {
        format_value(key): values[index] if index < len(values) else ""
        for index, key in enumerate(keys)
    }


def _dig(*arguments: GoValue) -> GoValue:
    """Return the value at a path of keys, or a default: `dig "a" "b" default map`."""
    *keys, default, value = arguments
    for key in keys:
        if not isinstance(value, dict):
            reject_template(f"dig can't look into {name_go_type(value)}")
        if key not in value:
            return default
        value = value[key]
    return value


def _pick(data: dict[str, GoValue], *keys: str) -> dict[str, GoValue]:
    return {key: value for key, value in data.items() if key in keys}


def _omit(data: dict[str, GoValue], *keys: str) -> dict[str, GoValue]:
    return {key: value for key, value in data.items() if key not in keys}


def _without(items: list[GoValue], *removed: GoValue) -> list[GoValue]:
    return [item for item in items if not _has(item, [*removed])]


FUNCTIONS = (
    TemplateFunction("len", _len, "any"),
    TemplateFunction("index", _index, "any any …"),
    TemplateFunction("slice", _slice, "list [integer] [integer]"),
    TemplateFunction("list", _list, "any …", nests=True),
    TemplateFunction("tuple", _list, "any …", nests=True),
    TemplateFunction("join", _join, "string any"),
    TemplateFunction(
        "splitList", lambda by, text: text.split(by) if by else [*text], "string string"
    ),
    TemplateFunction("first", lambda items: items[0] if items else None, "list"),
    TemplateFunction("last", lambda items: items[-1] if items else None, "list"),
    TemplateFunction("rest", lambda items: items[1:], "list"),
    TemplateFunction("initial", lambda items: items[:-1], "list"),
    TemplateFunction("append", lambda items, item: [*items, item], "list any", nests=True),
    TemplateFunction("prepend", lambda items, item: [item, *items], "list any", nests=True),
    TemplateFunction("concat", _concat, "list …", nests=True),
    TemplateFunction("reverse", lambda items: items[::-1], "list"),
    TemplateFunction("uniq", _uniq, "list"),
    TemplateFunction("without", _without, "list any …"),
    TemplateFunction("has", _has, "any any"),
    TemplateFunction("compact", lambda items: [*filter(is_truthy, items)], "list"),
    TemplateFunction("sortAlpha", lambda value: sorted(_to_strings(value)), "any"),
    TemplateFunction("toStrings", _to_strings, "any"),
    TemplateFunction("until", _until, "whole"),
    TemplateFunction("dict", _dict, "any …", nests=True),
    TemplateFunction("dig", _dig, "any any any …"),
    TemplateFunction("get", lambda data, key: data.get(key, ""), "map string"),
    TemplateFunction("hasKey", lambda data, key: key in data, "map string"),
    TemplateFunction("keys", lambda *maps: [key for data in maps for key in sorted(data)], "map …"),
    TemplateFunction(
        "values", lambda *maps: [each[k] for each in maps for k in sorted(each)], "map …"
    ),
    TemplateFunction("pick", _pick, "map string …"),
    TemplateFunction("omit", _omit, "map string …"),
)
