"""Listing the files in a folder of the project, and in those below it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from errno import EFBIG, EILSEQ
from posixpath import normpath

from spokerender.model.sources import Source

MOST_ENTRIES = 100_000
"""More than any hub has; links to folders of links have as many as somebody likes."""

COST_OF_ANOTHER_WAY = 50
"""As many entries a folder counts where a link leads to it again: few ways lead to one."""

Problem = tuple[str, OSError]
"""What can't be listed, as a path, and why."""


def list_files(
    source: Source, folder: str, suffixes: Sequence[str]
) -> tuple[list[str], list[Problem]]:
    """List the files with these suffixes, in no particular order; what is hidden is skipped.

    Links are followed, but not to a folder that they are in: that would be a circle. Where there
    are more than `MOST_ENTRIES`, counted wherever links make them turn up, it ends. A folder
    counts more where it was listed before: mazes of links are made of such.

    Returns:
        Paths relative to the project, and what can't be listed.

    """
    paths: list[str] = []
    problems: list[Problem] = []
    seen = 0
    known: set[Hashable] = set()
    pending = [(folder, frozenset[Hashable]())]
    while pending:
        place, above = pending.pop()
        try:
            own = source.folder(place)
            inside = above | {own}
            entries = tuple(source.entries(place)) if inside != above else ()
        except OSError as error:
            problems.append((place, error))
            continue
        seen += (COST_OF_ANOTHER_WAY if own in known else 1) + len(entries)
        known.add(own)
        if seen > MOST_ENTRIES:
            message = f"more than {MOST_ENTRIES:,} files and folders, as links lead through it"
            return [], [*problems, (folder, OSError(EFBIG, message))]
        for name, is_folder in entries:
            path = normpath(f"{place}/{name}")
            if name.startswith("."):
                continue
            if not _is_text(name):
                problems.append((path, OSError(EILSEQ, "its name is not UTF-8")))
            elif is_folder:
                pending.append((path, inside))
            elif name.endswith(tuple(suffixes)):
                paths.append(path)
    return paths, problems


def _is_text(name: str) -> bool:
    """Whether the name can be said in UTF-8; Python keeps other bytes as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
