"""A project that is a folder on disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from errno import ENOENT
from pathlib import Path


class OnDisk:
    """The files of a project in a folder (`model.sources.Source`)."""

    def __init__(self, project: Path) -> None:
        """`project` is the folder as the user typed it."""
        self._project = project

    def shown(self, path: str) -> str:
        """The path, as the user would type it."""
        return (self._project / path).as_posix()

    def folder(self, path: str) -> tuple[int, int] | None:
        """The device and number of a folder; None for what is no folder."""
        try:
            status = (self._project / path).stat()
        except ValueError as error:  # a NUL is in the name
            raise FileNotFoundError(ENOENT, "no name of a file") from error
        return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None

    def entries(self, folder: str) -> list[tuple[str, bool]]:
        """The names in a folder, and whether each is a folder or a link to one."""
        with os.scandir(self._project / folder) as entries:
            return [(entry.name, _is_folder(entry)) for entry in entries]

    def size(self, path: str) -> int:
        """The size of what must be a regular file: reading a pipe could take for ever."""
        status = (self._project / path).stat()
        if not stat.S_ISREG(status.st_mode):
            message = "not a file"
            raise OSError(message)
        return status.st_size

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | OSError]:
        """The bytes of each file, or why it can't be read."""
        return {path: self._read(path) for path in paths}

    def _read(self, path: str) -> bytes | OSError:
        try:
            return (self._project / path).read_bytes()
        except OSError as error:
            return error


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle; reading it will say so
        return False
