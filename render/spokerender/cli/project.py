"""From a source to a rendered fleet: the steps that every command begins with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from spokerender.cli import options
from spokerender.cli.code import code, runners
from spokerender.cli.loaded import FLEET_FILE, Loaded, fleet_of
from spokerender.cli.overlap import refuse_links, refuse_overlap
from spokerender.cli.reading import Files, files_of, source_has
from spokerender.config.loading import FleetDocument
from spokerender.edge.files import OnDisk
from spokerender.edge.foreign import withheld
from spokerender.edge.templates import (
    carried_metapolicies,
    carried_templates,
    known_versions,
    read_templates,
)
from spokerender.findings.codes.delivery import MISPLACED
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.model.sources import Source
from spokerender.pipeline import Project, render
from spokerender.wings.publishing import PUBLISHED, PublishingInput

if TYPE_CHECKING:  # start-up counts: few projects have any
    from spokerender.wings.metapolicies.config.definitions import MetapolicyDocument


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
    refuse_overlap(project, document.model, target)
    read = read_project(source, document)
    if isinstance(source, OnDisk):
        refuse_links(source, project, target)
    rendered = render(read)
    results = (*rendered.results, *_misplaced(project, document))
    if read.code and options.asked("check_pure") and isinstance(source, OnDisk):
        from spokerender.cli.purity import impure  # noqa: PLC0415  (only who asks pays for it)

        results += impure(folder, rendered)
    own = replace(rendered, results=withheld(results, project))
    return Loaded(project, source, document.model, target, own, document)


def _misplaced(project: Path, document: FleetDocument) -> Iterator[Result]:
    """The engines that would look for the trees of this project beside its folder.

    Where they say nothing, they look at the top of a repository; a project below it is not there.
    What is written is the owner's word: the trees may be in a repository of their own.
    """
    spec = document.model.spec
    for engine in type(spec.delivery).model_fields:
        settings = getattr(spec.delivery, engine)
        if settings is None or getattr(settings, "path", "") is not None:
            continue
        from spokerender.edge.git import below_top  # noqa: PLC0415  (start-up counts)

        inside = below_top(project)
        if inside:
            output = spec.output.rstrip("/")
            right = f"{inside}/{output}"
            yield MISPLACED.result(
                f"{output}/ is looked for at the top of the repository, and the project is in "
                f"{inside}/",
                cure=f"write `path: {right}`; or `path: {output}`, if the trees are at the "
                "top of a repository of their own",
                field=f"spec.delivery.{engine}.path",
                origin=document.at("spec", "delivery", engine),
            )


def read_project(source: Source, document: FleetDocument) -> Project:
    """Read all that `render` needs of a project, on disk or at a revision.

    Raises:
        InputError: what is published can't be read.

    """
    spec = document.model.spec
    hub, unreadable = files_of(source, spec.hub, limit_bytes=spec.max_hub_bytes)
    placement, problems = files_of(source, spec.placement, limit_bytes=spec.max_hub_bytes)
    return project_of(source, document, hub, placement, (*unreadable, *problems))


def project_of(
    source: Source,
    document: FleetDocument,
    hub: Files,
    placement: Files,
    unreadable: tuple[Result, ...] = (),
) -> Project:
    """A project whose hub and placement are at hand; what else its fleet file names is read.

    Raises:
        InputError: something of that can't be read.

    """
    spec = document.model.spec
    crds = files_of(source, spec.crds, limit_bytes=spec.max_hub_bytes)
    publishing = _publishing(source, document, crds)
    metapolicies, folder = _metapolicies(source, document), Path(source.shown("."))
    own = read_templates(source, spec.templates) if spec.templates else {}
    return Project(
        fleet_file=document.model,
        hub_files=hub,
        placement_files=placement,
        templates={**carried_templates(), **own},
        fleet_path=source.shown(FLEET_FILE),
        fleet_at=document.at,
        publishing=publishing,
        metapolicies=metapolicies,
        runners=runners(folder, metapolicies),
        code=code(folder, metapolicies),
        unreadable=unreadable,
        crd_files=crds[0],  # whoever judges by them tells what is wrong with them
    )


def _metapolicies(source: Source, document: FleetDocument) -> tuple[MetapolicyDocument, ...]:
    """Read the definitions of metapolicies: the project's, and those of a version of Kuadrant.

    Raises:
        InputError: one is wrong, or the version is not known.

    """
    spec = document.model.spec
    files: Files = ()
    if spec.metapolicies:
        files, problems = files_of(source, spec.metapolicies)
        if problems:
            raise InputError(problems)
    if spec.kuadrant_version is not None:
        carried = carried_metapolicies(spec.kuadrant_version)
        if not carried:
            raise InputError((_unknown_version(document),))
        files = [*files, *carried]
    if not files:
        return ()
    from spokerender.wings.metapolicies.config.definitions import load_metapolicies  # noqa: PLC0415  (start-up counts)

    return load_metapolicies(files)


def _unknown_version(document: FleetDocument) -> Result:
    from spokerender.findings.codes.metapolicies import UNKNOWN_VERSION  # noqa: PLC0415

    return UNKNOWN_VERSION.result(
        f"what Kuadrant's operator {document.model.spec.kuadrant_version} makes is not known",
        cure=f"known are {', '.join(known_versions())}; what is left out ships as it is",
        field="spec.kuadrantVersion",
        origin=document.at("spec", "kuadrantVersion"),
    )


def _publishing(
    source: Source, document: FleetDocument, crds: tuple[Files, tuple[Result, ...]]
) -> PublishingInput:
    """Read what is published, to whom, and what was before; nothing where nothing is declared."""
    spec, limit = document.model.spec, document.model.spec.max_hub_bytes
    if not spec.publishing:
        return PublishingInput()
    from spokerender.wings.publishing.config.publishings import load_publishings  # noqa: PLC0415  (start-up counts)

    files, problems = files_of(source, spec.publishing, limit_bytes=limit)
    if problems:
        raise InputError(problems)
    documents = load_publishings(files)
    crd_files, problems = crds
    workspaces: dict[str, Files] = {}
    for each in (item for publishing in documents for item in publishing.model.spec.workspaces):
        workspaces[each.name], more = files_of(source, each.paths, limit_bytes=limit)
        problems += more
    published: Files = ()
    if source_has(source, PUBLISHED):
        published, more = files_of(source, [PUBLISHED], limit_bytes=limit)
        problems += more
    if problems:
        raise InputError(problems)
    return PublishingInput(documents, workspaces, published, crd_files)
