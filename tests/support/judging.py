"""Everything that `check`, `status` and `effective` make of a project, in memory."""

from collections.abc import Iterator
from functools import cache
from itertools import islice

from spokerender.edge.carried import carried_meanings
from spokerender.explain.in_force import share_in_force
from spokerender.explain.running import share_request_answers
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

meanings = cache(carried_meanings)


_ASKED = 3
"""The rules of a fleet that are asked about."""


def list_requests(fleet: JudgedFleet) -> Iterator[Request]:
    """Requests to the first rules of a fleet, whose objects may be odd."""
    paths = (
        (fleet.bundles[spoke], path)
        for spoke, of_spoke in fleet.judged.items()
        for path in find_rule_paths(of_spoke.judgement.topology)
    )
    for bundle, path in islice(paths, _ASKED):
        host = bundle.text((*path.hostnames, "any.example")[0]).replace("*", "any")
        yield Request("http", host, 80, "GET")
        yield Request("https", host, 443, "POST", "/a/b", {"q": "1"}, {"x-a": "1"})


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
            answers=share_request_answers(rendered, found, request)[0],
            spokes=spokes,
        )
        for request in list_requests(found)
    ]
    for report in reports:
        for form in offered(type(report)):
            printer(type(report), form)(report, Look(verbose=True, meanings=meanings))
    return found
