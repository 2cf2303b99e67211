"""`spokerender check`: is the committed tree what the sources render to, and sound?"""

from __future__ import annotations

import sys

import click

from render import files
from render.cli import options
from render.cli.comparison import between, on_disk, ours
from render.cli.losses import lost_since
from render.cli.progress import progress
from render.cli.project import Loaded, load
from render.cli.telling import Reporting, refuse_errors, refused, tell
from render.plan import Plan
from render.report.plans import verdict_text
from render.results import Result


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
        found = (*found, *_lost_since(loaded, against))
    results = (*rendered.results, *found)
    if form == "text":
        tell(results, verbose=verbose, spokes=len(rendered.bundles))
    if form == "json" or not plan.is_empty:
        _tell_stale(loaded, plan, results, form)
    if form == "text":
        click.echo(verdict_text(plan, loaded.output), nl=False)
    return 0 if plan.is_empty and not refused(found, strict=strict) else 1


def _lost_since(loaded: Loaded, revision: str) -> tuple[Result, ...]:
    """What has been lost since a revision and is not acknowledged."""
    from render import git  # noqa: PLC0415  (start-up counts)

    old = ours(git.read_tree(loaded.folder, loaded.output.absolute(), revision))
    return lost_since(loaded, old, between(old, loaded.rendered.tree))


def _tell_stale(loaded: Loaded, plan: Plan, results: tuple[Result, ...], form: str) -> None:
    """What differs, field by field; with JSON the findings as well."""
    from render.differences import differences  # noqa: PLC0415  (a true tree needs none of it)
    from render.report.changes import differences_text  # noqa: PLC0415
    from render.report.checks import check_json  # noqa: PLC0415

    rendered = loaded.rendered
    stale = differences(on_disk(loaded.output, plan, rendered.tree))
    if form == "json":
        text = check_json(results, stale, rendered)
    else:
        text = differences_text(stale, rendered, color=sys.stdout.isatty())
    click.echo(text, nl=False)
