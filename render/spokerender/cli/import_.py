"""`spokerender import`: import live objects of a cluster into the hub."""

from collections.abc import Sequence
from pathlib import Path

import click

from spokerender.adopting.imports import ImportSettings, import_objects
from spokerender.cli import options
from spokerender.cli.given_files import in_project, read_given_files, write_all
from spokerender.cli.loaded import read_fleet_file
from spokerender.cli.reporting import ReportCommand, progress, refuse_errors
from spokerender.edge.files import OnDisk
from spokerender.edge.presence import is_file
from spokerender.edge.reading import files_of, source_has
from spokerender.findings.codes.project import EMPTY
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import count, joined
from spokerender.model.sources import Files
from spokerender.report.reports import WrittenReport
from spokerender.wings.combined import all_engines

_HUB = "hub"


@click.command("import", cls=ReportCommand)
@click.argument(
    "exports",
    metavar="FILE|FOLDER|-...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, allow_dash=True),
)
@options.output_to("The hub folder. Default: the first one under spec.hub in fleet.yaml, or hub/.")
@click.option(
    "--kinds",
    metavar="KIND,...",
    default="",
    help="Import all objects of these kinds, such as ConfigMap,Backend.gateway.envoyproxy.io, or "
    "of all. Default: the Gateway API, the known policies, and what these need.",
)
@options.form(WrittenReport)
@options.strict
def import_(
    exports: tuple[str, ...], output: str | None, *, kinds: str, strict: bool
) -> WrittenReport:
    """Import live objects into the hub of the project in this folder.

    The objects are read from files, folders and standard input (-), such as the output of
    `kubectl get -o yaml`, or a repository. Each is written to a file of its own, without the fields
    that a cluster sets. Secrets are not imported, nor is what belongs to no Gateway: it is counted.

    An object that the hub already has is updated in its file, and comments are kept: after another
    import, the Git difference shows what changed on the cluster.
    """
    project = OnDisk(Path())
    spec = read_fleet_file(project).model.spec
    folders = (entry for entry in spec.hub if not is_file(entry))
    hub = output if output is not None else in_project(next(folders, _HUB))
    named = tuple(kind.strip() for kind in kinds.split(",") if kind.strip())
    folder = hub.rstrip("/") or "/"
    imported = import_objects(
        read_given_files(exports),
        _present(project, [folder] if output is not None else spec.hub),
        ImportSettings(folder, all_engines().marks, named, exports),
        progress("imported"),
    )
    refuse_errors(imported.results, strict=strict)
    created, updated = write_all(Path(), imported.files)
    left = [count(number, noun) for noun, number in sorted(imported.left.items())]
    lines = [f"left out: {joined(left)}; -v names them"] if left else []
    if not any(Path(folder).is_relative_to(entry) for entry in spec.hub) and imported.files:
        entries = ", ".join((*spec.hub, f"{folder}/"))
        lines.append(f"nothing reads {folder}/ yet: add to fleet.yaml spec: {{hub: [{entries}]}}")
    return WrittenReport(
        results=imported.results,
        created=created,
        updated=updated,
        unchanged=imported.unchanged,
        note="\n".join(lines),
    )


def _present(project: OnDisk, entries: Sequence[str]) -> Files:
    """Return the files of those `entries` (files or folders) that exist. Raises `InputError`."""
    existing = [entry for entry in entries if is_file(entry) or source_has(project, entry)]
    files, problems = files_of(project, existing)
    errors = tuple(problem for problem in problems if problem.code != EMPTY.code)
    if errors:
        raise InputError(errors)
    return files
