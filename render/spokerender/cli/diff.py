"""`spokerender diff`: what the working tree renders to, against what is committed."""

from __future__ import annotations

import click

from spokerender.cli import options
from spokerender.cli.base import base_of
from spokerender.cli.comparison import Base, between, committed
from spokerender.cli.loaded import Loaded
from spokerender.cli.project import load
from spokerender.cli.telling import Reporting, refuse_errors
from spokerender.edge import files
from spokerender.findings.errors import NothingCommittedError
from spokerender.report.reports import DiffReport
from spokerender.review.differences import find_differences

HEAD = "HEAD"


@click.command("diff", cls=Reporting)
@options.folder
@options.output
@click.option(
    "--against",
    metavar="REV",
    show_default="HEAD; nothing, where nothing is committed",
    help="The Git revision whose committed output to compare with.",
)
@options.code
@options.form(DiffReport)
def command(folder: str, output: str | None, against: str | None) -> DiffReport:
    """Render the project in DIR in memory and show what differs from what is committed.

    Equal changes on many spokes are told once, and so are those of values that each spoke has of
    its own. Exits with 1 if anything differs.
    """
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=False)
    files.refuse_outside(loaded.folder, loaded.output)
    base = _base(loaded, against)
    refuse_errors(base.results, strict=False)
    plan = between(base.tree, rendered.tree)
    return DiffReport(
        results=(*rendered.results, *base.results),
        spokes=len(rendered.bundles),
        status=0 if plan.is_empty else 1,
        note=base.note,
        differences=find_differences(committed(base.tree, plan, rendered.tree), plan.folders),
        rendered=rendered,
    )


def _base(loaded: Loaded, against: str | None) -> Base:
    """What is committed; nothing where no revision is asked for and nothing is committed yet."""
    try:
        return base_of(loaded, against or HEAD)
    except NothingCommittedError as error:
        if against is not None:
            raise
        return Base({}, note=f"{error}: there is nothing to compare with, so all is new")
