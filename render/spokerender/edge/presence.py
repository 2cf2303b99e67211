"""Asking what is at a path that somebody wrote, in an argument or a file.

`pathlib` raises where a name is too long, or a folder may not be looked into; what nobody can look
at is not there, and whoever goes on to read it says why.
"""

from __future__ import annotations

import os
from pathlib import Path


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there, or a link to one."""
    return os.path.isdir(path)  # noqa: PTH112  (says no where `pathlib` raises)


def is_file(path: str | Path) -> bool:
    """Whether a regular file is there, or a link to one."""
    return os.path.isfile(path)  # noqa: PTH113  (as above)


def is_there(path: str | Path) -> bool:
    """Whether anything is there, or a link to it."""
    return os.path.exists(path)  # noqa: PTH110  (as above)
