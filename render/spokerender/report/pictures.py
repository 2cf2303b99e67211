"""A diagram as SVG, in light and dark, with a layout of its own."""

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from html import escape
from itertools import pairwise
from math import inf
from statistics import fmean
from textwrap import wrap

from msgspec import Struct

from spokerender.explain.diagram import Box, Diagram, DrawnPolicy, PolicyMark, bound_diagram
from spokerender.model import Ref
from spokerender.report.diagrams import SIGNS, describe_left_out, joint, marks_in
from spokerender.report.reports import GraphReport, Look
from spokerender.report.terminal import on_one_line

# An even number: half of the sweeps sort, the other half only move boxes.
_SWEEPS = 6
_GAP, _GUTTER = 14.0, 56.0
_FARTHEST = 300.0
"""The distance at most, in px, between a box and the highest box that it leads to."""


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
    """Boxes by column, in their vertical order, and the neighbours of each box."""

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
            # Without wishes, boxes stack up in the order in which they came.
            self._stack(column, [0.0] * len(column))

    def settle(self) -> None:
        """Sort each column by the heights of the boxes' neighbours, and move boxes there."""
        # The first sweeps sort as well; the last ones only move, so that the order stays.
        for sweep in range(_SWEEPS):
            # To the right and back: a sweep in one direction pulls boxes to their parents only.
            for column in self.columns:
                self._align(column, self._before, sort=sweep < _SWEEPS // 2)
            for column in reversed(self.columns):
                self._align(column, self._after, sort=sweep < _SWEEPS // 2)
        # Last from the right: a Gateway with hundreds of routes would otherwise stand in their
        # middle, a screen away from the first.
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
        """Move boxes as near to their wished heights as their order and sizes permit.

        Boxes that touch move together, to the mean of their wishes (pool adjacent violators).
        """
        offsets = [0.0]
        for one, other in pairwise(column):
            half = (self._sizes[one].height + self._sizes[other].height) / 2
            offsets.append(offsets[-1] + half + _GAP)
        pools: list[tuple[float, int]] = []
        for wish, offset in zip(wishes, offsets, strict=True):
            mean, number = wish - offset, 1
            # A box that would overlap the pool above it joins that pool, and both settle at their
            # mean.
            while pools and pools[-1][0] > mean:
                before, many = pools.pop()
                mean = (mean * number + before * many) / (number + many)
                number += many
            pools.append((mean, number))
        starts = [mean for mean, number in pools for _ in range(number)]
        for box, start, offset in zip(column, starts, offsets, strict=True):
            self.middles[box] = start + offset


def lay_out(sizes: Sequence[BoxSize], edges: Sequence[tuple[int, int]]) -> tuple[Spot, ...]:
    """Return the position of each box; the picture starts at 0, 0."""
    columns = _Columns(sizes, edges)
    columns.settle()
    tops = [middle - size.height / 2 for middle, size in zip(columns.middles, sizes, strict=True)]
    # Wishes may move boxes above zero; the picture has no negative coordinates.
    highest = min(tops, default=0.0)
    spots = [Spot(0, 0)] * len(sizes)
    x = 0.0
    for column in columns.columns:
        for box in column:
            spots[box] = Spot(x, tops[box] - highest)
        x += max(sizes[box].width for box in column) + _GUTTER
    return tuple(spots)


_MOST_BOXES = 600
_CELL = 7.25
"""The width of a character: 0.602 em in the monospaced fonts of all systems, at 12 px."""
_ROW, _PAD, _HEAD = 18.0, 12.0, 16.0
_MOST_CELLS, _MOST_LINES = 42, 4
_MARGIN = 20.0
_NARROWEST = 120.0
_RULE, _RADIUS, _BEND = 8.0, 6.0, 28.0
_STEEP, _CORNER = 600.0, 8.0
_LEGEND, _LEGEND_GAP = 34.0, 40.0
STYLE, DARK = "topology.css", "topology-dark.css"
"""The files of the picture's style, and of its colours for readers who prefer dark."""
_PAPER = '<rect width="100%" height="100%" rx="8" fill="var(--paper)"/>'

_CHANGED = "added or changed"
_PATHS = {
    PolicyMark.IN_FORCE: "M-2.8 .2 -.8 2.2 2.8 -2",
    PolicyMark.ACCEPTED: "M-2.8 .2 -.8 2.2 2.8 -2",
    PolicyMark.UNVERIFIED: "M-1.7 -1.4A1.7 1.7 0 1 1 0 .6V1M0 3V3.1",
    PolicyMark.PARTLY: "M-2.8 0H2.8",
    PolicyMark.OVERRIDDEN: "M-2.4 2.4 2.4 -2.4",
    PolicyMark.UNRESOLVED: "M0 -2.9V.6M0 2.9V3",
    PolicyMark.UNKNOWN: "M-1.7 -1.4A1.7 1.7 0 1 1 0 .6V1M0 3V3.1",
    PolicyMark.CONFLICTED: "M-2.2 -2.2 2.2 2.2M-2.2 2.2 2.2 -2.2",
    PolicyMark.REFUSED: "M0 -2.9V.6M0 2.9V3",
}
"""Signs drawn as lines, since a font may lack their characters."""


def diagram_svg(report: GraphReport, look: Look) -> str:
    """Return the diagram as a separate SVG file, which follows the reader's colour scheme."""
    files = look.page()
    style = f"{files[STYLE]}@media (prefers-color-scheme:dark){{{files[DARK]}}}"
    return draw_svg(report.diagram, f"The topology of the {report.subject}", style)


def draw_svg(diagram: Diagram, title: str, style: str = "", changed: Collection[Ref] = ()) -> str:
    """Return a picture of at most `_MOST_BOXES` boxes; without `style`, a page must style it.

    Objects in `changed` get a frame, and policies in `changed` get a background.
    """
    # Bounded before layout, whose cost grows with edges and sweeps.
    diagram = bound_diagram(diagram, _MOST_BOXES)
    drawn = [_DrawnBox.of(box, frozenset(changed)) for box in diagram.boxes]
    sizes = [item.size for item in drawn]
    spots = lay_out(sizes, diagram.edges)
    legend, legend_width = _draw_legend(diagram, has_changed=any(i.has_changed for i in drawn))
    edge = [spot.x + size.width for spot, size in zip(spots, sizes, strict=True)]
    bottom = [spot.y + size.height for spot, size in zip(spots, sizes, strict=True)]
    width = max([legend_width, *edge]) + 2 * _MARGIN
    height = max(bottom, default=0) + 2 * _MARGIN + (_LEGEND if legend else 0)
    box = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="topology" role="img" {box}>',
        f"<title>{_escaped(title)}</title>",
        # A page brings style and paper itself; a separate file must stand alone.
        *([f"<style>{style}</style>", _PAPER] if style else []),
        f'<g transform="translate({_MARGIN:.0f} {_MARGIN:.0f})">',
        *_edges(diagram.edges, spots, sizes),
    ]
    for item, spot in zip(drawn, spots, strict=True):
        lines += item.lines(spot)
    lines += ["</g>", f'<g transform="translate({_MARGIN:.0f} {height - _MARGIN:.0f})">', *legend]
    return "".join(f"{line}\n" for line in [*lines, "</g>", "</svg>"])


class _DrawnBox(Struct, frozen=True):
    """A box with the lines of text in it: heading, name, details, then policies."""

    box: Box
    size: BoxSize
    changed: frozenset[Ref]

    @property
    def has_changed(self) -> bool:
        """Return whether the object or one of its policies changed."""
        return bool(self.changed)

    @classmethod
    def of(cls, box: Box, changed: frozenset[Ref]) -> "_DrawnBox":
        rows = 1 + len(_soft_rows(box)) + sum(map(len, map(_policy_rows, box.policies)))
        texts = [box.name, *_soft_rows(box)]
        cells = [_cells(_short(text)) for text in texts]
        # Two cells for the sign in front of a policy.
        cells += [_cells(_short(text)) + 2 for item in box.policies for text in _policy_rows(item)]
        width = max([_NARROWEST, *(number * _CELL + 2 * _PAD for number in cells)])
        height = _HEAD + rows * _ROW + _PAD + (_RULE if box.policies else 0)
        own = changed & {box.ref, *(item.ref for item in box.policies)}
        return cls(box, BoxSize(box.column, width, height), own)

    def lines(self, spot: Spot) -> Iterator[str]:
        box, size = self.box, self.size
        yield f'<g transform="translate({spot.x:.1f} {spot.y:.1f})">'
        frame = f'width="{size.width:.1f}" height="{size.height:.1f}" rx="6"/>'
        yield f'<rect class="box" {frame}'
        if box.ref in self.changed:
            yield f'<rect class="changed" {frame}'
        yield _line(_PAD, _HEAD, box.heading, "head")
        y = _HEAD + _ROW
        yield _line(_PAD, y - 2, box.name, "name")
        for text in _soft_rows(box):
            y += _ROW
            yield _line(_PAD, y - 2, text, "soft")
        if box.policies:
            y += _RULE
            yield f'<path class="rule" d="M0 {y - 3:.1f}H{size.width:.1f}"/>'
        for policy in box.policies:
            first, *more = _policy_rows(policy)
            y += _ROW
            title = _escaped(f"{policy.ref}: {policy.mark}{joint(policy)}{policy.note}")
            yield f"<g><title>{title}</title>"
            if policy.ref in self.changed:
                yield _ground(4, y - _ROW + 4, size.width - 8, _ROW - 1)
            yield _sign(policy.mark, _PAD + _RADIUS, y - 6)
            yield _line(_PAD + 2 * _CELL + 4, y - 2, first, "")
            for text in more:
                y += _ROW
                yield _line(_PAD + 2 * _CELL + 4, y - 2, text, SIGNS[policy.mark].tone)
            yield "</g>"
        yield "</g>"


def _soft_rows(box: Box) -> list[str]:
    more = [f"and {describe_left_out(box.left_out)}"] if box.left_out else []
    return [*box.details, *more]


def _policy_rows(policy: DrawnPolicy) -> list[str]:
    name = f"{policy.ref.kind} {policy.ref.full_name}"
    if policy.mark in (PolicyMark.IN_FORCE, PolicyMark.ACCEPTED):
        return [name]
    state = on_one_line(f"{policy.mark}{joint(policy)}{policy.note}")
    return [name, *wrap(state, _MOST_CELLS - 2, max_lines=_MOST_LINES, placeholder="…")]


def _edges(
    edges: Sequence[tuple[int, int]], spots: Sequence[Spot], sizes: Sequence[BoxSize]
) -> Iterator[str]:
    middles = [spot.y + size.height / 2 for spot, size in zip(spots, sizes, strict=True)]
    # A curve over more than a screen is nearly vertical and would cross all boxes between.
    steep = {start for start, end in edges if abs(middles[end] - middles[start]) > _STEEP}
    for start, end in edges:
        x1, y1 = spots[start].x + sizes[start].width, middles[start]
        x2, y2 = spots[end].x, middles[end]
        bend = x2 - _BEND
        if start in steep:  # a rail that all edges of the box share
            corner = min(_CORNER, abs(y2 - y1) / 2)
            turn = corner if y2 > y1 else -corner
            way = f"H{bend - corner:.1f}q{corner:.1f} 0 {corner:.1f} {turn:.1f}"
            way += f"V{y2 - turn:.1f}q0 {turn:.1f} {corner:.1f} {turn:.1f}H{x2:.1f}"
        else:
            way = f"H{bend - _BEND:.1f}C{bend:.1f} {y1:.1f} {bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
        yield f'<path class="edge" d="M{x1:.1f} {y1:.1f}{way}"/>'


def _ground(x: float, y: float, width: float, height: float) -> str:
    box = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="touched" {box} rx="4"/><rect class="changed" {box} rx="4"/>'


def _draw_legend(diagram: Diagram, *, has_changed: bool) -> tuple[list[str], float]:
    """Return the lines of the legend in SVG, and its width."""
    lines, x = [], 0.0
    for mark in marks_in(diagram):
        lines += [_sign(mark, x + _RADIUS, -4), _line(x + 2 * _CELL + 2, 0, mark, "note")]
        x += len(mark) * _CELL + _LEGEND_GAP
    if has_changed:
        lines += [_ground(x, -10, 12, 12), _line(x + 2 * _CELL + 4, 0, _CHANGED, "note")]
        x += len(_CHANGED) * _CELL + _LEGEND_GAP
    if diagram.left_out:
        text = f"left out: {describe_left_out(diagram.left_out)}"
        lines.append(_line(x, 0, text, "note"))
        x += len(text) * _CELL
    return lines, x


def _sign(mark: PolicyMark, x: float, y: float) -> str:
    return (
        f'<g transform="translate({x:.1f} {y:.1f})"><circle class="{SIGNS[mark].tone}" '
        f'r="{_RADIUS}"/><path class="sign" d="{_PATHS[mark]}"/></g>'
    )


def _line(x: float, y: float, text: str, style: str) -> str:
    name = f' class="{style}"' if style else ""
    return f'<text{name} x="{x:.1f}" y="{y:.1f}">{escape(_short(text))}</text>'


def _short(text: str) -> str:
    """Return the part of a text for which a box has room."""
    text = on_one_line(text)
    if _cells(text) <= _MOST_CELLS:
        return text
    cells, end = 0, 0
    while cells < _MOST_CELLS - 1:
        cells += _cells(text[end])
        end += 1
    return f"{text[:end]}…"


def _cells(text: str) -> int:
    """Return the width of a text in cells of a monospaced font; wide characters take two cells."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _escaped(text: str) -> str:
    return escape(on_one_line(text))
