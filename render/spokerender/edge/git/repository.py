"""Calls of Git in which neither the repository nor the environment can start another program."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import NamedTuple

from spokerender.edge.presence import is_folder, real, top_of
from spokerender.findings.errors import GitError, NothingCommittedError

_SECONDS = 120
"""The limit of one call: listing or reading the largest tree takes far less."""
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "SUDO_UID", "TMPDIR", "SYSTEMROOT", "USERPROFILE")
_CONFIGURATION = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""The variables that locate the user's own settings, such as `safe.directory` (git(1))."""
_LACKING = re.compile(r"could not fetch ([0-9a-f]+) from promisor remote")
_ALWAYS = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""No protocol (even if Git is too old for `GIT_NO_LAZY_FETCH`), no prompt, no lock, no pattern.
`refs/replace` is ignored, so that a revision has the content of its name."""
_SETTINGS = (
    "safe.bareRepository=explicit",
    "protocol.allow=never",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.alternateRefsCommand=",
    "core.askPass=",
    "core.editor=false",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.warnAmbiguousRefs=true",
    "credential.helper=",
    "diff.external=",
)
"""Everything that would start a program is off (git-config(1)); the command line overrides files.
Ambiguous names are reported."""


def run_git(
    folder: Path,
    *arguments: str,
    lines: Sequence[bytes] = (),
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run Git in a folder and return its outcome. Raises `GitError` if it can't start or hangs.

    All options in the command are ours, and paths follow `--`; `lines` is the standard input.
    """
    # On the command line, which overrides every file.
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    # Hooks and CI may set variables that lead Git elsewhere: it gets those that it needs.
    names = (*_KEPT, *_CONFIGURATION)
    inherited = {name: os.environ[name] for name in names if name in os.environ}
    try:
        return subprocess.run(  # noqa: S603  (no shell, and a revision is never an option)
            ["git", "--no-pager", "-C", str(folder), *settings, *arguments],  # noqa: S607  (the user's own)
            input=b"".join(line + b"\n" for line in lines),
            capture_output=True,
            check=False,
            env={**inherited, **_ALWAYS, **(variables or {})},
            timeout=_SECONDS,
        )
    except OSError as error:
        message = f"Git can't be started ({error.strerror}); install it, or put it on the PATH"
        raise GitError(message) from error
    except subprocess.TimeoutExpired as error:
        message = f"{folder}: Git has not answered for {_SECONDS} seconds, so it was stopped"
        raise GitError(message) from error


def read_git(
    folder: Path,
    *arguments: str,
    lines: Sequence[bytes] = (),
    variables: Mapping[str, str] | None = None,
) -> bytes:
    """Run Git as `run_git` does, and return its output. Raises `GitError` with Git's message."""
    done = run_git(folder, *arguments, lines=lines, variables=variables)
    if done.returncode:
        # Git prints warnings before the fatal line.
        reason = done.stderr.decode(errors="replace").strip().rpartition("fatal: ")[2]
        if lacking := _LACKING.search(reason):  # the message of a partial clone
            reason = f"the Git repository lacks object {lacking[1]}; fetch it, or clone all of it"
        if "dubious ownership" in reason:
            trusted = reason.rpartition(" ")[2]
            reason = (
                "another user owns the repository (dubious ownership), as in many containers; "
                f"if you trust it: git config --global --add safe.directory {trusted}"
            )
        raise GitError(f"{folder}: {reason or 'Git failed'}")
    return done.stdout


_OBJECT_NAME = re.compile(rb"[0-9a-f]{40,64}")
_CONTROL = re.compile(r"[\0-\x1f\x7f-\x9f\ud800-\udc7f\udd00-\udfff]")
"""Characters that no name may have (git-check-ref-format(1)), and surrogates that are no byte."""
_AMBIGUOUS = re.compile(rb"^warning: refname '.*' is ambiguous", re.MULTILINE)
"""Git's warning that, for example, a tag and a branch have the same name (gitrevisions(7))."""
_BATCH = 4_000
"""How many objects one process reads: enough to make its start cheap."""


def below_top(path: PurePath) -> str:
    """Return a folder's path in its repository, with `/`; empty at the top or in no repository."""
    folder = Path(path)
    top = top_of(folder)
    return "/".join(real(folder).relative_to(top).parts) if top is not None else ""


FOLDER, LINK, SUBMODULE = b"040000", b"120000", b"160000"
"""Git's modes; entries of all other modes are files (git-fast-import(1), `filemodify`)."""


class GitEntry(NamedTuple):
    """An entry of a Git tree: its mode, the name of its object, and a file's size if requested."""

    mode: bytes
    name: bytes
    size: int = 0


