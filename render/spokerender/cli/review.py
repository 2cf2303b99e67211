"""`spokerender review`: compare two states of a project, and show the effects of the change."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click
from msgspec.structs import replace

from spokerender.cli import options
from spokerender.cli.bases import ReviewBase, base_of, find_base, judge_state, link_lines
from spokerender.cli.causes import search_causes
from spokerender.cli.loaded import CommittedTree, Loaded, read_request_tests, reading
from spokerender.cli.losses import lost_of_tree, steered_above
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.cli.trees import plan_changes
from spokerender.edge import files
from spokerender.edge.carried import carried_page
from spokerender.edge.files import OnDisk
from spokerender.edge.git.revision import AtRevision
from spokerender.edge.presence import is_folder
from spokerender.explain.diagram import Diagram, Picture, draw_topology
from spokerender.explain.new_needs import find_new_needs
from spokerender.findings.codes.project import STALE
from spokerender.findings.phrasing import listed, on_spokes
from spokerender.findings.results import Result, Severity
from spokerender.findings.suppressions import SUPPRESSED
from spokerender.model import Origin, Ref
from spokerender.pipeline import judge_hub
from spokerender.rendering.values.alike import AlikeFleet
from spokerender.rendering.values.bundles import Bundle
from spokerender.report.formats import printer
from spokerender.report.reports import Look, ReviewReport
from spokerender.review.changes.differences import group_differences
from spokerender.review.comparison.states import FleetState
from spokerender.review.guard.claims import Losses
from spokerender.review.meaning.consequences import compare_states
from spokerender.review.meaning.needed import describe_needs
from spokerender.review.reviewing import GuardedChange, make_review
from spokerender.review.values import Review
from spokerender.wings.combined import all_engines

_MOST_LOOKED_AT, _MOST_DRAWN = 200, 6
"""The most topologies of spokes that are compared for a page, and the most pictures on it."""
_SEVERITIES = tuple(map(str, Severity))


@click.command("review", cls=ReportCommand)
@options.folder
@click.option(
    "--against",
    metavar="REV",
    help="The Git revision to compare with; REV... for its merge base with HEAD, or the folder of "
    "another project. Default: HEAD.",
)
@click.option(
    "--set",
    "settings",
    metavar="PATH=VALUE",
    multiple=True,
    help="Assume this value in the project's own files, as explain --set does, and compare with "
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

    Exit status: 1 if a consequence is as severe as --fail-on, and no suppression accepts it.
    """
    if page is not None:
        if str(page) in (".", "-"):
            options.refuse_usage("--page needs the name of a file; --format html prints the page")
        from spokerender.report.page import PAGE_START  # noqa: PLC0415  (start-up counts)

        files.refuse_outside(Path(folder), page)
        files.refuse_foreign(page, PAGE_START)
    now, name = load(folder, None), "the working tree"
    # The working tree is the base before `suppose` replaces it, so it is judged once.
    base = base_of(now, name) if settings and against is None else None
    if settings:
        from spokerender.cli.supposing import suppose  # noqa: PLC0415  (start-up counts)

        now, name = suppose(folder, settings), f"with {', '.join(settings)}"
    refuse_errors(now.rendered.results, strict=False)
    base = base or find_base(now, "HEAD" if against is None else against)
    commit, link = link_lines(now, base)
    report = _review_states(base.compared_with(now), now, judge_state(now, name, commit))
    report = replace(report, link=link)
    note = ""
    if page is not None:
        text, note = printer(ReviewReport, "html")(report, Look(page=carried_page)), f"wrote {page}"
        files.keep(page, text.encode())
    return replace(report, note=note, status=int(_is_failing(report.review, fail_on)))


def _review_states(base: ReviewBase, now: Loaded, after: FleetState) -> ReviewReport:
    """Return the report about two states; pictures are drawn when the report is printed."""
    tree = base.tree
    # Against the committed files, so that hand-made edits of the tree count as changes.
    plan, pairs = plan_changes(tree.tree, after.rendered)
    differences = group_differences(pairs, plan.folders, after.rendered)
    states = base.state, after
    compared = compare_states(*states)
    # Causes are named before the guard reads the consequences, and below for those that it adds; a
    # consequence that has a cause keeps it.
    name_causes = search_causes(compared.consequences, states, now, tree)
    compared = replace(compared, consequences=name_causes(compared.consequences))
    lost = lost_of_tree(now, tree, plan, base.state.about.name, compared)
    acknowledged = now.fleet_file.spec.deletions
    results = (*lost.results, *_report_output(now, tree))
    guarded = GuardedChange(
        compared.consequences, lost.losses or Losses(), acknowledged, tree.deletions, results
    )
    comparison = make_review(base.state, after, differences, guarded, tree.results)
    needs = find_new_needs(plan, after.rendered, reading(tree.tree))
    entries = [((str(n), n.ref, n.needed_by, n.origin), n.spokes) for n in needs]
    comparison = replace(
        comparison,
        consequences=name_causes(comparison.consequences),
        tightened=name_causes(comparison.tightened),
        needed=name_causes(describe_needs(entries, after.rendered)),
    )
    if tests := read_request_tests(now):
        from spokerender.requests.covering import RequestCoverage  # noqa: PLC0415  (few projects have tests)

        coverage = RequestCoverage(after.rendered, after.fleet, tests)
        consequences = tuple(map(coverage.name_tests, comparison.consequences))
        comparison = replace(comparison, consequences=consequences)
    return ReviewReport(
        results=(*after.rendered.results, *tree.results),
        standing=after.rendered.results,
        spokes=len(after.rendered.bundles),
        review=comparison,
        rendered=after.rendered,
        earlier=base.state.rendered,
        pictures=lambda: [*_draw(after, comparison)],
    )


