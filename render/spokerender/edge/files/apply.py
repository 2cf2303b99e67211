"""Make the output on disk equal to the plan; only files that differ are written, as a whole.

A new folder, and a new or changed file, is written in the staging folder and moved to its place in
one step; the folder of a removed spoke is moved away in one step. A build that is killed leaves
every file old or new, and the next build does the rest.
"""

import fcntl
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from spokerender.edge.files import disk
from spokerender.edge.files.findings import blocked
from spokerender.edge.files.folders import STAGING, staging, sweep_staging
from spokerender.edge.files.parallel import spread
from spokerender.findings.errors import DiskError, InputError
from spokerender.model.plan import KUSTOMIZATION, FolderPlan, Plan, Progress, TreeSource

_LONGEST_NAME = 255
"""The most bytes of a file's name (`NAME_MAX` of common file systems)."""


def keep(path: Path, data: bytes | None) -> None:
    """Write a source file that a build makes; delete it if `data` is None. Raises `DiskError`."""
    with disk.disk_errors_of(path):
        if data is None:
            path.unlink(missing_ok=True)
            return
        disk.make_output(path.parent)
    rewrite(path, data)


def rewrite(path: Path, data: bytes) -> None:
    """Replace a regular file by a rename, so that it is never half-written. Raises `DiskError`."""
    refuse_link(path)
    # Beside it, as a rename is atomic only within a file system.
    beside = _beside(path).name
    with disk.disk_errors_of(path), disk.opened(disk.open_output(path.parent)) as folder:
        with suppress(FileNotFoundError):  # left by a killed build, if any
            disk.delete_file(folder, beside)
        try:
            disk.create_file(folder, beside, data)
            disk.move(beside, folder, path.name, folder)
        except OSError:
            # The first error counts.
            with suppress(OSError):
                disk.delete_file(folder, beside)
            raise


def sweep(folder: Path, names: Iterable[str]) -> None:
    """Delete the temporary files that killed builds left beside these files. Raises `DiskError`."""
    for name in names:
        path = _beside(folder / name)
        with disk.disk_errors_of(path), suppress(FileNotFoundError):
            path.unlink()


def refuse_link(path: Path) -> None:
    """Raise `DiskError` if a file or its temporary file exists and is not a regular file."""
    for file in (path, _beside(path)):
        with disk.disk_errors_of(file):
            try:
                mode = file.lstat().st_mode
            except FileNotFoundError:
                continue
        # A pipe would block, and a device would take the data.
        if not stat.S_ISREG(mode):
            what = "a link" if stat.S_ISLNK(mode) else "not a regular file"
            message = f"{file}: it is {what}, and is not written through; put a regular file there"
            raise DiskError(message)


def refuse_foreign(path: Path, mark: str) -> None:
    """Raise `DiskError` for a link, or for a file with content that does not begin with `mark`."""
    refuse_link(path)
    with disk.disk_errors_of(path), suppress(FileNotFoundError):
        start = path.read_bytes()[: len(mark.encode())]
        if start and start != mark.encode():
            raise DiskError(f"{path}: spokerender did not write it, and does not overwrite it")


def refuse_outside(project: Path, place: Path) -> None:
    """Raise `DiskError` if a link leads a place out of the folder that it shares with the project.

    A place below the project must be in the project when its links are followed. A place beside it
    (`-o ../clusters`) must be in the nearest folder that contains both.
    """
    # By the names as typed, before links are followed.
    inside = Path(os.path.commonpath([os.path.abspath(project), os.path.abspath(place)]))  # noqa: PTH100  (lexically)
    with disk.disk_errors_of(place):
        target = Path(os.path.realpath(place))
        if not target.is_relative_to(os.path.realpath(inside)):
            raise DiskError(
                f"{place}: a link leads outside, to {target}; nothing is written through it: "
                "replace the link by a folder, or name another place"
            )


def _beside(path: Path) -> Path:
    """Return the path of the temporary file; its name is a hash if it would be too long."""
    name = f".{path.name}.spokerender"
    if len(os.fsencode(name)) > _LONGEST_NAME:
        name = f".{sha256(os.fsencode(path.name)).hexdigest()[:32]}.spokerender"
    return path.with_name(name)


