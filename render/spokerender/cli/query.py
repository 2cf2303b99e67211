"""`spokerender query`: evaluate a CEL expression over the topology of the spokes."""

import click

from spokerender.cli import completing, options
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand
from spokerender.explain.lookup import find_spoke
from spokerender.report.reports import QueryReport


@click.command("query", cls=ReportCommand)
@click.argument("expression", metavar="EXPR")
@options.folder
@options.one_spoke(completing.complete_spokes, "Evaluate only on this spoke.", default="")
@click.option(
    "--self",
    "me",
    metavar="KIND/[NAMESPACE/]NAME",
    default="",
    help="The object that the expression calls `self`.",
)
@options.code
@options.form(QueryReport)
def query(expression: str, folder: str, spoke: str, me: str) -> QueryReport:
    """Evaluate the CEL expression EXPR over the topology of each spoke of the project in DIR.

    EXPR can call the functions of metapolicy definitions: gateways(), routes() and
    policies("AuthPolicy"); on their objects, findGateways(), findRoutes(), findListeners(),
    findHostnames(), findPolicies(KIND), findInForce(KIND) and object(). It can read spoke.name,
    spoke.labels and spoke.values.
    """
    from spokerender.wings.metapolicies.queries import answer_query  # noqa: PLC0415  (`--help` needs none of it)

    rendered = load(folder, None).rendered
    bundles = [find_spoke(rendered, spoke)] if spoke else rendered.bundles.values()
    return QueryReport(answers=answer_query(rendered, bundles, expression, me))