class GitRepository:
    """The repository that contains a path; the path itself may have been deleted."""

    def __init__(self, path: Path) -> None:
        """Search upward from the path. Raises `GitError`, also if Git distrusts the repository."""
        top = top_of(path)
        if top is None:
            whole = real(path)
            # The path may be gone, so the message names the nearest folder that is there.
            here = next(folder for folder in (whole, *whole.parents) if is_folder(folder))
            raise NothingCommittedError(f"{here}: not a git repository, nor in one")
        self.top = top
        """The top on disk, without links."""
        self.inside = "/".join(real(path).relative_to(top).parts)
        """The path from the top of the repository, with `/`; empty for the top itself."""
        # Named from now on, so that Git need not look for it again.
        self._where = (f"--git-dir={_find_git_folder(top)}", f"--work-tree={top}")

    def tree_at(self, revision: str) -> str:
        """Return the object name of a revision's tree. Raises `GitError`, also for a range."""
        cure = "if it exists elsewhere, fetch it (a checkout in CI often has a single commit)"
        # Refused before Git sees it, with a cure that fits.
        if _CONTROL.search(revision):
            cure = "it has a character that is not allowed in revisions"
        elif revision.startswith("-"):
            cure = "it begins with `-`, as an option does"
        elif not revision:
            cure = "the name is empty: is a variable not set?"
        elif ".." in revision:
            cure = "it is a range: name the revision that it begins with"
        else:
            done = self._run("rev-parse", "--verify", f"{revision}^{{tree}}")
            name = done.stdout.strip()
            if _AMBIGUOUS.search(done.stderr):
                raise GitError(
                    f"{revision!r} is the name of more than one revision, such as a tag and a "
                    "branch; put refs/heads/, refs/remotes/ or refs/tags/ before it"
                )
            if done.returncode == 0 and _OBJECT_NAME.fullmatch(name):
                return name.decode()
        # No commit at all is another mistake than a wrong name.
        if not self._run("rev-list", "--all", "--max-count=1").stdout.strip():
            raise NothingCommittedError(f"the Git repository at {self.top} has no commit")
        raise GitError(f"the Git repository at {self.top} has no revision {revision!r}; {cure}")

    def commit_at(self, revision: str) -> str:
        """Return the object name of an existing revision's commit; "" if the revision is a tree."""
        done = self._run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return done.stdout.decode().strip()

    @property
    def remote(self) -> str:
        """The address of the remote `origin`, as in Git's settings; "" if it does not exist."""
        done = self._run("config", "--get", "remote.origin.url")
        return done.stdout.decode(errors="replace").strip()

    def merge_base(self, revision: str) -> str:
        """Return the best common ancestor of a revision and HEAD. Raises `GitError`."""
        self.tree_at(revision)  # an unknown revision is reported as one
        done = self._run("merge-base", "--end-of-options", revision, "HEAD")
        if done.returncode:
            raise GitError(
                f"the Git repository at {self.top} has no merge base of {revision!r} and HEAD; if "
                "it is a shallow clone, fetch more of its history (`git fetch --unshallow`)"
            )
        return done.stdout.decode().strip()

    def read(self, names: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the bytes of each object by name. Raises `GitError` if an object is missing."""
        contents: dict[bytes, bytes] = {}
        for start in range(0, len(names), _BATCH):
            batch = names[start : start + _BATCH]
            text = self.ask("cat-file", "--batch", lines=batch)
            place = 0
            for name in batch:
                # The header is short, and the text may be large: only its beginning is searched.
                header, _, _ = text[place : place + 100].partition(b"\n")
                size = header.removeprefix(name + b" blob ")
                if not size.isdigit():
                    lacking = f"the Git repository lacks object {name.decode()}; fetch it"
                    raise GitError(f"{self.top}: {lacking}")
                place += len(header) + 1
                contents[name] = text[place : place + int(size)]
                # Git puts a line end behind each object.
                place += int(size) + 1
        return contents

    def list_tree(
        self, tree: str, *options: str, paths: Sequence[str] = ()
    ) -> Iterator[tuple[str, GitEntry]]:
        """Yield the entries of a tree, or of the given paths in it; with `-r`, files of all levels.

        With `-l`, the entries have sizes, which takes ten times as long: use it for few files.
        """
        listing = self.ask("ls-tree", *options, "-z", "--full-tree", tree, "--", *paths)
        # Each entry ends with a NUL, so the last part is empty.
        for line in listing.split(b"\0")[:-1]:
            columns, _, path = line.partition(b"\t")
            mode, _, name, *size = columns.split()
            yield os.fsdecode(path), GitEntry(mode, name, *map(_read_size, size))

    def sizes(self, names: Sequence[bytes]) -> dict[bytes, int]:
        """Return the size of each object in bytes."""
        if not names:
            return {}
        lines = self.ask("cat-file", "--batch-check=%(objectsize)", lines=names).splitlines()
        return dict(zip(names, map(_read_size, lines), strict=True))

    def has_filters(self) -> bool:
        """Return whether the repository's own settings name programs that convert files."""
        done = self._run("config", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
        # Filters in the user's own settings are the user's choice.
        return b"local\t" in done.stdout or b"worktree\t" in done.stdout

    def ask(self, *arguments: str, lines: Sequence[bytes] = ()) -> bytes:
        """Run Git in this repository and return its output. Raises `GitError` with its message."""
        return read_git(self.top, *self._where, *arguments, lines=lines)

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return run_git(self.top, *self._where, *arguments)


@lru_cache
def _find_git_folder(top: Path) -> str:
    """Return the path of a repository's `.git`; remembered, as a command opens it several times.

    Git itself looks for it, as it checks who owns it (`safe.directory` in git-config(1)).
    """
    # So that Git finds this repository, and none above it.
    ceiling = {"GIT_CEILING_DIRECTORIES": str(top.parent)}
    folder = read_git(top, "rev-parse", "--absolute-git-dir", variables=ceiling)
    return os.fsdecode(folder.removesuffix(b"\n"))


def _read_size(text: bytes) -> int:
    # That of a missing object is no number; reading it reports that.
    return int(text) if text.isdigit() else 0
