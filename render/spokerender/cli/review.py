"""`spokerender review`: compare two states of a project, and tell what the change means."""

from __future__ import annotations

import click

from spokerender.cli import options
from spokerender.cli.loaded import Loaded
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.cli.trees import committed_pairs, plan_changes
from spokerender.edge.git.revision import AtRevision
from spokerender.findings.phrasing import count
from spokerender.findings.results import Severity
from spokerender.judging.fleet.judged import Aspect
from spokerender.model.plan import TreeSource
from spokerender.pipeline import judge
from spokerender.report.reports import ReviewReport
from spokerender.review.grouping import group_differences
from spokerender.review.meaning.views import FleetState
from spokerender.review.reviewing import make_review
from spokerender.review.values import Review, ReviewedState

_SEVERITIES = tuple(map(str, Severity))


@click.command("review", cls=ReportCommand)
@options.folder
@click.option(
    "--against",
    metavar="REV",
    default="HEAD",
    show_default=True,
    help="The Git revision to compare with.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*_SEVERITIES, "never"]),
    default="error",
    show_default=True,
    help="The least severe consequence that makes the command fail.",
)
@options.code
@options.form(ReviewReport)
def review(folder: str, against: str, fail_on: str) -> ReviewReport:
    """Show what the change since a Git revision means for requests, and for who may make them.

    Renders the project in DIR as it is and as it was, and compares, on every path of every spoke,
    who may call, how often, where requests come in, and where they go. Nothing is written.

    Exit status: 1 if there is a consequence as severe as --fail-on that no suppression accepts.
    """
    loaded = load(folder, None)
    refuse_errors(loaded.rendered.results, strict=False)
    base = load(folder, None, AtRevision(loaded.folder, against))
    before, after = _judge_state(base, against), _judge_state(loaded, "the working tree")
    old_tree = _list_files(base.rendered.tree)
    plan = plan_changes(old_tree, loaded.rendered)
    pairs = committed_pairs(old_tree, plan, loaded.rendered.tree)
    changes = group_differences(pairs, plan.folders, loaded.rendered)
    made = make_review(before, after, changes)
    return ReviewReport(
        results=loaded.rendered.results,
        spokes=len(loaded.rendered.bundles),
        status=int(_is_failing(made, fail_on)),
        review=made,
        rendered=loaded.rendered,
    )


def _list_files(tree: TreeSource) -> dict[str, dict[str, bytes]]:
    return {folder: dict(tree.files(folder)) for folder in tree.folders}


def _judge_state(loaded: Loaded, name: str) -> FleetState:
    rendered = loaded.rendered
    errors = [r for r in loaded.rendered.results if r.severity is Severity.ERROR]
    note = f"{name} has {count(len(errors), 'error')}: what it would render is compared"
    about = ReviewedState(name, len(rendered.bundles), note=note if errors else "")
    return FleetState(rendered, judge(rendered, (), Aspect.POLICIES), about)


def _is_failing(made: Review, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    worst = _SEVERITIES.index(fail_on)
    return any(_SEVERITIES.index(item.severity) <= worst for item in made.consequences)
