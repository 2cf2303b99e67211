"""Going through a folder, without following a link and whatever its depth."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spokerender.edge.files.disk import Below
from spokerender.edge.files.failures import disk_error

Entry = os.DirEntry[str]


class Folder(NamedTuple):
    """A folder on the way: open only until the next one is asked for."""

    prefix: str
    """Its path below the root, to put before a name: `""`, `"shop/"`."""
    fd: int
    folders: list[Entry]
    others: list[Entry]
    """Files, links, sockets: everything that is not a folder."""


def walk(root: int, where: Path) -> Iterator[Folder]:
    """Go through the open folder `root` and those below it, parents first.

    Raises:
        DiskError: a folder can't be read; `where` is the path of the root.

    """
    pending = [""]
    with Below(root) as below:
        while pending:
            prefix = pending.pop()
            try:
                folder = _look(below, prefix)
            except OSError as error:
                raise disk_error(error, where / prefix) from error
            yield folder
            pending += [f"{prefix}{entry.name}/" for entry in folder.folders]


def _look(below: Below, prefix: str) -> Folder:
    here, _ = below.find(prefix)
    folders: list[Entry] = []
    others: list[Entry] = []
    with os.scandir(here) as entries:
        for entry in entries:
            (folders if entry.is_dir(follow_symlinks=False) else others).append(entry)
    return Folder(prefix, here, folders, others)
