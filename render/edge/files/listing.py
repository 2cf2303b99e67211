"""Listing the files in a folder of the project, and in those below it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from errno import EILSEQ
from pathlib import Path
from posixpath import normpath

Problem = tuple[str, OSError]
"""What can't be listed, as a path, and why."""


def list_files(
    project: Path, folder: str, suffixes: Sequence[str]
) -> tuple[list[str], list[Problem]]:
    """List the files with these suffixes, in no particular order; what is hidden is skipped.

    Links are followed, but not to a folder that they are in: that would be a circle.

    Returns:
        Paths relative to `project`, and what can't be listed.

    """
    paths: list[str] = []
    problems: list[Problem] = []
    pending = [(folder, frozenset[tuple[int, int]]())]
    while pending:
        place, above = pending.pop()
        try:
            status = (project / place).stat()
            entries = _entries(project / place)
        except OSError as error:
            problems.append((place, error))
            continue
        inside = above | {(status.st_dev, status.st_ino)}
        for entry in entries if inside != above else ():
            path = normpath(f"{place}/{entry.name}")
            if not _is_text(entry.name):
                problems.append((path, OSError(EILSEQ, "its name is not UTF-8")))
            elif _is_folder(entry):
                pending.append((path, inside))
            elif entry.name.endswith(tuple(suffixes)):
                paths.append(path)
    return paths, problems


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle; reading it will say so
        return False


def _is_text(name: str) -> bool:
    """Whether the name can be said in UTF-8; Python keeps other bytes as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
