"""From a source to a rendered fleet: the steps that every command begins with."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from spokerender.cli import options
from spokerender.cli.loaded import FLEET_FILE, Loaded, fleet_of
from spokerender.cli.overlap import refuse_links, refuse_overlap
from spokerender.cli.session import session
from spokerender.config.loading import FleetDocument
from spokerender.edge.disclosure import withhold_foreign
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import Files, files_of
from spokerender.edge.templates import (
    carried_templates,
    read_templates,
)
from spokerender.findings.results import Result
from spokerender.model.sources import Source
from spokerender.pipeline import Project, render
from spokerender.wings.combined import read_parts
from spokerender.wings.part import ProjectFiles


def load(folder: str, output: str | None, source: Source | None = None) -> Loaded:
    """Read and render the project in a folder.

    Paths in findings are as the user would type them from where they are.

    Args:
        folder: the project.
        output: where its trees are, if not where its fleet file says.
        source: what has its files, if not the disk alone.

    Raises:
        InputError: the settings or the placement are wrong, or files can't be read.

    """
    project = Path(folder)
    source = source if source is not None else OnDisk(project)
    document = fleet_of(source)
    target = Path(output) if output is not None else project / document.model.spec.output
    refuse_overlap(project, document, target)
    read = read_project(source, document, project)
    if isinstance(source, OnDisk):
        refuse_links(source, project, target)
    rendered = render(read)
    results = rendered.results
    if (
        any(part.runs_code for part in read.parts)
        and options.asked("check_pure")
        and isinstance(source, OnDisk)
    ):
        from spokerender.cli.purity import impure  # noqa: PLC0415  (only who asks pays for it)

        results += impure(folder, rendered)
    own = replace(rendered, results=withhold_foreign(results, project))
    return Loaded(project, source, document.model, target, own, document, read.parts)


def read_project(source: Source, document: FleetDocument, folder: Path | None = None) -> Project:
    """Read all that `render` needs of a project, on disk or at a revision.

    `folder` is the project's folder, if it has one on disk.

    Raises:
        InputError: what is published can't be read.

    """
    spec = document.model.spec
    hub, unreadable = files_of(source, spec.hub, limit_bytes=spec.max_hub_bytes)
    placement, problems = files_of(source, spec.placement, limit_bytes=spec.max_hub_bytes)
    unread = (*unreadable, *problems)
    return project_of(source, document, hub, placement, unread, folder)


def project_of(  # noqa: PLR0913, PLR0917  (as much as a project is made of)
    source: Source,
    document: FleetDocument,
    hub: Files,
    placement: Files,
    unreadable: tuple[Result, ...] = (),
    folder: Path | None = None,
) -> Project:
    """A project whose hub and placement are at hand; what else its fleet file names is read.

    Raises:
        InputError: something of that can't be read.

    """
    spec = document.model.spec
    crds = files_of(source, spec.crds, limit_bytes=spec.max_hub_bytes)
    parts = read_parts(ProjectFiles(source, document, folder, crds, session()))
    own = read_templates(source, spec.templates) if spec.templates else {}
    return Project(
        fleet_file=document.model,
        hub_files=hub,
        placement_files=placement,
        templates={**carried_templates(), **own},
        fleet_path=source.shown(FLEET_FILE),
        fleet_at=document.at,
        parts=parts,
        unreadable=unreadable,
        crd_files=crds[0],  # whoever judges by them tells what is wrong with them
    )
