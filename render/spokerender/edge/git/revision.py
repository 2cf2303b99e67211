"""A project and its output as they were at a revision."""

import hashlib
import os
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from errno import EISDIR, ELOOP, ENOENT, ENOTDIR, EXDEV
from functools import lru_cache
from pathlib import Path

from spokerender.edge.git.repository import FOLDER, LINK, SUBMODULE, GitEntry, GitRepository
from spokerender.edge.presence import is_there, real, top_of
from spokerender.findings.errors import GitError
from spokerender.model.plan import own_files

_MOST_LINKS = 40
"""As many links as Linux follows on one path (path_resolution(7))."""


class AtRevision:
    """The files of a project and its output at a revision (`model.sources.Source`).

    Links are followed if their targets are in the revision.
    """

    def __init__(self, project: Path, revision: str) -> None:
        """Find the commit or tree that Git calls `revision` in the repository of the project.

        `project` is as the user typed it, and may have been deleted since. Raises `GitError`.
        """
        self._project = project
        self._revision = revision
        self._repository = GitRepository(project)
        # A tree as well as a commit: both have a folder at their top.
        self._top = GitEntry(FOLDER, self._repository.tree_at(revision).encode())
        self._folders: dict[bytes, dict[str, GitEntry]] = {}

    def shown(self, path: str) -> str:
        """Return a path with the revision before it, as Git writes it: `main:hub/a.yaml`."""
        return f"{self.prefix}{(self._project / path).as_posix()}"

    @property
    def prefix(self) -> str:
        """The beginning of every path as `shown` returns it: the revision."""
        return f"{self._revision}:"

    def on_disk(self, path: str) -> Path:
        """Return the path on disk of a path in the project, to look at its present state."""
        return self._project / path

    @property
    def commit(self) -> str:
        """The object name of the commit; "" if the revision is a tree."""
        return self._repository.commit_at(self._revision)

    @property
    def place(self) -> str:
        """The path of the project from the top of the repository."""
        return self._repository.inside or "."

    def gone(self, names: Collection[str]) -> tuple[Path, ...]:
        """Return the sorted folders that had a file in `names` at the revision but not on disk."""
        top = self._repository.top
        # Of the whole repository, as the project may have been anywhere in it.
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
        """Return our files at the revision in each output folder that differs from `rendered`.

        Empty if the revision had no output. Raises `GitError`.
        """
        place = os.path.normpath(f"{self._repository.inside}/{output}").lstrip("/")
        # An output beside the repository has no earlier state.
        own = {} if place.startswith("..") else own_files(self.tree(output, rendered))
        sides = [(it, own.get(it, {}), rendered.get(it, {})) for it in {*rendered, *own}]
        return {folder: was for folder, was, now in sides if own and was != now}

    def changed_folders(self, output: Path) -> set[str] | None:
        """Return the folders of an output on disk that may differ from the revision.

        None if Git is not asked: the output is in no or another repository, or the repository has
        filters of its own, which are programs that Git would start.
        """
        repository, place = self._repository, real(output)
        if top_of(place) != repository.top or repository.has_filters():
            return None
        inside = place.relative_to(repository.top).as_posix()
        # A rename would name the new folder only.
        differing = ("diff-index", "--name-only", "--no-renames", "-z", self._top.name.decode())
        listings = (
            repository.ask(*command, "--", inside)
            for command in (differing, ("ls-files", "--others", "-z"))
        )
        prefix = "" if inside == "." else f"{inside}/"
        # Names are bytes to Git; those that are not UTF-8 survive as surrogates.
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
            # One call for all folders of the hub, as each call starts Git.
            self._list(entry.name, "-r")  # those below will be needed as well
        inside = self._inside(entry)
        return [(name, self._is_folder(f"{folder}/{name}", inside[name])) for name in inside]

    def size(self, path: str) -> int:
        """Return the size of a file in bytes."""
        return self._file(path).size

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | OSError]:
        """Return the bytes of each file by path, or the error if the file can't be read."""
        entries: dict[str, GitEntry | OSError] = {}
        for path in paths:
            try:
                entries[path] = self._file(path)
            except OSError as error:
                entries[path] = error
        # Equal files are read once.
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
        """Return the entry that a path leads to, and its path without links. Raises `OSError`."""
        # Links put their steps in front of those that are left.
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
        """Remember the entries of a folder and, if `-r` is an option, of all folders below it."""
        names = {"": tree}
        self._folders[tree] = {}
        # With the folders themselves, and the sizes of files.
        for path, entry in self._repository.list_tree(tree.decode(), *options, "-t", "-l"):
            above, _, file_name = path.rpartition("/")
            self._folders[names[above]][file_name] = entry
            if entry.mode == FOLDER and options:
                names[path] = entry.name
                self._folders[entry.name] = {}


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]


