"""`spokerender crds`: keep the CRDs that `check` validates objects with."""

from pathlib import Path

import click

from spokerender.adopting.editable import add_to_fleet
from spokerender.adopting.imports import keep_crds
from spokerender.cli import options
from spokerender.cli.given_files import in_project, read_given_files, write_all
from spokerender.cli.loaded import FLEET_FILE, read_fleet_file
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.edge.files import OnDisk
from spokerender.edge.presence import is_folder
from spokerender.edge.reading import read_optional
from spokerender.model.releases import read_products
from spokerender.report.reports import CarriedReport, WrittenReport
from spokerender.wings.combined import all_engines

_FOLDER = "crds"


@click.group("crds")
def crds() -> None:
    """Keep the CRDs that check validates objects with; list those that spokerender carries."""


@crds.command("add", cls=ReportCommand)
@click.argument("sources", metavar="FILE|FOLDER|-...", nargs=-1, required=True)
@options.output_to("The folder. Default: the first one under spec.crds in fleet.yaml, or crds/.")
@options.form(WrittenReport)
@options.strict
def add_crds(sources: tuple[str, ...], output: str | None, *, strict: bool) -> WrittenReport:
    """Add CRDs to the project in this folder.

    They are read from files, folders and standard input (-), such as the output of `kubectl get
    crds -o yaml`, or of `curl -fsSL URL`. Each is written to a file of its own, with its checksum
    in SHA256SUMS: a file that was edited later is never replaced. fleet.yaml gets the folder
    under spec.crds.
    """
    project = OnDisk(Path())
    fleet = read_optional(project, FLEET_FILE)
    spec = read_fleet_file(project).model.spec
    named = output or in_project(spec.crd_paths[0] if spec.crd_paths else _FOLDER)
    folder = named.rstrip("/") or "/"
    source, names = OnDisk(Path(folder)), list[str]()
    if is_folder(folder):
        names = [name for name, is_folder in source.entries(".") if not is_folder]
    read = source.read(names).items()
    present = {name: data for name, data in read if isinstance(data, bytes)}
    adopted = keep_crds(read_given_files(sources), present, all_engines().marks)
    refuse_errors(adopted.results, strict=strict)
    contents = {f"{folder}/{name}": data for name, data in adopted.files.items()}
    if not any(Path(folder).is_relative_to(entry) for entry in spec.crd_paths):
        fleet_file = (FLEET_FILE, fleet.data) if fleet is not None else None
        contents |= add_to_fleet(fleet_file, "crds", [f"{folder}/"])
    created, updated = write_all(Path(), contents)
    return WrittenReport(
        results=adopted.results, created=created, updated=updated, unchanged=adopted.unchanged
    )


@crds.command("list", cls=ReportCommand)
@options.form(CarriedReport)
def list_crds() -> CarriedReport:
    """List the releases whose CRDs spokerender carries.

    Name those of the clusters under spec.crds in fleet.yaml: gateway-api@v1.4.1/standard, or
    kuadrant@1.5 for the newest one that is carried. CRDs in the hub and in files under spec.crds
    win over them. A kind that neither has is validated by the newest release.
    """
    return CarriedReport(products=read_products())
