"""A project that is a folder on disk, some files of which may be replaced in memory."""

import os
import stat
from collections.abc import Hashable, Iterable, Mapping, Sequence
from errno import EAGAIN, EFBIG, ENOENT
from pathlib import Path
from posixpath import normpath, split

from spokerender.model.sources import Source


class OnDisk:
    """The files of a project in a folder of the disk (`model.sources.Source`)."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._start = project.as_posix()
        self.links: set[str] = set()
        """The links in the folders whose entries were listed."""

    def shown(self, path: str) -> str:
        """Return a path as the user would type it."""
        return (self._project / path).as_posix()

    def folder(self, path: str) -> tuple[int, int] | None:
        """Return the device and inode of a folder; None for anything else."""
        try:
            status = self._status(path)
        except ValueError as error:  # a NUL is in the name
            raise FileNotFoundError(ENOENT, "not a file name") from error
        return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None

    def entries(self, folder: str) -> list[tuple[str, bool]]:
        """Return the names in a folder, each with whether it is a folder or a link to one."""
        with os.scandir(self._at(folder)) as scan:
            entries = list(scan)
        # Remembered while listing, so that looking for links later reads nothing again.
        self.links.update(f"{folder}/{entry.name}" for entry in entries if entry.is_symlink())
        return [(entry.name, _is_folder(entry)) for entry in entries]

    def size(self, path: str) -> int:
        """Return the size of a regular file. Raises `OSError` for anything else, such as a pipe."""
        return _size(self._status(path))

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | OSError]:
        """Return the bytes of each file by path, or the error if the file can't be read."""
        return {path: self._read(path) for path in paths}

    def _status(self, path: str) -> os.stat_result:
        return os.stat(self._at(path))  # noqa: PTH116  (see `_at`)

    def _at(self, path: str) -> str:
        """Return the path on disk, joined as text: parsing many long paths would be slow."""
        return os.path.join(self._start, path)  # noqa: PTH118

    def _read(self, path: str) -> bytes | OSError:
        try:
            with open(self._at(path), "rb", opener=_at_once) as file:
                size = _size(os.fstat(file.fileno()))
                # One byte more than the size: a file that grows is noticed.
                data: bytes | None = file.read(size + 1)  # None: see read(2), EAGAIN
        except OSError as error:
            return error
        if data is None:
            return OSError(EAGAIN, "it has nothing to read now")
        if len(data) > size:  # as files in /proc, which may never end
            return OSError(EFBIG, "it has more in it than its size says")
        return data


def _size(status: os.stat_result) -> int:
    if not stat.S_ISREG(status.st_mode):
        raise OSError("not a file")
    return status.st_size


def _at_once(path: str, flags: int) -> int:
    """Open a file without blocking, since it may have become a pipe after its size was read."""
    return os.open(path, flags | os.O_NONBLOCK)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # links in a circle; reading it reports that
        return False


class Overlaid:
    """A project in which some files have other bytes (`model.sources.Source`)."""

    def __init__(self, below: Source, files: Mapping[str, bytes]) -> None:
        """`files` has the files to replace or add, by path in the project."""
        self._below = below
        # Callers may write one path in several ways.
        self._files = {normpath(path): data for path, data in files.items()}

    def shown(self, path: str) -> str:
        """Return a path as the user would type it."""
        return self._below.shown(path)

    def folder(self, path: str) -> Hashable | None:
        """Return a value that identifies a folder; None for anything else."""
        return None if normpath(path) in self._files else self._below.folder(path)

    def entries(self, folder: str) -> Iterable[tuple[str, bool]]:
        """Return the names in a folder, each with whether it is a folder."""
        own = (split(path) for path in self._files)
        added = {name: False for place, name in own if place == normpath(folder)}
        return (added | dict(self._below.entries(folder))).items()

    def size(self, path: str) -> int:
        """Return the size of a file, of the replacement if there is one."""
        data = self._files.get(normpath(path))
        return len(data) if data is not None else self._below.size(path)

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | OSError]:
        """Return the bytes of each file or its replacement by path, or the error of reading it."""
        rest = self._below.read([path for path in paths if normpath(path) not in self._files])
        return {path: self._files.get(normpath(path), rest.get(path, b"")) for path in paths}
