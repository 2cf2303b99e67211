"""Waiting for files to change: the only door to watchfiles, to which the system tells it."""

from __future__ import annotations

import os
from pathlib import Path

import watchfiles

from spokerender.edge.presence import is_folder

_SETTLED_MILLISECONDS = 100
"""As long nothing more may change before a change counts: editors and Git write files in turns."""
_PATIENCE_MILLISECONDS = 2_000
"""Where something changes all the time, a change counts after that."""
_LOOK_MILLISECONDS = 250
_HIDDEN = (".git", ".hg", ".svn")


class Watched:
    """Files and folders, and all that is below them, but for what `not_below` is above.

    What changes while nobody waits is told the next time.
    """

    def __init__(self, paths: tuple[Path, ...], not_below: tuple[Path, ...]) -> None:
        """Begin to watch what is there; what is not there is watched for in its folder."""
        self.asked = paths, not_below
        self.paths = tuple(dict.fromkeys(map(_real, paths)))
        self._left_out = tuple(map(_real, not_below))
        self._changes = watchfiles.watch(
            *dict.fromkeys(_nearest(path) for path in self.paths),
            watch_filter=lambda _, path: self._counts(Path(path)),
            debounce=_PATIENCE_MILLISECONDS,
            step=_SETTLED_MILLISECONDS,
            rust_timeout=_LOOK_MILLISECONDS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        self._early = self._next()  # it begins with the first question

    def wait(self) -> frozenset[Path]:
        """What has changed, when something has.

        Raises:
            KeyboardInterrupt: a signal came that ends us.

        """
        early, self._early = self._early, frozenset()
        while not early:
            early = self._next()
        return early

    def follow(self, before: Watched) -> None:
        """Take the place of another, with what it has seen until now; it watches no more."""
        self._early |= before._early | before._next()
        before._changes.close()

    def _next(self) -> frozenset[Path]:
        return frozenset(Path(path) for _, path in next(self._changes))

    def _counts(self, path: Path) -> bool:
        if any(path.is_relative_to(each) for each in self._left_out):
            return False
        inside = [each for each in self.paths if path.is_relative_to(each)]
        if any(each.is_relative_to(path) for each in self.paths):  # a folder that one of them is in
            return True
        return any(not _is_hidden(path.relative_to(each)) for each in inside)


def _is_hidden(path: Path) -> bool:
    """Whether it is of a version control, or made by Python while it ran."""
    return any(part in _HIDDEN or part == "__pycache__" for part in path.parts)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _nearest(path: Path) -> Path:
    """The folder to watch: a file that is replaced is another file with the same name."""
    folder = path if is_folder(path) else path.parent
    while not is_folder(folder):
        folder = folder.parent
    return folder
