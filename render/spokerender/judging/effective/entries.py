"""Compares the entries of lists and mappings before and after a change."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from typing import Any

from spokerender.formats.comparing import fingerprint, is_same_json
from spokerender.model.shapes import Json, grouped

_Network = IPv4Network | IPv6Network


def list_unpaired(old: list[Any], new: list[Any]) -> tuple[dict[int, Any], dict[int, Any]]:
    """Return the items by index that only `old` has, and the items by index that only `new` has."""
    places = grouped((fingerprint(item), index) for index, item in enumerate(new))
    gone: dict[int, Any] = {}
    paired = set[int]()
    for index, item in enumerate(old):
        same = places.get(fingerprint(item))
        if same:
            paired.add(same.pop(0))
        else:
            gone[index] = item
    return gone, {index: item for index, item in enumerate(new) if index not in paired}


def pair_entries(
    old: Any,  # noqa: ANN401  (a mapping, a list, or a value of another shape)
    new: Json,
) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, tuple[Any, Any]]]:
    """Return removed entries, added entries, and old and new values of changed entries, by key.

    An entry that only gets another key is unchanged. The keys of lists are indexes; instead of a
    changed item, lists have a removed and an added item.
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        both = {
            key: (old[key], new[key])
            for key in old
            if key in new and not is_same_json(old[key], new[key])
        }
        gone = {key: value for key, value in old.items() if key not in new}
        added = {key: value for key, value in new.items() if key not in old}
        for key, value in list(gone.items()):
            same = next((name for name in added if is_same_json(added[name], value)), None)
            if same is not None:
                del gone[key], added[same]
        return gone, added, both
    lists = [
        side if isinstance(side, list) else [side] if side not in ({}, None) else []
        for side in (old, new)
    ]
    missing, further = list_unpaired(*lists)
    return missing, further, {}


def is_one_sort(one: Json, other: Json) -> bool:
    """Return whether an entry may be an edit of another: they share a field, or a type of value."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        same = (is_same_json(one[key], other[key]) for key in one if key in other)
        return not one or not other or one.keys() == other.keys() or any(same)
    return type(one) is type(other)


def drop_covered(
    entries: Mapping[Any, Json], others: Iterable[Json], *, wildcards: bool
) -> dict[Any, Json]:
    """Return the entries that no network, or with `wildcards` no pattern, in `others` includes."""
    others = [other for other in others if isinstance(other, str)]
    networks = [network for other in others if (network := _read_network(other)) is not None]
    wider: list[_Network] = [
        *collapse_addresses(each for each in networks if isinstance(each, IPv4Network)),
        *collapse_addresses(each for each in networks if isinstance(each, IPv6Network)),
    ]
    patterns = [other for other in others if wildcards and "*" in other]
    return {
        key: entry
        for key, entry in entries.items()
        if not isinstance(entry, str)
        or not (_is_within(entry, wider) or any(_stands_for(p, entry) for p in patterns))
    }


@cache
def _read_network(text: str) -> _Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _is_within(text: str, networks: Iterable[_Network]) -> bool:
    own = _read_network(text)
    if own is None:
        return False
    return any(
        own.version == it.version and own.network_address in it and own.prefixlen >= it.prefixlen
        for it in networks
    )


def _stands_for(pattern: str, text: str) -> bool:
    parts = map(re.escape, pattern.split("*"))
    return re.fullmatch(".*".join(parts), text) is not None
