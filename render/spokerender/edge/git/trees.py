"""The output at a revision, and the parts of it that are in other repositories."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from spokerender.edge.git.repository import FOLDER, LINK, SUBMODULE, GitEntry, GitRepository
from spokerender.edge.presence import real, top_of
from spokerender.findings.errors import GitError

_POINTER = b"version https://git-lfs.github.com/spec/"
"""The beginning of a file in Git LFS, as Git has it (git-lfs, docs/spec.md)."""
MOST_BYTES = 2_000_000_000
"""More than any rendered tree has."""
_LONG = 64
"""The length of an object's name in a repository with SHA-256."""
_REMEMBERED = 1024  # files, by their names in Git: as many as a spoke may have


def read_tree(
    project: Path, output: Path, revision: str, likely: Mapping[str, Mapping[str, bytes]] = {}
) -> dict[str, dict[str, bytes]]:
    """Read the output folder at a revision, from the repository of the project, as Git has it.

    An output outside of it is read from its own repository, one in a nested repository is refused;
    `output` is relative to `project`, and may be deleted by now.

    By folder of the output and path below it, these are the bytes of all regular files (whatever
    `core.autocrlf` does to those on disk), ours or not, except hidden folders and files beside the
    folders. Empty if there was no output. A file is not read from Git if its name there says that
    it has the bytes of the file in `likely`: mostly few files differ from a fresh render.

    Raises `GitError` if there is no Git, no repository or no such revision; an object is missing;
    or the output is partly in another repository or in Git LFS, or is too large.
    """
    place = _place(project, output)
    top = top_of(project)
    repository = GitRepository(project if top and place.is_relative_to(top) else place)
    tree = _subtree(repository, repository.tree_at(revision), place)
    folders: dict[str, dict[str, bytes]] = {}
    unread = list[tuple[str, str, bytes]]()
    for folder, path, entry in _files(repository, tree) if tree else ():
        data = likely.get(folder, {}).get(path)
        folders.setdefault(folder, {})[path] = data or b""
        if data is None or not _is_blob(entry.name, data):
            unread.append((folder, path, entry.name))
    names = sorted({name for *_, name in unread})
    sizes = repository.sizes(names)
    if sum(sizes[name] for *_, name in unread) > MOST_BYTES:
        message = f"{place}: at {revision} it had more than {MOST_BYTES:,} bytes, as no tree has"
        raise GitError(message)
    contents = repository.read(names)
    for folder, path, name in unread:
        if contents[name].startswith(_POINTER):
            message = f"{place}: at {revision} {folder}/{path} was in Git LFS, which is not read"
            raise GitError(message)
        folders[folder][path] = contents[name]
    return folders


@lru_cache(_REMEMBERED)
def _is_blob(name: bytes, data: bytes) -> bool:
    """Tell whether Git calls these bytes so; spokes share most of their files."""
    # Twice as fast as hashlib.new(), which looks an algorithm up for each of all rendered files.
    algorithm = hashlib.sha256 if len(name) == _LONG else hashlib.sha1
    whole = b"blob %d\0%b" % (len(data), data)
    return algorithm(whole, usedforsecurity=False).hexdigest().encode() == name


def _place(project: Path, output: Path) -> Path:
    """Return where the output is. Links below the project are not followed: they may be new."""
    above, whole = (Path(os.path.abspath(path)) for path in (project, project / output))  # noqa: PTH100  (`..` goes, there or not)
    if whole.is_relative_to(above):
        return real(project) / whole.relative_to(above)
    return real(whole)


def _subtree(repository: GitRepository, tree: str, place: Path) -> str:
    """Return the name of the output folder's object; empty without one. Raises `GitError`."""
    folder = repository.top
    for step in place.relative_to(repository.top).parts:
        folder /= step
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
    """Yield the regular files in the folders of a tree: folder, path in it, entry."""
    for path, entry in repository.list_tree(tree, "-r"):
        if entry.mode == SUBMODULE:
            raise GitError(f"{path} in the output was a submodule: its files are elsewhere")
        folder, _, rest = path.partition("/")
        if rest and entry.mode != LINK and not folder.startswith("."):
            yield folder, rest, entry


def find_submodules(folder: Path, paths: Sequence[str]) -> tuple[str, ...]:
    """Return those of the paths below a folder that are submodules, or would be committed as such.

    Empty without Git or a repository: then no engine can read them either.
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
