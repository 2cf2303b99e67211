"""Reading files of a project by the paths that messages name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from render.config.fleet import MOST_HUB_BYTES
from render.edge.files import OnDisk
from render.edge.reading import as_shown, read_sources
from render.findings.errors import InputError
from render.findings.results import Result
from render.model.sources import Source

_STDIN = "-"
_SUFFIXES = (".yaml", ".yml", ".json")

Files = Sequence[tuple[str, bytes]]
"""Files by the path that messages name, and their bytes."""


def source_has(source: Source, path: str) -> bool:
    """Whether a folder of the project is there and has anything in it."""
    try:
        return any(True for _ in source.entries(path))
    except OSError:
        return False


def files_of(
    source: Source, entries: Sequence[str], *, limit_bytes: int = MOST_HUB_BYTES
) -> tuple[Files, tuple[Result, ...]]:
    """Read YAML files of a project, and what is wrong with them, by the paths of messages."""
    read, problems = read_sources(source, entries, suffixes=_SUFFIXES, limit_bytes=limit_bytes)
    files = [(source.shown(file.path), file.data) for file in read]
    return files, as_shown(source, problems)


def given_files(paths: Sequence[str]) -> Files:
    """Read what was named on the command line; standard input (`-`) may be among it.

    Raises:
        InputError: something can't be read.

    """
    named = [path for path in paths if path != _STDIN]
    found, problems = files_of(OnDisk(Path()), named)
    if problems:
        raise InputError(problems)
    return [*found, ("stdin", sys.stdin.buffer.read())] if _STDIN in paths else found
