"""Reading back what a build wrote."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from spokerender.edge.files.disk import (
    LARGEST,
    NO_FOLDER,
    Below,
    open_folder,
    open_output,
    opened,
    read_file,
    read_whole,
)
from spokerender.edge.files.failures import disk_error, disk_errors_of
from spokerender.edge.files.walk import Entry, walk
from spokerender.model.ownership import FIRST_LINE_SIZE, is_ours


def read_folder(output: Path, folder: str) -> dict[str, bytes]:
    """Read the files of ours in a folder of the output: path below it, with `/`, and bytes.

    The files are sorted by path. There are none where there is no such folder, or a link.

    Raises:
        DiskError: something can't be read.

    """
    where = output / folder
    try:
        with opened(open_output(output)) as root:
            here = open_folder(folder, root)
    except OSError as error:
        if error.errno in NO_FOLDER:
            return {}
        raise disk_error(error, where) from error
    files: dict[str, bytes] = {}
    with opened(here):
        for place in walk(here, where):
            for entry in place.others:
                path = place.prefix + entry.name
                with disk_errors_of(where / path):
                    if entry.is_file(follow_symlinks=False) and _may_be_ours(place.fd, entry):
                        files[path] = read_whole(place.fd, entry.name)
    return {path: data for path, data in sorted(files.items()) if is_ours(data)}


def _may_be_ours(parent: int, entry: Entry) -> bool:
    """Whether a file is to be read: one of gigabytes is, if it says that it is ours."""
    if entry.stat(follow_symlinks=False).st_size <= LARGEST:
        return True
    return is_ours(read_file(parent, entry.name, FIRST_LINE_SIZE))


def read_files(output: Path, folder: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Read some files of a folder of the output, as `read_folder` reads all; those that are ours.

    Raises:
        DiskError: one of them can't be read, or is not there.

    """
    where, path = output / folder, ""
    files: dict[str, bytes] = {}
    try:
        with (
            opened(open_output(output)) as root,
            opened(open_folder(folder, root)) as here,
            Below(here) as below,
        ):
            for path in sorted(paths):
                parent, name = below.find(path)
                files[path] = read_whole(parent, name)
    except OSError as error:
        raise disk_error(error, where / path) from error
    return {path: data for path, data in files.items() if is_ours(data)}
