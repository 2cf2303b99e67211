"""`spokerender diff`: what the working tree renders to, against what is committed."""

from __future__ import annotations

import click

from render.cli import options
from render.cli.base import base_of
from render.cli.comparison import between, committed
from render.cli.project import load
from render.cli.telling import Reporting, refuse_errors
from render.edge import files
from render.report.reports import DiffReport
from render.review.differences import differences


@click.command("diff", cls=Reporting)
@options.folder
@options.output
@click.option(
    "--against",
    metavar="REV",
    default="HEAD",
    show_default=True,
    help="The Git revision whose committed output to compare with.",
)
@options.form(DiffReport)
def command(folder: str, output: str | None, against: str) -> DiffReport:
    """Render the project in DIR in memory and show what differs from what is committed.

    Equal changes on many spokes are told once. Exits with 1 if anything differs.
    """
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=False)
    files.refuse_outside(loaded.folder, loaded.output)
    base = base_of(loaded, against)
    refuse_errors(base.results, strict=False)
    plan = between(base.tree, rendered.tree)
    return DiffReport(
        results=(*rendered.results, *base.results),
        spokes=len(rendered.bundles),
        status=0 if plan.is_empty else 1,
        differences=differences(committed(base.tree, plan, rendered.tree)),
        rendered=rendered,
    )