_POINTER = b"version https://git-lfs.github.com/spec/"
"""The beginning of a pointer that Git has in place of a file in Git LFS (git-lfs, docs/spec.md)."""
MOST_BYTES = 2_000_000_000
"""More than any rendered tree has."""
_LONG = 64
"""The length of an object's name in a repository with SHA-256."""
_REMEMBERED = 1024  # files, by their names in Git: as many as a spoke may have


def read_tree(
    project: Path, output: Path, revision: str, likely: Mapping[str, Mapping[str, bytes]] = {}
) -> dict[str, dict[str, bytes]]:
    """Return the files of the output folder at a revision, from the repository of the project.

    An output outside that repository is read from its own; an output in a nested repository is
    refused. `output` is relative to `project`, and may have been deleted since. The result has, by
    folder of the output and path below it, the bytes of all regular files, whether or not we wrote
    them, as Git stores them (without `core.autocrlf`). Hidden folders, and files beside the
    folders, are left out. It is empty if there was no output. A file is not read if the name of its
    object shows that it equals the file in `likely`: few files differ from a fresh render. Raises
    `GitError` if there is no Git, no repository or no such revision; an object is missing; or the
    output is partly in another repository or in Git LFS, or is too large.
    """
    place = _place(project, output)
    top = top_of(project)
    # An output outside of the project's repository may be in one of its own.
    repository = GitRepository(project if top and place.is_relative_to(top) else place)
    # Found level by level, as only the output's folder is wanted.
    tree = _subtree(repository, repository.tree_at(revision), place)
    entries = dict(repository.list_tree(tree)) if tree else {}
    # The name of a folder stands for all its files: of a large tree most need no listing.
    alike = {
        folder: dict(likely[folder])
        for folder, entry in entries.items()
        if folder in likely
        and _is_named(entry, b"tree", _write_tree(likely[folder], len(entry.name)))
    }
    folders = dict[str, dict[str, bytes]]()
    unread = list[tuple[str, str, bytes]]()
    unlike = any(
        entry.mode in {FOLDER, SUBMODULE} for it, entry in entries.items() if it not in alike
    )
    for folder, path, entry in _files(repository, tree) if unlike else ():
        if folder not in alike:
            data = likely.get(folder, {}).get(path)
            # Set now, so that files keep their order whichever of them are read.
            folders.setdefault(folder, {})[path] = data or b""
            if data is None or not _is_named(entry, b"blob", data):
                unread.append((folder, path, entry.name))
    names = sorted({name for *_, name in unread})
    sizes = repository.sizes(names)
    # Checked before reading, as contents come all at once.
    if sum(sizes[name] for *_, name in unread) > MOST_BYTES:
        message = f"{place}: at {revision} it had more than {MOST_BYTES:,} bytes, as no tree has"
        raise GitError(message)
    contents = repository.read(names)
    for folder, path, name in unread:
        # A pointer would look like a file that lost everything.
        if contents[name].startswith(_POINTER):
            message = f"{place}: at {revision} {folder}/{path} was in Git LFS, which is not read"
            raise GitError(message)
        folders[folder][path] = contents[name]
    return alike | folders


def _is_named(entry: GitEntry, kind: bytes, data: bytes) -> bool:
    """Return whether Git gives an object of this kind and content the name of the entry."""
    return _name_object(kind, data, len(entry.name)).hex().encode() == entry.name


