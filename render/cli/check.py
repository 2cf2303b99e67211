"""`spokerender check`: is the committed tree what the sources render to, and sound?"""

from __future__ import annotations

import sys

import click

from render import files, git
from render.cli import options
from render.cli.comparison import between, on_disk, ours
from render.cli.losses import lost_since
from render.cli.progress import progress
from render.cli.project import load
from render.cli.telling import Reporting, refuse_errors, refused, tell
from render.differences import differences
from render.report.changes import differences_text
from render.report.checks import check_json, verdict_text


@click.command("check", cls=Reporting)
@options.folder
@options.output
@click.option(
    "--against",
    metavar="REV",
    help="Also refuse what has been lost since this Git revision, unless it is acknowledged.",
)
@options.text_or_json
@options.strict
@options.verbose
def command(  # noqa: PLR0913  (one parameter an option)
    folder: str,
    output: str | None,
    against: str | None,
    form: str,
    *,
    strict: bool,
    verbose: bool,
) -> int:
    """Render the project in DIR in memory and compare it with its output folder.

    Exits with 1 if the tree is stale or a check failed, with 2 if the input is wrong.
    """
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=strict)
    plan = files.compare(loaded.output, rendered.tree, progress=progress("compared"))
    found = files.findings(plan, loaded.output)
    if against is not None:
        old = ours(git.read_tree(loaded.folder, loaded.output.absolute(), against))
        found = (*found, *lost_since(loaded, old, between(old, rendered.tree)))
    stale = differences(on_disk(loaded.output, plan, rendered.tree))
    results = (*rendered.results, *found)
    if form == "json":
        click.echo(check_json(results, stale, rendered), nl=False)
    else:
        tell(results, verbose=verbose, spokes=len(rendered.bundles))
        click.echo(differences_text(stale, rendered, color=sys.stdout.isatty()), nl=False)
        click.echo(verdict_text(plan, loaded.output), nl=False)
    return 0 if plan.is_empty and not refused(found, strict=strict) else 1
