"""Print findings as a code quality report of GitLab, which merge requests show.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

import hashlib
import posixpath

from spokerender.findings.results import Result, Severity
from spokerender.report.reports import Look, Report, message_lines
from spokerender.report.serializing import json_text, with_causes

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}
_PROJECT = "fleet.yaml"
"""Each entry needs a file: this one has the findings that are about no line."""


def findings_codequality(report: Report, look: Look) -> str:
    """Print each finding as an entry, whose fingerprint is the same while the finding is."""
    results = look.visible(with_causes(report.all_results))
    return json_text([_entry(result, report.spokes) for result in results])


def _entry(result: Result, spokes: int | None) -> dict[str, object]:
    origin = result.origin
    path = posixpath.normpath(origin.path) if origin is not None else _PROJECT
    about = (result.code, path, str(result.resource), result.field, result.message, *result.spokes)
    return {
        "description": " ".join(message_lines(result, spokes)),
        "check_name": result.code,
        "fingerprint": hashlib.sha256("\0".join(about).encode(errors="replace")).hexdigest(),
        "severity": _SEVERITIES[result.severity],
        "location": {"path": path, "lines": {"begin": max(origin.line, 1) if origin else 1}},
    }
