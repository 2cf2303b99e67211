"""Findings as GitHub's workflow commands, which it shows beside the lines that they are about.

Of one step it shows ten errors and ten warnings, and says nothing of the rest. So the first ten of
each severity are annotations; where there are more, all findings are told in the log as well.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections import Counter
from collections.abc import Iterable, Sequence

from spokerender.findings.causes import FOLLOWS, marked
from spokerender.findings.results import Result, Severity
from spokerender.findings.words import count, on_spokes
from spokerender.report.findings import results_text, sorted_results, summary, with_about
from spokerender.report.printable import printable
from spokerender.report.reports import Look, Report

SHOWN_OF_A_STEP = 10
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def findings_github(report: Report, look: Look) -> str:
    """The findings of any report as annotations."""
    return results_github(report.results, verbose=look.verbose, spokes=report.spokes)


def results_github(
    results: Iterable[Result], *, verbose: bool = False, spokes: int | None = None
) -> str:
    """Tell the findings as annotations, errors first, then by file and line.

    Args:
        results: what was found.
        verbose: whether infos are told as well, as notices.
        spokes: how many spokes there are, so that "all" can be said.

    Returns:
        Lines that end in a line feed; empty if nothing is told.

    """
    commands = [
        result
        for result in sorted_results(marked(sorted_results(results)))
        if verbose or result.severity is not Severity.INFO
    ]
    if not commands:
        return ""
    lines, cut = _annotations(commands, spokes)
    if not cut:
        return "".join(f"{line}\n" for line in (*lines, summary(commands)))
    hidden = ", ".join(count(number, severity) for severity, number in cut.items())
    lines.append(f"{summary(commands)}; without an annotation: {hidden}")
    full = results_text(commands, color=False, verbose=True, spokes=spokes)
    return "".join(f"{line}\n" for line in (*lines, "::group::All findings")) + _as_log(full)


def _annotations(
    results: Iterable[Result], spokes: int | None
) -> tuple[list[str], Counter[Severity]]:
    """The commands, and how many findings of each severity are over what GitHub shows."""
    seen: Counter[Severity] = Counter()
    cut: Counter[Severity] = Counter()
    lines = []
    for result in results:
        seen[result.severity] += 1
        if seen[result.severity] > SHOWN_OF_A_STEP:
            cut[result.severity] += 1
        else:
            lines.append(_annotation(result, spokes))
    return lines, cut


def _annotation(result: Result, spokes: int | None) -> str:
    properties = []
    if result.origin is not None:
        properties += [("file", posixpath.normpath(result.origin.path))]
        properties += [("line", str(result.origin.line))]
        properties += [("col", str(result.origin.column))] if result.origin.column else []
    properties += [("title", with_about(result))]
    message = [result.message]
    message += [on_spokes(result.spokes, spokes)] if result.spokes else []
    message += [result.cure] if result.cure else []
    message += [f"follows from {text}" for name, text in result.tags if name == FOLLOWS]
    written = ",".join(f"{name}={_property(value)}" for name, value in properties)
    return f"::{_COMMANDS[result.severity]} {written}::{_data(message)}"


def _data(lines: Sequence[str]) -> str:
    """A command's message, escaped as actions/toolkit does (`command.ts`).

    What is left of characters that are not printable is shown as in the log.
    """
    text = "\n".join(lines).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return printable(text)


def _property(text: str) -> str:
    return _data([text]).replace(":", "%3A").replace(",", "%2C")


def _as_log(text: str) -> str:
    """Text in which nothing is taken for a command, up to the end of the group.

    What the hub's files say is in it. The token that turns commands on again depends on the text,
    so that the text can't have it.
    """
    token = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    return f"::stop-commands::{token}\n{text}::{token}::\n::endgroup::\n"
