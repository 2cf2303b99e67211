"""`spokerender spoke`: the spokes of the placement, listed and edited in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from spokerender.adopting import placements
from spokerender.cli import completing, options
from spokerender.cli.loaded import FLEET_FILE, Loaded, fleet_of
from spokerender.cli.losses import lost_on_disk
from spokerender.cli.project import load
from spokerender.cli.telling import Reporting, refuse_errors
from spokerender.cli.writing import write_all
from spokerender.edge import files
from spokerender.edge.files import OnDisk, Overlaid
from spokerender.edge.presence import is_file
from spokerender.edge.reading import Files, files_of
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import count, listed
from spokerender.formats import yamlio
from spokerender.model.names import label_fault
from spokerender.model.plan import FolderPlan
from spokerender.rendering.placement import sources
from spokerender.report.reports import DeclaredSpoke, SpokesReport, WrittenReport
from spokerender.wings.combined import settings_paths

_NAMED = 10


@click.group("spoke")
def command() -> None:
    """List, add, rename and remove the spokes of a project, in its placement as it is written."""


@command.command("list", cls=Reporting)
@options.folder
@options.code
@options.form(SpokesReport)
def list_(folder: str) -> SpokesReport:
    """Tell which spokes there are, what each gets, and where it is declared."""
    loaded = load(folder, None)
    refuse_errors(loaded.rendered.results, strict=False)
    bundles = loaded.rendered.bundles
    lines = [
        DeclaredSpoke(
            name=name,
            labels=bundle.spoke.labels,
            gateways=[bundle.text(placed.ref.full_name) for placed in bundle.blueprint.placed],
            objects=len(bundle.blueprint.variants),
            place=str(bundle.spoke.origin),
        )
        for name, bundle in sorted(bundles.items())
    ]
    return SpokesReport(results=loaded.rendered.results, spokes=len(bundles), declared=lines)


@command.command("add", cls=Reporting)
@click.argument("name")
@options.folder
@click.option(
    "--like",
    metavar="SPOKE",
    shell_complete=completing.spokes,
    default="",
    help="With this one's labels and values, in which its name is replaced.",
)
@click.option("--label", "labels", metavar="KEY=VALUE", multiple=True, help="A label. Repeatable.")
@click.option(
    "--value",
    "values",
    metavar="KEY=VALUE",
    multiple=True,
    help="A value for expressions, as YAML has it. Repeatable.",
)
@options.code
@options.form(WrittenReport)
def add(
    name: str, folder: str, like: str, labels: tuple[str, ...], values: tuple[str, ...]
) -> WrittenReport:
    """Add the spoke NAME to the placement of the project in DIR."""
    _refuse_name(name)
    source = OnDisk(Path(folder))
    ours = _ours(source)
    entry: dict[str, Any] = placements.copy_spoke(ours, like, name) if like else {"name": name}
    for key, pairs in (("labels", _pairs(labels)), ("values", _read(_pairs(values)))):
        if pairs:
            entry[key] = {**entry.get(key, {}), **pairs}
    return _written(folder, source, placements.add_spoke(ours, entry, like))


@command.command("rename", cls=Reporting)
@click.argument("old", shell_complete=completing.spokes)
@click.argument("new")
@options.folder
@options.code
@options.form(WrittenReport)
def rename(old: str, new: str, folder: str) -> WrittenReport:
    """Rename the spoke OLD to NEW, wherever a file of ours names it."""
    _refuse_name(new)
    source = OnDisk(Path(folder))
    return _written(folder, source, placements.rename_spoke(_ours(source), old, new))


@command.command("remove", cls=Reporting)
@click.argument("name", shell_complete=completing.spokes)
@options.folder
@options.code
@options.form(WrittenReport)
def remove(name: str, folder: str) -> WrittenReport:
    """Remove the spoke NAME from the placement of the project in DIR."""
    source = OnDisk(Path(folder))
    return _written(folder, source, placements.remove_spoke(_ours(source), name))


def _refuse_name(name: str) -> None:
    fault = label_fault(name)
    if fault:
        message = f'"{name}" can\'t be the name of a spoke: {fault}'
        raise click.UsageError(message)


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals):
            message = f'"{text}" is no KEY=VALUE'
            raise click.UsageError(message)
        pairs[key] = value
    return pairs


def _read(pairs: Mapping[str, str]) -> dict[str, Any]:
    """Values as YAML has them: `weight=120` is a number."""
    values: dict[str, Any] = {}
    for key, text in pairs.items():
        documents, problems = yamlio.read(text.encode(), "")
        values[key] = documents[0].value if documents and not problems else text
    return values


def _ours(source: OnDisk) -> Files:
    """Our own files that may name a spoke, by their paths in the project.

    Raises:
        InputError: one of them can't be read.

    """
    document = fleet_of(source)
    named = [path for paths in settings_paths(document).values() for path in paths]
    fleet = [FLEET_FILE] if is_file(source.shown(FLEET_FILE)) else []
    spec = document.model.spec
    placement, faults = files_of(source, spec.placement, suffixes=sources.suffixes())
    others, more = files_of(source, [*named, *fleet])
    if faults or more:
        raise InputError((*faults, *more))
    return sorted({*placement, *others})


def _written(folder: str, source: OnDisk, edited: Mapping[str, bytes]) -> WrittenReport:
    """Write what was edited, if it renders, and say what follows from it."""
    project = Path(folder)
    changed = {Path(path).relative_to(project).as_posix(): data for path, data in edited.items()}
    loaded = load(folder, None, Overlaid(source, changed))
    refuse_errors(loaded.rendered.results, strict=False)
    follows = tuple(_follows(loaded))
    created, updated = write_all(project, changed)
    return WrittenReport(
        results=loaded.rendered.results,
        created=[source.shown(path) for path in created],
        updated=[source.shown(path) for path in updated],
        follows=follows,
        next_steps=[f"spokerender build{'' if folder == '.' else f' {folder}'}"],
    )


def _follows(loaded: Loaded) -> Iterator[str]:
    """What the next build would do, and what it would ask for."""
    plan = files.compare(loaded.output, loaded.rendered.tree)
    for folder in plan.folders:
        if folder.changes:
            yield _change(folder)
    for result in lost_on_disk(loaded, plan, ()):
        yield f"build will ask: {result.message}"
        yield from (f"  {line}" for line in result.cure.split("\n") if line)


def _change(folder: FolderPlan) -> str:
    """What becomes of one folder of the output."""
    if folder.is_new:
        return f"{folder.folder}: a new folder with {_objects(folder.create)}"
    if folder.is_removed:
        return f"{folder.folder}: its folder goes, with {_objects(folder.delete)}"
    return f"{folder.folder}: {count(folder.changes, 'file')} change"


def _objects(paths: Sequence[str]) -> str:
    shown = [path for path in paths if not path.endswith("kustomization.yaml")]
    return f"{count(len(shown), 'object')}: {listed(shown, _NAMED)}" if shown else "nothing"
