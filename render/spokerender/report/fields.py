"""The old and new value of a field as text: beside the field, or on lines below it."""

import difflib
import json
from collections.abc import Iterator

from spokerender.findings.phrasing import cut_around
from spokerender.formats import yamlio
from spokerender.formats.comparing import ABSENT
from spokerender.model.shapes import Json
from spokerender.report.terminal import Style, on_one_line, paint

_WIDTH = 60
"""The number of characters up to which a value is shown on one line."""
_LINES = 20
_CONTEXT = 2


def change_lines(old: Json, new: Json, *, color: bool) -> tuple[str, list[str]]:
    """Return a change as text to stand beside the field, and lines to stand below the field."""
    if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        return "text changed", _cut_lines(_unified(old, new), color=color)
    if ABSENT in (old, new):
        value, verb, sign = (new, "added", "+") if old is ABSENT else (old, "removed", "-")
        if not _is_long(value):
            return f"{verb} {value_text(value)}", []
        return verb, _cut_lines((f"{sign} {line}" for line in value_lines(value)), color=color)
    if isinstance(old, str) and isinstance(new, str):
        before, after = cut_around(old, new, _WIDTH)
        return f"{yamlio.scalar(before)} -> {yamlio.scalar(after)}", []
    if not (_is_long(old) or _is_long(new)):
        return f"{value_text(old)} -> {value_text(new)}", []
    before, after = ("\n".join(value_lines(value)) for value in (old, new))
    return "changed", _cut_lines(_unified(before, after), color=color)


def value_lines(value: Json) -> list[str]:
    """Return a value on separate lines: a text unchanged, any other value as YAML."""
    text: str = value if isinstance(value, str) else yamlio.emit(value)
    return text.splitlines()


def value_text(value: Json) -> str:
    """Return a value on one line, as YAML: a text that looks like another value is quoted."""
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return yamlio.scalar(value)


def _is_long(value: Json) -> bool:
    return (isinstance(value, str) and "\n" in value) or len(value_text(value)) > _WIDTH


def _unified(old: str, new: str) -> Iterator[str]:
    if old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=_CONTEXT)
    for number, line in enumerate(lines):
        if number > 1:  # the first two name files
            yield f"{line[0]} {line[1:]}" if line[0] in "+- " else line


def _cut_lines(lines: Iterator[str], *, color: bool) -> list[str]:
    styles = {"+": Style.GREEN, "-": Style.RED}
    escaped = [on_one_line(line) for line in lines]
    shown_lines = [
        paint(line, styles[line[0]], color=color) if line[0] in styles else line
        for line in escaped[:_LINES]
    ]
    more = len(escaped) - _LINES
    return [*shown_lines, f"… {more} more lines"] if more > 0 else shown_lines
