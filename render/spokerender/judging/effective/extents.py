"""Compare entries of lists by what they cover: networks, and texts with wildcards."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from typing import Any

from spokerender.model.shapes import Json

_Network = IPv4Network | IPv6Network


def drop_covered(
    entries: Mapping[Any, Json], others: Iterable[Json], *, wildcards: bool
) -> dict[Any, Json]:
    """Return the entries that no other one, nor all of them together, stand for."""
    others = [other for other in others if isinstance(other, str)]
    networks = [network for other in others if (network := _read_network(other)) is not None]
    patterns = [other for other in others if wildcards and "*" in other]
    return {
        key: entry
        for key, entry in entries.items()
        if not isinstance(entry, str)
        or not (_is_within(entry, networks) or any(_stands_for(p, entry) for p in patterns))
    }


@cache
def _read_network(text: str) -> _Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _is_within(text: str, networks: Iterable[_Network]) -> bool:
    own = _read_network(text)
    if isinstance(own, IPv4Network):
        wider4 = collapse_addresses(each for each in networks if isinstance(each, IPv4Network))
        return any(own.subnet_of(each) for each in wider4)
    wider6 = collapse_addresses(each for each in networks if isinstance(each, IPv6Network))
    return own is not None and any(own.subnet_of(each) for each in wider6)


def _stands_for(pattern: str, text: str) -> bool:
    parts = map(re.escape, pattern.split("*"))
    return re.fullmatch(".*".join(parts), text) is not None