def _report_output(now: Loaded, base: CommittedTree) -> Iterator[Result]:
    """Yield errors for files in the output that differ from both the base and the rendered tree.

    Files that have yet to be built don't count, nor does an output that is not on disk.
    """
    if not isinstance(now.source, OnDisk) or not is_folder(now.output):
        return
    before = base.tree
    changed = (
        base.source.changed_folders(now.output) if isinstance(base.source, AtRevision) else None
    )

    def keeps(folder: str) -> bool:
        # Reading the whole output takes longer than the comparison: Git knows what differs.
        return now.rendered.holds(folder) or (changed is not None and folder not in changed)

    plan = files.compare(now.output, now.rendered.tree, holds=keeps)
    for folder in plan.folders:
        there = (*folder.update, *folder.delete)
        here = files.read_files(now.output, folder.folder, there) if there else {}
        was = before.get(folder.folder, {})
        paths = sorted((*folder.create, *there))
        edited = [f"{folder.folder}/{path}" for path in paths if here.get(path) != was.get(path)]
        if edited:
            yield STALE.result(
                f"edited by hand, neither as before nor as rendered: {listed(edited)}",
                cure="run spokerender build, and commit what it writes",
                origin=Origin((now.output / edited[0]).as_posix()),
            )
    in_output = files.findings(plan, now.output, all_engines().rules, now.claims)
    for result in (*in_output, *steered_above(now)):
        if result.severity is not Severity.INFO:
            yield result


def _draw(state: FleetState, comparison: Review) -> Iterator[Picture]:
    """Yield a picture of each topology with consequences, most spokes first, and of the hub."""
    fleet = AlikeFleet(state.rendered.bundles.values())
    # A page about 1,000 spokes with hostnames of their own would have pictures of one topology.
    alike = [
        (fleet.name_own(drawn, bundles), sorted(b.spoke.name for b in bundles))
        for drawn, bundles in fleet.join(_topologies(state, comparison).items())
    ]
    for (diagram, changed), names in sorted(alike, key=lambda item: -len(item[1]))[:_MOST_DRAWN]:
        title = on_spokes(names, len(state.rendered.bundles))
        yield Picture(f"{title[0].upper()}{title[1:]}", diagram, changed)
    everything = frozenset(item.ref for item in comparison.changes if item.ref is not None)
    hub = draw_topology(judge_hub(state.rendered))
    yield Picture("The hub, as if it were a cluster", hub, everything)


def _topologies(
    state: FleetState, comparison: Review
) -> Mapping[tuple[Diagram, frozenset[Ref]], list[Bundle]]:
    """Return the bundles of spokes with consequences, by topology and the changed objects in it."""
    changed: dict[str, set[Ref]] = {}
    for item in comparison.changes:
        if item.ref is not None:
            for folder in item.folders:
                changed.setdefault(folder, set()).add(item.ref)
    touched = dict.fromkeys(name for item in comparison.consequences for name in item.result.spokes)
    # Keyed by identity, which is safe as the value keeps the judgement alive.
    diagrams: dict[int, tuple[Diagram, object]] = {}
    topologies: dict[tuple[Diagram, frozenset[Ref]], list[Bundle]] = {}
    for name in (name for name in touched if name in state.fleet.judged):
        judgement = state.fleet.judged[name].judgement
        if id(judgement) not in diagrams:
            # Topologies that spokes share are drawn once, and count once.
            if len(diagrams) == _MOST_LOOKED_AT:
                continue
            diagrams[id(judgement)] = draw_topology(judgement), judgement
        key = diagrams[id(judgement)][0], frozenset(changed.get(name, ()))
        topologies.setdefault(key, []).append(state.rendered.bundles[name])
    return topologies


def _is_failing(comparison: Review, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    # Severities are ordered from the worst to the least.
    worst = _SEVERITIES.index(fail_on)
    return any(
        _SEVERITIES.index(item.severity) <= worst and SUPPRESSED not in dict(item.result.tags)
        for item in comparison.consequences
    )
