"""`spokerender effective`: show the policies in force on every path, rule by rule."""

import click

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.loaded import read_crd_files
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_unanswerable
from spokerender.explain.in_force import left_out, share_in_force
from spokerender.explain.lookup import find_policy_kind, find_routes, find_spoke
from spokerender.explain.values import PathQuestion
from spokerender.model.names import hostname_fault
from spokerender.pipeline import judge
from spokerender.report.reports import EffectiveReport


@click.command("effective", cls=ReportCommand, more="Print the values of rules, too.")
@options.folder
@options.one_spoke(completing.complete_spokes, "Show only this spoke.", default="")
@click.option(
    "--route",
    shell_complete=completing.complete_routes,
    metavar="[KIND/][NAMESPACE/]NAME",
    default="",
    help="Show only this route.",
)
@completing.one_kind("Show only policies of this kind.")
@click.option(
    "--hostname", metavar="NAME", default="", help="Show only paths that serve this hostname."
)
@click.option(
    "--made",
    is_flag=True,
    help="Show what Kuadrant's operator makes of them, too, such as what Authorino gets.",
)
@options.code
@options.form(EffectiveReport)
def effective(  # noqa: PLR0913  (an argument for each option)
    folder: str,
    spoke: str,
    route: str,
    kind: str,
    hostname: str,
    *,
    made: bool,
) -> EffectiveReport:
    """Show which policies are in force, from each Gateway of the project in DIR to each rule.

    Every rule has the policy, file and line that it comes from, and the rules that it overrules.
    Spokes with the same result are one entry, with {{ spoke.name }} in the place of a value of each
    spoke's own. Policies that their controller or an API server would refuse are not in force, and
    are named on standard error.
    """
    if hostname and (fault := hostname_fault(hostname)):
        options.refuse_usage(f"--hostname: {fault}")
    loaded = load(folder, None)
    rendered = loaded.rendered
    errors = refuse_unanswerable(rendered.results)
    if spoke:
        find_spoke(rendered, spoke)
    if route:
        find_routes(rendered, route)
    if kind:
        kind = find_policy_kind(rendered, kind)
    judged = judge(rendered, read_crd_files(loaded))
    question = PathQuestion(spoke, route, kind, hostname, made)
    names = ", ".join(map(str, left_out(judged, question)))
    return EffectiveReport(
        results=errors,
        status=EXIT_WRONG_INPUT if errors else 0,
        answers=share_in_force(rendered, judged, question),
        question=question,
        spokes=len(rendered.bundles),
        note=f"not accepted, and so not in force: {names}; spokerender status says why"
        if names
        else "",
    )
