"""`spokerender diff`: compare a fresh render with the committed output."""

from __future__ import annotations

import click

from spokerender.cli import options
from spokerender.cli.loaded import CommittedTree, Loaded
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.cli.trees import committed_pairs, plan_changes, read_base
from spokerender.edge import files
from spokerender.findings.errors import NothingCommittedError
from spokerender.report.reports import DiffReport
from spokerender.review.differences import find_differences


@click.command("diff", cls=ReportCommand)
@options.folder
@options.output
@click.option(
    "--against",
    metavar="REV",
    show_default="HEAD, or an empty tree if nothing is committed",
    help="The Git revision to compare with.",
)
@options.code
@options.form(DiffReport)
def diff(folder: str, output: str | None, against: str | None) -> DiffReport:
    """Show how a fresh render of the project in DIR differs from the committed output.

    Nothing is written. Equal changes on many spokes are one entry, and so are changes of a field
    that has a different value on each spoke.

    Exit status: 1 if anything differs.
    """
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=False)
    files.refuse_outside(loaded.folder, loaded.output)
    base = _base(loaded, against)
    refuse_errors(base.results, strict=False)
    plan = plan_changes(base.tree, rendered.tree)
    return DiffReport(
        results=(*rendered.results, *base.results),
        spokes=len(rendered.bundles),
        status=0 if plan.is_empty else 1,
        note=base.note,
        differences=find_differences(committed_pairs(base.tree, plan, rendered.tree), plan.folders),
        rendered=rendered,
    )


def _base(loaded: Loaded, against: str | None) -> CommittedTree:
    """Read the committed tree; return an empty one if nothing is committed yet."""
    try:
        return read_base(loaded, against or "HEAD")
    except NothingCommittedError as error:
        if against is not None:
            raise
        return CommittedTree({}, note=f"{error}: nothing to compare with, so everything is new")
