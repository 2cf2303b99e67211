"""Plans: which files to create, update and delete so that the output equals the rendered tree.

Files that spokerender writes have `HEADER` as their first line; no other file is ever changed.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

Progress = Callable[[int, int], None]
"""Called with the number of items that are done, and the number of all items."""

HEADER = b"# Rendered by spokerender. Do not edit: change the hub or the placement instead.\n"
"""The first line of every file that is written; without version and date, so it never changes."""

KUSTOMIZATION = "kustomization.yaml"
"""The file in a spoke's folder that lists the folder's other files."""

FIRST_LINE_SIZE = len(HEADER) + 1
"""The number of bytes that `is_ours` needs: the line, and one more for a carriage return."""

_LINE = HEADER.removesuffix(b"\n")


def is_ours(data: bytes) -> bool:
    """Return whether the first line of `data` is `HEADER`; it may end with CRLF."""
    # The first line alone, as this is asked for every file of a fleet.
    first_line = data[:FIRST_LINE_SIZE].partition(b"\n")[0]
    return first_line.removesuffix(b"\r") == _LINE


def own_files(tree: Mapping[str, Mapping[str, bytes]]) -> dict[str, dict[str, bytes]]:
    """Return the files of a tree that spokerender wrote, by folder and path."""
    return {
        folder: {path: data for path, data in files.items() if is_ours(data)}
        for folder, files in tree.items()
    }


def is_beginning(data: bytes) -> bool:
    """Return whether `data` is our file, or the beginning of a file that a killed build wrote."""
    # A killed write may have ended anywhere, even before the first byte.
    return HEADER.startswith(data) or is_ours(data)


def has_conflict(data: bytes) -> bool:
    """Return whether `data` has Git's conflict markers; if so, Git's history has both versions."""
    # The other markers also occur in Markdown and in YAML.
    return any(line.startswith(b"<<<<<<<") for line in data.splitlines())


def mentions_us(data: bytes) -> bool:
    """Return whether any line of `data` is our header: a merge may have moved it."""
    return _LINE in data.splitlines()


FilePair = tuple[str, str, bytes | None, bytes | None]
"""Folder, path below it, old bytes and new bytes; the bytes are None if there is no such file."""


class TreeSource(Protocol):
    """The rendered tree. The bytes of a folder are made when they are asked for."""

    @property
    def folders(self) -> Sequence[str]:
        """Return the names of the folders in the output: the spokes, and `_fleet`."""

    def paths(self, folder: str) -> Collection[str]:
        """Return the paths of the folder's files, without making the files."""

    def files(self, folder: str, paths: Collection[str] | None = None) -> Mapping[str, bytes]:
        """Return the files of the folder by path, with `/`; the bytes start with `HEADER`.

        If `paths` is given, at least these files are returned: a few of many files take less time.
        Repeated calls, also in other processes, return the same. A folder without files is removed.
        """


class FolderPlan(Struct, frozen=True, kw_only=True):
    """The changes in one folder of the output; paths are relative to it, sorted, with `/`."""

    folder: str
    create: tuple[str, ...] = ()
    update: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    unchanged: int = 0
    """The number of files that are up to date."""
    foreign: tuple[str, ...] = ()
    """Files that spokerender did not write; they are left alone."""
    blocked: tuple[str, ...] = ()
    """Paths of files to write at which there is something that spokerender did not write.

    The path of the folder itself is `.`.
    """
    emptied: tuple[str, ...] = ()
    """Folders below `folder` that have no files after the change; deepest first."""
    is_new: bool = False
    """The folder does not exist yet."""
    is_removed: bool = False
    """The folder has no files after the change."""

    @property
    def changes(self) -> int:
        """Return the number of files that are created, updated or deleted."""
        return len(self.create) + len(self.update) + len(self.delete)

    @property
    def says_something(self) -> bool:
        """Return whether there is anything to report."""
        return bool(self.changes or self.foreign or self.blocked or self.emptied)


class Plan(Struct, frozen=True):
    """The changes in the output; `folders` are those with something to report, sorted by name."""

    folders: tuple[FolderPlan, ...] = ()
    unchanged: int = 0
    """The number of files that are up to date, in all folders."""
    strays: tuple[str, ...] = ()
    """Files in the staging folder that no build created, relative to the output."""
    others: tuple[str, ...] = ()
    """Other folders in the output, in which spokerender wrote nothing."""
    hollow: tuple[str, ...] = ()
    """Other folders in the output that are empty, such as a submodule that is not checked out."""
    beside: tuple[str, ...] = ()
    """Files and links in the output, beside the folders; spokerender writes nothing there."""

    @property
    def is_empty(self) -> bool:
        """Return whether every file on disk is up to date."""
        return not any(folder.changes for folder in self.folders)

    @property
    def created(self) -> int:
        """Return the number of created files."""
        return sum(len(folder.create) for folder in self.folders)

    @property
    def updated(self) -> int:
        """Return the number of updated files."""
        return sum(len(folder.update) for folder in self.folders)

    @property
    def deleted(self) -> int:
        """Return the number of deleted files."""
        return sum(len(folder.delete) for folder in self.folders)


def planned(folder: str, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> FolderPlan:
    """Return the changes from `old`, which has only our files, to `new`; both are files by path."""
    return FolderPlan(
        folder=folder,
        create=tuple(sorted(new.keys() - old.keys())),
        update=tuple(sorted(path for path in new.keys() & old.keys() if new[path] != old[path])),
        delete=tuple(sorted(old.keys() - new.keys())),
        unchanged=sum(old.get(path) == data for path, data in new.items()),
        is_new=not old,
        is_removed=not new,
    )


def find_first_difference(one: bytes, other: bytes) -> int:
    """Return the number of the first line (from 1) in which two files differ."""
    lines, others = one.split(b"\n"), other.split(b"\n")
    pairs = enumerate(zip(lines, others, strict=False), 1)
    return next((number for number, (a, b) in pairs if a != b), min(len(lines), len(others)) + 1)


def split_plan(plan: Plan, folder: str, path: str) -> tuple[Plan, Plan]:
    """Return two plans: the creation or update of the file `path`, and all other changes.

    The first plan is empty if the file does not change.
    """
    own = next((item for item in plan.folders if item.folder == folder), None)
    if own is None or path not in (*own.create, *own.update):
        return Plan(), plan
    first = FolderPlan(
        folder=folder,
        create=(path,) if path in own.create else (),
        update=(path,) if path in own.update else (),
        is_new=own.is_new,
    )
    rest = replace(
        own,
        create=tuple(other for other in own.create if other != path),
        update=tuple(other for other in own.update if other != path),
        # Whoever executes the first plan creates the folder.
        is_new=False,
    )
    folders = tuple(rest if item is own else item for item in plan.folders)
    return Plan((first,)), replace(plan, folders=folders)
