"""Where this installation came from: the repository and the commit that others can install."""

import json
from pathlib import Path

from spokerender.edge.installed import find_documentation, installed_source, is_source
from tests.support import cases, each, rows_of
from tests.support.git import commit, run_git

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def record(url: str, **more: object) -> str:
    return json.dumps({"url": url, **more})


def test_what_pip_installed_from_git() -> None:
    text = record("https://git.example.com/a.git", vcs_info={"vcs": "git", "commit_id": COMMIT})
    assert installed_source(text) == f"git+https://git.example.com/a.git@{COMMIT}"


@cases(
    ("https://git.example.com/a.git", f"https://git.example.com/a/blob/{COMMIT}/docs/findings.md"),
    ("ssh://git@git.example.com/a.git", ""),
)
def test_the_page_of_findings_of_what_pip_installed(url: str, page: str) -> None:
    text = record(url, vcs_info={"vcs": "git", "commit_id": COMMIT})
    assert find_documentation(text) == page
    assert find_documentation(None) == ""


def clone(tmp_path: Path, url: str) -> tuple[Path, str]:
    """A clone whose commit is on its remote branch."""
    folder = tmp_path / "clone"
    folder.mkdir()
    run_git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, {"a": b"a"})
    run_git(folder, "remote", "add", "origin", url)
    run_git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    return folder, run_git(folder, "rev-parse", "HEAD").strip()


def test_a_clone_names_its_remote_without_credentials(tmp_path: Path) -> None:
    folder, head = clone(tmp_path, "https://me:secret@git.example.com/a.git")
    text = record(folder.as_uri(), dir_info={"editable": True})
    assert installed_source(text) == f"git+https://git.example.com/a.git@{head}"


@each("/srv/a.git", "git@git.example.com:a.git", "file:///srv/a.git")
def test_a_remote_that_ci_cannot_read_is_none(url: str, tmp_path: Path) -> None:
    folder, _ = clone(tmp_path, url)
    assert installed_source(record(folder.as_uri(), dir_info={})) == ""


def test_a_commit_that_is_nowhere_else_is_none(tmp_path: Path) -> None:
    folder, _ = clone(tmp_path, "https://git.example.com/a.git")
    commit(folder, {"b": b"b"})
    assert installed_source(record(folder.as_uri(), dir_info={})) == ""


@each(*rows_of(__file__, "what_is_not_known_is_none"))
def test_what_is_not_known_is_none(text: str | None) -> None:
    assert installed_source(text) == ""


@cases(*rows_of(__file__, "sources_that_a_workflow_can_name"))
def test_sources_that_a_workflow_can_name(text: str, accepted: bool) -> None:
    assert is_source(text) is accepted
