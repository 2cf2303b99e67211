"""Findings as JUnit XML: a suite for each file, a test case for each object in the file.

Jenkins, GitLab and others show the cases like tests: an object passes unless it has an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from spokerender.findings.results import Result, Severity
from spokerender.report.findings import findings_text, summary
from spokerender.report.reports import CheckReport, FindingsReport, Look, Report, sorted_results
from spokerender.report.serializing import count_besides
from spokerender.report.terminal import on_one_line, printable

if TYPE_CHECKING:
    from junitparser import TestCase

_PROJECT = "the project"
"""The suite of findings without a file, and the case of findings without an object."""


def findings_junit(report: Report, look: Look) -> str:
    """Return the findings of any report; for a check, with a case for every object of the hub."""
    from junitparser import JUnitXml, TestCase, TestSuite  # noqa: PLC0415  (start-up counts)

    log = JUnitXml("spokerender")
    for path, results_by_object in _cases(report).items():
        suite = TestSuite(on_one_line(path))
        suite.add_testcases(
            [
                _case(path, name, replace(report, results=results), look)
                for name, results in results_by_object.items()
            ]
        )
        log.append(suite)
    # A case of its own, as differences belong to no file.
    besides = count_besides(report)
    if besides:
        suite = TestSuite(_PROJECT)
        case = TestCase("differences", classname=_PROJECT)
        case.system_out = printable(besides)
        suite.add_testcase(case)
        log.append(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{log.tostring().decode()}\n'


def _cases(report: Report) -> Mapping[str, Mapping[str, Sequence[Result]]]:
    """Return findings by file, then by object or test; of a check, also those without findings."""
    cases: dict[str, dict[str, list[Result]]] = {}
    # Objects without a finding are cases that pass: a suite of failures only would look empty when
    # all is well.
    for manifest in report.rendered.hub.manifests if isinstance(report, CheckReport) else ():
        # Objects that a wing makes have no file that could be a suite.
        if manifest.written is not None:
            cases.setdefault(manifest.written.origin.path, {}).setdefault(str(manifest.ref), [])
    for name, path in report.tests if isinstance(report, CheckReport) else ():
        cases.setdefault(path, {})[name] = []
    for result in sorted_results(report.all_results):
        path = result.origin.path if result.origin is not None else _PROJECT
        name = dict(result.tags).get("test") or str(result.resource or _PROJECT)
        cases.setdefault(path, {}).setdefault(name, []).append(result)
    return dict(sorted(cases.items()))


def _case(path: str, name: str, report: Report, look: Look) -> TestCase:
    from junitparser import Failure, TestCase  # noqa: PLC0415  (start-up counts)

    case = TestCase(on_one_line(name), classname=on_one_line(path))
    errors = [result for result in report.results if result.severity is Severity.ERROR]
    others = [result for result in report.results if result.severity is not Severity.ERROR]
    # Viewers show one failure of a case.
    if errors:
        message = errors[0].message if len(errors) == 1 else summary(errors)
        failure = Failure(printable(on_one_line(message)), errors[0].code)
        failure.text = _text(errors, report, look)
        case.append(failure)
    output = _text(others, report, look)
    if output:
        case.system_out = output
    return case


def _text(results: Sequence[Result], report: Report, look: Look) -> str:
    findings = FindingsReport(results=look.visible(results), spokes=report.spokes)
    return findings_text(findings, Look(verbose=look.verbose))
