"""Reading files of a project by the paths that messages name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from spokerender.config.fleet import MOST_HUB_BYTES
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import as_shown, read_sources
from spokerender.findings.codes.disk import TOO_LARGE
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.model.sources import Source

_STDIN = "-"
_SUFFIXES = (".yaml", ".yml", ".json")

MOST_PIPED = 1 << 28
"""In bytes: more than all trees of a fleet, which a pipe of functions hands on."""
Files = Sequence[tuple[str, bytes]]
"""Files by the path that messages name, and their bytes."""


def source_has(source: Source, path: str) -> bool:
    """Whether a folder of the project is there and has anything in it."""
    try:
        return any(True for _ in source.entries(path))
    except OSError:
        return False


def files_of(
    source: Source,
    entries: Sequence[str],
    *,
    suffixes: Sequence[str] = _SUFFIXES,
    limit_bytes: int = MOST_HUB_BYTES,
) -> tuple[Files, tuple[Result, ...]]:
    """Read files of a project, and what is wrong with them, by the paths of messages.

    Of folders, the files with one of the suffixes are read.
    """
    read, problems = read_sources(source, entries, suffixes=suffixes, limit_bytes=limit_bytes)
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
    return [*found, ("stdin", piped())] if _STDIN in paths else found


def piped() -> bytes:
    """What comes on standard input, which need not end by itself.

    Raises:
        InputError: there is too much of it.

    """
    data = sys.stdin.buffer.read(MOST_PIPED + 1)
    if len(data) > MOST_PIPED:
        message = f"standard input has more than {MOST_PIPED:,} bytes"
        raise InputError((TOO_LARGE.result(message, cure="give it in parts"),))
    return data
