"""Everything that `check`, `status` and `effective` make of a project, in memory."""

from functools import cache
from itertools import islice

from spokerender.edge.carried import carried_meanings
from spokerender.explain.asking import share_request_answers
from spokerender.explain.in_force import share_in_force
from spokerender.explain.statuses import share_statuses
from spokerender.explain.values import PathQuestion
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model.sources import Files
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.formats import offered, printer
from spokerender.report.reports import (
    AskReport,
    EffectiveReport,
    FindingsReport,
    Look,
    Report,
    StatusReport,
)
from spokerender.topology.matches import Request
from spokerender.topology.requests import find_rule_paths
from tests.support.requests import Always, make_witness

meanings = cache(carried_meanings)


_ASKED = 3
"""The requests of a fleet that are asked about."""


def list_witnesses(fleet: JudgedFleet) -> list[Request]:
    """Requests for the first rules of a fleet."""
    made = (
        make_witness(of_spoke.judgement.topology, path, fleet.bundles[spoke])
        for spoke, of_spoke in fleet.judged.items()
        for path in find_rule_paths(of_spoke.judgement.topology)
    )
    return [*islice(filter(None, made), _ASKED)]


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
    reports += [
        AskReport(
            request=str(request),
            answers=share_request_answers(rendered, found, Always(request)),
            spokes=spokes,
        )
        for request in list_witnesses(found)
    ]
    for report in reports:
        for form in offered(type(report)):
            printer(type(report), form)(report, Look(verbose=True, meanings=meanings))
    return found
