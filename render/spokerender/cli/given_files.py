"""Read files that a user names, and write files that people own: all of them or none."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from spokerender.adopting import placements
from spokerender.adopting.starting import ESSENTIAL
from spokerender.cli.loaded import Loaded
from spokerender.cli.options import refuse_usage
from spokerender.cli.project import load
from spokerender.cli.reporting import progress, refuse_errors
from spokerender.edge import files
from spokerender.edge.files import OnDisk, Overlaid
from spokerender.edge.reading import require_files
from spokerender.edge.templates import carried_templates
from spokerender.findings.codes.project import TOO_LARGE
from spokerender.findings.errors import DiskError, InputError
from spokerender.findings.phrasing import count, listed
from spokerender.findings.results import Result, Severity
from spokerender.model.plan import FolderPlan, Plan
from spokerender.model.sources import Files, Source
from spokerender.pipeline import Project, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.reports import WrittenReport
from spokerender.wings.combined import read_fleet, read_parts
from spokerender.wings.part import ProjectFiles

_STDIN = "-"
_URL = re.compile("[a-z][a-z0-9+.-]*://", re.IGNORECASE)
MOST_PIPED = 1 << 28
"""The most bytes of standard input: a pipe of functions has fewer for all trees of a fleet."""

_NAMED = 10

ListRefused = Callable[[Loaded, Plan], Sequence[Result]]
"""Returns findings about a plan's losses that a build refuses, or warns of."""


def read_given_files(paths: Sequence[str]) -> Files:
    """Return the files that the user named; `-` is standard input.

    Raises `InputError` if a file can't be read, and `click.UsageError` for URLs.
    """
    urls = [path for path in paths if _URL.match(path)]
    if urls:
        names = ", ".join(map(redact_url, urls))
        command = click.get_current_context().command_path
        refuse_usage(
            f"{names}: files are read from disk and standard input only; download the file, or "
            f"pipe it in: curl -fsSL URL | {command} -"
        )
    named = [path for path in paths if path != _STDIN]
    contents = require_files(OnDisk(Path()), named)
    stdin = [("stdin", read_stdin())] if _STDIN in paths else []
    return [*contents, *stdin]


def redact_url(url: str) -> str:
    """Return a URL for messages, without its user and query, as they may contain credentials."""
    scheme, separator, rest = url.partition("://")
    address, query, _ = rest.partition("?")
    host, slash, path = address.partition("/")
    bare = f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
    return f"{bare}?…" if query else bare


def read_stdin() -> bytes:
    """Return standard input, which has a limit, as it may be endless. Raises `InputError`."""
    data = sys.stdin.buffer.read(MOST_PIPED + 1)
    if len(data) > MOST_PIPED:
        message = f"standard input is larger than {MOST_PIPED:,} bytes"
        raise InputError((TOO_LARGE.result(message, cure="pass it in parts"),))
    return data


def in_project(path: str, cure: str = "name it with --output if you mean it") -> str:
    """Return a path from fleet.yaml if it is in the project, where a command may write.

    Raises `DiskError` for other paths: only the command line may name such a folder.
    """
    if Path(os.path.normpath(path)).parts[:1] in ((os.sep,), (os.pardir,)):
        raise DiskError(
            f"{path}: fleet.yaml names a folder outside the project, where nothing is written; "
            f"{cure}"
        )
    return path


def write_all(project: Path, contents: Mapping[str, bytes]) -> tuple[list[str], list[str]]:
    """Write files of a project, by their paths in the project; return the new and replaced paths.

    Nothing is written if one of the paths is refused. A file is replaced by a rename, so that a
    command that is killed leaves each file either old or new. Raises `DiskError` if a link is in
    the way, or the operating system refuses a write.
    """
    created: list[str] = []
    updated: list[str] = []
    for path in contents:
        place = project / path
        files.refuse_outside(project, place)
        files.refuse_link(place)
        (updated if os.path.lexists(place) else created).append(path)
    show = progress("written")
    for done, (path, data) in enumerate(contents.items(), 1):
        files.keep(project / path, data)
        if show is not None:
            show(done, len(contents))
    return created, updated


def write_edited(
    folder: str,
    source: OnDisk,
    edited: Mapping[str, bytes],
    list_refused: ListRefused,
    hostnames: tuple[str, str] = ("", ""),
) -> WrittenReport:
    """Write edited files if the project renders with them; return a report of what follows.

    `list_refused` returns what the next build would refuse. `hostnames` are two spokes; hostnames
    that both have are reported.
    Raises `DiskError` for a file outside the project, which other projects may read as well.
    """
    project, cure = Path(folder), "edit it by hand, with all projects that read it"
    changed = {in_project(os.path.relpath(path, project), cure): edited[path] for path in edited}
    loaded = load(folder, None, Overlaid(source, changed))
    refuse_errors(loaded.rendered.results, strict=False)
    follows = tuple(_follows(loaded, list_refused))
    is_like = any(hostnames)
    shared = placements.find_shared_hostnames(loaded.rendered, *hostnames) if is_like else ()
    created, updated = write_all(project, changed)
    return WrittenReport(
        results=(*loaded.rendered.results, *shared),
        standing=loaded.rendered.results,
        created=[source.shown(path) for path in created],
        updated=[source.shown(path) for path in updated],
        follows=follows,
        next_steps=[f"spokerender build{'' if folder == '.' else f' {folder}'}"],
    )


def _follows(loaded: Loaded, list_refused: ListRefused) -> Iterator[str]:
    """Yield lines about the changes of the next build, and the losses that it would refuse."""
    plan = files.compare(loaded.output, loaded.rendered.tree, holds=loaded.rendered.holds)
    for folder in plan.folders:
        if folder.changes:
            yield _change(folder)
    for result in list_refused(loaded, plan):
        verb = "refuse" if result.severity is Severity.ERROR else "warn"
        yield f"build will {verb}: {result.message}"
        yield from (f"  {line}" for line in result.cure.split("\n") if line)


def _change(folder: FolderPlan) -> str:
    """Return a line about the changes in one folder of the output."""
    if folder.is_new:
        return f"{folder.folder}: a new folder with {_objects(folder.create)}"
    if folder.is_removed:
        return f"{folder.folder}: its folder goes, with {_objects(folder.delete)}"
    return f"{folder.folder}: {count(folder.changes, 'file')} change"


def _objects(paths: Sequence[str]) -> str:
    shown = [path for path in paths if not path.endswith("kustomization.yaml")]
    return f"{count(len(shown), 'object')}: {listed(shown, _NAMED)}" if shown else "nothing"


def render_new_project(source: Source, files: Mapping[str, bytes], hub: Files = ()) -> Rendered:
    """Return a rendered project whose files are not written yet; `hub` has existing files.

    Raises `InputError` if the project can't be rendered.
    """
    fleet_file, placement_file = ((path, files[path]) for path in ESSENTIAL)
    fleet = read_fleet(fleet_file)
    own = [(path, data) for path, data in files.items() if path.startswith("hub/")]
    return render(
        Project(
            fleet_file=fleet.model,
            hub_files=[*hub, *own],
            placement_files=[placement_file],
            templates=carried_templates(),
            parts=read_parts(ProjectFiles(source, fleet)),
        )
    )
