"""Fetching a file from the network, which only `crds add` does.

The answer is not trusted: it is limited in time and size, comes over TLS, and is parsed like any
other file.
"""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, TypeVar
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from spokerender import __version__
from spokerender.findings.errors import RenderError

LARGEST = 32 << 20
"""In bytes; all CRDs of the Gateway API are 1.5 MB."""
_TIMEOUT_SECONDS = 30
LONGEST_SECONDS = 300
"""How long all of it may take: 100 KB a second, for the largest."""
_SCHEMES = ("https", "http")


class FetchError(RenderError):
    """The network, or the server, has not what was asked for."""


def is_url(text: str) -> bool:
    """Whether it names something on the network, and not a file."""
    return "://" in text


def shown(url: str) -> str:
    """A URL as it can be told: without user and query, by which people prove who they are."""
    scheme, separator, rest = url.partition("://")
    address, query, _ = rest.partition("?")
    host, slash, path = address.partition("/")
    bare = f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
    return f"{bare}?…" if query else bare


def fetch(url: str) -> bytes:
    """Get a file over HTTPS, or over plain HTTP from this very machine.

    Raises:
        FetchError: it is not such a URL, or can't be had, or is too large.

    """
    _refuse_insecure(url)
    request = Request(url, headers={"User-Agent": f"spokerender/{__version__}"})  # noqa: S310  (checked)
    try:
        data = within(LONGEST_SECONDS, lambda: _fetched(request))
    except (OSError, HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        message = f"{shown(url)}: it can't be fetched: {reason}; name a file that you have instead"
        raise FetchError(message) from error
    if len(data) > LARGEST:
        message = f"{shown(url)}: it is larger than {LARGEST:,} bytes; is it what you mean?"
        raise FetchError(message)
    return data


def _fetched(request: Request) -> bytes:
    with build_opener(_Redirects).open(request, timeout=_TIMEOUT_SECONDS) as answer:
        data: bytes = answer.read(LARGEST + 1)
    return data


class _Redirects(HTTPRedirectHandler):
    """Follows a server elsewhere, but not to where we would not have gone ourselves."""

    def redirect_request(self, *arguments: Any) -> Request | None:  # noqa: ANN401  (urllib's signature)
        """Refuse what `fetch` refuses."""
        _refuse_insecure(arguments[-1])
        return super().redirect_request(*arguments)


def _refuse_insecure(url: str) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError as error:
        message = f"{shown(url)}: it is no URL: {error}"
        raise FetchError(message) from error
    if parts.scheme not in _SCHEMES or not host:
        message = f"{shown(url)}: only https:// is fetched"
        raise FetchError(message)
    if "@" in parts.netloc:
        message = f"{shown(url)}: it is not fetched as a user; name a file that you have instead"
        raise FetchError(message)
    if parts.scheme == "http" and not _is_here(host):
        message = f"{shown(url)}: plain HTTP could bring anything; use https://"
        raise FetchError(message)


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


_Answer = TypeVar("_Answer")


def within(seconds: float, call: Callable[[], _Answer]) -> _Answer:
    """What a call comes to; what it waits for is left behind when the time is over.

    The time limit of a socket begins anew with each byte, so that a server that sends a byte now
    and then is never waited for too long in its sense.

    Raises:
        TimeoutError: it takes longer.

    """
    answers: list[_Answer] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(call())
        except BaseException as error:  # noqa: BLE001  (it is raised where it is waited for)
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)  # so that it keeps no process alive
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors.pop()  # or it would hold itself, by this frame
    if not answers:
        message = f"it has not ended its answer after {seconds:,g} seconds"
        raise TimeoutError(message)
    return answers[0]
