"""`spokerender import`: a hub out of what clusters hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from spokerender.adopting.imports import AdoptedFiles, ImportFolders, import_objects
from spokerender.cli import options
from spokerender.cli.loaded import fleet_of
from spokerender.cli.progress import progress
from spokerender.cli.reading import given_files
from spokerender.cli.telling import Reporting, refuse_errors
from spokerender.cli.writing import in_project, write_all
from spokerender.config.fleet import FleetSpec
from spokerender.edge.files import OnDisk
from spokerender.edge.presence import is_file
from spokerender.edge.reading import Files, files_of, source_has
from spokerender.findings.codes.project import EMPTY
from spokerender.findings.errors import InputError
from spokerender.report.reports import WrittenReport
from spokerender.wings.combined import all_marks

_HUB, _CRDS = "hub", "crds"


@click.command("import", cls=Reporting)
@click.argument(
    "exports",
    metavar="FILE|FOLDER|-...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, allow_dash=True),
)
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="The hub folder; the first that fleet.yaml names if left out, or hub/.",
)
@click.option(
    "--crds",
    "with_crds",
    is_flag=True,
    help="Keep the CRDs of the kinds that are brought in, for validation: in the first folder "
    "that fleet.yaml names under crds, or crds/.",
)
@options.form(WrittenReport)
@options.strict
def command(
    exports: tuple[str, ...], output: str | None, *, with_crds: bool, strict: bool
) -> WrittenReport:
    """Bring live objects into the hub of the project in this folder, one object a file.

    Takes what `kubectl get -o yaml` prints, Lists and all, from files, folders and standard input
    (`-`). What a cluster owns of an object is left out, comments of files are kept. A Secret is
    left out and named. An object that the hub has already is changed in its own text: importing
    again shows as a Git difference what changed live.
    """
    project = OnDisk(Path())
    spec = fleet_of(project).model.spec
    places = _places(spec, output, with_crds=with_crds)
    found = import_objects(
        given_files(exports),
        _present(project, [places.hub] if output is not None else spec.hub),
        _present(project, [places.crds]) if places.crds is not None else (),
        places,
        progress("brought in"),
    )
    refuse_errors(found.results, strict=strict)
    created, updated = write_all(Path(), found.files)
    return WrittenReport(
        results=found.results,
        created=created,
        updated=updated,
        unchanged=found.unchanged,
        note=_note(spec, places, found),
    )


def _places(spec: FleetSpec, output: str | None, *, with_crds: bool) -> ImportFolders:
    folders = (entry for entry in spec.hub if not is_file(entry))
    hub = output if output is not None else in_project(next(folders, _HUB))
    crds = in_project(spec.crds[0] if spec.crds else _CRDS) if with_crds else None
    crd_folder = crds.rstrip("/") if crds is not None else None
    return ImportFolders(hub.rstrip("/") or "/", crd_folder, all_marks())


def _present(project: OnDisk, entries: Sequence[str]) -> Files:
    """The files that are in folders already; none where there is no such folder.

    Raises:
        InputError: one of them can't be read.

    """
    there = [entry for entry in entries if is_file(entry) or source_has(project, entry)]
    found, problems = files_of(project, there)
    wrong = tuple(each for each in problems if each.code != EMPTY.code)
    if wrong:
        raise InputError(wrong)
    return found


def _note(spec: FleetSpec, places: ImportFolders, found: AdoptedFiles) -> str:
    """What fleet.yaml has to say so that what was written counts."""
    lines = []
    for key, entries, folder in (("hub", spec.hub, places.hub), ("crds", spec.crds, places.crds)):
        is_read = any(folder and Path(folder).is_relative_to(entry) for entry in entries)
        if folder and not is_read and any(path.startswith(f"{folder}/") for path in found.files):
            shown = ", ".join((*entries, f"{folder}/"))
            lines.append(
                f"nothing reads {folder}/ yet: add to fleet.yaml spec: {{{key}: [{shown}]}}"
            )
    return "\n".join(lines)
