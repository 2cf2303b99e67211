"""Findings as GitHub's workflow commands, which GitHub shows at the lines of the findings."""

import hashlib
import posixpath
from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from spokerender.findings.causes import FOLLOWS
from spokerender.findings.phrasing import count
from spokerender.findings.results import Result, Severity
from spokerender.report.findings import findings_text, subject, summary
from spokerender.report.reports import Look, Report, message_lines
from spokerender.report.serializing import count_besides, with_causes
from spokerender.report.terminal import printable

SHOWN_OF_A_STEP = 10
"""GitHub shows ten errors and ten warnings of a step, and drops all others silently."""

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def findings_github(report: Report, look: Look) -> str:
    """Return findings as annotations, errors first; if there are too many, also as a log.

    GitHub drops annotations above a number. The text is empty if no finding is visible.
    """
    results = look.visible(with_causes(report.all_results))
    besides = count_besides(report)
    rest = f"{printable(besides)}\n" if besides else ""
    # Without a finding there is no annotation, but perhaps a note about the differences.
    if not results:
        return rest
    lines = []
    counts: Counter[Severity] = Counter()
    for result in results:
        # Per severity, as GitHub's limit is for errors and for warnings.
        counts[result.severity] += 1
        if counts[result.severity] <= SHOWN_OF_A_STEP:
            lines.append(_annotation(result, report.spokes))
    numbers = ", ".join(
        count(number - SHOWN_OF_A_STEP, severity)
        for severity, number in counts.items()
        if number > SHOWN_OF_A_STEP
    )
    if not numbers:
        return "".join(f"{line}\n" for line in (*lines, summary(results))) + rest
    # GitHub drops the other annotations silently, so the log has all findings.
    lines.append(f"{summary(results)}; without an annotation: {numbers}")
    log = findings_text(replace(report, results=results), Look(verbose=True))
    all_lines = "".join(f"{line}\n" for line in (*lines, "::group::All findings"))
    # The hub's files can have any text: the runner takes nothing in the log for a command, and the
    # token that turns commands on again is a hash of the whole text, which thus can't contain it.
    token = hashlib.sha256(log.encode(errors="replace")).hexdigest()
    return all_lines + f"::stop-commands::{token}\n{log}::{token}::\n::endgroup::\n" + rest


def _annotation(result: Result, spokes: int | None) -> str:
    properties = {}
    if result.origin is not None:
        properties["file"] = posixpath.normpath(result.origin.path)
        properties["line"] = str(result.origin.line)
        properties |= {"col": str(result.origin.column)} if result.origin.column else {}
    properties["title"] = subject(result)
    message = message_lines(result, spokes)
    message += [f"follows from {text}" for name, text in result.tags if name == FOLLOWS]
    # A property ends at a comma, and its name at a colon.
    texts = {name: _data([text]).replace(":", "%3A") for name, text in properties.items()}
    written = ",".join(f"{name}={text.replace(',', '%2C')}" for name, text in texts.items())
    return f"::{_COMMANDS[result.severity]} {written}::{_data(message)}"


def _data(lines: Sequence[str]) -> str:
    """Return a command's message, escaped as in actions/toolkit (`command.ts`) and as in a log."""
    text = "\n".join(lines).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return printable(text)
