"""What was pushed to a registry: each spoke's artifact, by its digest."""

from __future__ import annotations

from collections import Counter

from spokerender.findings.words import count
from spokerender.report.findings import json_text, results_member
from spokerender.report.reports import ArtifactLine, Look, PushReport

_STATES = {True: "pushed", False: "unchanged", None: "not pushed"}


def pushed_text(report: PushReport, _: Look) -> str:
    """A line for each artifact, which can be pulled as it is written there, and the counts."""
    if not report.lines:
        return "nothing was pushed\n"
    found = Counter(_STATES[line.is_new] for line in report.lines)
    counts = ", ".join(f"{number:,} {state}" for state, number in sorted(found.items()))
    width = max(map(len, found))
    lines = [f"{_STATES[line.is_new]:<{width}}  {_reference(line)}" for line in report.lines]
    lines.append(f"{count(len(report.lines), 'artifact')}: {counts}")
    return "".join(f"{line}\n" for line in lines)


def pushed_json(report: PushReport, _: Look) -> str:
    """The same as one JSON object, with the findings."""
    artifacts = [
        {
            "spoke": line.spoke,
            "repository": line.repository,
            "tags": list(line.tags),
            "digest": line.digest,
            "state": _STATES[line.is_new],
        }
        for line in report.lines
    ]
    return json_text({"artifacts": artifacts, **results_member(report.results)})


def _reference(line: ArtifactLine) -> str:
    return f"{line.repository}:{line.tags[0]}@{line.digest}"
