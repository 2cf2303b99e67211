"""One comment is kept current, on GitHub and GitLab, whatever else stands there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spokerender.edge.comments import Conversation, HostError, find_pull_request, keep_comment
from tests.support.hosts import FakeHost, fake_host

MARK = "<!-- ours -->"
TEXT = f"{MARK}\nnew\n"


@pytest.fixture
def host() -> Iterator[FakeHost]:
    with fake_host() as host:
        yield host


def github(host: FakeHost) -> Conversation:
    return Conversation.of_github(host.url, "secret", "o/r", 7)


def gitlab(host: FakeHost) -> Conversation:
    return Conversation.of_gitlab(host.url, "secret", "group/r", 7)


def test_the_first_time_it_is_written(host: FakeHost) -> None:
    host.comments = [{"id": 9, "body": "hello"}]
    assert keep_comment(github(host), MARK, TEXT) == "created"
    assert host.changes == [("POST", "/repos/o/r/issues/7/comments", {"body": TEXT})]
    assert host.headers[0]["Authorization"] == "Bearer secret"


def test_then_it_is_replaced(host: FakeHost) -> None:
    host.comments = [{"id": 9, "body": "hello"}, {"id": 11, "body": f"{MARK}\nold", **host.ours}]
    assert keep_comment(github(host), MARK, TEXT) == "updated"
    assert host.changes == [("PATCH", "/repos/o/r/issues/comments/11", {"body": TEXT})]


def test_on_gitlab(host: FakeHost) -> None:
    host.me = 12
    assert keep_comment(gitlab(host), MARK, TEXT) == "created"
    assert keep_comment(gitlab(host), MARK, TEXT.replace("new", "newer")) == "updated"
    notes = "/projects/group%2Fr/merge_requests/7/notes"
    assert [call[:2] for call in host.changes] == [("POST", notes), ("PUT", f"{notes}/1")]
    assert host.headers[0]["Private-Token"] == "secret"


def test_nothing_is_sent_where_nothing_changes(host: FakeHost) -> None:
    host.comments = [{"id": 11, "body": TEXT.rstrip().replace("\n", "\r\n"), **host.ours}]
    assert keep_comment(github(host), MARK, TEXT) == "unchanged"
    assert host.changes == []


def test_it_is_found_on_a_later_page(host: FakeHost) -> None:
    host.comments = [{"id": n, "body": "hello"} for n in range(1, 250)]
    host.comments.append({"id": 250, "body": f"{MARK}\nold", **host.ours})
    assert keep_comment(github(host), MARK, TEXT) == "updated"
    assert [path for method, path, _ in host.calls if method == "GET"][3:] == ["/user"]


@pytest.mark.parametrize("status", [403, 404])
def test_a_comment_of_somebody_else_that_begins_so_is_left_alone(
    host: FakeHost, status: int
) -> None:
    host.comments = [{"id": 3, "body": f"{MARK}\nforged", **host.ours}]
    host.refused = {("PATCH", "/comments/3"): status}
    assert keep_comment(github(host), MARK, TEXT) == "created"
    assert host.comments[0]["body"] == f"{MARK}\nforged"


@pytest.mark.parametrize("me", [None, 12])
@pytest.mark.parametrize("text", [f"{MARK}\nforged", TEXT])
def test_a_comment_that_somebody_else_could_change_later_is_not_taken(
    host: FakeHost, me: int | None, text: str
) -> None:
    host.me = me
    host.comments = [{"id": 3, "body": text, "user": {"id": 99, "type": "User"}}]
    assert keep_comment(github(host), MARK, TEXT) == "created"
    assert [call[0] for call in host.changes] == ["POST"]
    assert keep_comment(github(host), MARK, TEXT) == "unchanged"


def test_of_two_that_were_written_at_once_one_stays(host: FakeHost) -> None:
    host.comments = [
        {"id": 3, "body": f"{MARK}\nold", **host.ours},
        {"id": 4, "body": f"{MARK}\nolder", "user": {"id": 99, "type": "User"}},
        {"id": 5, "body": f"{MARK}\nolder", **host.ours},
    ]
    assert keep_comment(github(host), MARK, TEXT) == "updated"
    assert [item["id"] for item in host.comments] == [3, 4]
    assert host.comments[0]["body"] == TEXT


@pytest.mark.parametrize("comments", [[{"id": "x", "body": MARK}], [{"id": 1}], ["text"], [None]])
def test_odd_comments_are_passed_over(host: FakeHost, comments: list[dict[str, object]]) -> None:
    host.comments = comments
    assert keep_comment(github(host), MARK, TEXT) == "created"


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        ({("GET", "/comments"): 401}, "401 Unauthorized; is the token right?"),
        ({("POST", "/comments"): 403}, "403 Forbidden; may the token write comments?"),
        ({("GET", "/comments"): 502}, "502 Bad Gateway"),
        ({("GET", "/user"): 502}, "/user: 502 Bad Gateway"),
        ({("GET", "/comments"): 302}, "302 Found"),
    ],
)
def test_a_refusal_is_told_without_the_token(
    host: FakeHost, refused: dict[tuple[str, str], int], message: str
) -> None:
    host.refused = refused
    if ("GET", "/user") in refused:
        host.comments = [{"id": 3, "body": TEXT, **host.ours}]
    with pytest.raises(HostError) as error:
        keep_comment(github(host), MARK, TEXT)
    assert message in str(error.value)
    assert "secret" not in str(error.value)
    assert not any(path == "/elsewhere" for _, path, _ in host.calls)


def test_nobody_answers() -> None:
    with pytest.raises(HostError, match="no answer"):
        keep_comment(Conversation.of_github("http://127.0.0.1:9", "t", "o/r", 1), MARK, TEXT)


def test_the_request_of_a_fork_is_the_one_with_that_last_commit(host: FakeHost) -> None:
    host.pulls = [
        {"label": "them:main", "number": 4, "head": {"sha": "old"}},
        {"label": "them:main", "number": 5, "head": {"sha": "new"}},
        {"label": "others:main", "number": 6, "head": {"sha": "new"}},
    ]
    assert find_pull_request(host.url, "t", "o/r", "them:main", "new") == 5
    assert find_pull_request(host.url, "t", "o/r", "them:main", "gone") is None
