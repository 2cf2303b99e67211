"""Print a review for people: consequences first, then what differs."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from spokerender.findings.phrasing import count, joined, listed
from spokerender.findings.results import Severity
from spokerender.report.changes import difference_lines, sum_up_differences
from spokerender.report.describing import Describer, split_paths
from spokerender.report.reports import Look, ReviewReport
from spokerender.report.terminal import (
    SEVERITY_STYLES,
    Style,
    drawn_width,
    on_one_line,
    paint,
    wrap_indented,
    wrap_words,
)
from spokerender.review.values import Consequence, Review

_NEEDED = "needed"
_PATHS = 8
_MOST_LINES = 1_000
"""The lines of consequences, and of changes, that are shown without `verbose`."""


def review_text(report: ReviewReport, look: Look) -> str:
    """Print consequences, new needs, what gets stricter, and changes, in the terminal's width.

    Without `verbose`, infos among the consequences are counted, and so is what comes behind the
    first thousand lines.
    """
    review, describer = report.review, Describer(report.rendered)
    lines = [paint(f"{review.before.name} -> {review.after.name}", Style.BOLD, color=look.color)]
    for side in (review.before, review.after):
        lines += wrap_words(side.note, look.width) if side.note else []
    sections = ("", review.consequences), (_NEEDED, review.needed), ("stricter", review.tightened)
    for title, items in sections:
        visible = [item for item in items if look.verbose or _is_worth_lines(item, title)]
        pieces = (["", *_consequence_lines(item, describer, look, title)] for item in visible)
        lines += _within(pieces, len(visible), "consequence", look)
        hidden = len(items) - len(visible)
        if hidden:
            noun = "stricter change" if title else "info"
            lines += ["", f"{count(hidden, noun)}; -v prints them"]
    if review.changes:
        pieces = ([*difference_lines(item, describer, look)] for item in review.changes)
        lines += ["", paint("Changes", Style.BOLD, color=look.color)]
        lines += _within(pieces, len(review.changes), "difference", look)
        lines += wrap_words(sum_up_differences(review.changes), look.width)
    for reason, number in review.left_out.items():
        lines += wrap_words(f"not shown: {number:,} {reason}", look.width)
    return "".join(f"{line}\n" for line in [*lines, "", _sum_up(review)])


def _within(pieces: Iterable[list[str]], total: int, noun: str, look: Look) -> Iterator[str]:
    """Yield the lines of the first pieces, and the number of the others; with `verbose`, all."""
    room = _MOST_LINES
    for number, piece in enumerate(pieces):
        if room <= 0 and not look.verbose:
            yield f"and {count(total - number, f'more {noun}')}; -v prints them"
            return
        room -= len(piece)
        yield from piece


def _is_worth_lines(item: Consequence, title: str) -> bool:
    return title == _NEEDED or (not title and item.severity is not Severity.INFO)


def _sum_up(review: Review) -> str:
    numbers = [count(number, kind) for kind, number in review.counts.items() if number]
    if not numbers:
        return "no consequence" if review.changes else "nothing changes"
    spokes = {name for item in review.consequences for name in item.result.spokes}
    where = f" on {count(len(spokes), 'spoke')}" if spokes else ""
    return f"consequences: {joined(numbers)}{where}"


def _consequence_lines(
    item: Consequence, describer: Describer, look: Look, title: str
) -> Iterator[str]:
    result = item.result
    where = f" {describer.place(result.spokes)}" if result.spokes else ""
    accepted = " (accepted)" if "suppressed" in dict(result.tags) else ""
    style = Style.GREEN if title == "stricter" else SEVERITY_STYLES[result.severity]
    head = f"{title or result.severity} {result.code}"
    text = f"{head} {item.topic}{accepted}: {result.message}{where}"
    first, *more = wrap_words(text, look.width)
    yield paint(head, style, color=look.color) + first.removeprefix(head)
    yield from more
    if item.was or item.now:
        yield from _steps((item.was or "nothing", item.now or "nothing"), "->", look.width)
    for path in split_paths(item.paths[:_PATHS]):
        yield from _steps(path, ">", look.width)
    if len(item.paths) > _PATHS:
        yield f"    and {count(len(item.paths) - _PATHS, 'more path')}"
    for line in wrap_indented(f"from {listed(item.lines)}", look.width) if item.lines else ():
        yield paint(line, Style.FAINT, color=look.color)
    if result.cure:
        yield from wrap_indented(result.cure, look.width)


def _steps(steps: Sequence[str], sign: str, width: int) -> list[str]:
    """Return steps on one line, or each on its own where that is too wide."""
    line = f"    {on_one_line(f' {sign} '.join(steps))}"
    if drawn_width([line]) <= width:
        return [line]
    first, *more = steps
    later = (wrap_indented(f"{sign} {step}", width) for step in more)
    return [*wrap_indented(first, width), *chain.from_iterable(later)]
