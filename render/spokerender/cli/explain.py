"""`spokerender explain`: explain where an object goes, or what a spoke gets and needs."""

from pathlib import Path

import click

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.loaded import read_fleet_file
from spokerender.cli.project import load, read_project
from spokerender.cli.reporting import ReportCommand, refuse_unanswerable
from spokerender.edge.files import OnDisk
from spokerender.edge.presence import is_folder
from spokerender.explain import explain_named
from spokerender.explain.values import ObjectExplanation
from spokerender.findings.errors import InputError
from spokerender.report.reports import ExplainReport, ReviewReport


@click.command("explain", cls=ReportCommand)
@click.argument(
    "arguments",
    metavar="[DIR] [REF | placement NAMESPACE/NAME]",
    nargs=-1,
    shell_complete=completing.complete_objects,
)
@options.one_spoke(completing.complete_spokes, "Explain only this spoke.")
@click.option(
    "--set",
    "settings",
    metavar="PATH=VALUE",
    multiple=True,
    help="Assume this value in fleet.yaml or the placement: spokes.eu-1.labels.tier=edge, "
    "rules.0.spokes.names.+=eu-1, fleet.layout=spoke. Without REF, show what it changes. "
    "Repeatable.",
)
@options.code
@options.form(ExplainReport)
def explain(
    arguments: tuple[str, ...], spoke: str | None, settings: tuple[str, ...]
) -> ExplainReport | ReviewReport:
    """Explain where an object goes, as what and why, and where each field comes from.

    DIR is the project. REF is the object, as KIND[.GROUP]/[NAMESPACE/]NAME: for example
    authpolicy/shop/cart. WORKSPACE| before it names a consumer's object. For an object that a
    spoke does not get, the smallest edits that would ship it are listed.

    `placement NAMESPACE/NAME` instead of REF explains how a Placement of the hub is decided: each
    cluster's way through sets, filters and scores, and the near misses.

    Without REF, list what a spoke gets and needs (--spoke), or sum up the fleet; with --set, show
    what the values would change, and what follows. Nothing is written.
    """
    match arguments:
        # A slash in the key: without it, an object called placement could be meant.
        case (*before, "placement", key) if "/" in key and len(before) <= 1:
            return _explain_placement(before[0] if before else ".", key)
    folder, ref = _folder_and_ref(arguments)
    if settings and not (ref or spoke):
        # The project is compared with the one that has these values, as `review --set` does.
        context = click.get_current_context()
        group = context.find_root().command
        command = group.get_command(context, "review") if isinstance(group, click.Group) else None
        assert command is not None  # noqa: S101  (it is in the table)
        report: ReviewReport = context.invoke(
            command, folder=folder, against=None, fail_on="never", page=None, settings=settings
        )
        return report
    if settings:
        from spokerender.cli.supposing import suppose  # noqa: PLC0415  (start-up counts)

        loaded = suppose(folder, settings)
    else:
        loaded = load(folder, None)
    errors = refuse_unanswerable(loaded.rendered.results)
    explanation = explain_named(loaded.rendered, ref, spoke)
    # With assumed values the question is about them, and not about further edits.
    if isinstance(explanation, ObjectExplanation) and not settings:
        from spokerender.cli.supposing import with_near_misses  # noqa: PLC0415  (start-up counts)

        explanation = with_near_misses(explanation, loaded)
    status = EXIT_WRONG_INPUT if errors else 0
    return ExplainReport(results=errors, explanation=explanation, status=status)


def _explain_placement(folder: str, key: str) -> ExplainReport:
    from spokerender.rendering.placement.joining import ask_about  # noqa: PLC0415  (start-up counts)
    from spokerender.topology.hub import read_hub  # noqa: PLC0415
    from spokerender.wings.combined import hub_sources  # noqa: PLC0415
    from spokerender.wings.hubs.ocm.funnel import explain_placement  # noqa: PLC0415

    if not is_folder(folder):
        options.refuse_usage(f"{folder} is not a folder")
    source = OnDisk(Path(folder))
    # Read, not rendered: the decision can be explained though the project has errors.
    project = read_project(source, read_fleet_file(source), Path(folder))
    if project.unreadable:
        raise InputError(project.unreadable)
    hub = read_hub(project.hub_files)
    question, imported = ask_about(hub, project.placing, key, hub_sources())
    funnel = explain_placement(question, imported, key)
    return ExplainReport(results=(), explanation=funnel, status=0)


def _folder_and_ref(arguments: tuple[str, ...]) -> tuple[str, str]:
    """Return the folder and the object; a single argument is the folder if such a folder exists."""
    match arguments:
        case ():
            return options.find_project(), ""
        case (argument,):
            return (argument, "") if is_folder(argument) else (options.find_project(), argument)
        case (folder, ref) if is_folder(folder):
            return folder, ref
        case (folder, _):
            options.refuse_usage(f"{folder} is not a folder")
    message = "give at most a folder and an object"
    raise click.UsageError(message)
