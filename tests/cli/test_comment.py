"""`spokerender comment` in jobs of GitHub and GitLab, against a fake of their APIs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from spokerender.report.markdown import LIMIT, MARK
from spokerender.report.room import measure
from tests.cli.project import Shell
from tests.support.hosts import FakeHost, fake_host
from tests.support.reviews import printed, whole

REVIEW = printed(whole(), "markdown")


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, empty: Shell) -> Iterator[FakeHost]:
    """A job of GitHub on a pull request."""
    with fake_host() as host:
        Path("event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
        for name, value in {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": host.url,
            "GITHUB_TOKEN": "secret",
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_EVENT_PATH": str(empty.folder / "event.json"),
        }.items():
            monkeypatch.setenv(name, value)
        yield host


def sent(host: FakeHost) -> str:
    """The text of the one comment that was sent."""
    ((_, _, body),) = host.changes
    return str(body["body"])


def test_a_review_is_put_as_it_is(host: FakeHost, empty: Shell) -> None:
    Path("review.md").write_text(REVIEW)
    done = empty.run("comment", "review.md", "--link", "https://ci.example/1")
    assert (done.status, done.err) == (0, "comment created\n")
    assert sent(host).startswith(REVIEW.rstrip("\n"))
    assert sent(host).endswith("[Everything in the review](https://ci.example/1)\n")


@pytest.mark.parametrize(
    "text",
    [
        f"{MARK}\n@everyone look",
        f"{MARK}\n<img src=x onerror=y>",
        f"{MARK}\n[click](https://evil.example)",
        f"{MARK}\nhttps://evil.example",
        f"{MARK}\n```\nopen",
        f"{MARK}\n`a` `` @everyone",
        f"{MARK}\n```\nx\n`````\n@everyone\n```",
        f"{MARK}\n```\n    ```\n```\n@everyone\n```",
        f"{MARK}\n- a\n  ```diff\nout @everyone\n  ```",
        f"{MARK}\nsee GH-12 and deadbeef1",
        "#12 closes",
        "/close",
    ],
)
def test_what_is_not_as_a_review_is_shown_as_code(host: FakeHost, empty: Shell, text: str) -> None:
    """It may come from a fork, whose branch may hold another `review`."""
    Path("review.md").write_text(text)
    assert empty.run("comment", "review.md").status == 0
    mark, fence, *inner, last, _ = sent(host).split("\n")
    assert mark == MARK
    assert set(fence) == {"`"}
    assert fence == last
    assert not any(fence in line for line in inner)


def test_too_much_is_a_number(host: FakeHost, empty: Shell) -> None:
    Path("review.md").write_text("word " * 60_000)
    assert empty.run("comment", "review.md").status == 0
    assert measure(sent(host)) < LIMIT
    assert "no room in a comment" in sent(host)


@pytest.mark.parametrize("link", ["http://x.example", "https://x.example/) @you", "javascript:1"])
def test_a_link_that_is_none_is_left_out(host: FakeHost, empty: Shell, link: str) -> None:
    Path("review.md").write_text(REVIEW)
    assert empty.run("comment", "review.md", "--link", link).status == 0
    assert "Everything in the review" not in sent(host)


def test_a_run_for_a_fork_asks_the_host_for_the_request(host: FakeHost, empty: Shell) -> None:
    run = {
        "head_repository": {"owner": {"login": "them"}, "full_name": "them/r"},
        "head_branch": "fix",
        "head_sha": "abc",
    }
    Path("event.json").write_text(json.dumps({"workflow_run": run}))
    Path("review.md").write_text(REVIEW)
    done = empty.run("comment", "review.md")
    assert (done.status, host.changes) == (0, [])
    assert "no open request" in done.err
    host.pulls = [{"label": "them:fix", "number": 12, "head": {"sha": "abc"}}]
    assert empty.run("comment", "review.md").status == 0
    assert host.changes[0][1] == "/repos/o/r/issues/12/comments"
    assert "\nComputed by a run of `them/r`, whose branch could change" in sent(host)


def test_on_gitlab(monkeypatch: pytest.MonkeyPatch, host: FakeHost, empty: Shell) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS")
    variables = {"GITLAB_CI": "true", "CI_API_V4_URL": host.url, "CI_PROJECT_ID": "5"}
    variables |= {"CI_MERGE_REQUEST_IID": "3", "SPOKERENDER_GITLAB_TOKEN": "t"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    Path("review.md").write_text(REVIEW)
    assert empty.run("comment", "review.md").status == 0
    assert host.changes[0][:2] == ("POST", "/projects/5/merge_requests/3/notes")


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "GITHUB_EVENT_PATH", "GITHUB_ACTIONS"])
def test_what_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, host: FakeHost, empty: Shell, name: str
) -> None:
    monkeypatch.delenv(name)
    monkeypatch.delenv("GITLAB_CI", raising=False)
    Path("review.md").write_text(REVIEW)
    done = empty.run("comment", "review.md")
    assert (done.status, host.calls) == (2, [])
    assert name in done.err or "GitHub Actions or GitLab CI" in done.err
