"""The comment on a pull request of GitHub, or the note on a merge request of GitLab, kept current.

There is one: it is known by the first line of its text, and its text is replaced. An answer of the
host is not trusted: it is limited in time and size.
"""

import json
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from msgspec import Struct

from spokerender import __version__
from spokerender.edge.fetching import LONGEST_SECONDS, redact_url, refuse_insecure, within
from spokerender.findings.errors import RenderError
from spokerender.model.shapes import Json

_PAGE, _MOST_PAGES = 100, 50
_MOST_BYTES = 16 << 20
_TIMEOUT_SECONDS = 30
_FORBIDDEN = (401, 403, 404)
"""The answers to a change of somebody else's comment."""


class HostError(RenderError):
    """A host of repositories refuses, or does not answer."""


class Conversation(Struct, frozen=True):
    """The place of comments: the URLs of all of them, of one and of the token's user.

    `method` replaces a comment, whose writer is its member `author`.
    """

    comments: str
    comment: str
    user: str
    method: str
    author: str
    headers: Mapping[str, str]

    @classmethod
    def of_github(cls, api: str, token: str, repository: str, number: int) -> "Conversation":
        """Return that of a pull request; `repository` is `owner/name`."""
        issues = f"{api}/repos/{quote(repository)}/issues"
        comments, comment = f"{issues}/{number}/comments", f"{issues}/comments/{{}}"
        return cls(comments, comment, f"{api}/user", "PATCH", "user", _github(token))

    @classmethod
    def of_gitlab(cls, api: str, token: str, project: str, number: int) -> "Conversation":
        """Return that of a merge request; `project` is its number, or its path."""
        notes = f"{api}/projects/{quote(project, safe='')}/merge_requests/{number}/notes"
        headers = {"PRIVATE-TOKEN": token}
        return cls(notes, f"{notes}/{{}}", f"{api}/user", "PUT", "author", headers)


def _github(token: str) -> Mapping[str, str]:
    return {
        "Authorization": f"Bearer {token}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
    }


def keep_comment(conversation: Conversation, mark: str, text: str) -> str:
    """Replace our comment that begins with `mark`, or write one; say which of them was done.

    Others of ours that begin so, which runs at the same time have written, are deleted. A comment
    of somebody else is passed over: who wrote it could change it after us.

    Raises `HostError` if the host refuses, or does not answer.
    """
    marked = [*_find_marked(conversation, mark)]
    me = _find_user(conversation) if marked else None
    ours = [item for item in marked if _is_ours(item, conversation.author, me)]
    for item in ours[1:]:
        _change(conversation, "DELETE", item)
    for first in ours[:1]:
        if first["body"].replace("\r\n", "\n").rstrip() == text.rstrip():
            return "unchanged"
        if _change(conversation, conversation.method, first, {"body": text}):
            return "updated"
    try:
        _ask(conversation, "POST", conversation.comments, {"body": text})
    except HTTPError as error:
        raise _explain(conversation.comments, error) from error
    return "created"


def _find_marked(conversation: Conversation, mark: str) -> Iterator[dict[str, Any]]:
    for comment in _list_comments(conversation):
        body, number = comment.get("body"), comment.get("id")
        if isinstance(body, str) and type(number) is int and body.startswith(mark):
            yield comment


def _find_user(conversation: Conversation) -> int | None:
    """Return the number of the token's user; None for an app, such as that of a job on GitHub."""
    try:
        answer = _ask(conversation, "GET", conversation.user)
    except HTTPError as error:
        if error.code not in _FORBIDDEN:
            raise _explain(conversation.user, error) from error
        return None
    number = answer.get("id") if isinstance(answer, dict) else None
    return number if type(number) is int else None


def _is_ours(comment: Mapping[str, Any], key: str, me: int | None) -> bool:
    author = comment.get(key)
    if not isinstance(author, dict):
        return False
    return author.get("id") == me if me is not None else author.get("type") == "Bot"


def _change(
    conversation: Conversation,
    method: str,
    comment: Mapping[str, Any],
    body: Mapping[str, str] | None = None,
) -> bool:
    """Change a comment, or delete it; report whether the host permits that."""
    url = conversation.comment.format(comment["id"])
    try:
        _ask(conversation, method, url, body)
    except HTTPError as error:
        if error.code not in _FORBIDDEN:
            raise _explain(url, error) from error
        return False
    return True


def find_pull_request(api: str, token: str, repository: str, head: str, commit: str) -> int | None:
    """Return the open pull request from `head` (`owner:branch`) whose last commit this is.

    What a run of a fork says of itself is not asked: the host knows.

    Raises `HostError` if the host refuses, or does not answer.
    """
    query = urlencode({"state": "open", "head": head, "per_page": _PAGE})
    url = f"{api}/repos/{quote(repository)}/pulls?{query}"
    try:
        answer = _ask(Conversation(url, url, "", "", "", _github(token)), "GET", url)
    except HTTPError as error:
        raise _explain(url, error) from error
    for item in answer if isinstance(answer, list) else ():
        last = item.get("head", {}).get("sha") if isinstance(item, dict) else None
        if last == commit and type(item.get("number")) is int:
            number: int = item["number"]
            return number
    return None


def _list_comments(conversation: Conversation) -> Iterator[dict[str, Any]]:
    for page in range(1, _MOST_PAGES + 1):
        url = f"{conversation.comments}?{urlencode({'per_page': _PAGE, 'page': page})}"
        try:
            answer = _ask(conversation, "GET", url)
        except HTTPError as error:
            raise _explain(url, error) from error
        items = [item for item in answer if isinstance(item, dict)] if answer else []
        yield from items
        if len(items) < _PAGE:
            return


def _ask(
    conversation: Conversation, method: str, url: str, body: Mapping[str, str] | None = None
) -> Json:
    """Return what the host answers, as JSON. Raises `HTTPError`, or `HostError`."""
    refuse_insecure(url)
    data = json.dumps(body).encode() if body is not None else None
    kind = {"Content-Type": "application/json"} if body is not None else {}
    headers = {**conversation.headers, **kind, "User-Agent": f"spokerender/{__version__}"}
    request = Request(url, data, headers, method=method)  # noqa: S310  (checked)
    try:
        answer: bytes = within(LONGEST_SECONDS, lambda: _read(request))
        return json.loads(answer) if answer else None
    except HTTPError as error:
        error.close()  # its text is not asked for
        raise
    except (OSError, HTTPException, ValueError, RecursionError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        message = f"{redact_url(url)}: no answer that is understood: {reason}"
        raise HostError(message) from error


def _read(request: Request) -> bytes:
    with build_opener(_NoRedirects).open(request, timeout=_TIMEOUT_SECONDS) as answer:
        data: bytes = answer.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        message = f"the answer is larger than {_MOST_BYTES:,} bytes"
        raise HTTPException(message)
    return data


class _NoRedirects(HTTPRedirectHandler):
    """A handler that follows none: a token is for the host that was named."""

    def redirect_request(self, *_: Any) -> None:  # noqa: ANN401  (urllib's signature)
        """Refuse it; the answer is then an error."""


def _explain(url: str, error: HTTPError) -> HostError:
    hints = {
        401: "; is the token right?",
        403: "; may the token write comments?",
        404: "; does it exist, and may the token see it?",
    }
    return HostError(f"{redact_url(url)}: {error.code} {error.reason}{hints.get(error.code, '')}")
