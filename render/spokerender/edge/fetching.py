"""Fetching a file from the network, which only `crds add` does; `push` and `comment` send.

The answer is not trusted: it is limited in time and size, comes over TLS, and is parsed like any
other file.
"""

import threading
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, TypeVar
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from spokerender import __version__
from spokerender.edge.hosts import is_loopback
from spokerender.findings.errors import RenderError

LARGEST = 32 << 20
"""In bytes; all CRDs of the Gateway API are 1.5 MB."""
_TIMEOUT_SECONDS = 30
LONGEST_SECONDS = 300
"""The limit for the whole file: 100 KB a second, for the largest."""
_SCHEMES = ("https", "http")


class FetchError(RenderError):
    """A file can't be fetched."""


def is_url(text: str) -> bool:
    """Return whether a text names something on the network, and not a file."""
    return "://" in text


def redact_url(url: str) -> str:
    """Return a URL for messages: without user and query, which may be credentials."""
    scheme, separator, rest = url.partition("://")
    address, query, _ = rest.partition("?")
    host, slash, path = address.partition("/")
    bare = f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
    return f"{bare}?…" if query else bare


def fetch(url: str) -> bytes:
    """Fetch a file over HTTPS, or over plain HTTP from this machine. Raises `FetchError`."""
    refuse_insecure(url)
    request = Request(url, headers={"User-Agent": f"spokerender/{__version__}"})  # noqa: S310  (checked)
    try:
        data = within(LONGEST_SECONDS, lambda: _fetched(request))
    except (OSError, HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        message = f"{redact_url(url)}: it can't be fetched: {reason}; download it yourself"
        raise FetchError(message) from error
    if len(data) > LARGEST:
        message = f"{redact_url(url)}: it is larger than {LARGEST:,} bytes; is it what you mean?"
        raise FetchError(message)
    return data


def _fetched(request: Request) -> bytes:
    with build_opener(_Redirects).open(request, timeout=_TIMEOUT_SECONDS) as answer:
        data: bytes = answer.read(LARGEST + 1)
        if len(data) <= LARGEST and answer.length:  # what the Content-Length still promises
            message = f"the answer ends {answer.length:,} bytes too early"
            raise HTTPException(message)
    return data


class _Redirects(HTTPRedirectHandler):
    """A handler that follows redirects, except to URLs that `fetch` refuses itself."""

    def redirect_request(self, *arguments: Any) -> Request | None:  # noqa: ANN401  (urllib's signature)
        """Refuse the URLs that `fetch` refuses."""
        refuse_insecure(arguments[-1])
        return super().redirect_request(*arguments)


def refuse_insecure(url: str) -> None:
    """Refuse a URL that is not HTTPS, but for this machine's own. Raises `FetchError`."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError as error:
        message = f"{redact_url(url)}: it is not a URL: {error}"
        raise FetchError(message) from error
    if parts.scheme not in _SCHEMES or not host:
        message = f"{redact_url(url)}: only https:// URLs are fetched"
        raise FetchError(message)
    if "@" in parts.netloc:
        message = f"{redact_url(url)}: it has a user name in it; download it yourself"
        raise FetchError(message)
    if parts.scheme == "http" and not is_loopback(host):
        message = f"{redact_url(url)}: plain HTTP is not safe from changes on the way; use https://"
        raise FetchError(message)


_Answer = TypeVar("_Answer")


def within(seconds: float, call: Callable[[], _Answer]) -> _Answer:
    """Return what a call returns, or raise `TimeoutError`; then the call is left to itself.

    The timeout of a socket starts again with each byte, so it does not limit how long a server
    that sends a byte now and then takes.
    """
    answers: list[_Answer] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(call())
        except BaseException as error:  # noqa: BLE001  (it is raised again below)
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)  # so that it keeps no process alive
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors.pop()  # else the frame in its traceback would refer to it for ever
    if not answers:
        message = f"the answer is not complete after {seconds:,g} seconds"
        raise TimeoutError(message)
    return answers[0]
