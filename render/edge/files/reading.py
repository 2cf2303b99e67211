"""Reading the project: every file that a folder holds, in an order that no disk decides."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath

from render.edge.files.listing import list_files
from render.findings.codes.disk import EMPTY, MISSING, TOO_LARGE, UNREADABLE
from render.findings.errors import InputError
from render.findings.results import Result
from render.model import Origin


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the project: its path relative to the project folder, with `/`, and its bytes."""

    path: str
    data: bytes


def read_sources(
    project: Path, entries: Sequence[str], *, suffixes: Sequence[str], limit_bytes: int | None
) -> tuple[tuple[SourceFile, ...], tuple[Result, ...]]:
    """Read files, and all files with these suffixes in folders and the folders below them.

    What is hidden is skipped, unless it is named itself. Links are followed, but not in circles.

    Args:
        project: the folder that the entries are relative to.
        entries: paths of files and folders; what two of them share is read once.
        suffixes: such as `.yaml`; a file that is named itself may have any.
        limit_bytes: how large all files together may be; None for any size.

    Returns:
        The files that could be read, sorted by path, and everything that is wrong.

    """
    results: list[Result] = []
    paths = {path for entry in entries for path in _paths(project, entry, suffixes, results)}
    files: list[SourceFile] = []
    total = 0
    for path in sorted(paths):
        try:
            total += _size(project / path)
            if limit_bytes is None or total <= limit_bytes:
                files.append(SourceFile(path, (project / path).read_bytes()))
        except OSError as error:
            results.append(unreadable(path, error))
    if limit_bytes is not None and total > limit_bytes:
        results.append(_too_large(entries, total, limit_bytes))
    return tuple(files), tuple(results)


def read_optional(project: Path, name: str) -> SourceFile | None:
    """Read one file of the project, or None where there is nothing of that name.

    Raises:
        InputError: it is there and can't be read.

    """
    path = normpath(name)
    try:
        _size(project / path)
        return SourceFile(path, (project / path).read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError((unreadable(path, error),)) from error


def unreadable(path: str, error: OSError) -> Result:
    """Say that the file or folder at `path` can't be read, and why."""
    shown = os.fsencode(path).decode(errors="backslashreplace")
    return UNREADABLE.result(
        f"{shown}: {error.strerror or error}",
        cure="make it a file or folder that your user can read, or take it out of the project",
        origin=Origin(shown),
    )


def _paths(
    project: Path, entry: str, suffixes: Sequence[str], results: list[Result]
) -> Sequence[str]:
    path = normpath(entry)
    try:
        is_folder = stat.S_ISDIR((project / path).stat().st_mode)
    except (FileNotFoundError, ValueError):  # ValueError: a NUL is in the name
        cure = f"make it in {project}, or correct the name"
        results.append(MISSING.result(f"{entry}: no such file or folder", cure=cure))
        return ()
    except OSError as error:
        results.append(unreadable(path, error))
        return ()
    if not is_folder:
        return (path,)
    paths, problems = list_files(project, path, suffixes)
    results += (unreadable(*problem) for problem in problems)
    if not (paths or problems):
        kinds = ", ".join(suffixes)
        cure = f"put {kinds} files there; hidden files are not read"
        results.append(EMPTY.result(f"{entry}: no {kinds} file in this folder", cure=cure))
    return paths


def _size(path: Path) -> int:
    """Ask for the size of what must be a regular file: reading a pipe could take for ever."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        message = "not a file"
        raise OSError(message)
    return status.st_size


def _too_large(entries: Sequence[str], total: int, limit: int) -> Result:
    return TOO_LARGE.result(
        f"{', '.join(entries)}: {total:,} bytes, where {limit:,} are allowed",
        cure="take out what is not the hub's, or raise `spec.maxHubBytes` in fleet.yaml",
    )
