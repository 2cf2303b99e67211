"""A project as it was at a revision."""

import os
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from errno import EISDIR, ELOOP, ENOENT, ENOTDIR, EXDEV
from pathlib import Path

from spokerender.edge.git.repository import FOLDER, LINK, SUBMODULE, GitEntry, GitRepository
from spokerender.edge.git.trees import read_tree
from spokerender.edge.presence import is_there, real, top_of
from spokerender.model.plan import is_ours

_MOST_LINKS = 40
"""As many links as Linux follows on one path (path_resolution(7))."""


class AtRevision:
    """The files of a project at a revision (`model.sources.Source`), and its output then.

    Links are followed if their targets are in the revision.
    """

    def __init__(self, project: Path, revision: str) -> None:
        """Find a commit or a tree, as Git reads it, in the repository of the project's folder.

        The folder is as the user typed it, and may be deleted by now. Raises `GitError`.
        """
        self._project = project
        self._revision = revision
        self._repository = GitRepository(project)
        self._top = GitEntry(FOLDER, self._repository.tree_at(revision).encode())
        self._folders: dict[bytes, dict[str, GitEntry]] = {}

    def shown(self, path: str) -> str:
        """Return a path after the revision, as Git writes it."""
        return f"{self._revision}:{(self._project / path).as_posix()}"

    def on_disk(self, path: str) -> Path:
        """Return where a path of the project was, for what is there now."""
        return self._project / path

    @property
    def place(self) -> str:
        """The path of the project from the top of the repository."""
        return self._repository.inside or "."

    def gone(self, names: Collection[str]) -> tuple[Path, ...]:
        """Return the folders, sorted, that had one of these files then, and have none on disk."""
        top = self._repository.top
        listing = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", self._top.name.decode())
        paths = (os.fsdecode(path) for path in self._repository.ask(*listing).split(b"\0"))
        folders = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in names}
        there = (top / folder for folder in sorted(folders))
        return tuple(
            folder for folder in there if not any(is_there(folder / name) for name in names)
        )

    def find_unbuilt(
        self, output: str, rendered: Mapping[str, Mapping[str, bytes]]
    ) -> dict[str, dict[str, bytes]]:
        """Return our files in the folders of an output that had others at the revision.

        None are where the revision had no output. Raises `GitError`.
        """
        place = os.path.normpath(f"{self._repository.inside}/{output}").lstrip("/")
        committed = {} if place.startswith("..") else self.tree(output, rendered)
        own = {
            folder: {path: data for path, data in files.items() if is_ours(data)}
            for folder, files in committed.items()
        }
        folders = {*rendered, *own} if committed else set[str]()
        sides = ((folder, own.get(folder, {}), rendered.get(folder, {})) for folder in folders)
        return {folder: was for folder, was, now in sides if was != now}

    def changed_folders(self, output: Path) -> set[str] | None:
        """Return the folders of an output on disk that may not be as they were at the revision.

        None where Git is not asked: the output is in another repository or in none, or this one
        has filters of its own, which are programs that Git would start.
        """
        repository, place = self._repository, real(output)
        if top_of(place) != repository.top or repository.has_filters():
            return None
        inside = place.relative_to(repository.top).as_posix()
        differing = ("diff-index", "--name-only", "--no-renames", "-z", self._top.name.decode())
        listings = (
            repository.ask(*command, "--", inside)
            for command in (differing, ("ls-files", "--others", "-z"))
        )
        prefix = "" if inside == "." else f"{inside}/"
        paths = (os.fsdecode(path) for listing in listings for path in listing.split(b"\0")[:-1])
        return {path.removeprefix(prefix).partition("/")[0] for path in paths}

    def tree(
        self, output: str, likely: Mapping[str, Mapping[str, bytes]] = {}
    ) -> dict[str, dict[str, bytes]]:
        """Read an output folder of the project, as `read_tree` does. Raises `GitError`."""
        return read_tree(self._project, Path(output), self._revision, likely)

    def folder(self, path: str) -> tuple[str, ...] | None:
        """Return the path of a folder from the top, without links; None for a file."""
        entry, place = self._find(path)
        return place if entry.mode == FOLDER else None

    def entries(self, folder: str) -> list[tuple[str, bool]]:
        """Return the names in a folder, each with whether it is a folder or a link to one."""
        entry, _ = self._find(folder)
        if entry.mode == FOLDER and entry.name not in self._folders:
            self._list(entry.name, "-r")  # those below will be needed as well
        inside = self._inside(entry)
        return [(name, self._is_folder(f"{folder}/{name}", inside[name])) for name in inside]

    def size(self, path: str) -> int:
        """Return the size of a file in bytes."""
        return self._file(path).size

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | OSError]:
        """Return the bytes of each file, or why it can't be read."""
        entries: dict[str, GitEntry | OSError] = {}
        for path in paths:
            try:
                entries[path] = self._file(path)
            except OSError as error:
                entries[path] = error
        names = {entry.name for entry in entries.values() if isinstance(entry, GitEntry)}
        data = self._repository.read(sorted(names))
        return {
            path: data[entry.name] if isinstance(entry, GitEntry) else entry
            for path, entry in entries.items()
        }

    def _file(self, path: str) -> GitEntry:
        entry, _ = self._find(path)
        if entry.mode == FOLDER:
            raise OSError(EISDIR, "not a file")
        return entry

    def _is_folder(self, path: str, entry: GitEntry) -> bool:
        if entry.mode != LINK:
            return entry.mode in {FOLDER, SUBMODULE}  # opening the latter is an error
        try:
            return self.folder(path) is not None
        except OSError:  # a broken link; reading it reports that
            return False

    def _find(self, path: str) -> tuple[GitEntry, tuple[str, ...]]:
        """Return what a path leads to, and the path of that without links. Raises `OSError`."""
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
            if entry.mode == SUBMODULE:
                raise OSError(EXDEV, "a submodule: its files are in no revision of this repository")
            if entry.mode == LINK:
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(ELOOP, "Too many levels of symbolic links")
                steps.extendleft(reversed(list(self._target(entry))))
            else:
                trail.append(entry)
                place.append(step)
        return trail[-1], tuple(place)

    def _steps(self, path: str) -> Iterator[str]:
        """Yield the names from the top of the repository down to a path."""
        if path.startswith("/"):
            yield from _names(os.path.relpath(os.path.realpath(path), self._repository.top))
        else:
            yield from _names(f"{self._repository.inside}/{path}")

    def _target(self, link: GitEntry) -> Iterator[str]:
        target = os.fsdecode(self._repository.read([link.name])[link.name])
        if target.startswith("/"):
            raise OSError(EXDEV, "a link to an absolute path, which no revision has")
        yield from _names(target)

    def _inside(self, folder: GitEntry) -> dict[str, GitEntry]:
        if folder.mode != FOLDER:
            raise NotADirectoryError(ENOTDIR, "Not a directory")
        if folder.name not in self._folders:
            self._list(folder.name)
        return self._folders[folder.name]

    def _list(self, tree: bytes, *options: str) -> None:
        """Read the entries of a folder and, with `-r`, of those below it."""
        names = {"": tree}
        self._folders[tree] = {}
        for path, entry in self._repository.list_tree(tree.decode(), *options, "-t", "-l"):
            above, _, file_name = path.rpartition("/")
            self._folders[names[above]][file_name] = entry
            if entry.mode == FOLDER and options:
                names[path] = entry.name
                self._folders[entry.name] = {}


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]
