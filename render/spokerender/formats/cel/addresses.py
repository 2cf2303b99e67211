"""`ip()`, `cidr()` and `url()` of Kubernetes' CEL library (k8s.io/apiserver, `library`).

Their values are texts here, in one form for each address.
"""

import ipaddress
import re

from spokerender.formats.cel.functions import CIDR, IP, URL, Function, global_function, member
from spokerender.formats.cel.urls import escaped_path, holds, read_query, url

_LENGTH = re.compile("0|[1-9][0-9]{0,2}")
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def address(text: str) -> _Address:
    """Return an address. Raises ValueError if it has a zone or is IPv4-mapped, as in Kubernetes."""
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
