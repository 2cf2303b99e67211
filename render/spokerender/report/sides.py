"""The changed fields of an object as YAML, with the old beside the new fields."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import starmap, takewhile, zip_longest
from typing import TypeGuard

from msgspec import Struct

from spokerender.findings.phrasing import count
from spokerender.formats import yamlio
from spokerender.formats.comparing import ABSENT, Change, Item, Step

_MOST_LINES, _AROUND = 200, 3
"""The number of lines per side, and of context lines around differences in a text."""
_INDENT = "  "


class SideRow(Struct, frozen=True):
    """A row: a line of each side; None if a side has no such line."""

    old: str | None
    new: str | None

    @property
    def is_equal(self) -> bool:
        """Return whether the line is equal on both sides."""
        return self.old == self.new


def compare_sides(changes: Sequence[Change]) -> list[SideRow]:
    """Return the rows of both sides: each field below its parents; a last row counts cut lines."""
    # Both sides are made from all changes in one order, so parents line up.
    old, new = _cut(*([*_field_lines(changes, is_old=side)] for side in (True, False)))
    rows: list[SideRow] = []
    # By default, SequenceMatcher takes frequent lines of long texts for junk.
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += map(SideRow, old[a:b], new[c:d])
            continue
        rows += starmap(SideRow, zip_longest(old[a:b], new[c:d]))
    return rows


def write_diff(rows: Sequence[SideRow]) -> list[str]:
    """Return the rows as the lines of a diff."""
    lines: list[str] = []
    added: list[str] = []
    for row in rows:
        if row.is_equal:
            lines += [*added, f"  {row.old}"]
            added = []
            continue
        lines += [f"- {row.old}"] if row.old is not None else []
        # Added lines wait until the removed ones of their block are out, as in a unified diff.
        added += [f"+ {row.new}"] if row.new is not None else []
    return [*lines, *added]


def _cut(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Return both sides, cut; then a last line says how many lines are cut and if they differ."""
    # Cut lines may differ while the shown ones are equal; a reader must know.
    differ = "" if old[_MOST_LINES:] == new[_MOST_LINES:] else ", which differ"
    sides = []
    for lines in (old, new):
        more = len(lines) - _MOST_LINES
        last = [f"# … {count(more, 'more line')}{differ}"] if more > 0 else []
        sides.append([*lines[:_MOST_LINES], *last])
    return sides[0], sides[1]


def _field_lines(changes: Sequence[Change], *, is_old: bool) -> Iterator[str]:
    """Yield one side's lines: each field below its parents, which both sides have."""
    before: tuple[Step, ...] = ()
    for change in changes:
        value = change.old if is_old else change.new
        parents, last = change.path[:-1], change.path[-1:]
        # Shared parents are written once, and only the steps below them again.
        pairs = zip(before, parents, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        for depth in range(shared, len(parents)):
            yield f"{_INDENT * depth}{_step(parents[depth])}"
        before = parents
        if value is ABSENT:
            continue
        indent = _INDENT * len(parents)
        # As it would stand in a file, so that a reader can search for it there.
        lines = yamlio.emit(value).splitlines() if isinstance(value, dict | list) else None
        name = _step(last[0]) if last else ""
        if lines is None:
            # A text of several lines as a block scalar: on one line its change could not be seen.
            text = _block_start(value) if _is_block(value) else yamlio.scalar(value)
            yield f"{indent}{name} {text}".rstrip() if name else text
            lines = _block_lines(change, is_old=is_old) if _is_block(value) else []
        elif not value:
            yield f"{indent}{name} {'{}' if isinstance(value, dict) else '[]'}"
            lines = []
        elif name:
            yield f"{indent}{name}"
        yield from (f"{indent}{_INDENT * bool(name)}{line}" for line in lines)


def _block_start(value: str) -> str:
    return "|+" if value.endswith("\n\n") else "|" if value.endswith("\n") else "|-"


def _block_lines(change: Change, *, is_old: bool) -> list[str]:
    """Return the lines of one side's text; if both sides are texts, only lines near differences."""
    old, new = str(change.old).splitlines(), str(change.new).splitlines()
    lines = old if is_old else new
    if not (_is_block(change.old) and _is_block(change.new)):
        return lines
    shown: list[str] = []
    done = 0
    # Cut at a number of lines, a long text could lose the line that differs.
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(_AROUND):
        first, last = group[0], group[-1]
        start, end = (first[1], last[2]) if is_old else (first[3], last[4])
        shown += [*_skipped(start - done), *lines[start:end]]
        done = end
    return [*shown, *_skipped(len(lines) - done)]


def _skipped(number: int) -> list[str]:
    return [f"# … {count(number, 'equal line')}"] if number else []


def _is_block(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and "\n" in value


def _step(step: Step) -> str:
    """Return the line that leads to a field, or to an item of a list by its number or keys."""
    match step:
        case int():
            return f"- # item {step + 1}"
        case Item():
            return f"- # {step}"
    return f"{yamlio.scalar(str(step))}:"
