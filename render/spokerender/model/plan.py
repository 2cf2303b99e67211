"""What must be done on disk to make it equal to what was rendered."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from msgspec import Struct


class TreeSource(Protocol):
    """What shall be on disk. The bytes of a folder are made when they are asked for."""

    @property
    def folders(self) -> Sequence[str]:
        """The names of the folders in the output, each once: spokes, and `_fleet`."""

    def paths(self, folder: str) -> Collection[str]:
        """The paths that `files` would have, without making the files."""

    def files(self, folder: str) -> Mapping[str, bytes]:
        """Each file of the folder: path below it, with `/`, and bytes that begin with `HEADER`.

        Asked for more than once, also in another process; the answer is always the same.
        A folder without files is one that shall not be.
        """


class FolderPlan(Struct, frozen=True, kw_only=True):
    """What one folder of the output needs. Paths are relative to it, sorted, with `/`."""

    folder: str
    create: tuple[str, ...] = ()
    update: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    unchanged: int = 0
    """How many files are right as they are."""
    foreign: tuple[str, ...] = ()
    """Files of others; they are left alone."""
    blocked: tuple[str, ...] = ()
    """Where a file must be written, or a folder must be, and something stands that is not ours.

    The folder itself is `.`.
    """
    emptied: tuple[str, ...] = ()
    """Folders in which no file is, or will be; deepest first."""
    is_new: bool = False
    """Nothing has its name yet."""
    is_removed: bool = False
    """No file shall be in it any more."""

    @property
    def changes(self) -> int:
        """How many files are created, updated and deleted."""
        return len(self.create) + len(self.update) + len(self.delete)

    @property
    def says_something(self) -> bool:
        """Whether there is more to tell than that all of it is right."""
        return bool(self.changes or self.foreign or self.blocked or self.emptied)


class Plan(Struct, frozen=True):
    """What the output needs. Only folders with something to say are in it, sorted by name."""

    folders: tuple[FolderPlan, ...] = ()
    unchanged: int = 0
    """How many files are right as they are, in all folders."""
    strays: tuple[str, ...] = ()
    """Files in the staging folder, relative to the output, that no build of ours left there."""
    others: tuple[str, ...] = ()
    """Folders beside those that shall be there, in which something is and nothing is ours."""
    hollow: tuple[str, ...] = ()
    """Folders beside those in which nothing is: a submodule that is not checked out is one."""
    beside: tuple[str, ...] = ()
    """Files and links beside the folders; nothing is written there."""

    @property
    def is_empty(self) -> bool:
        """Whether every file on disk is as it shall be."""
        return not any(folder.changes for folder in self.folders)

    @property
    def created(self) -> int:
        """How many files are created."""
        return sum(len(folder.create) for folder in self.folders)

    @property
    def updated(self) -> int:
        """How many files are updated."""
        return sum(len(folder.update) for folder in self.folders)

    @property
    def deleted(self) -> int:
        """How many files are deleted."""
        return sum(len(folder.delete) for folder in self.folders)


def planned(folder: str, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> FolderPlan:
    """What a folder needs to become `new`, where all of `old` is ours."""
    return FolderPlan(
        folder=folder,
        create=tuple(sorted(new.keys() - old.keys())),
        update=tuple(sorted(path for path in new.keys() & old.keys() if new[path] != old[path])),
        delete=tuple(sorted(old.keys() - new.keys())),
        unchanged=sum(old.get(path) == data for path, data in new.items()),
        is_new=not old,
        is_removed=not new,
    )
