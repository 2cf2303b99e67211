"""`ip()`, `cidr()` and `url()` of Kubernetes' CEL library (k8s.io/apiserver, `library`).

Their values are texts here, in one form for each address.
"""

import ipaddress
import re
from collections import defaultdict
from collections.abc import Callable

from spokerender.formats.cel.costs import BUDGET
from spokerender.formats.cel.functions import Function, global_function, member

_URL = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?://(?P<authority>[^/?#]*))?"
    r"(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#.*)?",
    re.DOTALL,
)
_HOST = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]*)(?::(?P<port>[0-9]*))?")
_USERINFO = re.compile(r"(?:[A-Za-z0-9._:~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})*")
"""The user info that Go allows before the last `@` (`validUserinfo`)."""
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def address(text: str) -> _Address:
    """Parse an address; raises ValueError for a zone or IPv4-mapped, as Kubernetes does."""
    parsed = ipaddress.ip_address(text)
    if isinstance(parsed, ipaddress.IPv6Address) and (parsed.scope_id or parsed.ipv4_mapped):
        message = f'"{text}" has a zone or is an IPv4-mapped IPv6 address'
        raise ValueError(message)
    return parsed


def network(text: str) -> _Network:
    """Return the network of an address with a prefix length; raises ValueError."""
    base, slash, length = text.partition("/")
    if not slash or not length.isdecimal():
        message = f'"{text}" has no prefix length'
        raise ValueError(message)
    address(base)
    return ipaddress.ip_network(text, strict=False)


def holds(parse: Callable[[str], object], text: str) -> bool:
    """Tell whether `parse` accepts a text."""
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _canonical_cidr(text: str) -> str:
    network(text)
    base, _, length = text.partition("/")
    return f"{address(base)}/{int(length)}"


def _contains(outer: str, inner: str) -> bool:
    net = network(outer)
    other = network(inner) if "/" in inner else ipaddress.ip_network(address(inner))
    same = net.version == other.version
    return same and net.supernet_of(other)  # type: ignore[arg-type]  # one version, just compared


def _is_unicast(text: str) -> bool:
    parsed = address(text)
    is_other = (
        parsed.is_unspecified or parsed.is_loopback or parsed.is_multicast or parsed.is_link_local
    )
    return not is_other and str(parsed) != "255.255.255.255"


def url(text: str) -> dict[str, str]:
    """Return the parts of an absolute URL or path, as Go's `url.ParseRequestURI` does.

    Raises ValueError for anything else.
    """
    BUDGET.spend(len(text), "url()")
    match = _URL.fullmatch(text)
    parts = match.groupdict(default="") if match else {}
    userinfo, _, place = parts.get("authority", "").rpartition("@")
    host = _HOST.fullmatch(place) if _USERINFO.fullmatch(userinfo) else None
    is_absolute = parts.get("scheme") or text.startswith("/")
    if not is_absolute or host is None or any(character <= " " for character in text):
        message = f'"{text[:60]}" is not a URL'
        raise ValueError(message)
    return {**parts, **host.groupdict(default="")}


def _checked(text: str) -> str:
    url(text)
    return text


def _hostname(text: str) -> str:
    return url(text)["host"].removeprefix("[").removesuffix("]")


def _query(text: str) -> dict[str, list[str]]:
    values: dict[str, list[str]] = defaultdict(list)
    for pair in filter(None, url(text)["query"].split("&")):
        key, _, value = pair.partition("=")
        values[unescape(key)].append(unescape(value))
    return dict(values)


def unescape(text: str) -> str:
    """Decode a part of a query as Go's `url.QueryUnescape` does."""
    data = text.replace("+", " ").encode()
    return _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]), data).decode(errors="replace")


ADDRESS_FUNCTIONS: tuple[Function, ...] = (
    global_function("ip", "string", "string", lambda text: str(address(text))),
    global_function("isIP", "string", "bool", lambda text: holds(address, text)),
    global_function("ip.isCanonical", "string", "bool", lambda text: str(address(text)) == text),
    member("family", "string", "int", lambda text: address(text.partition("/")[0]).version),
    member("isUnspecified", "string", "bool", lambda text: address(text).is_unspecified),
    member("isLoopback", "string", "bool", lambda text: address(text).is_loopback),
    member("isLinkLocalUnicast", "string", "bool", lambda text: address(text).is_link_local),
    member("isGlobalUnicast", "string", "bool", _is_unicast),
    global_function("cidr", "string", "string", _canonical_cidr),
    global_function("isCIDR", "string", "bool", lambda text: holds(network, text)),
    member("containsIP", "string string", "bool", lambda outer, ip: address(ip) in network(outer)),
    member("containsCIDR", "string string", "bool", _contains),
    member("ip", "string", "string", lambda text: str(address(text.partition("/")[0]))),
    member("masked", "string", "string", lambda text: str(network(text))),
    member("prefixLength", "string", "int", lambda text: network(text).prefixlen),
    global_function("url", "string", "string", _checked),
    global_function("isURL", "string", "bool", lambda text: holds(url, text)),
    member("getScheme", "string", "string", lambda text: url(text)["scheme"]),
    member("getHost", "string", "string", lambda text: url(text)["authority"].rpartition("@")[2]),
    member("getHostname", "string", "string", _hostname),
    member("getPort", "string", "string", lambda text: url(text)["port"]),
    member("getEscapedPath", "string", "string", lambda text: url(text)["path"]),
    member("getQuery", "string", "map(string, list(string))", _query),
)
