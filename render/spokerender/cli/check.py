"""`spokerender check`: compare the output with a fresh render, and judge every spoke."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from spokerender.cli import options
from spokerender.cli.loaded import Loaded, read_crd_files, read_request_tests, reading
from spokerender.cli.losses import judge_losses, lost_of_tree, steered_above, unselected_on_disk
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, has_refusal, progress, refuse_errors
from spokerender.edge import files
from spokerender.findings.codes.shipping import DELETION
from spokerender.findings.occurrences import without_repeats
from spokerender.findings.results import Result
from spokerender.model import Origin
from spokerender.model.plan import Plan
from spokerender.pipeline import judge, unused_suppressions
from spokerender.report.reports import CheckReport
from spokerender.wings.combined import all_engines

if TYPE_CHECKING:
    from spokerender.explain.answered import UncoveredRequests
    from spokerender.explain.values import NewNeed
    from spokerender.judging.fleet.judged import JudgedFleet
    from spokerender.requests.reading import WrittenTest
    from spokerender.review.changes.values import TreeDifferences

TREE, POLICIES, VALIDATION, REQUESTS = "tree", "policies", "validation", "requests"
COVERAGE = "coverage"
CHECKS = (TREE, POLICIES, VALIDATION, REQUESTS)


@click.command("check", cls=ReportCommand)
@options.folder
@options.output
@click.option(
    "--only",
    type=click.Choice(CHECKS),
    multiple=True,
    help="Run only this check. tree: is the output up to date; policies: do policies attach and "
    "take effect; validation: would API servers accept the objects; requests: do tests of requests "
    "hold. Repeatable.",
)
@click.option(
    "--against",
    metavar="REV",
    help="Also refuse losses since this Git revision that fleet.yaml does not acknowledge, and "
    "changes that CRDs do not allow (transition rules).",
)
@click.option(
    "--coverage",
    is_flag=True,
    help="Also list the guarded requests that no test of requests covers; none is an error.",
)
@options.code
@options.form(CheckReport)
@options.reports(CheckReport)
@options.strict
def check(  # noqa: PLR0913  (an argument for each option)
    folder: str,
    output: str | None,
    only: tuple[str, ...],
    against: str | None,
    *,
    coverage: bool,
    strict: bool,
) -> CheckReport:
    """Compare the output of the project in DIR with a fresh render, and judge it.

    Checks whether the committed tree is up to date, which policies attach, conflict and are in
    force on every spoke, whether an API server would accept the objects, and whether tests of
    requests hold. Nothing is written.

    Exit status: 1 if the tree is stale or a check fails, 2 if the input is invalid.
    """
    # Coverage reads the tests, so it brings their check with it.
    more = (REQUESTS, COVERAGE) if coverage else ()
    asked = tuple(dict.fromkeys((*(only or CHECKS), *more)))
    loaded = load(folder, output)
    rendered = loaded.rendered
    # A project with errors has no tree to compare; judging it would repeat the errors.
    refuse_errors(rendered.results, strict=strict, spokes=len(rendered.bundles))
    losses, needs = ((), None) if against is None else _changes_since(loaded, against, asked)
    return _check_project(loaded, asked, losses, needs, strict=strict)


def _check_project(
    loaded: Loaded,
    asked: Sequence[str],
    more: Sequence[Result],
    needs: tuple[NewNeed, ...] | None,
    *,
    strict: bool,
) -> CheckReport:
    """Run checks on a project that was rendered without errors.

    `asked` has names of `CHECKS`, or `COVERAGE`; the findings in `more` count as well. `needs` are
    new needs of spokes since a revision; None stands for new needs since the output on disk.
    """
    # The output may be named by a pull request of a stranger, and is read below.
    files.refuse_outside(loaded.folder, loaded.output)
    tests = read_request_tests(loaded) if REQUESTS in asked else ()
    findings, judged = _judge(loaded, asked, tests)
    plan = None
    if TREE in asked:
        fleet = loaded.rendered
        plan = files.compare(
            loaded.output, fleet.tree, holds=fleet.holds, progress=progress("compared")
        )
        on_disk = files.findings(plan, loaded.output, all_engines().rules, loaded.claims)
        findings += (
            *on_disk,
            *steered_above(loaded),
            # With --against, losses since the revision are reported instead, which include these.
            *(unselected_on_disk(loaded, plan) if needs is None else ()),
            *_hidden_submodules(loaded, plan),
            *_stale_sources(loaded),
        )
    findings += tuple(more)
    uncovered: Sequence[UncoveredRequests] | None = None
    if judged is not None and COVERAGE in asked:
        from spokerender.requests.covering import RequestCoverage  # noqa: PLC0415  (start-up counts)

        uncovered = RequestCoverage(loaded.rendered, judged, tests).find_uncovered()
    is_current = plan is None or plan.is_empty
    differences, needs = _find_differences(loaded, plan, needs)
    return CheckReport(
        # Judging repeats some findings of rendering, and knows more of them.
        results=(*without_repeats(loaded.rendered.results, findings), *findings),
        spokes=len(loaded.rendered.bundles),
        status=0 if is_current and not has_refusal(findings, strict=strict) else 1,
        asked=asked,
        rendered=loaded.rendered,
        output=loaded.output,
        plan=plan,
        differences=differences.items if differences is not None else (),
        left_out=differences.left_out if differences is not None else {},
        gaps=judged.gaps if judged is not None else None,
        needs=needs,
        tests=[(each.test.name, each.at().path) for each in tests],
        uncovered=uncovered,
    )


def _changes_since(
    loaded: Loaded, revision: str, asked: Sequence[str]
) -> tuple[tuple[Result, ...], tuple[NewNeed, ...]]:
    """Return findings on losses and CRDs' transition rules, and newly needed objects."""
    from spokerender.cli.trees import plan_changes, read_base  # noqa: PLC0415  (start-up counts)

    base = read_base(loaded, revision)
    # Another output is not in the revision at all; then an empty tree means nothing.
    is_own = loaded.output == loaded.folder / loaded.fleet_file.spec.output
    if is_own and not base.tree and base.source is not None:  # nothing would seem to be lost
        from spokerender.cli.bases import find_base  # noqa: PLC0415  (hardly ever)

        base = find_base(loaded, revision).tree
    plan, _ = plan_changes(base.tree, loaded.rendered)
    lost = lost_of_tree(loaded, base, plan, revision)
    assert lost.losses is not None  # noqa: S101  (they are those of a plan)
    refuse = partial(judge_losses, loaded, base)
    losses = refuse(lost.losses)
    # Few changes are refused, and these fail the check: the search for their lines may take longer.
    if base.document is not None and any(result.code == DELETION.code for result in losses):
        from spokerender.review.meaning.causes import count_trials  # noqa: PLC0415  (start-up counts)

        if count_trials(loaded.rendered):
            from spokerender.cli.bases import find_base, judge_state  # noqa: PLC0415  (the same)
            from spokerender.cli.causes import place_at_causes  # noqa: PLC0415  (the same)

            states = find_base(loaded, revision).state, judge_state(loaded, "the working tree")
            losses = place_at_causes(lost.losses, refuse, states, loaded, base)
    losses = (*base.results, *losses, *lost.results, *lost.needed)
    if loaded.rendered.rollout is not None:
        from spokerender.rendering.rollout.record import report_changed  # noqa: PLC0415  (few projects have one)

        losses += report_changed(loaded.rendered.rollout, base.tree, revision)
    if plan.is_empty:
        return losses, ()
    from spokerender.explain.new_needs import find_new_needs  # noqa: PLC0415  (start-up counts)

    needs = find_new_needs(plan, loaded.rendered, reading(base.tree))
    if VALIDATION not in asked:
        return losses, needs
    from spokerender.review.transitions import find_refused_changes  # noqa: PLC0415  (start-up counts)

    crds = read_crd_files(loaded)
    return (*losses, *find_refused_changes(loaded.rendered, crds, plan, reading(base.tree))), needs


