"""Texts. Source: Go's strings and fmt, sprig's strings.go and functions.go."""

from __future__ import annotations

import re
from collections.abc import Callable

from spokerender.wings.publishing import gojson, regexes
from spokerender.wings.publishing.gotemplates.problems import TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import Function
from spokerender.wings.publishing.gotemplates.values import (
    Record,
    Value,
    as_int,
    bounded,
    number,
    printed,
    type_name,
)

_SPACE = re.compile(r"\s+")
_VERB = re.compile(
    r"%(?P<flags>[-+ 0#]*)(?P<width>\d{0,3})(?:\.(?P<digits>\d{0,3}))?(?P<verb>.)", re.DOTALL
)
_MAX_WIDTH = 1_000


def _cased(text: str, change: Callable[[str], str]) -> str:
    """Character by character: what would become two of them stays, as Go has it."""
    if text.isascii():
        return change(text)
    return "".join(new if len(new := change(c)) == 1 else c for c in text)


def _pattern(source: str) -> regexes.Pattern:
    try:
        return regexes.compile_pattern(source)
    except regexes.PatternProblem as problem:
        message = f"pattern {source}: {problem}"
        raise TemplateProblem(message) from problem


def _replace_all(source: str, text: str, replacement: str) -> str:
    try:
        return _pattern(source).replace(text, replacement)
    except regexes.PatternProblem as problem:
        raise TemplateProblem(str(problem)) from problem


def _replace(old: str, new: str, text: str) -> str:
    bounded(len(text) + (text.count(old) if old else len(text) + 1) * len(new))
    return text.replace(old, new)


def _trunc(length: int, text: str) -> str:
    """Cut to so many bytes; from the end with a negative number."""
    data = text.encode()
    if length < 0 and len(data) + length > 0:
        return data[length:].decode(errors="replace")
    return data[:length].decode(errors="replace") if 0 <= length < len(data) else text


def _substr(start: int, end: int, text: str) -> str:
    data = text.encode()
    if start < 0:
        return data[:end].decode(errors="replace") if end >= 0 else _out_of_range()
    if end < 0 or end > len(data):
        return data[start:].decode(errors="replace") if start <= len(data) else _out_of_range()
    return data[start:end].decode(errors="replace") if start <= end else _out_of_range()


def _out_of_range() -> str:
    message = "slice bounds out of range"
    raise TemplateProblem(message)


def _repeat(count: int, text: str) -> str:
    if count < 0:
        message = "negative count"
        raise TemplateProblem(message)
    bounded(len(text) * count)
    return text * count


def _strings(*values: Value) -> str:
    """`print`: what stands side by side gets a space between unless one of the two is a text."""
    made = list[str]()
    for index, value in enumerate(values):
        is_apart = index and not isinstance(value, str) and not isinstance(values[index - 1], str)
        made.append((" " if is_apart else "") + printed(value))
    bounded(sum(map(len, made)))
    return "".join(made)


def _line(*values: Value) -> str:
    made = [printed(value) for value in values]
    bounded(sum(map(len, made)) + len(made))
    return " ".join(made) + "\n"


def _cat(*values: Value) -> str:
    made = [printed(value) for value in values if value is not None]
    bounded(sum(map(len, made)) + len(made))
    return " ".join(made)


def _quoted(*values: Value) -> str:
    return " ".join(_go_quoted(to_string(value)) for value in values if value is not None)


def _single_quoted(*values: Value) -> str:
    return " ".join(f"'{printed(value)}'" for value in values if value is not None)