def apply(output: Path, plan: Plan, tree: TreeSource, *, progress: Progress | None = None) -> None:
    """Write, replace and delete files as planned; create the output folder if necessary.

    Nothing is flushed to the disk: after a power cut, build again. An empty plan deletes what a
    killed build left in the staging folder. `output` must be `locked` since `compare` made the
    plan. Raises `InputError` before any write if files of others are in the way. Raises `DiskError`
    if the operating system refuses a write: then every file in place is complete, old or new.
    """
    errors = tuple(result for folder in plan.folders for result in blocked(folder, output))
    if errors:
        raise InputError(errors)
    work = [folder for folder in plan.folders if folder.changes or folder.emptied]
    with disk.disk_errors_of(output):
        if work:
            disk.make_output(output)
        try:
            root = disk.open_output(output)
        except FileNotFoundError:  # and nothing to write there
            return
    with disk.opened(root):
        # Before writing, as strays would be in the way.
        sweep_staging(root, STAGING, output)
        if work:
            with staging(root, output) as stage:
                job = _WriteJob(tree, output, root, stage)
                spread(
                    work,
                    lambda part: _apply_all(part, job),
                    files=plan.created + plan.updated + plan.deleted,
                    progress=progress,
                )


class _WriteJob(NamedTuple):
    """A tree to write; its output folder and staging folder are open."""

    tree: TreeSource
    output: Path
    root: int
    stage: int


def _apply_all(folders: Iterable[FolderPlan], job: _WriteJob) -> None:
    for folder in folders:
        where = job.output / folder.folder
        with disk.disk_errors_of(where):
            if folder.is_new:
                _make(folder, job, where)
            # Moved away as a whole: a half-deleted folder would still be applied by an engine.
            elif folder.is_removed and not folder.foreign:
                disk.move(folder.folder, job.root, folder.folder, job.stage)
                sweep_staging(job.stage, folder.folder, job.output / STAGING)
            else:
                _change(folder, job, where)


def _make(plan: FolderPlan, job: _WriteJob, where: Path) -> None:
    files = job.tree.files(plan.folder)

    def write(parent: int, name: str, path: str) -> None:
        disk.create_file(parent, name, files[path])

    with disk.disk_errors_of(job.output / STAGING / plan.folder):
        disk.make_folder(job.stage, plan.folder)
    with disk.opened(disk.open_folder(plan.folder, job.stage)) as root:
        _act_on(plan.create, write, disk.Below(root, make=True), where)
    disk.move(plan.folder, job.stage, plan.folder, job.root)


def _change(plan: FolderPlan, job: _WriteJob, where: Path) -> None:
    """Change single files, so that the kustomization lists only existing files at any moment.

    Files at the top of a folder, such as its kustomization, are deleted last: as long as one of
    them exists, the folder is known to be ours, and the next build continues with it.
    """
    # The kustomization last: it lists files that must exist by then.
    paths = sorted((*plan.create, *plan.update), key=lambda path: path == KUSTOMIZATION)
    files = job.tree.files(plan.folder, paths) if paths else {}

    def replace(parent: int, name: str, path: str) -> None:
        try:
            disk.create_file(job.stage, plan.folder, files[path])
        except FileExistsError as error:  # a stray, in the staging folder
            raise disk.disk_error(error, job.output / STAGING / plan.folder) from error
        disk.move(plan.folder, job.stage, name, parent)

    def delete(parent: int, name: str, _path: str) -> None:
        disk.delete_file(parent, name)

    def prune(parent: int, name: str, _path: str) -> None:
        disk.delete_folder(name, parent)

    with disk.opened(disk.open_folder(plan.folder, job.root)) as root:
        _act_on(paths, replace, disk.Below(root, make=True), where)
        _act_on((path for path in plan.delete if "/" in path), delete, disk.Below(root), where)
        _act_on(plan.emptied, prune, disk.Below(root), where)
        _act_on((path for path in plan.delete if "/" not in path), delete, disk.Below(root), where)


def _act_on(
    paths: Iterable[str], act: Callable[[int, str, str], None], below: disk.Below, where: Path
) -> None:
    """Call `act` for each path, with the open folder of the file, its name there, and the path."""
    path = ""
    try:
        with below:
            for path in paths:
                act(*below.find(path), path)
    except OSError as error:
        raise disk.disk_error(error, where / path) from error


@contextmanager
def locked(output: Path) -> Iterator[None]:
    """Keep other builds out of the output folder by a lock on the folder itself.

    An output folder that does not exist is created, as only an existing one can be locked, and
    deleted again if nothing was written. The lock ends with the process in any case. Raises
    `DiskError` if another build has the lock.
    """
    with disk.disk_errors_of(output):
        created = disk.make_output(output)
        folder = disk.open_output(output)
    with disk.opened(folder):
        with disk.disk_errors_of(output):
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # The folder may have been deleted and made again between opening and locking it.
                is_there = os.path.samestat(os.fstat(folder), output.stat())
            except (BlockingIOError, FileNotFoundError):
                is_there = False
        if not is_there:  # locked, or deleted by a build that made it and wrote nothing
            message = f"{output}: another build is writing there; build again when it has finished"
            raise DiskError(message)
        try:
            yield
        finally:
            # Empty ones only, since `rmdir` refuses others.
            for path in created:
                with suppress(OSError):
                    disk.delete_folder(path)
