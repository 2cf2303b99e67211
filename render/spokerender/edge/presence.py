"""Tests whether something exists at a path that a user wrote, in an argument or a file.

`pathlib` raises if a name is too long or a folder can't be searched. Here such a path does not
exist, and the code that reads the path later reports why.
"""

import os
from pathlib import Path


def is_folder(path: str | Path) -> bool:
    """Return whether a folder, or a link to a folder, exists."""
    return os.path.isdir(path)  # noqa: PTH112  (returns False where `pathlib` raises)


def is_file(path: str | Path) -> bool:
    """Return whether a regular file, or a link to a regular file, exists."""
    return os.path.isfile(path)  # noqa: PTH113  (as above)


def is_there(path: str | Path) -> bool:
    """Return whether anything exists at a path; a broken link does not count."""
    return os.path.exists(path)  # noqa: PTH110  (as above)


def is_project(folder: str | Path) -> bool:
    """Return whether a folder has any file of a project, even if others are missing."""
    place = Path(folder)
    has_file = any(is_file(place / name) for name in ("fleet.yaml", "placement.yaml"))
    return has_file or is_folder(place / "hub")


def real(path: Path) -> Path:
    """Return a path with its links resolved, as far as the path exists."""
    return Path(os.path.realpath(os.path.abspath(path)))  # noqa: PTH100  (`..` goes, there or not)


def top_of(path: Path) -> Path | None:
    """Return the top of the repository that a path is in: the nearest folder upward with `.git`.

    A bare repository does not count: its files can be committed to another repository, and with
    them programs that Git would run (`safe.bareRepository` in git-config(1)).
    """
    whole = real(path)
    limits = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    ceilings = {real(Path(limit)) for limit in limits if limit}
    for folder in (whole, *whole.parents):
        if folder in ceilings and folder != whole:
            return None
        if is_file(folder / ".git") or is_file(folder / ".git/HEAD"):
            return folder
    return None
