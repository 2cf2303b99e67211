"""What a check found: findings, what differs, and the verdict."""

from __future__ import annotations

from msgspec.structs import replace

from spokerender.findings.codes.disk import STALE
from spokerender.findings.results import Result
from spokerender.report.changes import differences_json, differences_text
from spokerender.report.findings import merged_json, results_json
from spokerender.report.github import findings_github
from spokerender.report.plans import judged_text, verdict_text
from spokerender.report.printable import printable
from spokerender.report.reports import CheckReport, Look


def check_text(report: CheckReport, look: Look) -> str:
    """What differs and the verdict; findings are told beside it."""
    if report.plan is None:
        verdict = judged_text(report.asked, report.results, len(report.rendered.bundles))
    else:
        verdict = _differences(report, look) + verdict_text(report.plan, report.output)
    return verdict + report.reminder


def check_json(report: CheckReport, _: Look) -> str:
    """The findings and the differences as one JSON object."""
    return merged_json(
        results_json(report.results), differences_json(report.differences, report.rendered)
    )


def check_github(report: CheckReport, look: Look) -> str:
    """The findings as annotations, that the tree is stale among them, and below what differs."""
    text = findings_github(replace(report, results=with_verdict(report)), look)
    if report.plan is None:
        return text
    below = _differences(report, look) + verdict_text(report.plan, report.output)
    return text + printable(below, color=look.color)


def with_verdict(report: CheckReport) -> tuple[Result, ...]:
    """The findings and the verdict as one of them, for where nothing but findings is shown."""
    if report.plan is None or report.plan.is_empty:
        return tuple(report.results)
    message = verdict_text(report.plan, report.output).rstrip().partition("; ")[0]
    stale = STALE.result(message, cure="run spokerender build, and commit what it writes")
    return (*report.results, stale)


def _differences(report: CheckReport, look: Look) -> str:
    return differences_text(report.differences, report.rendered, color=look.color)
