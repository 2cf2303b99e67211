"""Checking a project that was read and rendered: its tree, its policies, its objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spokerender.cli.comparison import on_disk
from spokerender.cli.definitions import definitions
from spokerender.cli.loaded import Loaded
from spokerender.cli.progress import progress
from spokerender.cli.published import not_written
from spokerender.cli.telling import refused
from spokerender.edge import files
from spokerender.findings.results import Result
from spokerender.model.plan import Plan
from spokerender.pipeline import judge, unused_suppressions
from spokerender.report.reports import CheckReport
from spokerender.wings.combined import folder_rules

if TYPE_CHECKING:
    from spokerender.judging.fleet import Unvalidated
    from spokerender.review.differences import Difference

TREE, POLICIES, VALIDATION = "tree", "policies", "validation"
ONLY = (TREE, POLICIES, VALIDATION)


def checked(
    loaded: Loaded, asked: Sequence[str], besides: Sequence[Result] = (), *, strict: bool
) -> CheckReport:
    """Check what is asked for.

    Args:
        loaded: the project, in whose rendering nothing is wrong.
        asked: some of `ONLY`.
        besides: what else was found, which counts too.
        strict: whether warnings refuse.

    """
    files.refuse_outside(loaded.folder, loaded.output)
    findings, unvalidated = _judged(loaded, asked)
    plan = None
    if TREE in asked:
        plan = files.compare(loaded.output, loaded.rendered.tree, progress=progress("compared"))
        told = files.findings(plan, loaded.output, folder_rules(), loaded.claims)
        findings += (*told, *_hidden(loaded, plan), *not_written(loaded))
    findings += tuple(besides)
    is_true = plan is None or plan.is_empty
    return CheckReport(
        results=(*loaded.rendered.results, *findings),
        spokes=len(loaded.rendered.bundles),
        status=0 if is_true and not refused(findings, strict=strict) else 1,
        asked=asked,
        rendered=loaded.rendered,
        output=loaded.output,
        plan=plan,
        differences=_differences(loaded, plan) if plan is not None and not is_true else (),
        unvalidated=unvalidated,
    )


def _hidden(loaded: Loaded, plan: Plan) -> tuple[Result, ...]:
    """What of the output is a submodule that is not checked out, so that it looks empty."""
    empty = [*plan.hollow]
    for folder in plan.folders:
        empty += [f"{folder.folder}/{path}" for path in folder.emptied]
    if not empty:
        return ()
    from spokerender.edge.git import find_submodules  # noqa: PLC0415  (hardly ever)

    return files.hidden(find_submodules(loaded.output, empty), loaded.output)


def _judged(
    loaded: Loaded, asked: Sequence[str]
) -> tuple[tuple[Result, ...], tuple[Unvalidated, ...]]:
    """What there is to say of policies and objects, and of which of them nothing is.

    Suppressions are told stale only where everything is asked.
    """
    wanted = [name for name in asked if name != TREE]
    if not wanted:
        return (), ()
    crds = definitions(loaded) if VALIDATION in wanted else ()
    judged = judge(loaded.rendered, crds, *wanted)
    findings = (*judged.results, *_asserted(loaded, asked))
    if set(asked) == set(ONLY):
        findings += unused_suppressions(loaded.rendered, findings, loaded.document.at)
    return findings, judged.unvalidated


def _asserted(loaded: Loaded, asked: Sequence[str]) -> tuple[Result, ...]:
    """What breaks the fleet file's assertions, which are about policies."""
    if POLICIES not in asked:
        return ()
    return loaded.rendered.contribution.check(loaded.rendered, loaded.document.at)


def _differences(loaded: Loaded, plan: Plan) -> tuple[Difference, ...]:
    """What differs, field by field."""
    from spokerender.review.differences import find_differences  # noqa: PLC0415  (a true tree needs none of it)

    pairs = on_disk(loaded.output, plan, loaded.rendered.tree)
    return tuple(find_differences(pairs, plan.folders))
