"""The functions that templates can call, as rows of a table; none changes its arguments.

Source: Go's text/template (funcs.go), fmt and strings; sprig's defaults.go, strings.go, list.go and
crypto.go. sha3sum, sha3short and shortHash are upstream's own. Of all functions of sprig, which
upstream has, the table has those that make names and short values.
"""

import base64
import hashlib
import operator
import re
from collections.abc import Callable, Mapping

from spokerender.formats import regexes
from spokerender.wings.publishing import gojson
from spokerender.wings.publishing.gotemplates.values import (
    CONVERSIONS,
    GoStruct,
    GoValue,
    TemplateFunction,
    check_size,
    format_value,
    is_truthy,
    name_go_type,
    reject_template,
)

_SHORT_HASH = 20
"""Hexadecimal digits of the short hashes."""
_ESCAPES = dict(zip('\a\b\f\n\r\t\v"\\', 'abfnrtv"\\', strict=True))


def _is_equal(one: GoValue, other: GoValue) -> bool:
    if one is None or other is None:
        return one is other
    # Go's `eq` takes two values of one basic type (text/template, funcs.go).
    for value in (one, other):
        if isinstance(value, list | dict | GoStruct):
            reject_template(f"{name_go_type(value)} can't be compared")
    if type(one) is not type(other):
        reject_template(f"{name_go_type(one)} and {name_go_type(other)} can't be compared")
    return bool(one == other)


def _ordered(holds: Callable[[GoValue, GoValue], GoValue]) -> Callable[[GoValue, GoValue], bool]:
    def compare(one: GoValue, other: GoValue) -> bool:
        if type(one) is not type(other) or type(one) not in {str, int, float}:
            reject_template(f"{name_go_type(one)} and {name_go_type(other)} have no order")
        return bool(holds(one, other))

    return compare


def _default(default: GoValue, *values: GoValue) -> GoValue:
    return values[0] if values and is_truthy(values[0]) else default


def _ternary(yes: GoValue, no: GoValue, condition: GoValue) -> GoValue:
    if not isinstance(condition, bool):
        reject_template(f"wrong type for value; expected bool; got {name_go_type(condition)}")
    return yes if condition else no


LOGIC_FUNCTIONS = (
    # `and` and `or` are evaluated by the rendering, up to the argument that decides.
    TemplateFunction("and", lambda *_: None, "any …"),
    TemplateFunction("or", lambda *_: None, "any …"),
    TemplateFunction("not", lambda value: not is_truthy(value), "any"),
    TemplateFunction(
        "eq", lambda first, *rest: any(_is_equal(first, each) for each in rest), "any any any …"
    ),
    TemplateFunction("ne", lambda one, other: not _is_equal(one, other), "any any"),
    TemplateFunction("lt", _ordered(operator.lt), "any any"),
    TemplateFunction("le", _ordered(operator.le), "any any"),
    TemplateFunction("gt", _ordered(operator.gt), "any any"),
    TemplateFunction("ge", _ordered(operator.ge), "any any"),
    TemplateFunction("default", _default, "any [any]"),
    TemplateFunction("empty", lambda value: not is_truthy(value), "any"),
    TemplateFunction("coalesce", lambda *some: next(filter(is_truthy, some), None), "any …"),
    TemplateFunction("ternary", _ternary, "any any any"),
)


def _change_case(text: str, change: Callable[[str], str]) -> str:
    """Change the case of each character; Go keeps characters that would become two characters."""
    if text.isascii():
        return change(text)
    return "".join(new if len(new := change(c)) == 1 else c for c in text)


def _replace(old: str, new: str, text: str) -> str:
    check_size(len(text) + (text.count(old) if old else len(text) + 1) * len(new))
    return text.replace(old, new)


def _trunc(length: int, text: str) -> str:
    """Return the first `length` bytes; for a negative length, the last bytes."""
    data = text.encode()
    if length < 0 and len(data) + length > 0:
        return data[length:].decode(errors="replace")
    return data[:length].decode(errors="replace") if 0 <= length < len(data) else text


def _print(*values: GoValue) -> str:
    """Join values; Go writes a space between two adjacent values that both are no strings."""
    texts = list[str]()
    for index, value in enumerate(values):
        is_apart = index and not isinstance(value, str) and not isinstance(values[index - 1], str)
        texts.append((" " if is_apart else "") + format_value(value))
    check_size(sum(map(len, texts)))
    return "".join(texts)


