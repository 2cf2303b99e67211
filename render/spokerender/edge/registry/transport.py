"""Requests to a registry, limited in time and size, and the reasons why they fail."""

import io
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.exceptions import InvalidSchema, RequestException, TooManyRedirects
from urllib3.util import Retry

from spokerender.edge.fetching import within

LARGEST = 4 << 20
"""In bytes: the limit of registries for a manifest, and far more than other answers need."""
SECONDS = (10, 60)
"""The limits for connecting, and for waiting for more of an answer."""
LONGEST_SECONDS = 600
"""The limit for a request with its answer."""
AGAIN = Retry(
    total=3,
    connect=0,
    read=0,
    status_forcelist=(429, 502, 503, 504),
    backoff_factor=0.2,
    respect_retry_after_header=False,  # it could say next year
    raise_on_status=False,
)


class LimitedAdapter(HTTPAdapter):
    """An adapter that limits answers in time and size."""

    def __init__(self) -> None:
        super().__init__(max_retries=AGAIN)

    def send(self, request: PreparedRequest, *_: Any, **options: Any) -> Response:  # noqa: ANN401  (requests's)
        """Send a request, and read the answer, within limits. Raises `RequestException`."""
        # A compressed answer could have any size: it is not requested, and not decompressed.
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
"""The longest quotation of a registry's own message, in characters."""
_MEANINGS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "it requires credentials; log in, as with docker login",
    HTTPStatus.FORBIDDEN: "you have no permission to push there; ask the owner of the registry",
    HTTPStatus.NOT_FOUND: "there is no such repository; does it have to be created first?",
    HTTPStatus.METHOD_NOT_ALLOWED: "it does not accept pushes; is it only a mirror?",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "it accepts nothing that large",
    HTTPStatus.TOO_MANY_REQUESTS: "its limit of requests is reached; push again later",
}


def describe_refusal(answer: Response, tried: str) -> str:
    """Describe why a registry refuses; `tried` says which credentials it got."""
    if answer.is_redirect:
        return f"it redirects to {answer.headers['Location'][:_QUOTED]}; name that registry instead"
    status = f"{answer.status_code} {answer.reason or ''}".rstrip()
    parts = [_MEANINGS.get(answer.status_code, ""), tried, _quoted_error(answer)]
    if answer.status_code not in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        parts.remove(tried)
    return ": ".join([f"it answers {status}", *filter(None, parts)])


def _quoted_error(answer: Response) -> str:
    """Return the first error, which has a code and a message (distribution specification)."""
    try:
        first = answer.json()["errors"][0]
        text = f"{first.get('code', '')} {first.get('message', '')}".strip()
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    return text[:_QUOTED]


def describe_error(error: BaseException) -> str:
    """Describe an error on the way to a registry: that of the system, below those of libraries."""
    if isinstance(error, InvalidSchema):
        return "plain HTTP is allowed for the named registry only"
    if isinstance(error, TooManyRedirects):
        return "its token service redirects, and credentials are for the named service only"
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    system = next((cause for cause in reversed(causes) if isinstance(cause, OSError)), None)
    text = getattr(system, "strerror", None) or str(causes[-1]) or type(error).__name__
    return f"it can't be reached: {text[:_QUOTED]}"
