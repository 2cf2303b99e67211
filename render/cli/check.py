"""`spokerender check`: compare the committed tree with a fresh render, and judge every spoke."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from render.cli import options
from render.cli.comparison import between, committed, on_disk
from render.cli.definitions import definitions
from render.cli.loaded import Loaded
from render.cli.losses import lost_since
from render.cli.progress import progress
from render.cli.project import load
from render.cli.published import not_written
from render.cli.telling import Reporting, refuse_errors, refused
from render.edge import files
from render.findings.results import Result
from render.model.plan import Plan
from render.pipeline import judge, unused_suppressions
from render.report.reports import CheckReport

if TYPE_CHECKING:
    from render.review.differences import Difference

TREE, POLICIES, VALIDATION = "tree", "policies", "validation"
ONLY = (TREE, POLICIES, VALIDATION)


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
    help="Also refuse what has been lost since this Git revision, unless it is acknowledged, and "
    "what may not change so (CRDs, transition rules).",
)
@options.form(CheckReport)
@options.strict
def command(
    folder: str,
    output: str | None,
    only: tuple[str, ...],
    against: str | None,
    *,
    strict: bool,
) -> CheckReport:
    """Render the project in DIR in memory, compare it with its output folder, and judge it.

    Says whether the committed tree is true; what attaches, conflicts and is in force on every
    spoke; and what an API server would refuse. Exits with 1 if the tree is stale or a check
    failed, with 2 if the input is wrong.
    """
    asked = only or ONLY
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=strict)
    files.refuse_outside(loaded.folder, loaded.output)
    findings = _judged(loaded, asked)
    plan = None
    if TREE in asked:
        plan = files.compare(loaded.output, rendered.tree, progress=progress("compared"))
        findings += (*files.findings(plan, loaded.output), *not_written(loaded))
    if against is not None:
        findings += _since(loaded, against, asked)
    is_true = plan is None or plan.is_empty
    return CheckReport(
        results=(*rendered.results, *findings),
        spokes=len(rendered.bundles),
        status=0 if is_true and not refused(findings, strict=strict) else 1,
        asked=asked,
        rendered=rendered,
        output=loaded.output,
        plan=plan,
        differences=_differences(loaded, plan) if plan is not None and not is_true else (),
    )


def _judged(loaded: Loaded, asked: Sequence[str]) -> tuple[Result, ...]:
    """What there is to say of policies and objects; suppressions are told stale only by all."""
    wanted = [name for name in asked if name != TREE]
    if not wanted:
        return ()
    crds = definitions(loaded) if VALIDATION in wanted else ()
    findings = (*judge(loaded.rendered, crds, *wanted).results, *_asserted(loaded, asked))
    if set(asked) != set(ONLY):
        return findings
    unused = unused_suppressions(loaded.rendered, findings, loaded.document.at)
    return (*findings, *unused)


def _asserted(loaded: Loaded, asked: Sequence[str]) -> tuple[Result, ...]:
    """What breaks the fleet file's assertions, which are about policies."""
    if POLICIES not in asked or not loaded.rendered.fleet_file.spec.assertions:
        return ()
    from render.metapolicies import broken  # noqa: PLC0415  (who asserts nothing does not pay)

    return broken(loaded.rendered, loaded.document.at)


def _since(loaded: Loaded, revision: str, asked: Sequence[str]) -> tuple[Result, ...]:
    """What has been lost since a revision and is not acknowledged, and what may not change so."""
    from render.cli.base import base_of  # noqa: PLC0415  (start-up counts)

    base = base_of(loaded, revision)
    plan = between(base.tree, loaded.rendered.tree)
    lost = (*base.results, *lost_since(loaded, base, plan, revision))
    if VALIDATION not in asked or plan.is_empty:
        return lost
    from render.review.transitions import refused_changes  # noqa: PLC0415  (start-up counts)

    pairs = committed(base.tree, plan, loaded.rendered.tree)
    return (*lost, *refused_changes(loaded.rendered, definitions(loaded), pairs))


def _differences(loaded: Loaded, plan: Plan) -> tuple[Difference, ...]:
    """What differs, field by field."""
    from render.review.differences import differences  # noqa: PLC0415  (a true tree needs none of it)

    pairs = on_disk(loaded.output, plan, loaded.rendered.tree)
    return tuple(differences(pairs, plan.folders))
