"""The only door to Git: what the output was at a revision. The repository is only read."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from render.findings.errors import GitError

_OBJECT_NAME = re.compile(rb"[0-9a-f]{40,64}")
_BATCH = 4_000
"""How many objects are read at once: enough to make starting a process cheap."""
_HOOK_VARIABLES = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_INDEX_FILE"})
"""Set for a Git hook, and right only in the folder that it is started in."""


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
    here, rest = _nearest_folder(project / output)
    inside = os.fsdecode(_git(here, "rev-parse", "--show-prefix").removesuffix(b"\n"))
    root = _resolve(here, revision)
    tree = _subtree(here, root, (inside + rest).removesuffix("/"))
    files = list(_files(here, tree)) if tree else []
    data = _read_objects(here, sorted({name for _, _, name in files}))
    found: dict[str, dict[str, bytes]] = {}
    for folder, path, name in files:
        found.setdefault(folder, {})[path] = data[name]
    return found


def _nearest_folder(path: Path) -> tuple[Path, str]:
    """Split a path into the folder that is there now, and what is missing below it."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100  (`..` goes, whether it is there or not)
    here = next(folder for folder in (whole, *whole.parents) if folder.is_dir())
    return here, "" if here == whole else whole.relative_to(here).as_posix()


def _resolve(here: Path, revision: str) -> str:
    """Find the name of a revision's tree. What begins with `-` is an option to Git, so refused."""
    if revision and not revision.startswith("-") and "\0" not in revision:
        answer = _run(here, "rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
        name = answer.stdout.strip()
        if answer.returncode == 0 and _OBJECT_NAME.fullmatch(name):
            return name.decode()
    message = (
        f"{revision!r} is no revision of the Git repository at {here}; "
        "if it is one elsewhere, fetch it (a checkout in CI often has a single commit)"
    )
    raise GitError(message)


def _subtree(here: Path, tree: str, path: str) -> str:
    """Find the name of the folder at `path` in a tree; empty where there is nothing."""
    answer = _run(here, "rev-parse", "--verify", "--quiet", f"{tree}:{path}")
    return answer.stdout.strip().decode()


def _files(here: Path, tree: str) -> Iterator[tuple[str, str, bytes]]:
    """List the regular files below the folders of a tree: folder, path in it, object name.

    Git's modes: 100644 and 100755 are files, 120000 is a link, 160000 a submodule.
    """
    for line in _git(here, "ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0"):
        facts, _, path = line.partition(b"\t")
        mode, _, name = facts.partition(b" blob ")
        folder, _, rest = os.fsdecode(path).partition("/")
        if rest and mode.startswith(b"100") and not folder.startswith("."):
            yield folder, rest, name


def _read_objects(here: Path, names: Sequence[bytes]) -> dict[bytes, bytes]:
    """Read the bytes of each object."""
    found: dict[bytes, bytes] = {}
    for start in range(0, len(names), _BATCH):
        batch = names[start : start + _BATCH]
        answer = _git(here, "cat-file", "--batch", lines=batch)
        place = 0
        for name in batch:
            header, _, _ = answer[place : place + 100].partition(b"\n")
            size = header.removeprefix(name + b" blob ")
            if not size.isdigit():
                message = f"{here}: the Git repository lacks object {name.decode()}; fetch it"
                raise GitError(message)
            place += len(header) + 1
            found[name] = answer[place : place + int(size)]
            place += int(size) + 1
    return found


def _git(here: Path, *arguments: str, lines: Sequence[bytes] = ()) -> bytes:
    """Run Git and return what it says; a failure is a `GitError` in Git's own words."""
    answer = _run(here, *arguments, lines=lines)
    if answer.returncode:
        reason = answer.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        message = f"{here}: {reason or f'git {arguments[0]} failed'}"
        raise GitError(message)
    return answer.stdout


def _run(
    here: Path, *arguments: str, lines: Sequence[bytes] = ()
) -> subprocess.CompletedProcess[bytes]:
    environment = {key: value for key, value in os.environ.items() if key not in _HOOK_VARIABLES}
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        return subprocess.run(  # noqa: S603  (no shell, and a revision is never an option)
            ["git", "--no-pager", "-C", str(here), *arguments],  # noqa: S607  (the user's own)
            input=b"".join(line + b"\n" for line in lines),
            capture_output=True,
            check=False,
            env=environment,
        )
    except OSError as error:
        message = f"Git can't be started ({error.strerror}); install it, or put it on the PATH"
        raise GitError(message) from error
