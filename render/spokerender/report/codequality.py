"""Findings as a code quality report of GitLab, which merge requests show.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

import hashlib
import posixpath

from spokerender.findings.results import Result, Severity
from spokerender.report.reports import Look, Report, message_lines
from spokerender.report.serializing import count_besides, json_text, with_causes

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}
_PROJECT = "fleet.yaml"
"""The file of entries for findings without a line: GitLab requires a file."""


def findings_codequality(report: Report, look: Look) -> str:
    """Return the findings as a JSON list; equal findings of later runs have equal fingerprints."""
    results = look.visible(with_causes(report.all_results))
    entries = [_entry(result, report.spokes) for result in results]
    besides = count_besides(report)
    if besides:
        entries.append(_make(besides, "spokerender", (besides,)))
    return json_text(entries)


def _entry(result: Result, spokes: int | None) -> dict[str, object]:
    origin = result.origin
    path = posixpath.normpath(origin.path) if origin is not None else _PROJECT
    # Without the line: an edit above the object must not make a new entry.
    about = (result.code, path, str(result.resource), result.field, result.message, *result.spokes)
    # GitLab counts lines from 1.
    line = max(origin.line, 1) if origin is not None else 1
    entry = _make("; ".join(message_lines(result, spokes)), result.code, about, (path, line))
    return {**entry, "severity": _SEVERITIES[result.severity]}


def _make(
    text: str, name: str, about: tuple[str, ...], place: tuple[str, int] = (_PROJECT, 1)
) -> dict[str, object]:
    """Return an entry of severity info; its fingerprint is a hash of the texts `about`."""
    return {
        "description": text,
        "check_name": name,
        "fingerprint": hashlib.sha256("\0".join(about).encode(errors="replace")).hexdigest(),
        "severity": "info",
        "location": {"path": place[0], "lines": {"begin": place[1]}},
    }
