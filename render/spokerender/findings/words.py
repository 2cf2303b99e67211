"""Counting and listing, as every message and report does it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

_LISTED = 5


def count(number: int, noun: str) -> str:
    """Say how many: `1 file`, `1,200 files`, `2 policies`."""
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun}"


def listed(
    items: Iterable[object], limit: int = _LISTED, separator: str = ", ", of: int | None = None
) -> str:
    """List the first few and say how many more there are: `a, b, c and 4 more`.

    `of` is how many items there are, if they are not to be counted: then no more are looked at
    than are named.
    """
    if of is None:
        items = list(items)
        of = len(items)
    more = of - limit
    shown = separator.join(map(str, islice(items, limit)))
    return shown + (f" and {more:,} more" if more > 0 else "")


def joined(items: Iterable[object], limit: int | None = None) -> str:
    """Join all of them as a sentence does: `a, b and c`; above a limit, `a, b and 4 more`."""
    texts = list(map(str, items))
    more = len(texts) - limit if limit is not None else 0
    if more > 0:
        texts = [*texts[:limit], f"{more:,} more"]
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def on_spokes(spokes: Sequence[str], total: int | None = None) -> str:
    """Say where: `on eu`, `on 3 spokes: a, b, c`, `on all 200 spokes` of that total."""
    if len(spokes) == 1:
        return f"on {spokes[0]}" if not spokes[0].startswith("_") else f"in {spokes[0]}"
    if len(spokes) == total:
        return f"on all {total:,} spokes"
    return f"on {count(len(spokes), 'spoke')}: {listed(spokes)}"
