"""`spokerender check`: compare the committed tree with a fresh render, and judge every spoke."""

from __future__ import annotations

from collections.abc import Sequence

import click

from spokerender.cli import options
from spokerender.cli.checking import ONLY, VALIDATION, checked
from spokerender.cli.comparison import between, committed
from spokerender.cli.definitions import definitions
from spokerender.cli.loaded import Loaded
from spokerender.cli.losses import lost_since
from spokerender.cli.project import load
from spokerender.cli.telling import Reporting, refuse_errors
from spokerender.findings.results import Result
from spokerender.report.reports import CheckReport


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
@options.code
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
    refuse_errors(loaded.rendered.results, strict=strict)
    lost = _since(loaded, against, asked) if against is not None else ()
    return checked(loaded, asked, lost, strict=strict)


def _since(loaded: Loaded, revision: str, asked: Sequence[str]) -> tuple[Result, ...]:
    """What has been lost since a revision and is not acknowledged, and what may not change so."""
    from spokerender.cli.base import base_of  # noqa: PLC0415  (start-up counts)

    base = base_of(loaded, revision)
    plan = between(base.tree, loaded.rendered.tree)
    lost = (*base.results, *lost_since(loaded, base, plan, revision))
    if VALIDATION not in asked or plan.is_empty:
        return lost
    from spokerender.review.transitions import find_refused_changes  # noqa: PLC0415  (start-up counts)

    pairs = committed(base.tree, plan, loaded.rendered.tree)
    return (*lost, *find_refused_changes(loaded.rendered, definitions(loaded), pairs))
