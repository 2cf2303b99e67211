"""Words and marks that the reports share: counts, lists of spokes, colours."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from render.findings.results import Severity
from render.model import Ref

_LISTED = 5


class Style(StrEnum):
    """Plain ANSI (ECMA-48 SGR): what every terminal has, light or dark."""

    BOLD = "1"
    FAINT = "2"
    RED = "1;31"
    GREEN = "32"
    YELLOW = "1;33"
    CYAN = "36"


SEVERITY_STYLES = {
    Severity.ERROR: Style.RED,
    Severity.WARNING: Style.YELLOW,
    Severity.INFO: Style.CYAN,
}


def paint(text: str, style: Style, *, color: bool) -> str:
    """Put the text into a colour, if colours are asked for."""
    return f"\x1b[{style}m{text}\x1b[0m" if color and text else text


def count(number: int, noun: str) -> str:
    """Say how many: `1 file`, `1,200 files`, `2 policies`."""
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun}"


def listed(names: Sequence[str], limit: int = _LISTED) -> str:
    """List the first few and say how many more there are."""
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {more:,} more" if more > 0 else "")


def on_spokes(spokes: Sequence[str], total: int | None = None) -> str:
    """Say where: `on eu`, `on 3 spokes: a, b, c`, `on all 200 spokes` of that total."""
    if len(spokes) == 1:
        return f"on {spokes[0]}" if not spokes[0].startswith("_") else f"in {spokes[0]}"
    if len(spokes) == total:
        return f"on all {total:,} spokes"
    return f"on {count(len(spokes), 'spoke')}: {listed(spokes)}"


def place(ref: Ref) -> str:
    """The namespace and name, as kubectl users say it."""
    return f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name
