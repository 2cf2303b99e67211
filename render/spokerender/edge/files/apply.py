"""Making the disk equal to the plan: whole files only, and only those that differ.

A new folder is written in the staging folder and moved to its place in one step; so is a file that
is new or changed; the folder of a spoke that left is moved away in one step. A build that is
killed leaves every file as it was or as it shall be, and the next build does the rest.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from spokerender.edge.files.disk import (
    Below,
    create_file,
    delete_file,
    delete_folder,
    disk_error,
    disk_errors_of,
    make_folder,
    make_output,
    move,
    open_folder,
    open_output,
    opened,
)
from spokerender.edge.files.findings import blocked
from spokerender.edge.files.parallel import Progress, spread
from spokerender.edge.files.staging import STAGING, staging, sweep
from spokerender.findings.errors import DiskError, InputError
from spokerender.model.ownership import KUSTOMIZATION
from spokerender.model.plan import FolderPlan, Plan, TreeSource


def apply(output: Path, plan: Plan, tree: TreeSource, *, progress: Progress | None = None) -> None:
    """Write, replace and delete what the plan says; make the output folder if it is not there.

    Nothing is flushed through the disk's cache: after a power cut, build again. An empty plan
    is worth applying too: what a killed build left in the staging folder is deleted.

    Args:
        output: the folder that `compare` made the plan for, `locked` since then.
        plan: what to do.
        tree: what `compare` was given.
        progress: told after each folder.

    Raises:
        InputError: the plan is blocked; nothing is written.
        DiskError: the disk refuses. Every file in place is whole, old or new.

    """
    errors = tuple(result for folder in plan.folders for result in blocked(folder, output))
    if errors:
        raise InputError(errors)
    work = [folder for folder in plan.folders if folder.changes or folder.emptied]
    with disk_errors_of(output):
        if work:
            make_output(output)
        try:
            root = open_output(output)
        except FileNotFoundError:  # and nothing to write there
            return
    with opened(root):
        sweep(root, STAGING, output)
        if work:
            with staging(root, output) as stage:
                job = _Job(tree, output, root, stage)
                spread(
                    work,
                    lambda part: _apply_all(part, job),
                    files=plan.created + plan.updated + plan.deleted,
                    progress=progress,
                )


class _Job(NamedTuple):
    """Where to write: the output folder and the staging folder in it, both open."""

    tree: TreeSource
    output: Path
    root: int
    stage: int


def _apply_all(folders: Iterable[FolderPlan], job: _Job) -> None:
    for folder in folders:
        where = job.output / folder.folder
        with disk_errors_of(where):
            if folder.is_new:
                _make(folder, job, where)
            elif folder.is_removed and not folder.foreign:
                move(folder.folder, job.root, folder.folder, job.stage)
                sweep(job.stage, folder.folder, job.output / STAGING)
            else:
                _change(folder, job, where)


def _make(plan: FolderPlan, job: _Job, where: Path) -> None:
    """Write a folder that is not there yet."""
    files = job.tree.files(plan.folder)

    def write(parent: int, name: str, path: str) -> None:
        create_file(parent, name, files[path])

    with disk_errors_of(job.output / STAGING / plan.folder):
        make_folder(job.stage, plan.folder)
    with opened(open_folder(plan.folder, job.stage)) as root:
        _each(plan.create, write, Below(root, make=True), where)
    move(plan.folder, job.stage, plan.folder, job.root)


def _change(plan: FolderPlan, job: _Job, where: Path) -> None:
    """Change single files; the kustomization names only files that are there, at any moment.

    What a spoke that left has at the top of its folder, its kustomization, is deleted last: as
    long as it is there, the folder is known to be ours, and the next build goes on with it.
    """
    paths = sorted((*plan.create, *plan.update), key=lambda path: path == KUSTOMIZATION)
    files = job.tree.files(plan.folder) if paths else {}

    def replace(parent: int, name: str, path: str) -> None:
        try:
            create_file(job.stage, plan.folder, files[path])
        except FileExistsError as error:  # a stray, there and not here
            raise disk_error(error, job.output / STAGING / plan.folder) from error
        move(plan.folder, job.stage, name, parent)

    def delete(parent: int, name: str, _path: str) -> None:
        delete_file(parent, name)

    def prune(parent: int, name: str, _path: str) -> None:
        delete_folder(name, parent)

    with opened(open_folder(plan.folder, job.root)) as root:
        _each(paths, replace, Below(root, make=True), where)
        _each((path for path in plan.delete if "/" in path), delete, Below(root), where)
        _each(plan.emptied, prune, Below(root), where)
        _each((path for path in plan.delete if "/" not in path), delete, Below(root), where)


def _each(
    paths: Iterable[str], act: Callable[[int, str, str], None], below: Below, where: Path
) -> None:
    """Do something to each path: with the open folder that it is in, its name there, itself."""
    path = ""
    try:
        with below:
            for path in paths:
                act(*below.find(path), path)
    except OSError as error:
        raise disk_error(error, where / path) from error


@contextmanager
def locked(output: Path) -> Iterator[None]:
    """Keep other builds out of the output folder.

    An output folder that is not there is made, since only what is there can be locked, and
    deleted again if nothing was written. The lock ends with the process, however that ends.

    Raises:
        DiskError: another build has the lock, or the folder can't be made or opened.

    """
    with disk_errors_of(output):
        made = make_output(output)
        folder = open_output(output)
    with opened(folder):
        _lock(folder, output)
        try:
            yield
        finally:
            for path in made:
                with suppress(OSError):
                    delete_folder(path)


def _lock(folder: int, output: Path) -> None:
    with disk_errors_of(output):
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_there = os.path.samestat(os.fstat(folder), output.stat())
        except (BlockingIOError, FileNotFoundError):
            is_there = False
    if not is_there:  # locked, or deleted by a build that made it and wrote nothing
        message = f"{output}: another build is writing there; build again when it has ended"
        raise DiskError(message)
