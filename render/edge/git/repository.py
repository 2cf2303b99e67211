"""Asking Git: where a path is in its repository, what a revision is, what objects hold."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from render.findings.errors import GitError

_OBJECT_NAME = re.compile(rb"[0-9a-f]{40,64}")
_BATCH = 4_000
"""How many objects are read at once: enough to make starting a process cheap."""
_HOOK_VARIABLES = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_INDEX_FILE"})
"""Set for a Git hook, and right only in the folder that it is started in."""


class Repository:
    """The repository that a path is in, whether the path is there now or only was."""

    def __init__(self, path: Path) -> None:
        """Look from the nearest folder that is there.

        Raises:
            GitError: there is no Git, or no repository.

        """
        self._here, rest = _nearest_folder(path)
        prefix = os.fsdecode(self.ask("rev-parse", "--show-prefix").removesuffix(b"\n"))
        self.inside = (prefix + rest).removesuffix("/")
        """The path from the top of the repository, with `/`; empty for the top itself."""

    def top(self) -> str:
        """The path of the top on disk, without links.

        Raises:
            GitError: it has no working tree.

        """
        return os.fsdecode(self.ask("rev-parse", "--show-toplevel").removesuffix(b"\n"))

    def tree_at(self, revision: str) -> str:
        """Find the name of a revision's tree. What begins with `-` is an option to Git, so refused.

        Raises:
            GitError: it is no revision of this repository.

        """
        if revision and not revision.startswith("-") and "\0" not in revision:
            answer = self.run("rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
            name = answer.stdout.strip()
            if answer.returncode == 0 and _OBJECT_NAME.fullmatch(name):
                return name.decode()
        message = (
            f"{revision!r} is no revision of the Git repository at {self._here}; "
            "if it is one elsewhere, fetch it (a checkout in CI often has a single commit)"
        )
        raise GitError(message)

    def read(self, names: Sequence[bytes]) -> dict[bytes, bytes]:
        """Read the bytes of each object.

        Raises:
            GitError: one is missing.

        """
        found: dict[bytes, bytes] = {}
        for start in range(0, len(names), _BATCH):
            batch = names[start : start + _BATCH]
            answer = self.ask("cat-file", "--batch", lines=batch)
            place = 0
            for name in batch:
                header, _, _ = answer[place : place + 100].partition(b"\n")
                size = header.removeprefix(name + b" blob ")
                if not size.isdigit():
                    lacking = f"the Git repository lacks object {name.decode()}; fetch it"
                    message = f"{self._here}: {lacking}"
                    raise GitError(message)
                place += len(header) + 1
                found[name] = answer[place : place + int(size)]
                place += int(size) + 1
        return found

    def ask(self, *arguments: str, lines: Sequence[bytes] = ()) -> bytes:
        """Run Git and return what it says.

        Raises:
            GitError: it failed, in its own words.

        """
        answer = self.run(*arguments, lines=lines)
        if answer.returncode:
            reason = answer.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
            message = f"{self._here}: {reason or f'git {arguments[0]} failed'}"
            raise GitError(message)
        return answer.stdout

    def run(
        self, *arguments: str, lines: Sequence[bytes] = ()
    ) -> subprocess.CompletedProcess[bytes]:
        """Run Git, whatever comes of it.

        Raises:
            GitError: it can't be started.

        """
        environment = {k: value for k, value in os.environ.items() if k not in _HOOK_VARIABLES}
        environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
        try:
            return subprocess.run(  # noqa: S603  (no shell, and a revision is never an option)
                ["git", "--no-pager", "-C", str(self._here), *arguments],  # noqa: S607  (the user's own)
                input=b"".join(line + b"\n" for line in lines),
                capture_output=True,
                check=False,
                env=environment,
            )
        except OSError as error:
            message = f"Git can't be started ({error.strerror}); install it, or put it on the PATH"
            raise GitError(message) from error


def _nearest_folder(path: Path) -> tuple[Path, str]:
    """Split a path into the folder that is there now, and what is missing below it."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100  (`..` goes, whether it is there or not)
    here = next(folder for folder in (whole, *whole.parents) if folder.is_dir())
    return here, "" if here == whole else whole.relative_to(here).as_posix()
