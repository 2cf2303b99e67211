"""Everything that `check`, `status` and `effective` make of a project, in memory."""

from __future__ import annotations

from render.explain import Question, in_force, statuses
from render.judging.fleet import Files, JudgedFleet
from render.pipeline import judge
from render.rendering.values.rendered import Rendered
from render.report.formats import offered, printer
from render.report.reports import EffectiveReport, Findings, Look, Report, StatusReport


def judged(rendered: Rendered, crds: Files = ()) -> JudgedFleet:
    """Judge a rendered fleet and write every answer in every form; what is written is dropped."""
    found, spokes = judge(rendered, crds), len(rendered.bundles)
    question = Question("", "", "", "")
    reports: list[Report] = [
        Findings(results=(*rendered.results, *found.results), spokes=spokes),
        StatusReport(statuses=statuses(found, "", ""), spokes=spokes),
        EffectiveReport(
            answers=in_force(rendered, found, question), question=question, spokes=spokes
        ),
    ]
    for report in reports:
        for form in offered(type(report)):
            printer(type(report), form)(report, Look(verbose=True))
    return found
