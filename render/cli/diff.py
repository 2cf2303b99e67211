"""`spokerender diff`: what the working tree renders to, against what is committed."""

from __future__ import annotations

import sys

import click

from render.cli import options
from render.cli.comparison import between, committed, ours
from render.cli.project import load
from render.cli.telling import Reporting, refuse_errors, tell
from render.edge import git
from render.report.changes import differences_json, differences_text
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
@options.text_or_json
@options.verbose
def command(folder: str, output: str | None, against: str, form: str, *, verbose: bool) -> int:
    """Render the project in DIR in memory and show what differs from what is committed.

    Equal changes on many spokes are told once. Exits with 1 if anything differs.
    """
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=False)
    tell(rendered.results, verbose=verbose, spokes=len(rendered.bundles))
    old = ours(git.read_tree(loaded.folder, loaded.output.absolute(), against))
    plan = between(old, rendered.tree)
    found = differences(committed(old, plan, rendered.tree))
    if form == "json":
        click.echo(differences_json(found, rendered), nl=False)
    else:
        click.echo(differences_text(found, rendered, color=sys.stdout.isatty()), nl=False)
    return 0 if plan.is_empty else 1
