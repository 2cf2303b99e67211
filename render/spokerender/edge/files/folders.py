"""Walk through folders and read back what a build wrote, without following links.

Also read the state of a rollout from the output.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spokerender.edge.files import disk
from spokerender.edge.files.disk import disk_errors_of
from spokerender.edge.presence import is_file
from spokerender.findings.errors import DiskError
from spokerender.model.plan import FIRST_LINE_SIZE, KUSTOMIZATION, is_beginning, is_ours
from spokerender.model.rollout import RECORD, OutputStanding
from spokerender.rendering.values.layout import FLEET_FOLDER

STAGING = ".spokerender-staging"
"""A folder in the output, so that a rename can move its files; hidden, so that engines skip it."""


@contextmanager
def staging(root: int, output: Path) -> Iterator[int]:
    """Create the staging folder in the open output folder; it is deleted when the context ends."""
    with disk.disk_errors_of(output / STAGING):
        with suppress(FileExistsError):  # strays are in it
            disk.make_folder(root, STAGING)
        folder = disk.open_folder(STAGING, root)
    try:
        with disk.opened(folder):
            yield folder
    except BaseException:
        with suppress(DiskError):  # the first error counts; the next build cleans up
            sweep_staging(root, STAGING, output)
        raise
    sweep_staging(root, STAGING, output)


def sweep_staging(parent: int, name: str, where: Path) -> None:
    """Delete a folder, if it exists, except files that may not be ours, and the folders with them.

    The folder is in the open folder `parent`; `where` is the path of `parent`. Raises `DiskError`.
    """
    with disk.disk_errors_of(where / name):
        try:
            folder = disk.open_folder(name, parent)
        except FileNotFoundError:
            return
        with disk.opened(folder):
            _empty(folder, where / name)
        disk.delete_folder(name, parent)


def find_strays(root: int, output: Path) -> tuple[str, ...]:
    """Return the sorted paths of files in the staging folder that may not be from our builds."""
    with disk.disk_errors_of(output / STAGING):
        try:
            folder = disk.open_folder(STAGING, root)
        except FileNotFoundError:
            return ()
        with disk.opened(folder):
            folders = [
                f"{STAGING}/{place.prefix}{entry.name}"
                for place in walk(folder, output / STAGING)
                for entry in place.others
                if not _is_surely_ours(place.fd, entry)
            ]
    return tuple(sorted(folders))


def _empty(folder: int, where: Path) -> None:
    below = []
    for place in walk(folder, where):
        below += [place.prefix + entry.name for entry in place.folders]
        for entry in place.others:
            if _is_surely_ours(place.fd, entry):
                disk.delete_file(place.fd, entry.name)
    with disk.Below(folder) as folders:
        for path in reversed(below):  # the walk goes down, this goes up
            above, name = folders.find(path)
            disk.delete_folder(name, above)


def _is_surely_ours(parent: int, entry: "DirEntry") -> bool:
    if not entry.is_file(follow_symlinks=False):
        return False
    return is_beginning(disk.read_file(parent, entry.name, FIRST_LINE_SIZE))


DirEntry = os.DirEntry[str]


class Folder(NamedTuple):
    """A folder that `walk` has opened; it is closed when `walk` continues."""

    prefix: str
    """The folder's path below the root, as a prefix of names: `""`, `"shop/"`."""
    fd: int
    folders: list[DirEntry]
    others: list[DirEntry]
    """Files, links, sockets and everything else that is not a folder."""


def walk(root: int, where: Path) -> Iterator[Folder]:
    """Yield the folders below the open folder `root`, parents first. Raises `DiskError`."""
    pending = [""]
    with disk.Below(root) as below:
        while pending:
            prefix = pending.pop()
            try:
                folder = _scan(below, prefix)
            except OSError as error:
                raise disk.disk_error(error, where / prefix) from error
            yield folder
            pending += [f"{prefix}{entry.name}/" for entry in folder.folders]


def _scan(below: disk.Below, prefix: str) -> Folder:
    fd, _ = below.find(prefix)
    folders: list[DirEntry] = []
    others: list[DirEntry] = []
    with os.scandir(fd) as entries:
        for entry in entries:
            (folders if entry.is_dir(follow_symlinks=False) else others).append(entry)
    return Folder(prefix, fd, folders, others)


def read_folder(output: Path, folder: str) -> dict[str, bytes]:
    """Return our files in a folder of the output by path, sorted. Raises `DiskError`.

    Empty if the folder does not exist, or is a link.
    """
    where = output / folder
    try:
        with disk.opened(disk.open_output(output)) as root:
            here = disk.open_folder(folder, root)
    except OSError as error:
        if error.errno in disk.NO_FOLDER:
            return {}
        raise disk.disk_error(error, where) from error
    files: dict[str, bytes] = {}
    with disk.opened(here):
        for place in walk(here, where):
            for entry in place.others:
                path = place.prefix + entry.name
                try:
                    if entry.is_file(follow_symlinks=False) and _may_be_ours(place.fd, entry):
                        files[path] = disk.read_whole(place.fd, entry.name)
                except OSError as error:
                    raise disk.disk_error(error, where / path) from error
    # Checked again with all bytes.
    return {path: data for path, data in sorted(files.items()) if is_ours(data)}


def _may_be_ours(parent: int, entry: DirEntry) -> bool:
    """Return whether to read a file: a huge file only if its first line says that it is ours."""
    if entry.stat(follow_symlinks=False).st_size <= disk.LARGEST:
        return True
    return is_ours(disk.read_file(parent, entry.name, FIRST_LINE_SIZE))


def read_files(output: Path, folder: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the content of our files among `paths` in an output folder. Raises `DiskError`."""
    path, files = "", dict[str, bytes]()
    try:
        with (
            disk.opened(disk.open_output(output)) as root,
            disk.opened(disk.open_folder(folder, root)) as here,
            disk.Below(here) as below,
        ):
            # Sorted, so that each folder is opened once.
            for path in sorted(paths):
                parent, name = below.find(path)
                files[path] = disk.read_whole(parent, name)
    except OSError as error:
        raise disk.disk_error(error, output / folder / path) from error
    return {path: data for path, data in files.items() if is_ours(data)}


def read_standing(output: Path, wave: str = "") -> OutputStanding:
    """Return the rollout's record and the written folders, from disk. Raises `DiskError`.

    The output folder need not exist; `wave` is the requested wave.
    """
    with disk_errors_of(output):
        try:
            with os.scandir(output) as entries:
                names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            names = []
    # A folder counts as written once it has its kustomization, which is written last.
    folders = frozenset(name for name in names if is_file(output / name / KUSTOMIZATION))
    is_there = is_file(output / FLEET_FOLDER / RECORD)
    # Read as any other file of ours, so a record of somebody else's does not count.
    read = read_files(output, FLEET_FOLDER, (RECORD,)) if is_there else {}
    record, path = read.get(RECORD), str(output / FLEET_FOLDER / RECORD)
    return OutputStanding(record, folders, partial(read_folder, output), wave, path)


def standing_of(
    tree: Mapping[str, Mapping[str, bytes]], output: str, wave: str = ""
) -> OutputStanding:
    """Return a committed tree's record and folders, and `wave` as asked; messages name `output`."""
    record = tree.get(FLEET_FOLDER, {}).get(RECORD)
    folders = frozenset(name for name, files in tree.items() if KUSTOMIZATION in files)
    path = f"{output.rstrip('/')}/{FLEET_FOLDER}/{RECORD}"
    return OutputStanding(record, folders, lambda folder: tree.get(folder, {}), wave, path)
