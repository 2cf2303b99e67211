"""Writing one of the files that people own, when they asked for it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from render.edge.files.failures import told


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
