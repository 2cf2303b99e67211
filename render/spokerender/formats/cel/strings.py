"""CEL's string extension (cel-go `ext.Strings`, version 2, as Kubernetes has it), with bounds.

The library has these functions too, but there `replace` and `join` make texts of any size.
"""

from __future__ import annotations

import re

from spokerender.formats.cel.costs import BUDGET
from spokerender.formats.cel.functions import Function, member, plain

_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_VERB = re.compile(r"%(?:\.([0-9]{1,3}))?([sdfexXob%])")
_ESCAPES = {
    "\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v",
    "\\": r"\\", '"': r"\"",
}  # fmt: skip


def _within(text: str, index: int) -> int:
    if not 0 <= index <= len(text):
        message = f"index out of range: {index}"
        raise ValueError(message)
    return index


def _char_at(text: str, index: int) -> str:
    return text[_within(text, index) : index + 1]


def _index_of(text: str, part: str, start: int = 0) -> int:
    BUDGET.spend(len(text), "indexOf()")
    return text.find(part, _within(text, start))


def _last_index_of(text: str, part: str, last: int | None = None) -> int:
    BUDGET.spend(len(text), "lastIndexOf()")
    return text.rfind(part) if last is None else text.rfind(part, 0, last + len(part))


def _join(parts: list[str], separator: str = "") -> str:
    BUDGET.spend(sum(map(len, parts)) + len(separator) * len(parts), "join()")
    return separator.join(parts)


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    occurrences = len(text) + 1 if not old else text.count(old)
    occurrences = occurrences if count < 0 else min(occurrences, count)
    BUDGET.spend(2 * len(text) + occurrences * len(new), "replace()")
    return text.replace(old, new, count)


def _split(text: str, separator: str, count: int = -1) -> list[str]:
    BUDGET.spend(2 * len(text), "split()")
    if count == 0:
        return []
    if separator:
        return text.split(separator, count - 1 if count > 0 else -1)
    head = len(text) if count < 0 else min(count - 1, len(text))
    return [*text[:head], *([text[head:]] if text[head:] else [])]


def _substring(text: str, start: int, end: int | None = None) -> str:
    end = len(text) if end is None else end
    if _within(text, start) > _within(text, end):
        message = f"invalid substring range: {start}, {end}"
        raise ValueError(message)
    return text[start:end]


def _spent(text: str) -> str:
    BUDGET.spend(len(text), "reading a text")
    return text


def _quote(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(character, character) for character in _spent(text)) + '"'


def _shown(value: object) -> str:
    """A value as `%s` writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{_shown(k)}: {_shown(v)}" for k, v in value.items())) + "}"
    return str(value)


def _format(pattern: str, values: list[object]) -> str:
    rest = iter(values)

    def written(match: re.Match[str]) -> str:
        precision, verb = match.groups()
        if verb == "%":
            return "%"
        value = next(rest, rest)
        if value is rest:
            message = "format: more verbs than values"
            raise ValueError(message)
        if verb in "fe":
            text = format(value, f".{precision or 6}{verb}")
        elif verb == "s" or (verb == "d" and not isinstance(value, bool)):
            text = _shown(value)
        else:
            text = format(value, verb)
        BUDGET.spend(len(text), "format()")
        return text

    return _VERB.sub(written, _spent(pattern))


FUNCTIONS: tuple[Function, ...] = (
    member("charAt", "string int", "string", _char_at),
    member("indexOf", "string string", "int", _index_of),
    member("indexOf", "string string int", "int", _index_of),
    member("lastIndexOf", "string string", "int", _last_index_of),
    member("lastIndexOf", "string string int", "int", _last_index_of),
    member("join", "list(string)", "string", _join),
    member("join", "list(string) string", "string", _join),
    member("lowerAscii", "string", "string", lambda text: _spent(text).translate(_LOWER)),
    member("upperAscii", "string", "string", lambda text: _spent(text).translate(_UPPER)),
    member("replace", "string string string", "string", _replace),
    member("replace", "string string string int", "string", _replace),
    member("split", "string string", "list(string)", _split),
    member("split", "string string int", "list(string)", _split),
    member("substring", "string int", "string", _substring),
    member("substring", "string int int", "string", _substring),
    member("trim", "string", "string", lambda text: _spent(text).strip()),
    member("reverse", "string", "string", lambda text: _spent(text)[::-1]),
    member("format", "string list(dyn)", "string", _format),
    plain("strings.quote", "string", "string", _quote),
)
