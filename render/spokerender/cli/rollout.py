"""`spokerender rollout`: show the waves of a change, and how far it is."""

import click

from spokerender.cli import options
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.report.reports import RolloutReport


@click.command("rollout", cls=ReportCommand)
@options.folder
@options.output
@options.code
@options.form(RolloutReport)
def rollout(folder: str, output: str | None) -> RolloutReport:
    """Show the waves in which a change of the project in DIR reaches its spokes.

    A wave is done if its spokes have the tree that the sources render to, as the record in the
    output says. The command changes nothing: spokerender build --wave goes on.
    """
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=False)
    if rendered.rollout is None:
        options.refuse_usage("fleet.yaml has no spec.rollout: a build writes all spokes")
    return RolloutReport(
        results=rendered.results, spokes=len(rendered.bundles), rollout=rendered.rollout
    )