def _write_tree(files: Mapping[str, bytes], length: int) -> bytes:
    """Return the tree object of a folder with just these files; object names have `length` digits.

    The source of the format: "tree" in Git's Documentation/user-manual, and `tree.c` for the order.
    """
    below = dict[str, dict[str, bytes]]()
    entries = dict[str, bytes]()
    for path, data in files.items():
        name, _, rest = path.partition("/")
        if rest:
            below.setdefault(name, {})[rest] = data
        else:
            entries[name] = _write_entry(name, data, length)
    for name, inside in below.items():
        folder = os.fsencode(name), _name_object(b"tree", _write_tree(inside, length), length)
        # Git compares the name of a folder as if it ended in a slash.
        entries[f"{name}/"] = b"40000 %b\0%b" % folder
    return b"".join(entries[name] for name in sorted(entries, key=os.fsencode))


@lru_cache(_REMEMBERED)
def _write_entry(name: str, data: bytes, length: int) -> bytes:
    """Return the entry of a file in a tree object; remembered, as spokes share most files."""
    return b"100644 %b\0%b" % (os.fsencode(name), _name_object(b"blob", data, length))


def _name_object(kind: bytes, data: bytes, length: int) -> bytes:
    """Return the binary name of an object; its hexadecimal form has `length` digits."""
    # Twice as fast as hashlib.new(), which looks an algorithm up for each of all rendered files.
    algorithm = hashlib.sha256 if length == _LONG else hashlib.sha1
    return algorithm(b"%b %d\0%b" % (kind, len(data), data), usedforsecurity=False).digest()


def _place(project: Path, output: Path) -> Path:
    """Return the output's path without links, except links in the project, as they may be new."""
    above, whole = (Path(os.path.abspath(path)) for path in (project, project / output))  # noqa: PTH100  (`..` goes, there or not)
    if whole.is_relative_to(above):
        return real(project) / whole.relative_to(above)
    return real(whole)


def _subtree(repository: GitRepository, tree: str, place: Path) -> str:
    """Return the object name of the output folder; empty if there was none. Raises `GitError`."""
    folder = repository.top
    for step in place.relative_to(repository.top).parts:
        folder /= step
        # Level by level: only the output's own folders are listed.
        entry = dict(repository.list_tree(tree, paths=[step])).get(step)
        if entry is None:
            inner = top_of(place)
            if inner is None or repository.top not in inner.parents:
                return ""
            raise GitError(
                f"{place}: in another Git repository, at {inner}, inside that of the project, so "
                f"what was lost is not in {repository.top}; move it beside the project's repository"
            )
        if entry.mode != FOLDER:
            was = "a submodule" if entry.mode == SUBMODULE else "a file or a link"
            raise GitError(
                f"{folder}: was {was}, so the repository at {repository.top} has no output in it"
            )
        tree = entry.name.decode()
    return tree


def _files(repository: GitRepository, tree: str) -> Iterator[tuple[str, str, GitEntry]]:
    """Yield each regular file in the folders of a tree: its folder, its path there, its entry."""
    for path, entry in repository.list_tree(tree, "-r"):
        if entry.mode == SUBMODULE:
            raise GitError(f"{path} in the output was a submodule: its files are elsewhere")
        folder, _, rest = path.partition("/")
        if rest and entry.mode != LINK and not folder.startswith("."):
            yield folder, rest, entry


def find_submodules(folder: Path, paths: Sequence[str]) -> tuple[str, ...]:
    """Return those of the paths below `folder` that are submodules, or would be committed as such.

    Empty without Git or a repository: then no engine can read the output either.
    """
    try:
        repository = GitRepository(folder)
        inside = f"{repository.inside}/" if repository.inside else ""
        path_by_name = {f"{inside}{path}": path for path in paths}
        # Git holds each file against each path that it is asked for, so it is asked for all.
        listing = repository.ask("ls-files", "--stage", "-z", "--", repository.inside or ".")
    except GitError:
        return ()
    lines = (line for line in listing.split(b"\0") if line.startswith(SUBMODULE))
    submodule_paths = {os.fsdecode(line.partition(b"\t")[2]) for line in lines}
    return tuple(path_by_name[path] for path in sorted(submodule_paths & path_by_name.keys()))