def _judge(
    loaded: Loaded, asked: Sequence[str], tests: Sequence[WrittenTest]
) -> tuple[tuple[Result, ...], JudgedFleet | None]:
    """Return findings of the checks in `asked` and of `tests`, and the judged fleet if needed."""
    judging = [name for name in asked if name in (POLICIES, VALIDATION)]
    # Tests need the states of policies, not the findings about them.
    if (tests or COVERAGE in asked) and POLICIES not in judging:
        judging.append("states")
    if not judging:
        return (), None
    crds = read_crd_files(loaded) if VALIDATION in judging else ()
    judged = judge(loaded.rendered, crds, *judging)
    findings = judged.results
    if POLICIES in asked:
        findings += loaded.rendered.contribution.check(loaded.rendered, loaded.document.at)
    if set(asked) >= set(CHECKS):  # a check that did not run may be what a suppression is for
        findings += unused_suppressions(loaded.rendered, findings, loaded.document.at)
    if tests:
        from spokerender.requests.running import run_tests  # noqa: PLC0415  (as above)

        findings += run_tests(loaded.rendered, judged, tests)
    return findings, judged


def _hidden_submodules(loaded: Loaded, plan: Plan) -> tuple[Result, ...]:
    """Return errors for submodules in the output that seem empty, as they are not checked out."""
    emptied = (f"{item.folder}/{path}" for item in plan.folders for path in item.emptied)
    empty = [*plan.hollow, *emptied]
    if not empty:
        return ()
    from spokerender.edge.git.revision import find_submodules  # noqa: PLC0415  (hardly ever)

    return files.hidden(find_submodules(loaded.output, empty), loaded.output)


def _stale_sources(loaded: Loaded) -> Iterator[Result]:
    """Yield a finding for every file of `published/` that a build would write or delete."""
    from spokerender.findings.codes.publishing import NOT_WRITTEN  # noqa: PLC0415  (start-up counts)

    for path, data in loaded.rendered.contribution.files.items():
        message = "it is not what a build writes" if data is not None else "it may go"
        yield NOT_WRITTEN.result(
            f"{path}: {message}",
            cure="run spokerender build, and commit what it writes",
            origin=Origin(loaded.source.shown(path)),
        )


def _find_differences(
    loaded: Loaded, plan: Plan | None, needs: tuple[NewNeed, ...] | None
) -> tuple[TreeDifferences | None, tuple[NewNeed, ...]]:
    if plan is None or plan.is_empty:
        return None, needs or ()
    from spokerender.cli.trees import pairs_on_disk  # noqa: PLC0415  (a current tree needs none of it)
    from spokerender.explain.new_needs import find_new_needs  # noqa: PLC0415
    from spokerender.review.changes.differences import group_differences  # noqa: PLC0415

    pairs = tuple(pairs_on_disk(loaded.output, plan, loaded.rendered.tree))
    if needs is None:
        needs = find_new_needs(plan, loaded.rendered, partial(files.read_files, loaded.output))
    return group_differences(pairs, plan.folders, loaded.rendered), needs
