"""Findings as SARIF 2.1.0 (OASIS), which code scanning shows beside the lines they are about.

It is a dozen plain JSON objects, written here. No library for them is kept up: `sarif-om` is of
2019, `pysarif` of 2023, and `sarif-pydantic` wraps the same JSON in models that would need a second
door to pydantic. The tests hold the output against the schema that OASIS publishes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from posixpath import normpath
from typing import Any
from urllib.parse import quote

from msgspec.structs import replace

from spokerender import __version__
from spokerender.findings.results import FindingKind, Result, Severity
from spokerender.findings.suppressions import SUPPRESSED
from spokerender.findings.words import on_spokes
from spokerender.report.checks import with_verdict
from spokerender.report.findings import json_text, sorted_results
from spokerender.report.reports import CheckReport, Look, Report

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
MOST_RESULTS = 5_000
"""GitHub shows no more of a run, and takes no file of more than 10 MB (its limits for SARIF)."""
_WHOLE = "."
"""Where a finding is that has no place: GitHub refuses a whole file for one without a location."""


def check_sarif(report: CheckReport, look: Look) -> str:
    """The findings of a check and, where the tree is stale, that it is."""
    return findings_sarif(replace(report, results=with_verdict(report)), look)


def findings_sarif(report: Report, look: Look) -> str:
    """The findings of any report as a SARIF log of one run; infos only where they are asked for."""
    told = [
        result
        for result in sorted_results(report.results)
        if look.verbose or result.severity is not Severity.INFO
    ]
    more = len(told) - MOST_RESULTS
    if more > 0:
        told = sorted(told, key=lambda result: list(_LEVELS).index(result.severity))[:MOST_RESULTS]
    rules = _rules(told)
    places = {rule["id"]: index for index, rule in enumerate(rules)}
    run = {
        "tool": {"driver": {"name": "spokerender", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(result, places[result.code], report.spokes) for result in told],
    }
    if more > 0:
        text = f"{more:,} more findings are not in this report: other formats have them"
        notes = [{"level": "warning", "message": {"text": text}}]
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules(results: Iterable[Result]) -> Sequence[dict[str, Any]]:
    """What each code that was found means and how it is mended, sorted by code."""
    from spokerender.findings.codes.table import FINDING_KINDS  # noqa: PLC0415  (all codes, for few)

    found = {result.code for result in results}
    return [_rule(kind) for kind in FINDING_KINDS if kind.code in found]


def _rule(kind: FindingKind) -> dict[str, Any]:
    return {
        "id": kind.code,
        "shortDescription": {"text": kind.meaning},
        "help": {"text": kind.mend},
        "defaultConfiguration": {"level": _LEVELS[kind.severity]},
    }


def _result(result: Result, rule: int, spokes: int | None) -> dict[str, Any]:
    lines = [result.message]
    lines += [on_spokes(result.spokes, spokes)] if result.spokes else []
    lines += [result.cure] if result.cure else []
    value: dict[str, Any] = {
        "ruleId": result.code,
        "ruleIndex": rule,
        "level": _LEVELS[result.severity],
        "message": {"text": "\n".join(lines)},
        "locations": [_location(result)],
        "partialFingerprints": {"spokerender/v1": _fingerprint(result)},
    }
    if result.spokes:
        value["properties"] = {"spokes": list(result.spokes)}
    reasons = [text for name, text in result.tags if name == SUPPRESSED]
    if reasons:
        value["suppressions"] = [{"kind": "external", "justification": text} for text in reasons]
    return value


def _location(result: Result) -> dict[str, Any]:
    """The file and the line; the object and its field are the place in words."""
    origin = result.origin
    physical: dict[str, Any] = {
        "artifactLocation": {"uri": _uri(origin.path if origin is not None else _WHOLE)}
    }
    if origin is not None:
        column = {"startColumn": origin.column} if origin.column else {}
        physical["region"] = {"startLine": max(origin.line, 1), **column}
    location: dict[str, Any] = {"physicalLocation": physical}
    name = " ".join(str(part) for part in (result.resource, result.field) if part)
    if name:
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "resource"}]
    return location


def _uri(path: str) -> str:
    """A path as a URI reference: relative to where the command ran, or absolute."""
    if path.startswith("/"):
        return PurePath(normpath(path)).as_uri()
    return quote(normpath(path).encode(errors="surrogateescape"))


def _fingerprint(result: Result) -> str:
    """What makes it the same finding after lines were moved and spokes were added."""
    path = normpath(result.origin.path) if result.origin is not None else ""
    parts = (result.code, str(result.resource), result.field, path, result.message)
    text = "\x00".join(parts)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:32]
