"""A folder for a socket that is ours alone, and none of those that a killed run left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from spokerender.findings.errors import DiskError

_PREFIX = "spokerender-ext-"
_LOCK, _SOCKET = "lock", "socket"
_MAKING_SECONDS = 60
_LONGEST = 103
"""In bytes: what macOS' `sun_path` has room for (unix(4)); Linux has 107 (unix(7))."""


@contextlib.contextmanager
def private_socket() -> Iterator[Path]:
    """The path for a socket in a new folder that only we may enter; it goes with us.

    What runs that were killed have left is swept first: a folder whose lock nobody holds.

    Raises:
        DiskError: there is no place for it.

    """
    base = _base()
    sweep(base)
    folder, lock = base / f"{_PREFIX}{os.getuid()}-{secrets.token_hex(4)}", -1
    try:
        _make(folder)
        lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder / _SOCKET
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock >= 0:
            os.close(lock)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(0o700)
    except OSError as error:
        message = f"{folder}: it can't be made for the socket of an extension ({error.strerror})"
        raise DiskError(message) from error


def sweep(base: Path) -> None:
    """Remove the folders of ours that nobody holds any more; whatever can't be is left."""
    for folder in base.glob(f"{_PREFIX}{os.getuid()}-*"):
        with contextlib.suppress(OSError):
            there = folder.lstat()
            is_ours = stat.S_ISDIR(there.st_mode) and there.st_uid == os.getuid()
            if is_ours and _is_left(folder, there.st_mtime):
                shutil.rmtree(folder)


def _is_left(folder: Path, since: float) -> bool:
    """Whether who made a folder is gone: a lock ends with its process, however that ended."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # it is being made, or going
        return time.time() - since > _MAKING_SECONDS
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def _base() -> Path:
    """The user's own folder for what runs, if there is one, else the one for temporary files."""
    for place in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):  # noqa: S108  (a private folder is made in it)
        name = f"{place}/{_PREFIX}{os.getuid()}-{'x' * 8}/{_SOCKET}"
        if place and len(os.fsencode(name)) <= _LONGEST and os.access(place, os.W_OK | os.X_OK):
            return Path(place)
    message = "there is no folder for the socket of an extension; let TMPDIR name one"
    raise DiskError(message)
