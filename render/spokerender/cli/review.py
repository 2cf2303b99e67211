"""`spokerender review`: compare two states of a project, and tell what the change means."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import replace

from spokerender.cli import options
from spokerender.cli.loaded import Loaded
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.cli.trees import committed_pairs, plan_changes
from spokerender.edge import files
from spokerender.edge.carried import carried_page
from spokerender.edge.git.revision import AtRevision
from spokerender.explain.diagram import Diagram, draw_topology
from spokerender.findings.phrasing import count, on_spokes
from spokerender.findings.results import Severity
from spokerender.judging.fleet.judged import Aspect
from spokerender.model.plan import TreeSource
from spokerender.pipeline import judge, judge_hub
from spokerender.report.formats import printer
from spokerender.report.reports import Look, Picture, ReviewReport
from spokerender.review.grouping import group_differences
from spokerender.review.meaning.views import FleetState
from spokerender.review.reviewing import make_review
from spokerender.review.values import Review, ReviewedState

_MOST_LOOKED_AT, _MOST_DRAWN = 200, 6
"""The spokes whose topologies are looked at for a page, and the pictures that it has of them."""
_SEVERITIES = tuple(map(str, Severity))


@click.command("review", cls=ReportCommand)
@options.folder
@click.option(
    "--against",
    metavar="REV",
    show_default="HEAD",
    help="The Git revision to compare with.",
)
@click.option(
    "--set",
    "settings",
    metavar="PATH=VALUE",
    multiple=True,
    help="Suppose this value in the project's own files, as explain --set does, and compare with "
    "the working tree, unless --against names a revision. Repeatable.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*_SEVERITIES, "never"]),
    default="error",
    show_default=True,
    help="The least severe consequence that makes the command fail.",
)
@click.option(
    "--page",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the page of `--format html` to this file, too.",
)
@options.code
@options.form(ReviewReport)
def review(
    folder: str, against: str | None, settings: tuple[str, ...], fail_on: str, page: Path | None
) -> ReviewReport:
    """Show what the change since a Git revision means for requests, and for who may make them.

    Renders the project in DIR as it is and as it was, and compares, on every path of every spoke,
    who may call, how often, where requests come in, and where they go. Nothing is written but the
    page.

    Exit status: 1 if there is a consequence as severe as --fail-on that no suppression accepts.
    """
    now, name = load(folder, None), "the working tree"
    before = now
    if settings:
        from spokerender.cli.supposing import suppose  # noqa: PLC0415  (start-up counts)

        now, base, name = suppose(folder, settings), name, f"with {', '.join(settings)}"
    if against is not None or not settings:
        base = against or "HEAD"
        before = load(folder, None, AtRevision(now.folder, base))
    refuse_errors(now.rendered.results, strict=False)
    report = _review_states(_judge_state(before, base), _judge_state(now, name))
    if page is not None:
        _write_page(page, report)
    return replace(report, status=int(_is_failing(report.review, fail_on)))


def _review_states(before: FleetState, after: FleetState) -> ReviewReport:
    """Return the report about two states; with pictures, if a page is asked for."""
    old_tree = _list_files(before.rendered.tree)
    plan = plan_changes(old_tree, after.rendered)
    pairs = committed_pairs(old_tree, plan, after.rendered.tree)
    changes = group_differences(pairs, plan.folders, after.rendered)
    comparison = make_review(before, after, changes)
    return ReviewReport(
        results=after.rendered.results,
        spokes=len(after.rendered.bundles),
        review=comparison,
        rendered=after.rendered,
        pictures=lambda: [*_draw(after, comparison)],
    )


def _draw(state: FleetState, comparison: Review) -> Iterator[Picture]:
    """Yield the hub's topology, and those of spokes with consequences; equal ones are one."""
    yield Picture("The hub, as if it were a cluster", draw_topology(judge_hub(state.rendered)))
    drawn: dict[Diagram, list[str]] = {}
    touched = dict.fromkeys(name for item in comparison.consequences for name in item.result.spokes)
    for name in [name for name in touched if name in state.fleet.judged][:_MOST_LOOKED_AT]:
        diagram = draw_topology(state.fleet.judged[name].judgement)
        drawn.setdefault(state.rendered.bundles[name].filled(diagram), []).append(name)
    for diagram, names in [*drawn.items()][:_MOST_DRAWN]:
        yield Picture(f"The topology {on_spokes(names)}", diagram)


def _write_page(page: Path, report: ReviewReport) -> None:
    """Write the page. Raises `DiskError` if a link is in its place."""
    files.refuse_link(page)
    text = printer(ReviewReport, "html")(report, Look(page=carried_page))
    files.keep(page, text.encode())


def _list_files(tree: TreeSource) -> dict[str, dict[str, bytes]]:
    return {folder: dict(tree.files(folder)) for folder in tree.folders}


def _judge_state(loaded: Loaded, name: str) -> FleetState:
    rendered = loaded.rendered
    errors = [r for r in loaded.rendered.results if r.severity is Severity.ERROR]
    note = f"{name} has {count(len(errors), 'error')}: what it would render is compared"
    about = ReviewedState(name, len(rendered.bundles), note=note if errors else "")
    return FleetState(rendered, judge(rendered, (), Aspect.POLICIES), about)


def _is_failing(comparison: Review, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    worst = _SEVERITIES.index(fail_on)
    return any(_SEVERITIES.index(item.severity) <= worst for item in comparison.consequences)
