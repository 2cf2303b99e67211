"""URLs as Go reads them (`net/url`), for Kubernetes' CEL library."""

import ipaddress
import re
from collections import defaultdict
from collections.abc import Callable

from spokerender.formats.cel.costs import BUDGET

_SCHEME = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(.*)", re.DOTALL)
_HOST = re.compile(
    r"(?P<host>\[(?P<v6>[0-9A-Fa-f:.]*(?:%25.*)?)\]|"
    r"(?:[A-Za-z0-9._~!$&'()*+,;=<>\"-]|[^\x00-\x7f]|%25|%[89A-Fa-f][0-9A-Fa-f])*)"
    r"(?::(?P<port>[0-9]*))?"
)
_PATH = re.compile(r"(?:[^%]|%[0-9A-Fa-f]{2})*", re.DOTALL)
_UNESCAPED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$&+,/:;=@-_.~"
_PLAIN_PATH = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@\[\]%/-]*")
_USERINFO = re.compile(r"(?:[A-Za-z0-9._:~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})*")
"""The user info that Go allows before the last `@` (`validUserinfo`)."""
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")


def holds(parse: Callable[[str], object], text: str) -> bool:
    """Return whether `parse` accepts a text."""
    try:
        parse(text)
    except ValueError:
        return False
    return True


def url(text: str) -> dict[str, str]:
    """Return the parts of an absolute URL or path, as Go's `url.ParseRequestURI` does.

    Raises ValueError for anything else.
    """
    BUDGET.spend(len(text), "url()")
    match = _SCHEME.fullmatch(text)
    scheme, rest = (match[1] or "", match[2]) if match else ("", "")
    path, _, query = rest.partition("#")[0].partition("?")
    authority = ""
    is_absolute = path.startswith("/")
    if path.startswith("//"):
        authority, slash, path = path[2:].partition("/")
        path = slash + path
    elif scheme and not is_absolute:
        path = ""  # it is opaque
    userinfo, _, place = authority.rpartition("@")
    host = _HOST.fullmatch(place) if _USERINFO.fullmatch(userinfo) else None
    if (
        not (scheme or is_absolute)
        or host is None
        or not _PATH.fullmatch(path)
        or re.search(r"[\x00-\x1f\x7f]", text)
        or (
            host["v6"] is not None
            and not holds(ipaddress.IPv6Address, host["v6"].partition("%")[0])
        )
    ):
        raise ValueError(f'"{text[:60]}" is not a URL')
    parts = {"scheme": scheme.lower(), "authority": place, "path": path, "query": query}
    return {**parts, "host": host["host"], "port": host["port"] or ""}


def escaped_path(text: str) -> str:
    """Return the path of a URL as it is written, or escaped again if characters need it."""
    path = url(text)["path"]
    if _PLAIN_PATH.fullmatch(path):
        return path
    data = _unescape_bytes(path)
    return "".join(chr(byte) if byte in _UNESCAPED else f"%{byte:02X}" for byte in data)


def read_query(text: str) -> dict[str, list[str]]:
    """Return the values of a URL's query by their keys."""
    values: dict[str, list[str]] = defaultdict(list)
    for pair in filter(None, url(text)["query"].split("&")):
        if ";" not in pair and _PATH.fullmatch(pair):
            key, _, value = pair.partition("=")
            values[unescape(key)].append(unescape(value))
    return dict(values)


def unescape(text: str) -> str:
    """Return a part of a query, decoded as by Go's `url.QueryUnescape`."""
    return _unescape_bytes(text.replace("+", " ")).decode(errors="replace")


def _unescape_bytes(text: str) -> bytes:
    return _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]), text.encode())
