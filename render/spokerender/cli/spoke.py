"""`spokerender spoke`: list and edit the spokes of the placement."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from spokerender.adopting import placements
from spokerender.cli import completing, options
from spokerender.cli.given_files import write_edited
from spokerender.cli.losses import refused_on_disk
from spokerender.cli.project import load, read_own_files
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.edge.files import OnDisk
from spokerender.formats import yamlio
from spokerender.model.names import label_fault
from spokerender.report.reports import DeclaredSpoke, SpokesReport, WrittenReport


@click.group("spoke")
def spoke() -> None:
    """List, add, rename or remove spokes in the placement, and show what follows."""


@spoke.command("list", cls=ReportCommand, short_help="List the spokes, with their gateways.")
@options.folder
@options.code
@options.form(SpokesReport)
def list_spokes(folder: str) -> SpokesReport:
    """List the spokes of the project in DIR, with their gateways and number of objects."""
    loaded = load(folder, None)
    refuse_errors(loaded.rendered.results, strict=False)
    results, bundles = loaded.rendered.results, loaded.rendered.bundles
    lines = [
        DeclaredSpoke(
            name=name,
            labels=bundle.spoke.labels,
            gateways=[
                bundle.text(placed.ref.full_name)
                for placed in bundle.blueprint.placed
                if placed.is_gateway
            ],
            objects=len(bundle.blueprint.variants),
            place=str(bundle.spoke.origin),
        )
        for name, bundle in sorted(bundles.items())
    ]
    return SpokesReport(results=results, standing=results, spokes=len(bundles), declared=lines)


@spoke.command("add", cls=ReportCommand, short_help="Add a spoke to the placement.")
@click.argument("name")
@options.folder
@click.option(
    "--like",
    metavar="SPOKE",
    shell_complete=completing.complete_spokes,
    default="",
    help="Copy labels and values of this spoke, with its name replaced by NAME.",
)
@click.option(
    "--label",
    "labels",
    metavar="KEY=VALUE",
    multiple=True,
    help="A label of the spoke. Repeatable.",
)
@click.option(
    "--value",
    "values",
    metavar="KEY=VALUE",
    multiple=True,
    help="A value for expressions, as YAML: weight=120 is a number. Repeatable.",
)
@options.code
@options.form(WrittenReport)
def add_spoke(
    name: str, folder: str, like: str, labels: tuple[str, ...], values: tuple[str, ...]
) -> WrittenReport:
    """Add the spoke NAME to the placement of the project in DIR."""
    _refuse_name(name)
    source = OnDisk(Path(folder))
    ours = read_own_files(source)
    entry: dict[str, Any] = placements.copy_spoke(ours, like, name) if like else {"name": name}
    given = {"labels": _pairs(labels), "values": _read(_pairs(values))}
    for key, pairs in given.items():
        if pairs:
            entry[key] = {**entry.get(key, {}), **pairs}
    report = write_edited(
        folder,
        source,
        placements.add_spoke_to_files(ours, entry, like),
        refused_on_disk,
        (like, name) if like else ("", ""),
    )
    if not like:
        return report
    copied = ", ".join(placements.list_copied(entry, given)) or "nothing but its rules"
    return replace(report, follows=(f"{name}: copied from {like}: {copied}", *report.follows))


@spoke.command("rename", cls=ReportCommand, short_help="Rename a spoke in all files that name it.")
@click.argument("old", shell_complete=completing.complete_spokes)
@click.argument("new")
@options.folder
@options.code
@options.form(WrittenReport)
def rename_spoke(old: str, new: str, folder: str) -> WrittenReport:
    """Rename the spoke OLD to NEW in all files of the project in DIR that name it."""
    _refuse_name(new)
    source = OnDisk(Path(folder))
    return write_edited(
        folder,
        source,
        placements.rename_spoke_in_files(read_own_files(source), old, new),
        refused_on_disk,
    )


@spoke.command("remove", cls=ReportCommand, short_help="Remove a spoke from the placement.")
@click.argument("name", shell_complete=completing.complete_spokes)
@options.folder
@options.code
@options.form(WrittenReport)
def remove_spoke(name: str, folder: str) -> WrittenReport:
    """Remove the spoke NAME from the placement of the project in DIR."""
    source = OnDisk(Path(folder))
    return write_edited(
        folder,
        source,
        placements.remove_spoke_from_files(read_own_files(source), name),
        refused_on_disk,
    )


def _refuse_name(name: str) -> None:
    fault = label_fault(name)
    if fault:
        options.refuse_usage(f'"{name}" can\'t be the name of a spoke: {fault}')


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals):
            options.refuse_usage(f'"{text}" does not have the form KEY=VALUE')
        pairs[key] = value
    return pairs


def _read(pairs: Mapping[str, str]) -> dict[str, Any]:
    """Return values read as YAML: in `weight=120`, the value is a number."""
    values: dict[str, Any] = {}
    for key, text in pairs.items():
        documents, problems = yamlio.read(text.encode(), "")
        values[key] = documents[0].value if documents and not problems else text
    return values
