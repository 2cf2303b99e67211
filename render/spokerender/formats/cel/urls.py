"""IP addresses, networks and URLs as Go reads them, for Kubernetes' CEL library."""

import ipaddress
import re
from collections import defaultdict
from collections.abc import Callable

from spokerender.formats.cel.costs import BUDGET
from spokerender.formats.cel.functions import CIDR, IP, URL, Function, global_function, member

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
    """Tell whether `parse` accepts a text."""
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
    """Return the path as it is written, or escaped anew if it has characters that need it."""
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
    """Decode a part of a query as Go's `url.QueryUnescape` does."""
    return _unescape_bytes(text.replace("+", " ")).decode(errors="replace")


def _unescape_bytes(text: str) -> bytes:
    return _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]), text.encode())


_LENGTH = re.compile("0|[1-9][0-9]{0,2}")
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def address(text: str) -> _Address:
    """Parse an address; raises ValueError for a zone or IPv4-mapped, as Kubernetes does."""
    parsed = ipaddress.ip_address(text)
    if isinstance(parsed, ipaddress.IPv6Address) and (parsed.scope_id or parsed.ipv4_mapped):
        raise ValueError(f'"{text}" has a zone or is an IPv4-mapped IPv6 address')
    return parsed


def network(text: str) -> _Network:
    """Return the network of an address with a prefix length; raises ValueError."""
    base, slash, length = text.partition("/")
    if not slash or not _LENGTH.fullmatch(length):
        raise ValueError(f'"{text}" has no prefix length')
    address(base)
    return ipaddress.ip_network(text, strict=False)


def _canonical_cidr(text: str) -> str:
    network(text)
    base, _, length = text.partition("/")
    return f"{address(base)}/{int(length)}"


def _contains(outer: str, inner: str) -> bool:
    net, other = network(outer), network(inner)
    same = net.version == other.version
    return same and net.supernet_of(other)  # type: ignore[arg-type]  # one version, just compared


def _contains_address(outer: str, inner: str) -> bool:
    return address(inner) in network(outer)


def _is_local_multicast(text: str) -> bool:
    parsed = address(text)
    is_v4 = parsed.version == 4  # noqa: PLR2004  (the version)
    return parsed in ipaddress.ip_network("224.0.0.0/24" if is_v4 else "ff02::/16")


def _is_unicast(text: str) -> bool:
    parsed = address(text)
    is_other = (
        parsed.is_unspecified or parsed.is_loopback or parsed.is_multicast or parsed.is_link_local
    )
    return not is_other and str(parsed) != "255.255.255.255"


def _checked(text: str) -> str:
    url(text)
    return text


ADDRESS_FUNCTIONS: tuple[Function, ...] = (
    global_function("ip", "string", IP, lambda text: str(address(text))),
    global_function("isIP", "string", "bool", lambda text: holds(address, text)),
    global_function("ip.isCanonical", "string", "bool", lambda text: str(address(text)) == text),
    member("family", IP, "int", lambda text: address(text.partition("/")[0]).version),
    member("isUnspecified", IP, "bool", lambda text: address(text).is_unspecified),
    member("isLoopback", IP, "bool", lambda text: address(text).is_loopback),
    member("isLinkLocalMulticast", IP, "bool", _is_local_multicast),
    member("isLinkLocalUnicast", IP, "bool", lambda text: address(text).is_link_local),
    member("isGlobalUnicast", IP, "bool", _is_unicast),
    global_function("cidr", "string", CIDR, _canonical_cidr),
    global_function("isCIDR", "string", "bool", lambda text: holds(network, text)),
    member("containsIP", f"{CIDR} string", "bool", _contains_address),
    member("containsIP", f"{CIDR} {IP}", "bool", _contains_address),
    member("containsCIDR", f"{CIDR} string", "bool", _contains),
    member("containsCIDR", f"{CIDR} {CIDR}", "bool", _contains),
    member("ip", CIDR, IP, lambda text: str(address(text.partition("/")[0]))),
    member("masked", CIDR, CIDR, lambda text: str(network(text))),
    member("prefixLength", CIDR, "int", lambda text: network(text).prefixlen),
    global_function("url", "string", URL, _checked),
    global_function("isURL", "string", "bool", lambda text: holds(url, text)),
    member("getScheme", URL, "string", lambda text: url(text)["scheme"]),
    member("getHost", URL, "string", lambda text: url(text)["authority"]),
    member("getHostname", URL, "string", lambda text: url(text)["host"].strip("[]")),
    member("getPort", URL, "string", lambda text: url(text)["port"]),
    member("getEscapedPath", URL, "string", escaped_path),
    member("getQuery", URL, "map(string, list(string))", read_query),
)
