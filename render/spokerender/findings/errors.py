"""Errors that users can fix; any other exception is a crash and exits 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spokerender.findings.results import Result


class RenderError(Exception):
    """An error that the user can fix: reported without a traceback, exit 2."""


class InputError(RenderError):
    """The input is invalid; carries every problem, not only the first."""

    def __init__(self, results: tuple[Result, ...]) -> None:
        super().__init__(f"{len(results)} problems in the input")
        self.results = results


class DiskError(RenderError):
    """A disk error: full, read-only, locked by another build."""


class GitError(RenderError):
    """The folder is not in a Git repository, or the revision is not in it."""


class NothingCommittedError(GitError):
    """There is no repository, or none with a commit in it."""
