"""Read and render a project: the first steps of every command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from spokerender.cli import options
from spokerender.cli.loaded import FLEET_FILE, Loaded, read_fleet_file, refuse_no_project
from spokerender.config.fleet import FleetSpec
from spokerender.config.loading import FleetDocument
from spokerender.edge.disclosure import withhold_foreign
from spokerender.edge.files import OnDisk
from spokerender.edge.presence import is_file
from spokerender.edge.reading import files_of, list_hidden, read_optional
from spokerender.edge.templates import carried_templates, read_templates
from spokerender.findings.codes.project import HIDDEN, OVERLAP
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import joined
from spokerender.findings.results import ERROR, WARNING, Result
from spokerender.formats import yamlio
from spokerender.model import GATEWAY, Origin, identity
from spokerender.model.plan import TreeSource
from spokerender.model.shapes import objects_of
from spokerender.model.sources import Files, Source
from spokerender.pipeline import Project, render
from spokerender.rendering.placement import sources
from spokerender.rendering.placement.source import LOCK_FILE
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.terminal import printable
from spokerender.wings.combined import read_parts, settings_paths
from spokerender.wings.part import ProjectFiles, Session

if TYPE_CHECKING:  # start-up counts
    from spokerender.model.rollout import OutputStanding
    from spokerender.rendering.placement.asking import HubSettings


_SHOWN = 3


def load(
    folder: str, output: str | None, source: Source | None = None, *, wave: str | None = ""
) -> Loaded:
    """Read and render the project in a folder.

    Paths in findings are as the user would type them in the working directory. `output` replaces
    the output folder of the fleet file, `source` the disk. `wave` is the wave to continue the
    rollout with (a name, `next` or `all`); with None, no spoke waits for a wave. Raises
    `InputError` if the settings or the placement are invalid, or files can't be read.
    """
    project = Path(folder)
    source = source if source is not None else OnDisk(project)
    # Before anything is read: a wrong folder gets one message, not one for each missing file.
    refuse_no_project(source)
    document = read_fleet_file(source)
    target = Path(output) if output is not None else project / document.model.spec.output
    # Before the hub is read, since an output inside of it would be read as input.
    _refuse_overlap(project, document, target)
    read = read_project(source, document, project)
    if isinstance(source, OnDisk):
        # Only reading has found the links, so this check follows it.
        _refuse_links(source, project, target)
    if document.model.spec.rollout is not None and wave is not None:
        read = replace(read, standing=_read_standing(source, document, target, wave))
    rendered = render(read)
    results = rendered.results
    if (
        any(part.runs_code for part in read.parts)
        and options.option_value("check_pure")
        and isinstance(source, OnDisk)
    ):
        # The second render has no record of a rollout, so it must be compared with a whole one.
        whole = rendered if rendered.rollout is None else render(replace(read, standing=None))
        results += _find_impurity(folder, whole)
    if hidden := list_hidden(source, document.model.spec.hub):
        limit = document.model.spec.max_hub_bytes
        results += tuple(_report_hidden(source, hidden, rendered, limit))
    # Last, when the findings of all stages are there: none may quote the files of others.
    shown = replace(rendered, results=withhold_foreign(results, project))
    return Loaded(project, source, document.model, target, shown, document, read.parts)


def _report_hidden(
    source: Source, paths: Sequence[str], rendered: Rendered, limit: int
) -> Iterator[Result]:
    """Yield findings about hidden files of the hub that contain objects: no command reads them."""
    files, problems = files_of(source, paths, limit_bytes=limit)
    yield from (replace(problem, code=HIDDEN.code, severity=WARNING) for problem in problems)
    for path, data in files:
        # Two words of every object are looked for before parsing: a hidden file may be of any kind.
        if b"apiVersion" not in data or b"kind" not in data:
            continue
        values = (document.value for document in yamlio.read(data, path)[0])
        refs = {ref for value in values for item in objects_of(value) if (ref := identity(item))}
        # A hidden policy or Gateway is an error, since it would protect nothing; other kinds only
        # warn.
        kinds = {GATEWAY, *rendered.sync.listed_anywhere}
        listed = [ref for ref in refs if (ref.group, ref.kind) in kinds]
        yield HIDDEN.result(
            "it is hidden, so that nothing reads "
            + (joined(sorted(listed or refs), _SHOWN) if refs else "it"),
            severity=ERROR if listed else None,
            cure="rename it, or move it out of the hub",
            origin=Origin(path),
        )


def _read_standing(
    source: Source, document: FleetDocument, target: Path, wave: str
) -> OutputStanding:
    """Return the rollout's record and the written folders, on disk or at the source's revision."""
    from spokerender.edge.files import folders  # noqa: PLC0415  (few projects have a rollout)
    from spokerender.edge.git.revision import AtRevision  # noqa: PLC0415  (as above)

    if not isinstance(source, AtRevision):
        return folders.read_standing(target, wave)
    output = document.model.spec.output
    return folders.standing_of(source.tree(output), source.shown(output), wave)


def read_project(source: Source, document: FleetDocument, folder: Path | None = None) -> Project:
    """Return a project for `render`, read from `source`.

    `folder` is the project's folder if it is on disk. Raises `InputError` if files of a wing can't
    be read.
    """
    spec = document.model.spec
    limit = spec.max_hub_bytes
    hub, unreadable = files_of(
        source, spec.hub, limit_bytes=limit, named_at=partial(document.entry, "hub")
    )
    placement, problems = files_of(
        source, spec.placement, limit_bytes=limit, named_at=partial(document.entry, "placement")
    )
    unread = (*unreadable, *problems)
    return project_of(source, document, hub, placement, unread, folder)


def read_own_files(source: OnDisk) -> Files:
    """Return the files of the project that may name a spoke.

    Raises `InputError` if a file can't be read.
    """
    document = read_fleet_file(source)
    named = [path for paths in settings_paths(document).values() for path in paths]
    named += document.model.spec.requests
    fleet = [FLEET_FILE] if is_file(source.shown(FLEET_FILE)) else []
    spec = document.model.spec
    placement, faults = files_of(source, spec.placement, suffixes=sources.list_suffixes())
    others, more = files_of(source, [*named, *fleet])
    if faults or more:
        raise InputError((*faults, *more))
    # A file that two settings name is read once.
    return sorted({*placement, *others})


def project_of(  # noqa: PLR0913, PLR0917  (as much as a project is made of)
    source: Source,
    document: FleetDocument,
    hub: Files,
    placement: Files,
    unreadable: tuple[Result, ...] = (),
    folder: Path | None = None,
) -> Project:
    """Return a project with this hub and placement, and all other files that its fleet file names.

    Raises `InputError` if one of the other files can't be read.
    """
    spec = document.model.spec
    crds = files_of(
        source,
        spec.crd_paths,
        limit_bytes=spec.max_hub_bytes,
        named_at=partial(document.entry, "crds"),
    )
    parts = read_parts(ProjectFiles(source, document, folder, crds, current_session()))
    own_templates = (
        read_templates(source, spec.templates, partial(document.entry, "templates"))
        if spec.templates
        else {}
    )
    return Project(
        fleet_file=document.model,
        hub_files=hub,
        placement_files=placement,
        # The project's own templates come last, so they replace carried ones of the same name.
        templates={**carried_templates(), **own_templates},
        fleet_path=source.shown(FLEET_FILE),
        fleet_at=document.at,
        parts=parts,
        unreadable=unreadable,
        crd_files=crds[0],  # judging reports the problems with them
        placing=_placing(source, spec),
    )


def _placing(source: Source, spec: FleetSpec) -> HubSettings | None:
    """Return the settings for deciding Placements, from the fleet file, the options and the lock.

    None if all three are without settings.
    """
    file = read_optional(source, LOCK_FILE)
    updates = options.option_value("update_placement")
    now = options.option_value("now")
    also = spec.rollout.placements if spec.rollout is not None else ()
    if file is None and spec.ocm is None and not (updates or now or also):
        return None
    from spokerender.rendering.placement.asking import HubSettings  # noqa: PLC0415  (few projects)
    from spokerender.rendering.values.decisions import DecisionOptions  # noqa: PLC0415

    allowed: tuple[str, ...] = options.option_value("allowed") or ()
    # An entry without an object names whole spokes: a decision may drop them.
    deleted = (name for entry in spec.deletions if entry.ref is None for name in entry.spokes)
    return HubSettings(
        source.shown(LOCK_FILE),
        file.data if file is not None else None,
        DecisionOptions(
            now or "",
            frozenset(updates or ()),
            frozenset({*(name for name in allowed if "/" not in name), *deleted}),
        ),
        decides_always=spec.ocm is not None and spec.ocm.decide == "always",
        honours_liveness=spec.ocm is not None and spec.ocm.liveness_taints == "honour",
        also=also,
        # Without a lock there is no earlier decision that a folder could stand for.
        folders=_list_folders(source, spec) if file is not None else frozenset(),
    )


def _list_folders(source: Source, spec: FleetSpec) -> frozenset[str]:
    """Return the names of the output's folders; empty in a rollout, as spokes may lack theirs."""
    if spec.rollout is not None:
        return frozenset()
    try:
        return frozenset(name for name, is_folder in source.entries(spec.output) if is_folder)
    # No output yet, or none that can be read: then no folder is known to be there.
    except OSError:
        return frozenset()


