"""`spokerender metapolicies`: the definitions, what they read and write, and their order."""

from __future__ import annotations

import click

from spokerender.cli import options
from spokerender.cli.project import load
from spokerender.cli.telling import Reporting
from spokerender.report.reports import MetapoliciesReport


@click.command("metapolicies", cls=Reporting)
@options.folder
@options.code
@options.form(MetapoliciesReport)
def command(folder: str) -> MetapoliciesReport:
    """List the kinds of metapolicies in the order in which they are rendered.

    Each is told with the file that defines it, what it reads and writes, what goes before it, and
    its objects in the hub.
    """
    from spokerender.wings.metapolicies.stage import list_definitions  # noqa: PLC0415  (a project may have none)

    rendered = load(folder, None).rendered
    return MetapoliciesReport(definitions=list_definitions(rendered) if rendered.stages else ())
