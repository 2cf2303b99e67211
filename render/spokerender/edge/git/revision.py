"""A project as it was at a revision."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from errno import EISDIR, ELOOP, ENOENT, ENOTDIR, EXDEV
from pathlib import Path
from typing import NamedTuple

from spokerender.edge.git.repository import Repository
from spokerender.edge.git.trees import read_tree
from spokerender.edge.presence import is_there

_FOLDER, _LINK, _SUBMODULE = b"040000", b"120000", b"160000"
"""Git's modes; all others are files (git-fast-import(1), `filemodify`)."""
_MOST_LINKS = 40
"""As many links as Linux follows on one path (path_resolution(7))."""


class _Entry(NamedTuple):
    """One thing in a Git tree: its mode, the name of its object, and how large a file is."""

    mode: bytes
    name: bytes
    size: int


class AtRevision:
    """The files of a project at a revision (`model.sources.Source`), and its output then.

    Links are followed as far as the revision has what they lead to.
    """

    def __init__(self, project: Path, revision: str) -> None:
        """Find the revision in the repository of the project's folder.

        Args:
            project: the folder, as the user typed it; need not be there any more.
            revision: what Git takes for a commit or a tree: a branch, a tag, `HEAD~1`.

        Raises:
            GitError: there is no Git, no repository, or no such revision.

        """
        self._project = project
        self._revision = revision
        self._repository = Repository(project)
        self._top = _Entry(_FOLDER, self._repository.tree_at(revision).encode(), 0)
        self._folders: dict[bytes, dict[str, _Entry]] = {}

    def shown(self, path: str) -> str:
        """The path, after the revision, as Git writes it."""
        return f"{self._revision}:{(self._project / path).as_posix()}"

    @property
    def place(self) -> str:
        """The project's folder, from the top of the repository."""
        return self._repository.inside or "."

    def gone(self, names: Collection[str]) -> tuple[Path, ...]:
        """The folders that had one of these files and have none of them on disk now, sorted."""
        top = self._repository.top
        listing = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", self._top.name.decode())
        paths = (os.fsdecode(path) for path in self._repository.ask(*listing).split(b"\0"))
        folders = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in names}
        there = (top / folder for folder in sorted(folders))
        return tuple(
            folder for folder in there if not any(is_there(folder / name) for name in names)
        )

    def tree(self, output: str) -> dict[str, dict[str, bytes]]:
        """Read what an output folder, relative to the project, held: see `read_tree`.

        Raises:
            GitError: it is in no repository, or not in one that has the revision.

        """
        return read_tree(self._project, Path(output), self._revision)

    def folder(self, path: str) -> tuple[str, ...] | None:
        """Where a folder is: its path from the top, without links; None for a file."""
        entry, place = self._find(path)
        return place if entry.mode == _FOLDER else None

    def entries(self, folder: str) -> list[tuple[str, bool]]:
        """The names in a folder, and whether each is a folder or a link to one."""
        entry, _ = self._find(folder)
        if entry.mode == _FOLDER and entry.name not in self._folders:
            self._look(entry.name, "-r")  # whoever asks for one will ask for those below
        inside = self._inside(entry)
        return [(name, self._is_folder(f"{folder}/{name}", inside[name])) for name in inside]

    def size(self, path: str) -> int:
        """The size of a file."""
        return self._file(path).size

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | OSError]:
        """The bytes of each file, or why there are none."""
        entries: dict[str, _Entry | OSError] = {}
        for path in paths:
            try:
                entries[path] = self._file(path)
            except OSError as error:
                entries[path] = error
        names = {entry.name for entry in entries.values() if isinstance(entry, _Entry)}
        data = self._repository.read(sorted(names))
        return {
            path: data[entry.name] if isinstance(entry, _Entry) else entry
            for path, entry in entries.items()
        }

    def _file(self, path: str) -> _Entry:
        entry, _ = self._find(path)
        if entry.mode == _FOLDER:
            raise OSError(EISDIR, "not a file")
        return entry

    def _is_folder(self, path: str, entry: _Entry) -> bool:
        if entry.mode != _LINK:
            return entry.mode in {_FOLDER, _SUBMODULE}  # who goes into the latter is told
        try:
            return self.folder(path) is not None
        except OSError:  # a link to nowhere; reading it will say so
            return False

    def _find(self, path: str) -> tuple[_Entry, tuple[str, ...]]:
        """What a path leads to, and where that is: its own path, from the top and without links.

        Raises:
            OSError: nothing is there, or it is not in the revision.

        """
        steps = deque(self._steps(path))
        trail, place, links = [self._top], list[str](), 0
        while steps:
            step = steps.popleft()
            if step == "..":
                if not place:
                    raise OSError(EXDEV, "outside the repository, so in no revision of it")
                trail.pop()
                place.pop()
                continue
            entry = self._inside(trail[-1]).get(step)
            if entry is None:
                raise FileNotFoundError(ENOENT, "No such file or directory")
            if entry.mode == _SUBMODULE:
                raise OSError(EXDEV, "a submodule: its files are in no revision of this repository")
            if entry.mode == _LINK:
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(ELOOP, "Too many levels of symbolic links")
                steps.extendleft(reversed(list(self._target(entry))))
            else:
                trail.append(entry)
                place.append(step)
        return trail[-1], tuple(place)

    def _steps(self, path: str) -> Iterator[str]:
        """The names from the top of the repository down to a path."""
        if path.startswith("/"):
            yield from _names(os.path.relpath(os.path.realpath(path), self._repository.top))
        else:
            yield from _names(f"{self._repository.inside}/{path}")

    def _target(self, link: _Entry) -> Iterator[str]:
        """The names that a link stands for."""
        target = os.fsdecode(self._repository.read([link.name])[link.name])
        if target.startswith("/"):
            raise OSError(EXDEV, "a link to an absolute path, which no revision has")
        yield from _names(target)

    def _inside(self, folder: _Entry) -> dict[str, _Entry]:
        if folder.mode != _FOLDER:
            raise NotADirectoryError(ENOTDIR, "Not a directory")
        if folder.name not in self._folders:
            self._look(folder.name)
        return self._folders[folder.name]

    def _look(self, tree: bytes, *options: str) -> None:
        """Keep what is in a folder and, with `-r`, in those below it."""
        names = {"": tree}
        self._folders[tree] = {}
        listing = ("ls-tree", *options, "-t", "-z", "-l", "--full-tree", tree.decode())
        for line in self._repository.ask(*listing).split(b"\0"):
            facts, _, data = line.partition(b"\t")
            if not facts:  # after the last one
                break
            mode, _, name, size = facts.split()
            path = os.fsdecode(data)
            above, _, own = path.rpartition("/")
            # A size that is no number: the object is missing, which who reads it is told.
            bytes_there = int(size) if size.isdigit() else 0
            self._folders[names[above]][own] = _Entry(mode, name, bytes_there)
            if mode == _FOLDER and options:
                names[path] = name
                self._folders[name] = {}


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]
