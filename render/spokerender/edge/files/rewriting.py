"""Writing single files that people own, when they asked for it; never through a link."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from spokerender.edge.files.disk import (
    create_file,
    delete_file,
    disk_errors_of,
    make_output,
    move,
    open_output,
    opened,
)
from spokerender.findings.errors import DiskError

_LONGEST_NAME = 255
"""In bytes: `NAME_MAX` of the file systems there are."""


def keep(path: Path, data: bytes | None) -> None:
    """Write a source that a build makes, with its folders; delete it for None.

    Raises:
        DiskError: it can't be written.

    """
    with disk_errors_of(path):
        if data is None:
            path.unlink(missing_ok=True)
            return
        make_output(path.parent)
    rewrite(path, data)


def rewrite(path: Path, data: bytes) -> None:
    """Replace a file by rename, so that it is old or new as a whole, whatever happens.

    Raises:
        DiskError: it can't be written, or is a link.

    """
    refuse_link(path)
    beside = _beside(path).name
    with disk_errors_of(path), opened(open_output(path.parent)) as folder:
        with suppress(FileNotFoundError):  # left by a killed build, if any
            delete_file(folder, beside)
        try:
            create_file(folder, beside, data)
            move(beside, folder, path.name, folder)
        except OSError:
            with suppress(OSError):
                delete_file(folder, beside)
            raise


def refuse_link(path: Path) -> None:
    """Refuse to rewrite a file if it, or its temporary file, is not a regular file.

    Raises:
        DiskError: it is a link, a folder, a device.

    """
    for file in (path, _beside(path)):
        with disk_errors_of(file):
            try:
                mode = file.lstat().st_mode
            except FileNotFoundError:
                continue
        if not stat.S_ISREG(mode):
            what = "a link" if stat.S_ISLNK(mode) else "not a regular file"
            message = f"{file}: it is {what}, and is not written through; put a regular file there"
            raise DiskError(message)


def refuse_outside(project: Path, place: Path) -> None:
    """Refuse a place that a link moves out of the folder that it shares with the project.

    A place below the project must be in it when its links are followed. A place beside it
    (`-o ../clusters`) must be in the nearest folder that contains both.

    Raises:
        DiskError: a link leads outside.

    """
    inside = Path(os.path.commonpath([os.path.abspath(project), os.path.abspath(place)]))  # noqa: PTH100  (lexically)
    with disk_errors_of(place):
        target = Path(os.path.realpath(place))
        if not target.is_relative_to(os.path.realpath(inside)):
            message = (
                f"{place}: a link leads outside, to {target}; nothing is written through it: "
                "replace it by a folder, or name the right folder with --output"
            )
            raise DiskError(message)


def _beside(path: Path) -> Path:
    """Return the path of the temporary file; a long name (255 bytes) is replaced by its hash."""
    name = f".{path.name}.spokerender"
    if len(os.fsencode(name)) > _LONGEST_NAME:
        name = f".{sha256(os.fsencode(path.name)).hexdigest()[:32]}.spokerender"
    return path.with_name(name)
