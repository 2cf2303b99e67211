"""What the output was at a revision."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from render.edge.git.repository import Repository


def read_tree(project: Path, output: Path, revision: str) -> dict[str, dict[str, bytes]]:
    """Read what the output folder held at a revision, from the repository that it is in.

    Args:
        project: the folder that a relative `output` is relative to.
        output: the output folder; need not be there any more.
        revision: what Git takes for a commit or a tree: a branch, a tag, `HEAD~1`.

    Returns:
        Folder of the output, then path below it, with `/`, and bytes as Git has them (whatever
        `core.autocrlf` does to the files on disk). These are all regular files, ours or not;
        hidden folders, and files beside the folders, are left out. Empty if there was no output.

    Raises:
        GitError: there is no Git, no repository, no such revision, or an object is missing.

    """
    repository = Repository(project / output)
    tree = _subtree(repository, repository.tree_at(revision))
    files = list(_files(repository, tree)) if tree else []
    data = repository.read(sorted({name for _, _, name in files}))
    found: dict[str, dict[str, bytes]] = {}
    for folder, path, name in files:
        found.setdefault(folder, {})[path] = data[name]
    return found


def _subtree(repository: Repository, tree: str) -> str:
    """Find the name of the output folder in a tree; empty where there is nothing."""
    answer = repository.run("rev-parse", "--verify", "--quiet", f"{tree}:{repository.inside}")
    return answer.stdout.strip().decode()


def _files(repository: Repository, tree: str) -> Iterator[tuple[str, str, bytes]]:
    """List the regular files below the folders of a tree: folder, path in it, object name.

    Git's modes: 100644 and 100755 are files, 120000 is a link, 160000 a submodule.
    """
    for line in repository.ask("ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0"):
        facts, _, path = line.partition(b"\t")
        mode, _, name = facts.partition(b" blob ")
        folder, _, rest = os.fsdecode(path).partition("/")
        if rest and mode.startswith(b"100") and not folder.startswith("."):
            yield folder, rest, name
