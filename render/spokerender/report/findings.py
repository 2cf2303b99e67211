"""Findings as text for people."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from spokerender.findings.causes import families
from spokerender.findings.phrasing import count, on_spokes
from spokerender.findings.results import EXCERPT, Result
from spokerender.findings.suppressions import SUPPRESSED
from spokerender.report.reports import SEVERITIES, Look, Report, sorted_results
from spokerender.report.terminal import (
    SEVERITY_STYLES,
    Style,
    break_list,
    on_one_line,
    paint,
    printable,
)

_FOLDED = 2
"""The number of findings that must follow from a finding to be folded below it."""


def findings_text(report: Report, look: Look) -> str:
    """Return each finding with file, line and suggested fix: errors first, then by file and line.

    The text is empty without findings.
    """
    results, spokes = sorted_results(report.results), report.spokes
    shown = look.visible(results)
    lines: list[str] = []
    for root, followers in families(shown, smallest=_FOLDED):
        lines += _result_lines(root, spokes, color=look.color)
        lines += _follower_lines(followers, look, spokes)
    hidden = len(results) - len(shown)
    if hidden:
        lines.append(
            f"{count(hidden, 'info')} not shown; -v shows {'them' if hidden > 1 else 'it'}"
        )
    if results:
        lines.append(summary(results))
    # The last step: whatever a message quotes is escaped, our colours are not.
    return printable("".join(f"{line}\n" for line in lines), color=look.color)


def summary(results: Iterable[Result]) -> str:
    """Return the numbers of findings as text: `2 errors, 1 warning`."""
    counts = Counter(result.severity for result in results)
    return ", ".join(
        count(counts[severity], severity) for severity in SEVERITIES if counts[severity]
    )


def subject(result: Result) -> str:
    """Return a finding's code, object and field: `SR1010 AuthPolicy shop/pay spec.targetRef`."""
    return " ".join(str(part) for part in (result.code, result.resource, result.field) if part)


def _result_lines(result: Result, spokes: int | None, *, color: bool) -> list[str]:
    severity = paint(result.severity, SEVERITY_STYLES[result.severity], color=color)
    place = on_one_line(f"{result.origin}: ") if result.origin else ""
    place = paint(place, Style.BOLD, color=color)
    tags = result.tags
    details = [line for name, text in tags if name == EXCERPT for line in text.split("\n")]
    details += [on_spokes(result.spokes, spokes)] if result.spokes else []
    details += [line for line in result.cure.split("\n") if line]
    details += [f"{name}: {text}" for name, text in tags if name == SUPPRESSED]
    return [
        f"{place}{severity} {break_list(on_one_line(f'{subject(result)}: {result.message}'))}",
        *(f"    {on_one_line(line)}".rstrip() for line in details),
    ]


def _follower_lines(followers: Sequence[Result], look: Look, spokes: int | None) -> Iterator[str]:
    """Yield the number of followers of a finding; with `verbose`, also the followers, indented."""
    if not followers:
        return
    verb, them = ("follow", "them") if len(followers) > 1 else ("follows", "it")
    end = ":" if look.verbose else f"; -v shows {them}"
    yield f"    {len(followers):,} more {verb} from this{end}"
    for result in followers if look.verbose else ():
        yield from (f"    {line}" for line in _result_lines(result, spokes, color=look.color))
