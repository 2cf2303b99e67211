"""`spokerender check`: is the committed tree what the sources render to, and sound?"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from render.cli import options
from render.cli.comparison import between, on_disk, ours
from render.cli.losses import lost_since
from render.cli.progress import progress
from render.cli.project import Loaded, load
from render.cli.telling import Reporting, refuse_errors, refused, tell
from render.edge import files
from render.findings.codes.disk import STALE
from render.findings.results import Result
from render.findings.suppressions import stale
from render.model.plan import Plan
from render.report.plans import judged_text, verdict_text

TREE = "tree"
ONLY = (TREE, "policies", "validation")


@click.command("check", cls=Reporting)
@options.folder
@options.output
@click.option(
    "--only",
    type=click.Choice(ONLY),
    multiple=True,
    help="Check only this: whether the tree is true, what policies come to, or whether the API "
    "servers would take the objects. Repeatable.",
)
@click.option(
    "--against",
    metavar="REV",
    help="Also refuse what has been lost since this Git revision, unless it is acknowledged.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="How to print; github is annotations beside the lines of a pull request.",
)
@options.strict
@options.verbose
def command(  # noqa: PLR0913  (one parameter an option)
    folder: str,
    output: str | None,
    only: tuple[str, ...],
    against: str | None,
    form: str,
    *,
    strict: bool,
    verbose: bool,
) -> int:
    """Render the project in DIR in memory, compare it with its output folder, and judge it.

    Says whether the committed tree is true; what attaches, conflicts and is in force on every
    spoke; and what an API server would refuse. Exits with 1 if the tree is stale or a check
    failed, with 2 if the input is wrong.
    """
    asked = only or ONLY
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=strict)
    found = _judged(loaded, asked)
    plan = None
    if TREE in asked:
        plan = files.compare(loaded.output, rendered.tree, progress=progress("compared"))
        found += files.findings(plan, loaded.output)
    if against is not None:
        found += _lost_since(loaded, against)
    results = (*rendered.results, *found)
    _tell(loaded, plan, results, form, verbose=verbose)
    if plan is None and form == "text":
        click.echo(judged_text(asked, results, len(rendered.bundles)), nl=False)
    is_true = plan is None or plan.is_empty
    return 0 if is_true and not refused(found, strict=strict) else 1


def _judged(loaded: Loaded, asked: Sequence[str]) -> tuple[Result, ...]:
    """What there is to say of policies and objects; suppressions are told stale only by all."""
    wanted = [name for name in asked if name != TREE]
    if not wanted:
        return ()
    from render.cli.judging import definitions  # noqa: PLC0415
    from render.judging.audit import Aspect, audit  # noqa: PLC0415  (a comparison needs none of it)

    aspects = frozenset(map(Aspect, wanted))
    crds = definitions(loaded) if Aspect.VALIDATION in aspects else ()
    found = audit(loaded.rendered, crds, aspects).results
    if set(asked) != set(ONLY):
        return found
    accepted = loaded.fleet.spec.suppressions
    return (*found, *stale((*loaded.rendered.results, *found), accepted, loaded.document.at))


def _tell(
    loaded: Loaded, plan: Plan | None, results: tuple[Result, ...], form: str, *, verbose: bool
) -> None:
    spokes = len(loaded.rendered.bundles)
    if form == "json":
        _tell_stale(loaded, plan or Plan(()), results, form)
        return
    if form == "github":
        from render.report.github import results_github  # noqa: PLC0415

        is_stale = plan is not None and not plan.is_empty
        told = (*results, *([_stale(loaded, plan)] if is_stale and plan is not None else ()))
        click.echo(results_github(told, verbose=verbose, spokes=spokes), nl=False)
    else:
        tell(results, verbose=verbose, spokes=spokes)
    if plan is not None:
        if not plan.is_empty:
            _tell_stale(loaded, plan, results, form)
        click.echo(verdict_text(plan, loaded.output), nl=False)


def _stale(loaded: Loaded, plan: Plan) -> Result:
    """The verdict as a finding, for where nothing but findings is shown."""
    message = verdict_text(plan, loaded.output).rstrip().partition("; ")[0]
    return STALE.result(message, cure="run spokerender build, and commit what it writes")


def _lost_since(loaded: Loaded, revision: str) -> tuple[Result, ...]:
    """What has been lost since a revision and is not acknowledged."""
    from render.edge import git  # noqa: PLC0415  (start-up counts)

    old = ours(git.read_tree(loaded.folder, loaded.output.absolute(), revision))
    return lost_since(loaded, old, between(old, loaded.rendered.tree))


def _tell_stale(loaded: Loaded, plan: Plan, results: tuple[Result, ...], form: str) -> None:
    """What differs, field by field; with JSON the findings as well."""
    from render.report.changes import differences_text  # noqa: PLC0415
    from render.report.checks import check_json  # noqa: PLC0415
    from render.review.differences import differences  # noqa: PLC0415  (a true tree needs none of it)

    rendered = loaded.rendered
    stale = differences(on_disk(loaded.output, plan, rendered.tree))
    if form == "json":
        text = check_json(results, stale, rendered)
    else:
        text = differences_text(stale, rendered, color=sys.stdout.isatty())
    click.echo(text, nl=False)
