"""The matrix of policies and spokes; spokes that are equal in every row are one column."""

from collections.abc import Mapping, Sequence
from typing import Any

from spokerender.findings.phrasing import count
from spokerender.report.page.spokes import SpokeSets
from spokerender.review.values import MatrixCell, MatrixRow, PolicyState

_MOST_COLUMNS = 24
_FEW_COLUMNS = 5
"""The columns up to which cells have room for words."""
_MOST_BYTES, _CELL, _ROW = 350_000, 190, 200
"""The bytes of the matrix, and those of the markup of a cell and of a row."""

STATES: Mapping[PolicyState, tuple[str, str]] = {
    PolicyState.ABSENT: ("·", "none"),
    PolicyState.IN_FORCE: ("✓", "good"),
    PolicyState.PARTLY: ("◐", "fair"),
    PolicyState.OVERRIDDEN: ("⊘", "fair"),
    PolicyState.UNATTACHED: ("✗", "poor"),
    PolicyState.NO_EFFECT: ("○", "none"),
    PolicyState.UNKNOWN: ("?", "open"),
}
"""The sign and the tone of each state."""


def build_matrix(rows: Sequence[MatrixRow], sets: SpokeSets) -> dict[str, Any]:
    """Return columns and rows for the template, and what is left out of them, in words."""
    by_row = [{spoke: cell for cell in row.cells for spoke in cell.spokes} for row in rows]
    columns: dict[tuple[int, ...], list[str]] = {}
    for spoke in sets.spokes:
        key = tuple(id(cells.get(spoke)) for cells in by_row)
        columns.setdefault(key, []).append(spoke)
    ordered = sorted(columns.values(), key=lambda names: (-len(names), names))
    shown, more = ordered[:_MOST_COLUMNS], ordered[_MOST_COLUMNS:]
    left_out = []
    if more:
        spokes = sum(map(len, more))
        left_out.append(f"{count(len(more), 'column')} of {count(spokes, 'spoke')}")
    most, room = 0, _MOST_BYTES
    for row in rows:
        room -= _ROW + 6 * len(str(row.policy)) + _CELL * len(shown)
        most += room >= 0
    if most < len(rows):
        left_out.append(count(len(rows) - most, "policy"))
    listed = [
        {
            "policy": row.policy,
            "is_changed": row.differs,
            "cells": [_cell(cells.get(names[0])) for names in shown],
        }
        for row, cells in zip(rows[:most], by_row, strict=False)
    ]
    unchanged = [row for row in listed if not row["is_changed"]]
    sets_of_rows = [sets.find(names) for names in shown]
    used = {state for row in rows for cell in row.cells for state in (cell.before, cell.after)}
    states = [(*STATES[state], state) for state in PolicyState if state in used]
    return {
        "columns": [
            {"set": each, "names": names if each.is_spelled_out else ()}
            for each, names in zip(sets_of_rows, shown, strict=True)
        ],
        "rows": listed,
        "changed": [row for row in listed if row["is_changed"]],
        "unchanged": unchanged,
        "unchanged_words": f"{count(len(unchanged), 'policy')} without a change",
        "is_narrow": len(shown) <= _FEW_COLUMNS,
        "left_out": " and ".join(left_out),
        "states": [{"sign": sign, "tone": tone, "words": words} for sign, tone, words in states],
    }


def _cell(cell: MatrixCell | None) -> dict[str, Any]:
    before, after = (cell.before, cell.after) if cell is not None else (PolicyState.ABSENT,) * 2
    words = str(after) if before is after else f"{before}, now {after}"
    mark = _mark(before, after) if cell is not None and cell.is_changed else ""
    note = ", its object differs" if mark == "edited" else ""
    return {
        "before": STATES[before],
        "after": STATES[after],
        "is_moved": before is not after,
        "state": str(after) if before is not after or after is not PolicyState.ABSENT else "",
        "mark": mark,
        "words": f"{words}{note}",
    }


def _mark(before: PolicyState, after: PolicyState) -> str:
    """Return the word for an object that differs."""
    if before is PolicyState.ABSENT:
        return "new"
    return "removed" if after is PolicyState.ABSENT else "edited"
