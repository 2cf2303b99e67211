"""`spokerender crds`: the CRDs that validation goes by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from spokerender.adopting import placements
from spokerender.adopting.imports import AdoptedFiles, keep_crds
from spokerender.cli import options
from spokerender.cli.loaded import FLEET_FILE, fleet_of
from spokerender.cli.reading import given_files
from spokerender.cli.telling import Reporting, refuse_errors
from spokerender.cli.writing import in_project, write_all
from spokerender.edge.files import OnDisk
from spokerender.edge.presence import is_folder
from spokerender.edge.reading import Files, read_optional
from spokerender.report.reports import WrittenReport
from spokerender.report.terminal import printable
from spokerender.wings.combined import all_marks

_FOLDER = "crds"


@click.group("crds")
def command() -> None:
    """Keep the CRDs that check validates by."""


@command.command("add", cls=Reporting)
@click.argument("sources", metavar="FILE|FOLDER|URL|-...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="The folder; the first that fleet.yaml names under crds if left out, or crds/.",
)
@options.form(WrittenReport)
@options.strict
def add(sources: tuple[str, ...], output: str | None, *, strict: bool) -> WrittenReport:
    """Put CRDs where check looks for them, one a file, and name the folder in fleet.yaml.

    A URL is fetched over https://; `-` is standard input, for `kubectl get crds -o yaml`. Beside
    the CRDs stand their checksums, in SHA256SUMS: a file that is not as it was added is never
    replaced.
    """
    project = OnDisk(Path())
    fleet = read_optional(project, FLEET_FILE)
    spec = fleet_of(project).model.spec
    named = output or in_project(spec.crds[0] if spec.crds else _FOLDER)
    folder = named.rstrip("/") or "/"
    found = keep_crds(_read(sources), _present(folder), all_marks())
    refuse_errors(found.results, strict=strict)
    wanted = {f"{folder}/{name}": data for name, data in found.files.items()}
    if not any(_covers(entry, folder) for entry in spec.crds):
        given = (FLEET_FILE, fleet.data) if fleet is not None else None
        wanted |= placements.add_crds_folder(given, f"{folder}/")
    return _written(found, wanted)


def _written(found: AdoptedFiles, wanted: Mapping[str, bytes]) -> WrittenReport:
    created, updated = write_all(Path(), wanted)
    return WrittenReport(
        results=found.results,
        created=created,
        updated=updated,
        unchanged=found.unchanged,
    )


def _covers(entry: str, folder: str) -> bool:
    return Path(folder).is_relative_to(Path(entry))


def _read(sources: Sequence[str]) -> Files:
    """What was named, from the disk and from the network.

    Raises:
        InputError: a file can't be read.
        FetchError: a URL can't be fetched.

    """
    from spokerender.edge.fetching import fetch, is_url, redact_url  # noqa: PLC0415  (start-up counts)

    files = given_files([each for each in sources if not is_url(each)])
    fetched = []
    for url in filter(is_url, sources):
        if not options.asked("quiet"):
            click.echo(printable(f"fetching {redact_url(url)}"), err=True)
        fetched.append((redact_url(url), fetch(url)))
    return [*files, *fetched]


def _present(folder: str) -> dict[str, bytes]:
    """The files of the folder, by name; none where there is no such folder."""
    source, names = OnDisk(Path(folder)), []
    if is_folder(folder):
        names = [name for name, is_folder in source.entries(".") if not is_folder]
    return {name: data for name, data in source.read(names).items() if isinstance(data, bytes)}
