"""Writing one of the files that people own, when they asked for it; never through a link."""

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
    """Write a source that a build makes, and the folders that it is in; None lets it go.

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
    """Replace a file by rename, so that it is the old or the new one whatever happens.

    Raises:
        DiskError: it can't be written, or is a link.

    """
    refuse_link(path)
    beside = _beside(path).name
    with disk_errors_of(path), opened(open_output(path.parent)) as folder:
        with suppress(FileNotFoundError):  # a build that was killed left it, or none did
            delete_file(folder, beside)
        try:
            create_file(folder, beside, data)
            move(beside, folder, path.name, folder)
        except OSError:
            with suppress(OSError):
                delete_file(folder, beside)
            raise


def refuse_link(path: Path) -> None:
    """Refuse to rewrite a file where it, or what is written beside it first, is no plain file.

    Raises:
        DiskError: it is a link, a folder, a device.

    """
    for each in (path, _beside(path)):
        with disk_errors_of(each):
            try:
                mode = each.lstat().st_mode
            except FileNotFoundError:
                continue
        if not stat.S_ISREG(mode):
            what = "a link" if stat.S_ISLNK(mode) else "no file"
            message = f"{each}: it is {what}, and is not written through; make it a file of its own"
            raise DiskError(message)


def refuse_outside(project: Path, place: Path) -> None:
    """Refuse to write where a link leads out of what the project and the place have in common.

    A place below the project must be in it when its links are followed. One that was named beside
    it (`-o ../clusters`) must be where its name says, as far as both share a folder.

    Raises:
        DiskError: a link leads outside.

    """
    inside = Path(os.path.commonpath([os.path.abspath(project), os.path.abspath(place)]))  # noqa: PTH100  (lexically)
    with disk_errors_of(place):
        target = Path(os.path.realpath(place))
        if not target.is_relative_to(os.path.realpath(inside)):
            message = (
                f"{place}: a link leads outside, to {target}; nothing is written through it: "
                "put a folder in its place, or name the folder that is meant with --output"
            )
            raise DiskError(message)


def _beside(path: Path) -> Path:
    """What is written first; of a name that leaves no room for more (255 bytes), by its hash."""
    name = f".{path.name}.spokerender"
    if len(os.fsencode(name)) > _LONGEST_NAME:
        name = f".{sha256(os.fsencode(path.name)).hexdigest()[:32]}.spokerender"
    return path.with_name(name)
