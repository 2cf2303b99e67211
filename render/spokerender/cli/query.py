"""`spokerender query`: what a CEL expression comes to on the spokes."""

from __future__ import annotations

import click

from spokerender.cli import completing, options
from spokerender.cli.project import load
from spokerender.cli.telling import Reporting
from spokerender.explain.lookup import find_spoke
from spokerender.report.reports import QueryReport


@click.command("query", cls=Reporting)
@click.argument("expression", metavar="EXPR")
@options.folder
@click.option(
    "--spoke",
    metavar="SPOKE",
    shell_complete=completing.spokes,
    default="",
    help="Ask on this spoke only.",
)
@click.option(
    "--self", "me", metavar="KIND/[NAMESPACE/]NAME", default="", help="What is called `self`."
)
@options.code
@options.form(QueryReport)
def command(expression: str, folder: str, spoke: str, me: str) -> QueryReport:
    """Evaluate a CEL expression over the topology of a spoke, or of each.

    It may ask what definitions of metapolicies may: gateways(), routes(), policies("AuthPolicy"),
    and of these findGateways(), findRoutes(), findListeners(), findHostnames(), findPolicies(kind),
    findInForce(kind), object(); and spoke.name, spoke.labels, spoke.values.
    """
    from spokerender.wings.metapolicies.queries import answer_query  # noqa: PLC0415  (`--help` needs none of it)

    rendered = load(folder, None).rendered
    bundles = [find_spoke(rendered, spoke)] if spoke else rendered.bundles.values()
    return QueryReport(answers=answer_query(rendered, bundles, expression, me))
