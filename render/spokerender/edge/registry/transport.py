"""How a request goes over the wire: with an end in time and in size, and again where it is busy."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException
from urllib3.util import Retry

from spokerender.edge.waiting import within

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
