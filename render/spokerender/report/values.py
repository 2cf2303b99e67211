"""Old and new values side by side: short ones in a line, long ones as far as they differ."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from spokerender.formats import yamlio
from spokerender.formats.comparing import ABSENT
from spokerender.report.colors import Style, paint
from spokerender.report.printable import on_one_line

_WIDTH = 60
_AROUND = 15
_LINES = 20
_CONTEXT = 2


def change_lines(old: Any, new: Any, *, color: bool) -> tuple[str, list[str]]:  # noqa: ANN401
    """Tell a change: what stands beside the field, and lines below it where that is too little."""
    if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        return "text changed", list(_limited(_unified(old, new), color=color))
    if ABSENT in (old, new):
        value, sign = (new, "+") if old is ABSENT else (old, "-")
        verb = "added" if sign == "+" else "removed"
        if not _is_long(value):
            return f"{verb} {_shown(value)}", []
        return verb, list(_limited((f"{sign} {line}" for line in _block(value)), color=color))
    if isinstance(old, str) and isinstance(new, str):
        before, after = _around_the_difference(old, new)
        return f"{yamlio.scalar(before)} -> {yamlio.scalar(after)}", []
    if not (_is_long(old) or _is_long(new)):
        return f"{_shown(old)} -> {_shown(new)}", []
    before, after = ("\n".join(_block(value)) for value in (old, new))
    return "changed", list(_limited(_unified(before, after), color=color))


def pattern(values: Sequence[Any]) -> str:
    """What several values have in common: texts with `…` where they differ, else the first."""
    if all(isinstance(value, str) for value in values):
        if len(set(values)) == 1:
            return yamlio.scalar(values[0])
        start = _common(values)
        end = _common([value[len(start) :][::-1] for value in values])[::-1]
        return yamlio.scalar(f"{start}…{end}")
    told = list(dict.fromkeys("nothing" if value is ABSENT else _shown(value) for value in values))
    return f"{told[0]}, …" if len(told) > 1 else told[0]


def _common(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    low, high = min(texts), max(texts)
    return low[: next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), None)]


def _shown(value: Any) -> str:  # noqa: ANN401
    """A value on one line, as YAML, where a text that looks like another value is in quotes."""
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return yamlio.scalar(value)


def _is_long(value: Any) -> bool:  # noqa: ANN401
    return (isinstance(value, str) and "\n" in value) or len(_shown(value)) > _WIDTH


def _block(value: Any) -> list[str]:  # noqa: ANN401
    """A value on lines of its own: texts as they are, everything else as YAML."""
    text: str = value if isinstance(value, str) else yamlio.emit(value)
    return text.splitlines()


def _around_the_difference(old: str, new: str) -> tuple[str, str]:
    """Cut what both have at their ends, where they are too long to be shown whole."""
    if max(len(old), len(new)) <= _WIDTH:
        return old, new
    start = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    rest_old, rest_new = old[start:], new[start:]
    same = 0
    while same < min(len(rest_old), len(rest_new)) and rest_old[-1 - same] == rest_new[-1 - same]:
        same += 1
    cut_start, cut_end = max(0, start - _AROUND), max(0, same - _AROUND)
    return _cut(old, cut_start, cut_end), _cut(new, cut_start, cut_end)


def _cut(text: str, start: int, end: int) -> str:
    middle = text[start : len(text) - end]
    if len(middle) > 2 * _WIDTH:
        middle = f"{middle[:_WIDTH]}…{middle[-_WIDTH:]}"
    return ("…" if start else "") + middle + ("…" if end else "")


def _unified(old: str, new: str) -> Iterator[str]:
    if old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=_CONTEXT)
    for number, line in enumerate(lines):
        if number > 1:  # the first two name files
            yield f"{line[0]} {line[1:]}" if line[0] in "+- " else line


def _limited(lines: Iterator[str], *, color: bool) -> Iterator[str]:
    styles = {"+": Style.GREEN, "-": Style.RED}
    shown = [on_one_line(line) for line in lines]
    for line in shown[:_LINES]:
        yield paint(line, styles[line[0]], color=color) if line[0] in styles else line
    if len(shown) > _LINES:
        yield f"… {len(shown) - _LINES} more lines"
