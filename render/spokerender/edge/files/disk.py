"""System calls on files; everything that changes the disk goes through this module.

Names are opened relative to an open folder and never through a symbolic link, so that nothing
outside the output can be read as ours, written or deleted.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import (
    EACCES,
    EAGAIN,
    EDQUOT,
    EEXIST,
    EFBIG,
    ELOOP,
    EMLINK,
    ENAMETOOLONG,
    ENOENT,
    ENOSPC,
    ENOTDIR,
    ENOTEMPTY,
    EPERM,
    EROFS,
)
from pathlib import Path
from typing import Self

from spokerender.findings.errors import DiskError

_FULL = "make room, then build again; no file in place is half-written"
_RIGHTS = "let your user read and write there"
_LINK = "a link or a file is where a folder must be; nothing is written through it: move it away"
_IN_THE_WAY = "move it away, then build again"
_CURES = {
    ENOSPC: _FULL,
    EDQUOT: _FULL,
    EFBIG: "raise the limit on the size of files, then build again",
    EROFS: "make the file system writable, or choose another output folder",
    EACCES: _RIGHTS,
    EPERM: _RIGHTS,
    ELOOP: _LINK,
    ENOTDIR: _LINK,
    EEXIST: _IN_THE_WAY,
    ENOTEMPTY: _IN_THE_WAY,
    ENAMETOOLONG: "shorten the name of the object",
    EAGAIN: "end other processes, or raise their limit",
}


def disk_error(error: OSError, path: str | Path) -> DiskError:
    """Return an error: what the operating system refused at `path`, and a suggested fix."""
    number = error.errno or 0
    reason = os.strerror(number) if number else str(error)
    cure = _CURES.get(number)
    return DiskError(f"{path}: {reason}" + (f"; {cure}" if cure else ""))


@contextmanager
def disk_errors_of(path: str | Path) -> Iterator[None]:
    """Provide a context that turns every `OSError` inside it into a `DiskError` about `path`."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, path) from error


LARGEST = 100_000_000
"""The most bytes of a file of ours: a whole spoke's tree has fewer."""

NO_FOLDER = frozenset({ENOENT, ENOTDIR, ELOOP, EMLINK})
"""The errors of `open_folder` for a missing folder, a file or a link (which depends on the system).
"""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe must not block


def open_output(output: Path) -> int:
    """Open the output folder itself; the user named it, so it may be a link."""
    return os.open(output, _FOLDER)


def open_folder(name: str, parent: int) -> int:
    """Open the folder `name` in the open folder `parent`. Raises `OSError` for a link."""
    _check(name)
    # The kernel refuses the link, so there is no moment between looking and opening.
    return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)


class opened:  # noqa: N801  (used as `contextlib.closing` is, which takes five times as long)
    """A context for an open folder, which is closed when the context ends."""

    __slots__ = ("_folder",)

    def __init__(self, folder: int) -> None:
        self._folder = folder

    def __enter__(self) -> int:
        return self._folder

    def __exit__(self, *_: object) -> None:
        os.close(self._folder)


def read_file(parent: int, name: str, size: int) -> bytes:
    """Read at most the first `size` bytes of a regular file."""
    file = os.open(name, _READ, dir_fd=parent)
    try:
        return os.read(file, size)
    finally:
        os.close(file)


def read_whole(parent: int, name: str) -> bytes:
    """Read a regular file. Raises `OSError` if it is larger than `LARGEST`."""
    with os.fdopen(os.open(name, _READ, dir_fd=parent), "rb", buffering=0) as file:
        if os.fstat(file.fileno()).st_size > LARGEST:
            raise OSError(f"larger than {LARGEST:,} bytes, so it was not rendered")
        return file.read()


def create_file(parent: int, name: str, data: bytes) -> None:
    """Write a new file. Raises `OSError` if it exists."""
    file = os.open(name, _CREATE, 0o666, dir_fd=parent)
    try:
        written = os.write(file, data)
        while written < len(data):  # a nearly full disk, or a limit, accepts only a part
            written += os.write(file, data[written:])
    finally:
        os.close(file)


def make_folder(parent: int, name: str) -> None:
    """Create a folder. Raises `OSError` if it exists."""
    _check(name)
    os.mkdir(name, dir_fd=parent)


def make_output(output: Path) -> tuple[Path, ...]:
    """Create a folder and its missing parents; return the created folders, deepest first.

    If one of them can't be created, the folders created before are deleted again.
    """
    absent = [folder for folder in (output, *output.parents) if not os.path.lexists(folder)]
    try:
        for folder in reversed(absent):
            with suppress(FileExistsError):  # another build was faster; the lock decides
                os.mkdir(folder)  # noqa: PTH102  (by `os`, as all that changes the disk)
    except OSError:
        for folder in absent:
            with suppress(OSError):  # not created, or used by another build
                os.rmdir(folder)  # noqa: PTH106  (as above)
        raise
    return tuple(absent)


def move(name: str, parent: int, new_name: str, new_parent: int) -> None:
    """Rename in one step; a file or an empty folder with the new name is replaced."""
    os.rename(name, new_name, src_dir_fd=parent, dst_dir_fd=new_parent)


def delete_file(parent: int, name: str) -> None:
    """Delete a file."""
    os.unlink(name, dir_fd=parent)


def delete_folder(name: str | Path, parent: int | None = None) -> None:
    """Delete a folder if it is empty; otherwise do nothing."""
    try:
        os.rmdir(name, dir_fd=parent)
    except OSError as error:
        if error.errno not in {ENOTEMPTY, EEXIST}:  # POSIX allows either
            raise


class Below:
    """Opens folders below an open folder, one at a time, and never follows a link."""

    def __init__(self, root: int, *, make: bool = False) -> None:
        """Start at `root`, which the caller closes; with `make`, create missing folders."""
        self._root = root
        self._make = make
        self._path = ""
        self._folder = root

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave(self._folder)

    def find(self, path: str) -> tuple[int, str]:
        """Open the folder that contains `path`; return it and the name of `path` in it.

        The folder is open until the next call.
        """
        folder, _, name = path.rpartition("/")
        if folder != self._path:
            self._enter(folder)
        return self._folder, name

    def _enter(self, path: str) -> None:
        """Open the folder at a path, starting from the current folder if that contains it."""
        here, rest = self._root, path
        # Paths come sorted, so the next folder is often below the current one.
        if self._path and path.startswith(f"{self._path}/"):
            here, rest = self._folder, path[len(self._path) + 1 :]
        else:
            self._leave(self._folder)
        self._folder, self._path = self._root, ""
        for name in rest.split("/") if rest else ():
            try:
                below = self._step(here, name)
            finally:
                self._leave(here)
            here = below
        self._folder, self._path = here, path

    def _leave(self, folder: int) -> None:
        if folder != self._root:
            os.close(folder)

    def _step(self, parent: int, name: str) -> int:
        try:
            return open_folder(name, parent)
        except FileNotFoundError:
            if not self._make:
                raise
        make_folder(parent, name)
        return open_folder(name, parent)


def _check(name: str) -> None:
    if name in {"", ".", ".."} or "/" in name:
        raise ValueError(f"{name!r} is not the name of a folder")
