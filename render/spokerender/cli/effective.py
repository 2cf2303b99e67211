"""`spokerender effective`: the policy in force on every path, and where each rule came from."""

from __future__ import annotations

from collections.abc import Sequence

import click

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.definitions import definitions
from spokerender.cli.project import load
from spokerender.cli.telling import Reporting, refuse_questions
from spokerender.explain import Question, in_force, left_out
from spokerender.explain.lookup import find_policy_kind, find_routes, find_spoke
from spokerender.model import Ref
from spokerender.pipeline import judge
from spokerender.report.reports import EffectiveReport


@click.command("effective", cls=Reporting, more="Tell the rules' values too.")
@options.folder
@completing.one_spoke
@click.option(
    "--route",
    shell_complete=completing.routes,
    metavar="[KIND/][NAMESPACE/]NAME",
    default="",
    help="Tell about this route only.",
)
@completing.one_kind
@click.option(
    "--hostname", metavar="NAME", default="", help="Tell what a request to this host meets."
)
@options.code
@options.form(EffectiveReport)
def command(folder: str, spoke: str, route: str, kind: str, hostname: str) -> EffectiveReport:
    """Tell which policy is in force from each Gateway down to each rule, and why.

    Every rule is told with the policy, the file and the line that it came from, and with what it
    overruled. Spokes on which the same is in force are told once. Policies that their controller or
    an API server would refuse are left out, and named.
    """
    loaded = load(folder, None)
    rendered = loaded.rendered
    wrong = refuse_questions(rendered.results)
    if spoke:
        find_spoke(rendered, spoke)
    if route:
        find_routes(rendered, route)
    if kind:
        kind = find_policy_kind(rendered, kind)
    judged = judge(rendered, definitions(loaded))
    question = Question(spoke, route, kind, hostname)
    answers = in_force(rendered, judged, question)
    return EffectiveReport(
        results=wrong,
        status=EXIT_WRONG_INPUT if wrong else 0,
        answers=answers,
        question=question,
        spokes=len(rendered.bundles),
        note=_left_out(left_out(judged, question)),
    )


def _left_out(policies: Sequence[Ref]) -> str:
    """Which policies count for nothing; why is a matter of `status`."""
    if not policies:
        return ""
    names = ", ".join(map(str, policies))
    return f"not accepted, so not in force: {names}; spokerender status says why"
