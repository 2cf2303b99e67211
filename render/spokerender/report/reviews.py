"""Print a review for people: consequences first, then what differs."""

from collections.abc import Iterator, Sequence
from itertools import chain

from spokerender.findings.phrasing import count, joined, on_spokes
from spokerender.findings.results import Severity
from spokerender.report.changes import diff_lines
from spokerender.report.paths import split_paths
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

_PATHS = 8
_NARROWEST = 40


def review_text(report: ReviewReport, look: Look) -> str:
    """Print consequences, what gets stricter, and the changes, in the width of the terminal.

    Without `verbose`, infos among the consequences are counted.
    """
    review, total = report.review, len(report.rendered.bundles)
    lines = [f"{review.before.name} -> {review.after.name}"]
    lines += [f"{side.name}: {side.note}" for side in (review.before, review.after) if side.note]
    for title, items in (("", review.consequences), ("stricter", review.tightened)):
        visible = [item for item in items if look.verbose or _is_worth_lines(item, title)]
        for item in visible:
            lines += ["", *_consequence_lines(item, total, look, title)]
        hidden = len(items) - len(visible)
        if hidden:
            noun = "stricter change" if title else "info"
            lines += ["", f"{count(hidden, noun)}; -v prints them"]
    changes = diff_lines(review.changes, report.rendered, look)
    lines += ["", *changes] if changes else []
    lines += [f"not shown: {number:,} {reason}" for reason, number in review.left_out.items()]
    return "".join(f"{line}\n" for line in [*lines, "", _sum_up(review)])


def _is_worth_lines(item: Consequence, title: str) -> bool:
    return not title and item.severity is not Severity.INFO


def _sum_up(review: Review) -> str:
    numbers = [count(number, kind) for kind, number in review.counts.items() if number]
    if not numbers:
        return "no consequence" if review.changes else "nothing changes"
    spokes = {name for item in review.consequences for name in item.result.spokes}
    where = f" on {count(len(spokes), 'spoke')}" if spokes else ""
    return f"consequences: {joined(numbers)}{where}"


def _consequence_lines(item: Consequence, total: int, look: Look, title: str) -> Iterator[str]:
    result = item.result
    where = f" {on_spokes(result.spokes, total)}" if result.spokes else ""
    accepted = " (accepted)" if "suppressed" in dict(result.tags) else ""
    style = Style.GREEN if title else SEVERITY_STYLES[result.severity]
    head = f"{title or result.severity} {result.code}"
    text = f"{head} {item.topic}{accepted}: {result.message}{where}"
    first, *more = wrap_words(text, max(look.width, _NARROWEST))
    yield paint(head, style, color=look.color) + first.removeprefix(head)
    yield from more
    if item.was or item.now:
        yield from _steps((item.was or "nothing", item.now or "nothing"), "->", look.width)
    for path in split_paths(item.paths[:_PATHS]):
        yield from _steps(path, ">", look.width)
    if len(item.paths) > _PATHS:
        yield f"    and {count(len(item.paths) - _PATHS, 'more path')}"
    if result.origin is not None:
        yield paint(f"    from {result.origin}", Style.FAINT, color=look.color)
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
