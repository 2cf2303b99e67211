"""`spokerender build`: render every spoke's tree and write it, all or nothing."""

from __future__ import annotations

import sys

import click

from spokerender.cli import completing, options
from spokerender.cli.loaded import FLEET_FILE, Loaded
from spokerender.cli.losses import acknowledge, lost_on_disk
from spokerender.cli.progress import progress
from spokerender.cli.project import load
from spokerender.cli.published import keep_published
from spokerender.cli.telling import Reporting, refuse_errors, tell
from spokerender.edge import files
from spokerender.findings.results import Result
from spokerender.model.ownership import KUSTOMIZATION
from spokerender.model.plan import Plan
from spokerender.report.reports import BuildReport, Findings
from spokerender.wings.combined import folder_rules


@click.command("build", cls=Reporting)
@options.folder
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="The output folder, or `-` to print one stream; what fleet.yaml says if left out.",
)
@click.option(
    "--spoke",
    metavar="SPOKE",
    shell_complete=completing.spokes,
    help="With -o -: print this spoke's objects alone.",
)
@click.option(
    "--allow-delete",
    "allowed",
    shell_complete=completing.deletions,
    metavar="NAME",
    multiple=True,
    help="Let a spoke (SPOKE) or an object (KIND/NAMESPACE/NAME[@SPOKE]) be deleted. Repeatable.",
)
@click.option(
    "--reason",
    metavar="TEXT",
    help="Acknowledge what --allow-delete names in fleet.yaml, so that `check --against` does too.",
)
@options.watch
@options.code
@options.form(BuildReport)
@options.strict
def command(  # noqa: PLR0913  (an argument for each option)
    folder: str,
    output: str | None,
    spoke: str | None,
    allowed: tuple[str, ...],
    reason: str | None,
    *,
    strict: bool,
) -> BuildReport | None:
    """Render the project in DIR and write a folder for each spoke.

    Nothing is written unless everything is right. Only files that differ are touched, and only
    files whose first line says that they are ours.
    """
    if reason is not None and not allowed:
        message = "--reason is why something that --allow-delete names may go"
        raise click.UsageError(message)
    if spoke is not None and output != "-":
        message = "--spoke is for what `-o -` prints: a build writes every spoke"
        raise click.UsageError(message)
    if output == "-" and options.asked("watch"):
        message = "--watch writes files, and `-o -` prints them"
        raise click.UsageError(message)
    if output == "-":
        _print_stream(load(folder, None), spoke, strict=strict)
        return None
    if not options.asked("watch"):
        return _build(folder, output, allowed, reason, strict=strict)
    if reason is not None:
        message = "--watch builds again and again: --reason is for what goes once"
        raise click.UsageError(message)
    from spokerender.cli.watch import watch  # noqa: PLC0415  (start-up counts)

    watch(folder, output, lambda: _build(folder, output, allowed, strict=strict))
    return None


def _build(
    folder: str,
    output: str | None,
    allowed: tuple[str, ...],
    reason: str | None = None,
    *,
    strict: bool,
) -> BuildReport:
    loaded = load(folder, output)
    results, spokes = loaded.rendered.results, len(loaded.rendered.bundles)
    refuse_errors(results, strict=strict)
    if reason is not None:
        files.refuse_link(loaded.folder / FLEET_FILE)
    plan, problems = _write(loaded, allowed, strict=strict)
    if reason is not None:
        acknowledge(loaded, allowed, reason)
    everything = (*results, *problems)
    return BuildReport(results=everything, spokes=spokes, plan=plan, output=loaded.output)


def _print_stream(loaded: Loaded, spoke: str | None, *, strict: bool) -> None:
    """All documents in one stream, each with its path as a comment; nothing is written.

    Of one spoke these are its objects: what lists its files is none.

    Raises:
        InputError: there is no such spoke, or findings refuse it.

    """
    results = loaded.rendered.results
    refuse_errors(results, strict=strict)
    tell(Findings(results=results, spokes=len(loaded.rendered.bundles)))
    tree = loaded.rendered.tree
    if spoke is not None:
        from spokerender.explain.lookup import find_spoke  # noqa: PLC0415  (start-up counts)

        find_spoke(loaded.rendered, spoke)
    for name in (spoke,) if spoke is not None else tree.folders:
        for path, data in sorted(tree.files(name).items()):
            if spoke is None or path != KUSTOMIZATION:
                sys.stdout.buffer.write(f"---\n# {name}/{path}\n".encode() + data)
    sys.stdout.buffer.flush()


def _write(
    loaded: Loaded, allowed: tuple[str, ...], *, strict: bool
) -> tuple[Plan, tuple[Result, ...]]:
    """Write what differs, if nothing that was found on the disk refuses it."""
    tree = loaded.rendered.tree
    for place in (loaded.output, *map(loaded.folder.joinpath, loaded.rendered.contribution.files)):
        files.refuse_outside(loaded.folder, place)
    with files.locked(loaded.output):
        plan = files.compare(loaded.output, tree, progress=progress("compared"))
        told = files.findings(plan, loaded.output, folder_rules(), loaded.claims)
        problems = (*told, *lost_on_disk(loaded, plan, allowed))
        refuse_errors((*loaded.rendered.results, *problems), strict=strict)
        keep_published(loaded)
        files.apply(loaded.output, plan, tree, progress=progress("written"))
    return plan, problems
