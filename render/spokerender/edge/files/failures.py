"""What the operating system refused, said with path and cure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from errno import (
    EACCES,
    EAGAIN,
    EDQUOT,
    EEXIST,
    EFBIG,
    ELOOP,
    ENAMETOOLONG,
    ENOSPC,
    ENOTDIR,
    ENOTEMPTY,
    EPERM,
    EROFS,
)
from os import strerror
from pathlib import Path

from spokerender.findings.errors import DiskError

_FULL = "make room, then build again; no file in place is half-written"
_RIGHTS = "let your user read and write there"
_LINK = (
    "a link or a file stands where a folder must be; nothing is written through it: move it away"
)
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
    """Say what the operating system refused at `path`, and what to do."""
    number = error.errno or 0
    reason = strerror(number) if number else str(error)
    cure = _CURES.get(number)
    return DiskError(f"{path}: {reason}" + (f"; {cure}" if cure else ""))


@contextmanager
def disk_errors_of(path: str | Path) -> Iterator[None]:
    """Raise `DiskError` about `path` where the operating system refuses."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, path) from error