def _printf(pattern: str, *values: GoValue) -> str:
    rest = list(values)

    def replace_verb(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if not rest:
            reject_template(f"{match[0]} has no value")
        value, verb = rest.pop(0), match[0]
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if verb == "%v" or (verb == "%s" and isinstance(value, str)) or (verb == "%d" and is_whole):
            return format_value(value)
        if verb == "%q" and isinstance(value, str):
            return _quote_go(value)
        return reject_template(f"{verb} can't print {name_go_type(value)}; use %s, %d, %q or %v")

    text = re.sub(r"%[^%a-zA-Z]*(?:[%a-zA-Z]|\Z)", replace_verb, pattern)
    if rest:
        reject_template(f"printf gets {len(rest)} more values than its format prints")
    check_size(len(text))
    return text


def _quote(*values: GoValue) -> str:
    return " ".join(_quote_go(format_value(value)) for value in values if value is not None)


def _quote_go(text: str) -> str:
    """Return a text as a Go literal (`%q`): characters that are not printable are escaped."""
    return '"' + "".join(map(_escape_go, text)) + '"'


def _escape_go(character: str) -> str:
    if character in _ESCAPES:
        return f"\\{_ESCAPES[character]}"
    if character.isprintable():
        return character
    code = ord(character)
    if character.isascii():
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004  (Unicode's first plane)


def _to_json(value: GoValue) -> str:
    if isinstance(value, GoStruct):
        reject_template(f"{value.name} can't be written as JSON as a whole")
    return gojson.encode(value, sort_keys=True)


def _sha3short(text: str, length: int = _SHORT_HASH) -> str:
    """Return the first digits of a SHA3-256, as in the default names of copies."""
    if length <= 0:
        reject_template(f"the length must be positive, but is {length}")
    return hashlib.sha3_256(text.encode()).hexdigest()[:length]


def _b64dec(text: str) -> str:
    """Decode base64. Raises `GoTemplateError` for other texts; sprig returns an error message."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        reject_template("the value is not the base64 of a text")


TEXT_FUNCTIONS = (
    TemplateFunction("upper", lambda text: _change_case(text, str.upper), "string"),
    TemplateFunction("lower", lambda text: _change_case(text, str.lower), "string"),
    TemplateFunction("trim", str.strip, "string"),
    TemplateFunction("trimAll", lambda characters, text: text.strip(characters), "string string"),
    TemplateFunction("trimPrefix", lambda prefix, text: text.removeprefix(prefix), "string string"),
    TemplateFunction("trimSuffix", lambda suffix, text: text.removesuffix(suffix), "string string"),
    TemplateFunction("trunc", _trunc, "whole string"),
    TemplateFunction("replace", _replace, "string string string"),
    TemplateFunction("contains", lambda part, text: part in text, "string string"),
    TemplateFunction("hasPrefix", lambda prefix, text: text.startswith(prefix), "string string"),
    TemplateFunction("hasSuffix", lambda suffix, text: text.endswith(suffix), "string string"),
    TemplateFunction("quote", _quote, "any …"),
    TemplateFunction("print", _print, "any …"),
    TemplateFunction("printf", _printf, "string any …"),
    TemplateFunction("toString", format_value, "any"),
    TemplateFunction("toJson", _to_json, "any"),
    TemplateFunction(
        "regexMatch",
        lambda regex, text: regexes.compile_pattern(regex).matches(text),
        "string string",
    ),
    TemplateFunction(
        "regexReplaceAll",
        lambda regex, text, new: regexes.compile_pattern(regex).replace(text, new),
        "string string string",
    ),
    TemplateFunction("sha1sum", gojson.hash_sha1, "string"),
    TemplateFunction("sha256sum", lambda text: hashlib.sha256(text.encode()).hexdigest(), "string"),
    TemplateFunction("sha512sum", lambda text: hashlib.sha512(text.encode()).hexdigest(), "string"),
    TemplateFunction("sha3sum", lambda text: hashlib.sha3_256(text.encode()).hexdigest(), "string"),
    TemplateFunction("sha3short", _sha3short, "string [whole]"),
    TemplateFunction("shortHash", lambda text: gojson.hash_sha1(text)[:_SHORT_HASH], "string"),
    TemplateFunction("b64enc", lambda text: base64.b64encode(text.encode()).decode(), "string"),
    TemplateFunction("b64dec", _b64dec, "string"),
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


def _dig(*arguments: GoValue) -> GoValue:
    """Return the value at a path of keys, or a default: `dig "a" "b" default map`."""
    *keys, default, value = arguments
    for key in [*map(CONVERSIONS["string"], keys)]:  # Go refuses each key before it looks
        if not isinstance(value, dict):
            reject_template(f"dig can't look into {name_go_type(value)}")
        if key not in value:
            return default
        value = value[key]
    return value


def _read_item(value: list[GoValue] | str, key: GoValue) -> GoValue:
    items = value.encode() if isinstance(value, str) else value
    if isinstance(key, bool) or not isinstance(key, int):
        reject_template(f"{name_go_type(key)} is not an index")
    if not 0 <= key < len(items):
        reject_template(f"index out of range: {key}")
    return items[key]


def _list(*items: GoValue) -> list[GoValue]:
    size, waiting = 0, [*items]
    while waiting:  # into the items as well, as a list of lists can double with every call
        item = waiting.pop()
        if isinstance(item, GoStruct):
            reject_template(f"a list can't hold {item.name}")
        size += len(item) if isinstance(item, str) else 1
        check_size(size)
        if isinstance(item, list | dict):
            waiting += item if isinstance(item, list) else item.values()
    return [*items]


def _dict(*pairs: GoValue) -> dict[str, GoValue]:
    _list(*pairs)  # refuses too many values
    # For an odd number of arguments, sprig gives the last key an empty value.
    keys, values = pairs[::2], (*pairs[1::2], "")
    return {format_value(key): value for key, value in zip(keys, values, strict=False)}


def _join(separator: str, value: GoValue) -> str:
    """Join the items of a list, without nil; a value that is no list is joined as a single item."""
    items = value if isinstance(value, list) else [value]
    texts = [format_value(item) for item in items if item is not None]
    check_size(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


LIST_FUNCTIONS = (
    TemplateFunction("len", _len, "any"),
    TemplateFunction("index", _index, "any any …"),
    TemplateFunction("dig", _dig, "string any any any …"),
    TemplateFunction("list", _list, "any …"),
    TemplateFunction("dict", _dict, "any …"),
    TemplateFunction("join", _join, "string any"),
    TemplateFunction(
        "splitList", lambda by, text: text.split(by) if by else [*text], "string string"
    ),
    TemplateFunction("first", lambda items: items[0] if items else None, "list"),
    TemplateFunction("last", lambda items: items[-1] if items else None, "list"),
)
FUNCTIONS: Mapping[str, TemplateFunction] = {
    function.name: function for function in (*LOGIC_FUNCTIONS, *TEXT_FUNCTIONS, *LIST_FUNCTIONS)
}
