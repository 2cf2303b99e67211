"""`spokerender explain`: where an object goes and why, or what a spoke gets and needs."""

from __future__ import annotations

import click

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.project import load
from spokerender.cli.telling import Reporting, refuse_questions
from spokerender.edge.presence import is_folder
from spokerender.explain import explain
from spokerender.report.reports import ExplainReport


@click.command("explain", cls=Reporting)
@click.argument("arguments", metavar="[DIR] [REF]", nargs=-1, shell_complete=completing.references)
@click.option(
    "--spoke", metavar="SPOKE", shell_complete=completing.spokes, help="Tell about this spoke only."
)
@options.code
@options.form(ExplainReport)
def command(arguments: tuple[str, ...], spoke: str | None) -> ExplainReport:
    """Tell where an object goes and as what, why, why not, and where each field came from.

    REF is KIND[.GROUP]/[NAMESPACE/]NAME, as in authpolicy/shop/cart; with WORKSPACE| before it
    what a consumer calls so. Without it, tell what the
    spoke gets and what it needs besides, or sum up the fleet.
    """
    folder, ref = _folder_and_ref(arguments)
    loaded = load(folder, None)
    wrong = refuse_questions(loaded.rendered.results)
    explanation = explain(loaded.rendered, ref, spoke)
    status = EXIT_WRONG_INPUT if wrong else 0
    return ExplainReport(results=wrong, explanation=explanation, status=status)


def _folder_and_ref(arguments: tuple[str, ...]) -> tuple[str, str]:
    """Both may be left out; a single one is the folder if there is one of that name."""
    match arguments:
        case ():
            return ".", ""
        case (one,):
            return (one, "") if is_folder(one) else (".", one)
        case (folder, ref) if is_folder(folder):
            return folder, ref
        case (folder, _):
            message = f"there is no folder {folder}"
            raise click.UsageError(message)
    message = "give at most a folder and an object"
    raise click.UsageError(message)
