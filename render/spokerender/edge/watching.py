"""Waiting for files to change, by watchfiles; no other module imports it."""

from __future__ import annotations

import os
from pathlib import Path

import watchfiles

from spokerender.edge.presence import is_folder

_SETTLED_MILLISECONDS = 100
"""A change counts when nothing else has changed for as long: editors and Git write in steps."""
_PATIENCE_MILLISECONDS = 2_000
"""If something changes all the time, a change counts after that."""
_LOOK_MILLISECONDS = 250
_HIDDEN = frozenset({".git", ".hg", ".svn", "__pycache__"})
"""Folders of version control, and of what Python writes as it runs."""


class Watched:
    """Watched files and folders with everything below them, except what is below `not_below`.

    Changes while nobody waits are returned by the next `wait`.
    """

    def __init__(self, paths: tuple[Path, ...], not_below: tuple[Path, ...]) -> None:
        """Begin to watch; for a path that does not exist its folder is watched."""
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
        self._early = self._next()  # watchfiles begins with the first request

    def wait(self) -> frozenset[Path]:
        """Wait for a change; return the paths that changed. A signal raises `KeyboardInterrupt`."""
        early, self._early = self._early, frozenset()
        while not early:
            early = self._next()
        return early

    def follow(self, before: Watched) -> None:
        """Take over from another one, which stops, with the changes that it has seen."""
        self._early |= before._early | before._next()
        before._changes.close()

    def _next(self) -> frozenset[Path]:
        return frozenset(Path(path) for _, path in next(self._changes))

    def _counts(self, path: Path) -> bool:
        if any(path.is_relative_to(folder) for folder in self._left_out):
            return False
        roots = [root for root in self.paths if path.is_relative_to(root)]
        if any(root.is_relative_to(path) for root in self.paths):  # a folder above a watched path
            return True
        return any(_HIDDEN.isdisjoint(path.relative_to(root).parts) for root in roots)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _nearest(path: Path) -> Path:
    """Return the folder to watch: a file that is replaced is another file of the same name."""
    folder = path if is_folder(path) else path.parent
    while not is_folder(folder):
        folder = folder.parent
    return folder
