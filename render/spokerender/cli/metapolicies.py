"""`spokerender metapolicies`: list the definitions, and the kinds that they read and write."""

import click

from spokerender.cli import options
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand
from spokerender.report.reports import MetapoliciesReport


@click.command("metapolicies", cls=ReportCommand)
@options.folder
@options.code
@options.form(MetapoliciesReport)
def metapolicies(folder: str) -> MetapoliciesReport:
    """List the kinds of metapolicies of the project in DIR, in the order they are rendered.

    Each has the file that defines it, the kinds that it reads and writes, the metapolicies that
    must be rendered before it, and its objects in the hub.
    """
    from spokerender.wings.metapolicies.stage import list_definitions  # noqa: PLC0415  (a project may have none)

    rendered = load(folder, None).rendered
    return MetapoliciesReport(definitions=list_definitions(rendered) if rendered.stages else ())
