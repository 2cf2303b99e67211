"""`spokerender fn`: the renderer as a KRM function, for kustomize, kpt and pipes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from spokerender.adopting.functions import (
    ListItem,
    ProjectParts,
    ResourceList,
    find_fleet,
    read_resource_list,
    split_project,
)
from spokerender.adopting.items import FleetItems, make_item
from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.comparison import between
from spokerender.cli.loaded import FLEET_FILE
from spokerender.cli.progress import progress
from spokerender.cli.project import project_of, read_project
from spokerender.cli.reading import piped
from spokerender.cli.telling import Talking, refused, tell
from spokerender.config.fleet import FleetSpec
from spokerender.edge.disclosure import withhold_foreign
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import read_optional
from spokerender.findings.codes.adopting import IN_THE_WAY, NO_LONGER_RENDERED, NO_PLACEMENT
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import Origin, Ref
from spokerender.model.krm import VERSIONS
from spokerender.model.ownership import HEADER
from spokerender.pipeline import Project, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.reports import Findings
from spokerender.report.serializing import krm_results
from spokerender.wings.combined import engine_objects, read_fleet


@click.command("fn", cls=Talking)
@click.option(
    "--spoke",
    metavar="SPOKE",
    shell_complete=completing.spokes,
    help="Give the objects of this spoke, and nothing else.",
)
@options.code
@options.strict
def command(spoke: str | None, *, strict: bool) -> None:
    """Render as a KRM function: a ResourceList on standard input, another one on standard output.

    The functionConfig is a Fleet or a Placement. The other items are the hub; where there is none
    (a generator of kustomize) the files are read that the Fleet names, in the current folder.
    Every item given is given back, but for what was rendered before, and what is rendered now is
    added with its path. What is wrong is in the list's results, on standard error and in the exit
    status.
    """
    given: ResourceList | None = None
    rendered: Rendered | None = None
    try:
        given = read_resource_list(piped())
        done = _done(given, spoke)
        results, rendered = done.results, done.rendered
    except InputError as error:
        results = error.results
    results = withhold_foreign(results, Path())
    fails = rendered is None or refused(results, strict=strict)
    kept = done.kept if not fails else given.items if given is not None else ()
    items = (make_item(each.object) for each in kept)
    _write(given, items if fails else chain(items, done.items), results, rendered)
    tell(Findings(results=results))
    if fails:
        raise click.exceptions.Exit(EXIT_WRONG_INPUT)


class _Done(Struct, frozen=True, eq=False):
    """What came of a list: the items that stay, those that are rendered, and what was found."""

    rendered: Rendered
    kept: Sequence[ListItem]
    items: Iterator[bytes]
    results: tuple[Result, ...]


def _done(given: ResourceList, spoke: str | None) -> _Done:
    """Render what is in a list, or beside it.

    Raises:
        InputError: there is nothing to render, or no such spoke.

    """
    fleet = find_fleet(given) or _fleet_beside(given)
    spec = read_fleet(fleet).model.spec
    output = spec.output.rstrip("/")
    parts = split_project(given, output, spec.hub)
    rendered = render(_project(fleet, parts))
    results, made = rendered.results, FleetItems(rendered)
    if refused(results, strict=False):
        return _Done(rendered, given.items, iter(()), results)
    if spoke is not None:
        from spokerender.explain.lookup import find_spoke  # noqa: PLC0415  (start-up counts)

        find_spoke(rendered, spoke)
        return _Done(rendered, (), made.of_spoke(spoke, ""), results)
    gone = {path for path, each in parts.rendered.items() if each.is_rendered}
    gone |= rendered.contribution.files.keys()
    kept = [each for each in given.items if each.path not in gone]
    found = (*results, *_losses(parts, rendered, spec), *_foreign(parts, rendered, output))
    return _Done(rendered, kept, _all(made, rendered, output), found)


def _fleet_beside(given: ResourceList) -> tuple[str, bytes] | None:
    """The fleet file of the folder, where the folder has the hub and nothing else says more."""
    if split_project(given, "", ()).hub:
        return None
    source = OnDisk(Path())
    file = read_optional(source, FLEET_FILE)
    return (source.shown(file.path), file.data) if file is not None else None


def _project(fleet: tuple[str, bytes] | None, parts: ProjectParts) -> Project:
    """The project of a list: its hub is among the items or, where none is, on the disk."""
    source = OnDisk(Path())
    document = read_fleet(fleet)
    if not parts.hub:
        project = read_project(source, document)
        return replace(project, placement_files=parts.placements or project.placement_files)
    if not parts.placements:
        message = "neither the functionConfig nor an item is a Placement"
        cure = "name placement.yaml as the functionConfig, or give it among the items"
        raise InputError((NO_PLACEMENT.result(message, cure=cure),))
    return project_of(source, document, parts.hub, parts.placements)


def _all(made: FleetItems, rendered: Rendered, output: str) -> Iterator[bytes]:
    show, spokes = progress("given"), sorted(rendered.bundles)
    for done, name in enumerate(spokes, 1):
        yield b"".join(made.of_spoke(name, f"{output}/{name}/"))  # a hundred writes take longer
        if show is not None:
            show(done, len(spokes))
    yield from made.beside(output)
    yield from made.published()


def _losses(parts: ProjectParts, rendered: Rendered, spec: FleetSpec) -> tuple[Result, ...]:
    """What would be lost of what was rendered before, unless the Fleet acknowledges it."""
    output = spec.output.rstrip("/")
    old: dict[str, dict[str, bytes]] = {}
    for path, each in parts.rendered.items():
        folder, _, rest = path.removeprefix(f"{output}/").partition("/")
        if rest and each.is_rendered:
            old.setdefault(folder, {})[rest] = HEADER + yamlio.emit(each.plain).encode()
    if not old:
        return ()
    from spokerender.review import guard  # noqa: PLC0415  (start-up counts: most lists lose nothing)

    def before(folder: str, paths: Collection[str] | None) -> Mapping[str, bytes]:
        files = old.get(folder, {})
        return files if paths is None else {path: files[path] for path in paths if path in files}

    plan = between(old, rendered.tree)
    known = guard.make_context(rendered, engine_objects())
    removals = guard.find_removals(before, rendered.tree, plan.folders, known)
    return guard.refuse_removals(removals, (), spec.deletions, is_built=True)


def _foreign(parts: ProjectParts, rendered: Rendered, output: str) -> Iterator[Result]:
    """Report items in the output folder without our first line: they are never changed."""
    wanted = {
        f"{output}/{folder}/{path}"
        for folder in rendered.tree.folders
        for path in rendered.tree.paths(folder)
    }
    for path, each in parts.rendered.items():
        if each.is_rendered:
            continue
        if path in wanted:
            message = f"{path} is to be rendered, and its first line does not say that it is ours"
            yield IN_THE_WAY.result(message, cure="move it away", origin=Origin(path))
        else:
            message = f"{path} is in the output folder, and is left alone"
            cure = "take it out by hand if it is not wanted"
            yield NO_LONGER_RENDERED.result(message, cure=cure, origin=Origin(path))


def _write(
    given: ResourceList | None,
    items: Iterator[bytes],
    results: Sequence[Result],
    rendered: Rendered | None,
) -> None:
    """Print the list; its items one after the other, for they may be many."""
    out = sys.stdout.buffer
    version = given.api_version if given is not None else VERSIONS[0]
    out.write(f"apiVersion: {version}\nkind: ResourceList\nitems:".encode())
    first = next(items, None)
    out.write(b" []\n" if first is None else b"\n" + first)
    out.writelines(items)
    rest: dict[str, object] = {}
    if given is not None and given.config is not None:
        rest["functionConfig"] = given.config
    if results:
        rest["results"] = krm_results(results, lambda ref: _version(ref, rendered))
    out.write(yamlio.proven(rest).encode() if rest else b"")
    out.flush()


def _version(ref: Ref, rendered: Rendered | None) -> str:
    """The apiVersion of an object, as far as anybody knows it."""
    served = rendered.hub.catalogue.served(ref.group, ref.kind) if rendered is not None else ()
    version = served[0] if served else "v1"
    return f"{ref.group}/{version}" if ref.group else version
