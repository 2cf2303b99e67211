"""Findings as JUnit XML: a suite for each file, a case for each object in it.

Jenkins, GitLab and others show it as they show tests: an object passes unless there is an error
about it. They show one failure of a case, so that all its errors are in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from spokerender.findings.results import Result, Severity
from spokerender.report.checks import with_verdict
from spokerender.report.findings import results_text, sorted_results, summary
from spokerender.report.printable import on_one_line, printable
from spokerender.report.reports import CheckReport, Look, Report

if TYPE_CHECKING:
    from junitparser import TestCase

_WHOLE = "the project"
"""The suite, and the case, of what has no file, and of what has no object."""

Cases = Mapping[str, Mapping[str, Sequence[Result]]]
"""What was found by file, and in it by object."""


def check_junit(report: CheckReport, look: Look) -> str:
    """Every object of the hub with what was found of it; that the tree is stale besides."""
    return findings_junit(replace(report, results=with_verdict(report)), look)


def findings_junit(report: Report, look: Look) -> str:
    """The findings of any report."""
    from junitparser import JUnitXml, TestSuite  # noqa: PLC0415  (start-up counts)

    log = JUnitXml("spokerender")
    for path, cases in _cases(report).items():
        suite = TestSuite(on_one_line(path))
        suite.add_testcases([_case(path, *case, report, look) for case in cases.items()])
        log.append(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{log.tostring().decode()}\n'


def _cases(report: Report) -> Cases:
    found: dict[str, dict[str, list[Result]]] = {}
    for path, name in _objects(report) if isinstance(report, CheckReport) else ():
        found.setdefault(path, {}).setdefault(name, [])
    for result in sorted_results(report.results):
        path = result.origin.path if result.origin is not None else _WHOLE
        name = str(result.resource or _WHOLE)
        found.setdefault(path, {}).setdefault(name, []).append(result)
    return dict(sorted(found.items()))


def _objects(report: CheckReport) -> Iterator[tuple[str, str]]:
    """The file and the name of everything that somebody wrote into the hub."""
    for manifest in report.rendered.hub.manifests:
        if manifest.written is not None:
            yield manifest.written.origin.path, str(manifest.ref)


def _case(path: str, name: str, results: Sequence[Result], report: Report, look: Look) -> TestCase:
    from junitparser import Failure, TestCase  # noqa: PLC0415  (start-up counts)

    case = TestCase(on_one_line(name), classname=on_one_line(path))
    errors = [result for result in results if result.severity is Severity.ERROR]
    others = [result for result in results if result.severity is not Severity.ERROR]
    if errors:
        message = errors[0].message if len(errors) == 1 else summary(errors)
        failure = Failure(printable(on_one_line(message)), errors[0].code)
        failure.text = _text(errors, report, look)
        case.append(failure)
    told = _text(others, report, look)
    if told:
        case.system_out = told
    return case


def _text(results: Sequence[Result], report: Report, look: Look) -> str:
    """Findings with file, line and cure, as people read them; infos only on request."""
    told = [each for each in results if look.verbose or each.severity is not Severity.INFO]
    return results_text(told, color=False, verbose=look.verbose, spokes=report.spokes)
