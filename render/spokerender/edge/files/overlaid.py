"""A project as it would be if some of its files said something else."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from posixpath import normpath

from spokerender.model.sources import Source


class Overlaid:
    """Files of a project of which some that are there have other bytes (`model.sources.Source`)."""

    def __init__(self, below: Source, files: Mapping[str, bytes]) -> None:
        """`files` are by their paths in the project; all of them are there in `below`."""
        self._below = below
        self._files = {normpath(path): data for path, data in files.items()}

    def shown(self, path: str) -> str:
        """The path, as the user would type it."""
        return self._below.shown(path)

    def folder(self, path: str) -> Hashable | None:
        """What a folder is known by; None for what is no folder."""
        return self._below.folder(path)

    def entries(self, folder: str) -> Iterable[tuple[str, bool]]:
        """The names in a folder, and whether each is a folder."""
        return self._below.entries(folder)

    def size(self, path: str) -> int:
        """The size of a file, as it would be."""
        data = self._files.get(normpath(path))
        return len(data) if data is not None else self._below.size(path)

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | OSError]:
        """The bytes of each file, as they would be, or why it can't be read."""
        rest = self._below.read([path for path in paths if normpath(path) not in self._files])
        return {path: self._files.get(normpath(path), rest.get(path, b"")) for path in paths}
