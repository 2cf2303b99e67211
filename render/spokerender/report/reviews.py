"""A review as text for people: first the consequences, then the differences."""

from collections.abc import Iterator, Sequence
from itertools import chain

from spokerender.findings.phrasing import count, joined
from spokerender.findings.results import Severity
from spokerender.findings.suppressions import SUPPRESSED
from spokerender.report.changes import difference_lines, first_lines_of, sum_up_differences
from spokerender.report.describing import Describer, describe_tests, name_states, split_paths
from spokerender.report.reports import Look, ReviewReport
from spokerender.report.serializing import list_left_out
from spokerender.report.terminal import (
    SEVERITY_STYLES,
    Style,
    drawn_width,
    on_one_line,
    paint,
    wrap_indented,
    wrap_words,
)
from spokerender.review.values import Consequence, Review, group_by_cause

_STRICTER = "stricter"
_PATHS = 8


def review_text(report: ReviewReport, look: Look) -> str:
    """Return consequences, new needs, stricter policies and changes, in the terminal's width.

    Without `verbose`, infos among the consequences are counted, and so are further entries after
    the first lines of each part.
    """
    review, describer = report.review, Describer(report.rendered)
    first = wrap_words("changes from {} to {}".format(*name_states(review)), look.width)
    lines = [paint(line, Style.BOLD, color=look.color) for line in first]
    for side in (review.before, review.after):
        lines += wrap_words(side.note, look.width) if side.note else []
    # Infos are counted, since a long list of them would hide the errors.
    visible = [i for i in review.consequences if look.verbose or i.severity is not Severity.INFO]
    sections = (
        ("", "consequence", visible),
        ("needed", "new need", review.needed),
        (_STRICTER, "stricter change", review.tightened),
    )
    for title, noun, items in sections:
        pieces = _list_pieces(items, describer, look, title)
        lines += first_lines_of(pieces, len(items), noun, look)
    hidden = len(review.consequences) - len(visible)
    if hidden:
        lines += ["", f"{count(hidden, 'info')}; -v prints {'them' if hidden > 1 else 'it'}"]
    if review.changes:
        changes = describer.join_alike(review.changes)
        pieces = ([*difference_lines(item, describer, look)] for item in changes)
        lines += ["", paint("Changes", Style.BOLD, color=look.color)]
        lines += first_lines_of(pieces, len(changes), "difference", look)
        # Last, where a reader of a long list ends up.
        lines += wrap_words(sum_up_differences(changes), look.width)
    for text in list_left_out(review.left_out):
        lines += wrap_words(f"not shown: {text}", look.width)
    return "".join(f"{line}\n" for line in [*lines, "", _sum_up(review)])


def _sum_up(review: Review) -> str:
    numbers = [count(number, kind) for kind, number in review.counts.items() if number]
    if not numbers:
        return "no consequence" if review.changes else "nothing changes"
    spokes = {name for item in review.consequences for name in item.result.spokes}
    where = f" on {count(len(spokes), 'spoke')}" if spokes else ""
    return f"consequences: {joined(numbers)}{where}"


def _list_pieces(
    items: Sequence[Consequence], describer: Describer, look: Look, title: str
) -> Iterator[list[str]]:
    """Yield the lines of each consequence; a line about their cause leads several of one cause."""
    for cause, alike in group_by_cause(items):
        more = f"{count(len(alike), 'consequence')} of {cause}:" if len(alike) > 1 else ""
        head = [paint(line, Style.BOLD, color=look.color) for line in wrap_words(more, look.width)]
        for number, item in enumerate(alike):
            lines = _consequence_lines(item, describer, look, title, "" if more else cause)
            # The head goes with the first piece, so it isn't printed when no piece has room.
            yield ["", *(head if more and not number else ()), *lines]


def _consequence_lines(
    item: Consequence, describer: Describer, look: Look, title: str, cause: str
) -> Iterator[str]:
    result = item.result
    reason = dict(result.tags).get(SUPPRESSED)
    accepted = f" (accepted: {reason})" if reason else ""
    style = Style.GREEN if title == _STRICTER else SEVERITY_STYLES[result.severity]
    head = f"{title or result.severity} {result.code}"
    first, *more = wrap_words(f"{head} {item.topic}{accepted}: {result.message}", look.width)
    # Wrapped without colours, which would count as width, and painted afterwards.
    yield paint(head, style, color=look.color) + first.removeprefix(head)
    yield from more
    yield from wrap_indented(describer.place(result.spokes), look.width) if result.spokes else ()
    if item.was or item.now:
        yield from _steps((item.was or "none", item.now or "none"), "->", look.width)
    for path in split_paths(item.places[:_PATHS]):
        yield from _steps(path, ">", look.width)
    if len(item.places) > _PATHS:
        yield f"    and {count(len(item.places) - _PATHS, 'more path')}"
    yield from wrap_indented(f"for example {item.example}", look.width) if item.example else ()
    yield from wrap_indented(tests, look.width) if (tests := describe_tests(item)) else ()
    for line in wrap_indented(f"from {cause}", look.width) if cause else ():
        yield paint(line, Style.FAINT, color=look.color)
    if result.cure:
        # Lines of YAML to copy stand as they are.
        cure, *entries = result.cure.rstrip().split("\n")
        yield from wrap_indented(cure, look.width)
        yield from (f"    {on_one_line(line)}" for line in entries)


def _steps(steps: Sequence[str], sign: str, width: int) -> list[str]:
    """Return steps on one line, or on separate lines if one line is too wide."""
    line = f"    {on_one_line(f' {sign} '.join(steps))}"
    if drawn_width([line]) <= width:
        return [line]
    first, *more = steps
    later = (wrap_words(f"{sign} {step}", width, " " * 8, " " * 6) for step in more)
    return [*wrap_indented(first, width), *chain.from_iterable(later)]
