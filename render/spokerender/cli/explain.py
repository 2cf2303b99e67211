"""`spokerender explain`: explain where an object goes, or what a spoke gets and needs."""

import click

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_unanswerable
from spokerender.edge.presence import is_folder
from spokerender.explain import explain_named
from spokerender.report.reports import ExplainReport


@click.command("explain", cls=ReportCommand)
@click.argument(
    "arguments", metavar="[DIR] [REF]", nargs=-1, shell_complete=completing.complete_objects
)
@options.one_spoke(completing.complete_spokes, "Explain only this spoke.")
@options.code
@options.form(ExplainReport)
def explain(arguments: tuple[str, ...], spoke: str | None) -> ExplainReport:
    """Explain where an object goes, as what and why, and where each field comes from.

    DIR is the project. REF is the object, as KIND[.GROUP]/[NAMESPACE/]NAME: for example
    authpolicy/shop/cart. WORKSPACE| before it names a consumer's object.

    Without REF, list what a spoke gets and needs (--spoke), or sum up the fleet.
    """
    folder, ref = _folder_and_ref(arguments)
    loaded = load(folder, None)
    errors = refuse_unanswerable(loaded.rendered.results)
    explanation = explain_named(loaded.rendered, ref, spoke)
    status = EXIT_WRONG_INPUT if errors else 0
    return ExplainReport(results=errors, explanation=explanation, status=status)


def _folder_and_ref(arguments: tuple[str, ...]) -> tuple[str, str]:
    """Return the folder and the object; a single argument is the folder if there is one."""
    match arguments:
        case ():
            return ".", ""
        case (argument,):
            return (argument, "") if is_folder(argument) else (".", argument)
        case (folder, ref) if is_folder(folder):
            return folder, ref
        case (folder, _):
            options.refuse_usage(f"{folder} is not a folder")
    message = "give at most a folder and an object"
    raise click.UsageError(message)
