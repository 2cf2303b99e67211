"""Requests to a registry, limited in time and size, and the reasons why they fail."""

from __future__ import annotations

import io
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.exceptions import InvalidSchema, RequestException
from urllib3.util import Retry

from spokerender.edge.fetching import within

LARGEST = 4 << 20
"""In bytes: what registries take for a manifest, and far more than any other answer needs."""
SECONDS = (10, 60)
"""How long to connect, and to wait for more of an answer."""
LONGEST_SECONDS = 600
"""How long a request may take with its answer."""
AGAIN = Retry(
    total=3,
    connect=0,
    read=0,
    status_forcelist=(429, 502, 503, 504),
    backoff_factor=0.2,
    respect_retry_after_header=False,  # it could say next year
    raise_on_status=False,
)


class Bounded(HTTPAdapter):
    """Sends requests, and takes answers that end."""

    def __init__(self) -> None:
        """Try again, a few times, where a registry says that it is busy."""
        super().__init__(max_retries=AGAIN)

    def send(self, request: PreparedRequest, *_: Any, **options: Any) -> Response:  # noqa: ANN401  (requests's)
        """Send a request, and read the answer.

        Raises:
            RequestException: there is none, or it is too large.

        """
        # What is packed could come to any size: nothing is asked for so, and nothing unpacked.
        request.headers["Accept-Encoding"] = "identity"
        more = {**options, "timeout": SECONDS, "stream": True}
        try:
            answer, data = within(LONGEST_SECONDS, lambda: self._answer(request, more))
        except TimeoutError as error:
            raise RequestException(str(error)) from error
        if len(data) > LARGEST:
            answer.close()
            message = f"its answer is larger than {LARGEST:,} bytes"
            raise RequestException(message)
        answer.raw = io.BytesIO(data)
        return answer

    def _answer(
        self, request: PreparedRequest, options: Mapping[str, Any]
    ) -> tuple[Response, bytes]:
        answer = super().send(request, **options)
        return answer, answer.raw.read(LARGEST + 1, decode_content=False)


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
