"""What a registry says when it refuses, and what the way to it says, in words."""

from __future__ import annotations

from http import HTTPStatus

from requests import Response
from requests.exceptions import InvalidSchema

_QUOTED = 300
"""Characters of a registry's own words."""
_MEANINGS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "it wants to know who you are; log in, as with docker login",
    HTTPStatus.FORBIDDEN: "you may not push there; ask who runs the registry",
    HTTPStatus.NOT_FOUND: "there is no such repository; does it have to be made first?",
    HTTPStatus.METHOD_NOT_ALLOWED: "it can't be pushed to; is it only a mirror?",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "it takes nothing that large",
    HTTPStatus.TOO_MANY_REQUESTS: "it has had enough for now; push again later",
}


def refusal(answer: Response, tried: str) -> str:
    """Why a registry refuses; `tried` tells which credentials it was given."""
    if answer.is_redirect:
        return f"it sends us to {answer.headers['Location'][:_QUOTED]}; name that registry instead"
    said = f"{answer.status_code} {answer.reason or ''}".rstrip()
    words = [_MEANINGS.get(answer.status_code, ""), tried, _own_words(answer)]
    if answer.status_code not in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        words.remove(tried)
    return ": ".join([f"it answers {said}", *filter(None, words)])


def _own_words(answer: Response) -> str:
    """The first error, as the distribution specification has them: a code and a message."""
    try:
        first = answer.json()["errors"][0]
        told = f"{first.get('code', '')} {first.get('message', '')}".strip()
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    return told[:_QUOTED]


def reason(error: BaseException) -> str:
    """What went wrong on the way to a registry: what the system said, below what libraries say."""
    if isinstance(error, InvalidSchema):
        return "plain HTTP goes to nobody but the registry that it was asked for"
    seen = [error]
    while (below := seen[-1].__cause__ or seen[-1].__context__) is not None:
        seen.append(below)
    system = next((each for each in reversed(seen) if isinstance(each, OSError)), None)
    words = getattr(system, "strerror", None) or str(seen[-1]) or type(error).__name__
    return f"it can't be talked with: {words[:_QUOTED]}"
