"""Findings as SARIF 2.1.0 (OASIS), which code scanning shows at the lines of the findings.

No library for SARIF is maintained: the last release of `sarif-om` is of 2019, that of `pysarif` of
2023. The tests validate the output with the schema that OASIS publishes.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from posixpath import normpath
from typing import Any
from urllib.parse import quote

from spokerender import __version__
from spokerender.findings.examples import CodeMeaning
from spokerender.findings.results import FindingKind, Result, Severity
from spokerender.findings.suppressions import SUPPRESSED
from spokerender.report.reports import Look, Report, message_lines, sorted_results
from spokerender.report.serializing import count_besides, json_text

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
MOST_RESULTS = 5_000
"""GitHub shows no more results of a run, and refuses a file of more than 10 MB."""
_PROJECT = "."
"""The location of findings without a file: GitHub refuses a result without a location."""


def findings_sarif(report: Report, look: Look) -> str:
    """Return the findings of any report as a SARIF log of one run; infos only if verbose."""
    results = look.visible(sorted_results(report.all_results))
    more = len(results) - MOST_RESULTS
    results = results[:MOST_RESULTS]  # errors come first
    rules = _rules(results, look)
    indices = {rule["id"]: index for index, rule in enumerate(rules)}
    run = {
        "tool": {"driver": {"name": "spokerender", "version": __version__, "rules": rules}},
        # Columns of origins are characters of Python's texts, which are code points.
        "columnKind": "unicodeCodePoints",
        "results": [_result(result, indices[result.code], report.spokes) for result in results],
    }
    besides = count_besides(report)
    notes = [{"level": "note", "message": {"text": besides}}] if besides else []
    if more > 0:
        text = f"{more:,} more findings are not in this report; the other formats have all"
        notes.append({"level": "warning", "message": {"text": text}})
    if notes:
        # Notes about the run itself, which are no results of any file.
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules(results: Iterable[Result], look: Look) -> Sequence[dict[str, Any]]:
    """Return the meaning and suggested fix of each code among the findings, sorted by code."""
    from spokerender.findings.codes.table import FINDING_KINDS  # noqa: PLC0415  (all codes, for few)

    codes = {result.code for result in results}
    meanings, page = look.meanings(), look.documentation() if codes else ""
    kinds = [kind for kind in FINDING_KINDS if kind.code in codes]
    return [_rule(kind, meanings[kind.code], page) for kind in kinds]


def _rule(kind: FindingKind, code_meaning: CodeMeaning, page: str) -> dict[str, Any]:
    return {
        "id": kind.code,
        "shortDescription": {"text": code_meaning.meaning},
        "help": {"text": code_meaning.mend},
        **({"helpUri": f"{page}#{kind.code.casefold()}"} if page else {}),
        "defaultConfiguration": {"level": _LEVELS[kind.severity]},
    }


def _result(result: Result, rule: int, spokes: int | None) -> dict[str, Any]:
    value: dict[str, Any] = {
        "ruleId": result.code,
        "ruleIndex": rule,
        "level": _LEVELS[result.severity],
        "message": {"text": "\n".join(message_lines(result, spokes))},
        "locations": [_location(result)],
        "partialFingerprints": {"spokerender/v1": _fingerprint(result)},
    }
    # SARIF has no field for clusters; properties are free (section 3.8).
    if result.spokes:
        value["properties"] = {"spokes": list(result.spokes)}
    reasons = [text for name, text in result.tags if name == SUPPRESSED]
    if reasons:
        # "external": the entry is in fleet.yaml, not beside the line.
        value["suppressions"] = [{"kind": "external", "justification": text} for text in reasons]
    return value


def _location(result: Result) -> dict[str, Any]:
    """Return the file and line, and the object and its field as a logical location."""
    origin = result.origin
    physical: dict[str, Any] = {
        "artifactLocation": {"uri": write_uri(origin.path if origin is not None else _PROJECT)}
    }
    if origin is not None:
        column = {"startColumn": origin.column} if origin.column else {}
        # SARIF's lines begin with 1; an origin without a line has 0.
        physical["region"] = {"startLine": max(origin.line, 1), **column}
    location: dict[str, Any] = {"physicalLocation": physical}
    name = " ".join(str(part) for part in (result.resource, result.field) if part)
    if name:
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "resource"}]
    return location


def write_uri(path: str) -> str:
    """Return a path as a URI reference: relative to the working directory, or absolute."""
    if path.startswith("/"):
        return PurePath(normpath(path)).as_uri()
    # Paths are bytes on Linux; those that are not UTF-8 are quoted byte by byte.
    return quote(normpath(path).encode(errors="surrogateescape"))


def _fingerprint(result: Result) -> str:
    """Return a hash that stays the same when lines move and spokes are added."""
    # Neither line nor spokes: an alert survives edits above it, and new clusters.
    path = normpath(result.origin.path) if result.origin is not None else ""
    parts = (result.code, str(result.resource), result.field, path, result.message)
    text = "\x00".join(parts)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:32]