class CommandSession(Session):
    """The run of a command, for wings; it has the command's options and ends with the command."""

    def __init__(self, context: click.Context) -> None:
        super().__init__()
        self._context = context
        self.allows_code = bool(options.option_value("allow_project_code"))
        self.checks_purity = bool(options.option_value("check_pure"))
        self.is_quiet = bool(options.option_value("quiet"))
        self.is_verbose = bool(options.option_value("verbose"))

    def tell(self, line: str) -> None:
        """Print a line on standard error."""
        click.echo(printable(line), err=True)

    def on_close(self, callback: Callable[[], object]) -> None:
        """Call a function when the command ends."""
        self._context.call_on_close(callback)

    def enter(self, manager: AbstractContextManager[None]) -> None:
        """Enter a context manager, and leave it when the command ends."""
        self._context.with_resource(manager)


def current_session() -> Session:
    """Return the session of the current command; without a command, a session that does nothing."""
    context = click.get_current_context(silent=True)
    if context is None:
        return Session()
    # Once for each command, so that all wings share one session and what it keeps open.
    existing: Session = context.meta.setdefault(__name__, CommandSession(context))
    return existing


def _refuse_overlap(project: Path, document: FleetDocument, output: Path) -> None:
    """Raise `InputError` if the output, with links resolved, contains an input or is inside one."""
    # Rendered files must never be read as inputs.
    spec, target = document.model.spec, _resolved(output)
    inputs = {
        FLEET_FILE: (FLEET_FILE,),
        "the hub": spec.hub,
        "the CRDs": spec.crd_paths,
        "the placement": spec.placement,
        "the requests": spec.requests,
        **{f"the {name}": paths for name, paths in settings_paths(document).items()},
        "the templates": (spec.templates,) if spec.templates else (),
    }
    for name, paths in inputs.items():
        for path in dict.fromkeys(map(normpath, paths)):
            if _do_overlap(_resolved(project / path), target):
                message = f"{output}: the output and {name} overlap"
                cure = "choose another folder with -o or with spec.output in fleet.yaml"
                raise InputError((OVERLAP.result(message, cure=cure),))


