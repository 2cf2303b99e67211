"""Folders that look empty and are submodules that nobody has checked out here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from spokerender.edge.git.repository import Repository
from spokerender.findings.errors import GitError

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
