"""Starting Git so that nothing in a repository, or in our own environment, can start more."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from spokerender.findings.errors import GitError

_SECONDS = 120
"""How long one call may take: far more than the largest tree takes to list or to read."""
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "SUDO_UID", "TMPDIR", "SYSTEMROOT", "USERPROFILE")
_CONFIGURATION = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""Where the user's own settings are, `safe.directory` among them (git(1))."""
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
"""No protocol (also for a Git too old for `GIT_NO_LAZY_FETCH`), no prompt, no lock, no pattern.
A revision is what it is called by, whatever `refs/replace` says."""
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
"""What would start a program, off (git-config(1)); the command line wins over any file. A name that
means several things is to be told."""


def call(
    folder: Path,
    *arguments: str,
    lines: Sequence[bytes] = (),
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run Git in a folder, whatever comes of it.

    Args:
        folder: where it is started.
        arguments: what to do; the only options are ours, and a path stands after `--`.
        lines: what it reads.
        variables: more of its environment.

    Raises:
        GitError: it can't be started, or takes too long.

    """
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    try:
        return subprocess.run(  # noqa: S603  (no shell, and a revision is never an option)
            ["git", "--no-pager", "-C", str(folder), *settings, *arguments],  # noqa: S607  (the user's own)
            input=b"".join(line + b"\n" for line in lines),
            capture_output=True,
            check=False,
            env=_environment() | dict(variables or {}),
            timeout=_SECONDS,
        )
    except OSError as error:
        message = f"Git can't be started ({error.strerror}); install it, or put it on the PATH"
        raise GitError(message) from error
    except subprocess.TimeoutExpired as error:
        message = f"{folder}: Git has not answered for {_SECONDS} seconds, so it was stopped"
        raise GitError(message) from error


def answer(
    folder: Path,
    *arguments: str,
    lines: Sequence[bytes] = (),
    variables: Mapping[str, str] | None = None,
) -> bytes:
    """Run Git and return what it says: see `call`.

    Raises:
        GitError: it failed, in its own words.

    """
    done = call(folder, *arguments, lines=lines, variables=variables)
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().rpartition("fatal: ")[2]
        if lacking := _LACKING.search(reason):  # a partial clone's own words
            reason = f"the Git repository lacks object {lacking[1]}; fetch it, or clone all of it"
        message = f"{folder}: {reason or 'Git failed'}"
        raise GitError(message)
    return done.stdout


def _environment() -> dict[str, str]:
    """What Git needs of ours: a hook, or a CI job, may have set any other `GIT_` variable."""
    kept = (*_KEPT, *_CONFIGURATION)
    return {name: os.environ[name] for name in kept if name in os.environ} | _ALWAYS
