"""The output at a revision, and the parts of it that are in other repositories."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from spokerender.edge.git.repository import Repository, real, top_of
from spokerender.findings.errors import GitError

_SUBMODULE = b"160000"
_POINTER = b"version https://git-lfs.github.com/spec/"
"""What a file in Git LFS begins with in Git (git-lfs, docs/spec.md)."""
MOST_BYTES = 2_000_000_000
"""More than any tree has; what is committed beside it is no tree."""


def read_tree(project: Path, output: Path, revision: str) -> dict[str, dict[str, bytes]]:
    """Read what the output folder held at a revision, from the repository of the project.

    A repository inside that one has no say. An output elsewhere is read from the one it is in.

    Args:
        project: the folder that a relative `output` is relative to.
        output: the output folder; need not be there any more.
        revision: what Git takes for a commit or a tree: a branch, a tag, `HEAD~1`.

    Returns:
        Folder of the output, then path below it, with `/`, and bytes as Git has them (whatever
        `core.autocrlf` does to the files on disk). These are all regular files, ours or not;
        hidden folders, and files beside the folders, are left out. Empty if there was no output.

    Raises:
        GitError: there is no Git, no repository, no such revision, an object is missing, or the
            output or a part of it is in another repository or in Git LFS, or was larger than any.

    """
    place = _place(project, output)
    top = top_of(project)
    repository = Repository(project if top and place.is_relative_to(top) else place)
    tree = _subtree(repository, repository.tree_at(revision), place)
    files = list(_files(repository, tree)) if tree else []
    if sum(size for *_, size in files) > MOST_BYTES:
        message = f"{place}: at {revision} it had more than {MOST_BYTES:,} bytes, as no tree has"
        raise GitError(message)
    data = repository.read(sorted({name for _, _, name, _ in files}))
    for folder, path, name, _ in files:
        if data[name].startswith(_POINTER):
            message = f"{place}: at {revision} {folder}/{path} was in Git LFS, which is not asked"
            raise GitError(message)
    folders: dict[str, dict[str, bytes]] = {}
    for folder, path, name, _ in files:
        folders.setdefault(folder, {})[path] = data[name]
    return folders


def _place(project: Path, output: Path) -> Path:
    """Where the output is. Below the project no link is followed: it may not be one of then."""
    above, whole = (Path(os.path.abspath(path)) for path in (project, project / output))  # noqa: PTH100  (`..` goes, there or not)
    if whole.is_relative_to(above):
        return real(project) / whole.relative_to(above)
    return real(whole)


def _subtree(repository: Repository, tree: str, place: Path) -> str:
    """Find the name of the output folder in a tree; empty where there is nothing.

    Raises:
        GitError: it was no folder, or is in another repository.

    """
    folder = repository.top
    for step in place.relative_to(repository.top).parts:
        folder /= step
        entry = repository.ask("ls-tree", "-z", "--full-tree", tree, "--", step)
        if not entry:
            _refuse_inner(repository, place)
            return ""
        _, kind, name = entry.partition(b"\t")[0].split()
        if kind != b"tree":
            was = "a submodule" if kind == b"commit" else "a file or a link"
            message = (
                f"{folder}: was {was}, so the repository at {repository.top} has no output in it"
            )
            raise GitError(message)
        tree = name.decode()
    return tree


def _refuse_inner(repository: Repository, place: Path) -> None:
    """Refuse an output of which the repository knows nothing because it is in another's folder."""
    inner = top_of(place)
    if inner is not None and inner != repository.top and inner.is_relative_to(repository.top):
        message = (
            f"{place}: in another Git repository, at {inner}, inside that of the project, so "
            f"{repository.top} can't say what was lost; have it beside the project's, not inside"
        )
        raise GitError(message)


def _files(repository: Repository, tree: str) -> Iterator[tuple[str, str, bytes, int]]:
    """List the regular files below the folders of a tree: folder, path in it, object name, size.

    Git's modes: 100644 and 100755 are files, 120000 is a link, 160000 a submodule.
    """
    for line in repository.ask("ls-tree", "-r", "-z", "-l", "--full-tree", tree).split(b"\0"):
        facts, _, path = line.partition(b"\t")
        if facts.startswith(_SUBMODULE):
            message = f"{os.fsdecode(path)} in the output was a submodule: what it had is elsewhere"
            raise GitError(message)
        mode, _, object_ = facts.partition(b" blob ")
        name, _, size = object_.partition(b" ")
        folder, _, rest = os.fsdecode(path).partition("/")
        if rest and mode.startswith(b"100") and not folder.startswith("."):
            # A size that is no number: the object is missing, which who reads it is told.
            yield folder, rest, name, int(size) if size.strip().isdigit() else 0


_SUBMODULE = b"160000"


def submodules(folder: Path, paths: Sequence[str]) -> tuple[str, ...]:
    """Those of the paths below a folder that Git has for submodules, or would commit as such.

    None where there is no Git, or no repository: then nobody can get what is in them.
    """
    try:
        repository = Repository(folder)
        inside = f"{repository.inside}/" if repository.inside else ""
        named = {f"{inside}{path}": path for path in paths}
        listing = repository.ask("ls-files", "--stage", "-z", "--", *named)
    except GitError:
        return ()
    entries = (line.partition(b"\t") for line in listing.split(b"\0"))
    there = {os.fsdecode(path) for facts, _, path in entries if facts.startswith(_SUBMODULE)}
    return tuple(named[path] for path in sorted(there & named.keys()))
