"""Repositories to read from, made by a real Git."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="Git is not installed")


def run_git(folder: Path, *arguments: str) -> str:
    """Run Git as nobody in particular, without anybody's settings; commits are of one second."""
    settings = ["user.name=test", "user.email=test@example.com", "commit.gpgsign=false"]
    options = [part for setting in settings for part in ("-c", setting)]
    isolated = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    # A page that we keep names commits, whose names have the time in them.
    isolated |= dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-01-01T00:00:00Z")
    answer = subprocess.run(
        ["git", "-C", str(folder), *options, *arguments],
        check=True,
        capture_output=True,
        env=isolated,
    )
    return answer.stdout.decode()


def commit(folder: Path, files: dict[str, bytes]) -> str:
    """Write the files and commit all there is; return the name of the commit."""
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    run_git(folder, "add", "--all", "--force")
    run_git(folder, "commit", "--quiet", "--message=test")
    return run_git(folder, "rev-parse", "HEAD").strip()


def commit_all(folder: Path, message: str = "test") -> None:
    """Commit all that is in a folder, which is a repository from then on."""
    if not (folder / ".git").exists():
        run_git(folder, "init", "--quiet", "--initial-branch=main")
    run_git(folder, "add", "--all")
    run_git(folder, "commit", "--quiet", f"--message={message}")
