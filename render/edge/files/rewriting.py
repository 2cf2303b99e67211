"""Writing one of the files that people own, when they asked for it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from render.edge.files.failures import told


def keep(path: Path, data: bytes | None) -> None:
    """Write a source that a build makes, and the folders that it is in; None lets it go.

    Raises:
        DiskError: it can't be written.

    """
    with told(path):
        if data is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
    rewrite(path, data)


def rewrite(path: Path, data: bytes) -> None:
    """Replace a file by rename, so that it is the old or the new one whatever happens.

    Raises:
        DiskError: it can't be written.

    """
    beside = path.with_name(f".{path.name}.spokerender")
    with told(path):
        try:
            beside.write_bytes(data)
            beside.replace(path)
        except OSError:
            with suppress(OSError):
                beside.unlink()
            raise
