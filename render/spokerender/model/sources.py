"""Sources of a project's files: readers need not know whether the files are on disk or in Git."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

File = tuple[str, bytes]
"""A file's path, as messages name the file, and its bytes."""
Files = Sequence[File]


class SourceFile(Struct, frozen=True):
    """A file of the project: its path relative to the project folder, with `/`, and its bytes."""

    path: str
    data: bytes


class Source(Protocol):
    """The files of a project. Paths are relative to its folder, with `/`; links are followed.

    The `strerror` of an `OSError` is a message for the user.
    """

    def shown(self, path: str) -> str:
        """Return a path for messages, as the user would type it in the current folder."""

    def folder(self, path: str) -> Hashable | None:
        """Return the identity of a folder, whichever links lead to the folder; None for a file.

        Raises `OSError` if it can't be determined; if nothing is there, `FileNotFoundError`.
        """

    def entries(self, folder: str) -> Iterable[tuple[str, bool]]:
        """Return the names in a folder, in any order, each with whether it is a folder.

        Raises `OSError` if `folder` is no folder, or can't be read.
        """

    def size(self, path: str) -> int:
        """Return the size of a file without reading the file.

        Raises `OSError` if `path` is no regular file, or the size can't be determined.
        """

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | OSError]:
        """Return by path the bytes of each file, or the error if the file can't be read."""
