"""Everything that `check`, `status` and `effective` make of a project, in memory."""

from functools import cache

from spokerender.edge.carried import carried_meanings
from spokerender.explain.in_force import share_in_force
from spokerender.explain.statuses import share_statuses
from spokerender.explain.values import PathQuestion
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model.sources import Files
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.formats import offered, printer
from spokerender.report.reports import EffectiveReport, FindingsReport, Look, Report, StatusReport

meanings = cache(carried_meanings)


def judged(rendered: Rendered, crds: Files = ()) -> JudgedFleet:
    """Judge a rendered fleet and write every answer in every form; what is written is dropped."""
    found, spokes = judge(rendered, crds), len(rendered.bundles)
    question = PathQuestion("", "", "", "")
    reports: list[Report] = [
        FindingsReport(results=(*rendered.results, *found.results), spokes=spokes),
        StatusReport(statuses=share_statuses(found), spokes=spokes),
        EffectiveReport(
            answers=share_in_force(rendered, found, question), question=question, spokes=spokes
        ),
    ]
    for report in reports:
        for form in offered(type(report)):
            printer(type(report), form)(report, Look(verbose=True, meanings=meanings))
    return found
