"""One build at a time: a lock on the output folder itself, so that no lock file is in the tree."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spokerender.edge.files.disk import delete_folder, make_output, open_output, opened
from spokerender.edge.files.failures import disk_errors_of
from spokerender.findings.errors import DiskError


@contextmanager
def locked(output: Path) -> Iterator[None]:
    """Keep other builds out of the output folder.

    An output folder that is not there is made, since only what is there can be locked, and
    deleted again if nothing was written. The lock ends with the process, however that ends.

    Raises:
        DiskError: another build has the lock, or the folder can't be made or opened.

    """
    with disk_errors_of(output):
        made = make_output(output)
        folder = open_output(output)
    with opened(folder):
        _lock(folder, output)
        try:
            yield
        finally:
            for path in made:
                with suppress(OSError):
                    delete_folder(path)


def _lock(folder: int, output: Path) -> None:
    with disk_errors_of(output):
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_there = os.path.samestat(os.fstat(folder), output.stat())
        except (BlockingIOError, FileNotFoundError):
            is_there = False
    if not is_there:  # locked, or deleted by a build that made it and wrote nothing
        message = f"{output}: another build is writing there; build again when it has ended"
        raise DiskError(message)
