"""Where the files of a project come from: what reads them does not ask whether disk or Git."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct


class SourceFile(Struct, frozen=True):
    """A file of the project: its path relative to the project folder, with `/`, and its bytes."""

    path: str
    data: bytes


class Source(Protocol):
    """The files of a project. Paths are relative to its folder, with `/`; links are followed.

    What can't be had is an `OSError`: its `strerror` says why, in words for the user.
    """

    def shown(self, path: str) -> str:
        """What a path is called in messages: as the user would type it from where they are."""

    def folder(self, path: str) -> Hashable | None:
        """What the folder at a path is known by, whichever links lead to it; None for a file.

        Raises:
            OSError: nothing is there (`FileNotFoundError`), or nobody can tell.

        """

    def entries(self, folder: str) -> Iterable[tuple[str, bool]]:
        """The names in a folder, in any order, and whether each is a folder.

        Raises:
            OSError: it is no folder, or can't be read.

        """

    def size(self, path: str) -> int:
        """The size of a file, without reading it.

        Raises:
            OSError: it is no regular file, or nobody can tell.

        """

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | OSError]:
        """The bytes of each file, or why it can't be read."""