def _refuse_links(source: OnDisk, project: Path, output: Path) -> None:
    """Raise `InputError` for links in inputs that lead to the output, or above or below it."""
    target = _resolved(output)
    results = [
        OVERLAP.result(
            f"the link leads to a path that overlaps the output, {output}",
            cure="remove it, or choose another folder for the output",
            origin=Origin(source.shown(link)),
        )
        for link in sorted(source.links)
        if _do_overlap(_resolved(project / link), target)
    ]
    if results:
        raise InputError(tuple(results))


def _do_overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _resolved(path: Path) -> Path:
    """Return the path with links resolved; a text that is no path is returned unchanged."""
    try:
        # realpath, not resolve: it does not fail for parts that do not exist.
        return Path(os.path.realpath(path))
    except ValueError:  # it contains a NUL
        return path


def _find_impurity(folder: str, rendered: Rendered) -> tuple[Result, ...]:
    """Render again with another hash seed (`--check-pure`); return an error if a file differs.

    A set keeps its order throughout a process, so rendering twice in one process shows nothing. If
    the second render is refused, nothing is reported.
    """
    from spokerender.edge.processes import Limits, ProgramCommand, run_program  # noqa: PLC0415  (with that option)
    from spokerender.findings.codes.metapolicies import NOT_PURE  # noqa: PLC0415

    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    # -P: a folder `spokerender` in the working directory is not ours.
    allowed = ("--allow-project-code",) if options.option_value("allow_project_code") else ()
    again = ("-P", "-m", "spokerender", "build", folder, "-o", "-", *allowed)
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    # Our own program may take as much as this one.
    limits = Limits(seconds=3600, memory_bytes=1 << 40, output_bytes=1 << 34)
    ended = run_program(
        ProgramCommand(Path(sys.executable), Path(), again, environment), b"", limits
    )
    if ended.code or ended.stopped:
        return ()
    place = 0
    for path, text in printed_files(rendered.tree):
        # Compared in place: joining the whole output would double the memory of a large fleet.
        if not ended.out.startswith(text, place):
            message = f"rendered again with another PYTHONHASHSEED, {path} differs"
            return (NOT_PURE.result(message, cure="sort the items of a set before you use them"),)
        place += len(text)
    return ()


def printed_files(tree: TreeSource, spoke: str | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield each file, or each file of one spoke, as `build -o -` prints it."""
    for name in tree.folders if spoke is None else (spoke,):
        for path, data in sorted(tree.files(name).items()):
            yield f"{name}/{path}", f"---\n# {name}/{path}\n".encode() + data
