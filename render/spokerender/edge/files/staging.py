"""The staging folder: files are written there, and moved into place when they are complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spokerender.edge.files.disk import (
    Below,
    delete_file,
    delete_folder,
    disk_errors_of,
    make_folder,
    open_folder,
    opened,
    read_file,
)
from spokerender.edge.files.folders import Entry, walk
from spokerender.findings.errors import DiskError
from spokerender.model.plan import FIRST_LINE_SIZE, is_beginning

STAGING = ".spokerender-staging"
"""In the output, so that a rename moves a file into place; hidden, so that engines skip it."""


@contextmanager
def staging(root: int, output: Path) -> Iterator[int]:
    """Create the staging folder in the open output folder; delete it again in any case."""
    with disk_errors_of(output / STAGING):
        with suppress(FileExistsError):  # strays are in it
            make_folder(root, STAGING)
        folder = open_folder(STAGING, root)
    try:
        with opened(folder):
            yield folder
    except BaseException:
        with suppress(DiskError):  # the first error counts; the next build cleans up
            sweep_staging(root, STAGING, output)
        raise
    sweep_staging(root, STAGING, output)


def sweep_staging(parent: int, name: str, where: Path) -> None:
    """Delete a folder, except files that may not be ours, and their folders.

    Args:
        parent: the open folder that it is in.
        name: its name; need not exist.
        where: the path of `parent`, for messages.

    Raises:
        DiskError: something of ours can't be deleted.

    """
    with disk_errors_of(where / name):
        try:
            folder = open_folder(name, parent)
        except FileNotFoundError:
            return
        with opened(folder):
            _empty(folder, where / name)
        delete_folder(name, parent)


def find_strays(root: int, output: Path) -> tuple[str, ...]:
    """Return the files in the staging folder that no build of ours left there."""
    with disk_errors_of(output / STAGING):
        try:
            folder = open_folder(STAGING, root)
        except FileNotFoundError:
            return ()
        with opened(folder):
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
                delete_file(place.fd, entry.name)
    with Below(folder) as folders:
        for path in reversed(below):  # the walk goes down, this goes up
            above, name = folders.find(path)
            delete_folder(name, above)


def _is_surely_ours(parent: int, entry: Entry) -> bool:
    if not entry.is_file(follow_symlinks=False):
        return False
    return is_beginning(read_file(parent, entry.name, FIRST_LINE_SIZE))
