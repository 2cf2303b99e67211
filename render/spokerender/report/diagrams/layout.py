"""Places for the boxes of a diagram: columns from left to right, few crossings, no overlap."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from statistics import fmean

from msgspec import Struct

_SWEEPS = 6
_GAP, _GUTTER = 14.0, 56.0
_FARTHEST = 300.0
"""How far below the first box that it leads to a box stands; else it is out of sight of these."""


class BoxSize(Struct, frozen=True):
    """A box's column, width and height."""

    column: int
    width: float
    height: float


class Spot(Struct, frozen=True):
    """A box's upper left corner."""

    x: float
    y: float


class _Columns:
    """Boxes by column, in the order in which they stand there, and their neighbours."""

    def __init__(self, sizes: Sequence[BoxSize], edges: Sequence[tuple[int, int]]) -> None:
        self._sizes = sizes
        used = sorted({size.column for size in sizes})
        self.columns = [[i for i, s in enumerate(sizes) if s.column == c] for c in used]
        self._before: list[list[int]] = [[] for _ in sizes]
        self._after: list[list[int]] = [[] for _ in sizes]
        for start, end in edges:
            self._before[end].append(start)
            self._after[start].append(end)
        self.middles = [0.0] * len(sizes)
        for column in self.columns:
            self._stack(column, [0.0] * len(column))

    def settle(self) -> None:
        """Sort each column by its neighbours and move boxes level with them, back and forth."""
        for sweep in range(_SWEEPS):
            for column in self.columns:
                self._align(column, self._before, sort=sweep < _SWEEPS // 2)
            for column in reversed(self.columns):
                self._align(column, self._after, sort=sweep < _SWEEPS // 2)
        for column in reversed(self.columns):
            self._align(column, self._after, farthest=_FARTHEST)

    def _align(
        self,
        column: list[int],
        neighbours: list[list[int]],
        *,
        sort: bool = False,
        farthest: float = inf,
    ) -> None:
        wishes: dict[int, float] = {}
        for box in column:
            middles = [self.middles[other] for other in neighbours[box] or [box]]
            wishes[box] = min(fmean(middles), min(middles) + farthest)
        if sort:
            column.sort(key=wishes.__getitem__)
        self._stack(column, [wishes[box] for box in column])

    def _stack(self, column: list[int], wishes: list[float]) -> None:
        """Move boxes as near to where they wish to be as their order and heights permit.

        Boxes that touch move together, to the mean of their wishes (pool adjacent violators).
        """
        offsets = [0.0]
        for one, other in pairwise(column):
            half = (self._sizes[one].height + self._sizes[other].height) / 2
            offsets.append(offsets[-1] + half + _GAP)
        pools: list[tuple[float, int]] = []
        for wish, offset in zip(wishes, offsets, strict=True):
            mean, number = wish - offset, 1
            while pools and pools[-1][0] > mean:
                before, many = pools.pop()
                mean = (mean * number + before * many) / (number + many)
                number += many
            pools.append((mean, number))
        starts = [mean for mean, number in pools for _ in range(number)]
        for box, start, offset in zip(column, starts, offsets, strict=True):
            self.middles[box] = start + offset


def lay_out(sizes: Sequence[BoxSize], edges: Sequence[tuple[int, int]]) -> tuple[Spot, ...]:
    """Return the place of each box; the picture begins at 0, 0."""
    columns = _Columns(sizes, edges)
    columns.settle()
    tops = [middle - size.height / 2 for middle, size in zip(columns.middles, sizes, strict=True)]
    highest = min(tops, default=0.0)
    spots = [Spot(0, 0)] * len(sizes)
    x = 0.0
    for column in columns.columns:
        for box in column:
            spots[box] = Spot(x, tops[box] - highest)
        x += max(sizes[box].width for box in column) + _GUTTER
    return tuple(spots)