def _go_quoted(text: str) -> str:
    """A text as a literal of Go's (`%q`): what can be seen stays, all else is escaped."""
    names = {"\a": "a", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", "\v": "v"}
    made = list[str]()
    for character in text:
        if character in names:
            made.append("\\" + names[character])
        elif character in '"\\':
            made.append("\\" + character)
        elif character == " " or character.isprintable():
            made.append(character)
        else:
            made.append(_escaped(ord(character)))
    return '"' + "".join(made) + '"'


def _escaped(code: int) -> str:
    if code < 0x80:  # noqa: PLR2004  (ASCII)
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004  (Unicode's first plane)


def to_string(value: Value) -> str:
    """What sprig's `toString` makes of a value."""
    return "<nil>" if value is None else printed(value)


def _to_json(value: Value) -> str:
    if isinstance(value, Record):
        message = f"{type_name(value)} as a whole is no JSON"
        raise TemplateProblem(message)
    return gojson.encode(value, sort_keys=True)


def _printf(pattern: str, *values: Value) -> str:
    """`printf`, as far as objects have values for it."""
    rest = list(values)

    def formatted(match: re.Match[str]) -> str:
        if match["verb"] == "%":
            return "%"
        if not rest:
            message = f"{match[0]} has no value"
            raise TemplateProblem(message)
        return _formatted(match, rest.pop(0))

    made = _VERB.sub(formatted, pattern)
    if rest:
        message = f"{len(rest)} values are left over"
        raise TemplateProblem(message)
    bounded(len(made))
    return made


def _formatted(match: re.Match[str], value: Value) -> str:
    flags, width = match["flags"], int(match["width"] or 0)
    digits = int(match["digits"] or 0) if match["digits"] is not None else None
    verb = _VERBS.get(match["verb"])
    text = verb(value, digits, "#" in flags) if verb is not None else None
    if text is None or width > _MAX_WIDTH:
        message = f"{match[0]} can't print {type_name(value)}"
        raise TemplateProblem(message)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and not text.startswith("-") and ("+" in flags or " " in flags):
        text = ("+" if "+" in flags else " ") + text
    if "-" in flags:
        return text.ljust(width)
    if "0" in flags and is_number:
        return text.zfill(width)
    return text.rjust(width)


Verb = Callable[[Value, int | None, bool], str | None]


def _v(value: Value, digits: int | None, sharp: bool) -> str | None:  # noqa: ARG001
    return None if sharp else printed(value)


def _s(value: Value, digits: int | None, sharp: bool) -> str | None:  # noqa: ARG001
    return value[:digits] if isinstance(value, str) else None


def _q(value: Value, digits: int | None, sharp: bool) -> str | None:  # noqa: ARG001
    return _go_quoted(value) if isinstance(value, str) else None


def _d(value: Value, digits: int | None, sharp: bool) -> str | None:  # noqa: ARG001
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _x(value: Value, digits: int | None, sharp: bool) -> str | None:  # noqa: ARG001
    if isinstance(value, str):
        return value.encode().hex()
    return format(value, "x") if isinstance(value, int) and not isinstance(value, bool) else None


def _t(value: Value, digits: int | None, sharp: bool) -> str | None:  # noqa: ARG001
    return printed(value) if isinstance(value, bool) else None


def _f(value: Value, digits: int | None, sharp: bool) -> str | None:  # noqa: ARG001
    return (
        format(value, f".{6 if digits is None else digits}f") if isinstance(value, float) else None
    )


def _g(value: Value, digits: int | None, sharp: bool) -> str | None:  # noqa: ARG001
    return number(value) if isinstance(value, float) and digits is None else None


_VERBS: dict[str, Verb] = {"v": _v, "s": _s, "q": _q, "d": _d, "x": _x, "t": _t, "f": _f, "g": _g}


FUNCTIONS = (
    Function("upper", lambda text: _cased(text, str.upper), ("string",)),
    Function("lower", lambda text: _cased(text, str.lower), ("string",)),
    Function("trim", str.strip, ("string",)),
    Function("trimAll", lambda cut, text: text.strip(cut), ("string", "string")),
    Function("trimPrefix", lambda prefix, text: text.removeprefix(prefix), ("string", "string")),
    Function("trimSuffix", lambda suffix, text: text.removesuffix(suffix), ("string", "string")),
    Function("trunc", _trunc, ("whole", "string")),
    Function("substr", _substr, ("whole", "whole", "string")),
    Function("replace", _replace, ("string", "string", "string")),
    Function("repeat", _repeat, ("whole", "string")),
    Function("contains", lambda part, text: part in text, ("string", "string")),
    Function("hasPrefix", lambda prefix, text: text.startswith(prefix), ("string", "string")),
    Function("hasSuffix", lambda suffix, text: text.endswith(suffix), ("string", "string")),
    Function("nospace", lambda text: _SPACE.sub("", text), ("string",)),
    Function("cat", _cat, ("any",), more=True),
    Function("quote", _quoted, ("any",), more=True),
    Function("squote", _single_quoted, ("any",), more=True),
    Function("print", _strings, ("any",), more=True),
    Function("println", _line, ("any",), more=True),
    Function("printf", _printf, ("string", "any"), more=True),
    Function("toString", to_string, ("any",)),
    Function("toJson", _to_json, ("any",)),
    Function("atoi", as_int, ("string",)),
    Function("regexMatch", lambda source, text: _pattern(source).matches(text), ("string",) * 2),
    Function("regexReplaceAll", _replace_all, ("string", "string", "string")),
)
