"""Hostnames per spoke: a rule's map, applied to listeners and, by suffix, to the routes below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from spokerender.kinds import Edits, read
from spokerender.model import PlacedGateway
from spokerender.model.shapes import as_list
from spokerender.topology.doors import parents_of
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import suffixes as endings
from spokerender.topology.listening import listeners_meant, listening
from spokerender.topology.node import Node

HostnameMap = tuple[tuple[str, str], ...]
_REMEMBERED = 1_024
"""How many maps are kept to be looked up in."""


class Conflict(Struct, frozen=True):
    """A route's hostname, by its place, of which several gateways make different ones."""

    index: int
    hostname: str
    becomes: tuple[str, ...]


def mapped(hostname: str, rules: HostnameMap) -> str | None:
    """The hostname on the spoke, or None where no key matches.

    An exact key beats a wildcard, a longer suffix beats a shorter one. A wildcard key
    matches itself and, as in the Gateway API, any number of labels in the star's place.
    """
    key = key_of(hostname, rules)
    if key is None:
        return None
    value = _keys(rules)[key]
    return value if hostname == key else hostname[: -len(key) + 1] + value[1:]


def key_of(hostname: str, rules: HostnameMap) -> str | None:
    """The key that maps a hostname, as `mapped` says, or None where none does."""
    keys = _keys(rules)
    above = (f"*{suffix}" for suffix in endings(hostname))
    return next((key for key in (hostname, *above) if key in keys), None)


@lru_cache(_REMEMBERED)
def _keys(rules: HostnameMap) -> Mapping[str, str]:
    return dict(rules)


def candidates(hostname: str, maps: Iterable[HostnameMap]) -> tuple[str, ...]:
    """What the gateways that serve a hostname make of it; more than one is a conflict."""
    return tuple(dict.fromkeys(mapped(hostname, rules) or hostname for rules in maps))


def on_spoke(
    hostname: str, route: Node, hub: Topology, here: Sequence[PlacedGateway]
) -> tuple[str, ...]:
    """What a route's hostname becomes; several where those that serve it don't agree."""
    return candidates(hostname, (place.hostnames for place in serving(hostname, route, hub, here)))


def serving(
    hostname: str, route: Node, hub: Topology, here: Sequence[PlacedGateway]
) -> Sequence[PlacedGateway]:
    """The gateways of which the maps count for a route's hostname.

    Those that can serve it, by what their listeners are for on the hub; where none can, all.
    `here` are the placed gateways that the route ships with.
    """
    able = {
        gateway
        for parent, listener in _listeners_above(route, hub)
        if listener in listening(hub, parent.ref).met_by(hostname)
        for gateway in hub.ships_with(parent.ref)
    }
    return [place for place in here if place.hub in able] or here


def hostname_edits(
    data: Mapping[str, Any], route: Node, hub: Topology, here: Sequence[PlacedGateway]
) -> tuple[Edits, tuple[Conflict, ...]]:
    """The edits that map a route's hostnames, and those that its gateways don't agree about."""
    hostnames = read(data, ("spec", "hostnames"))
    edits: Edits = {}
    conflicts: list[Conflict] = []
    for index, hostname in enumerate(as_list(hostnames)):
        if not isinstance(hostname, str):
            continue
        chosen = on_spoke(hostname, route, hub, here)
        if len(chosen) > 1:
            conflicts.append(Conflict(index, hostname, chosen))
        elif chosen[0] != hostname:
            edits["spec", "hostnames", index] = chosen[0]
    return edits, tuple(conflicts)


def _listeners_above(route: Node, hub: Topology) -> Iterator[tuple[Node, str]]:
    """The hostnames of the listeners that a route names, each with what has it."""
    for parent, link in parents_of(hub, route):
        yield from ((parent, listener.hostname) for listener in listeners_meant(parent, link))


def suffixes(rules: HostnameMap) -> tuple[str, ...]:
    """The hostnames that change, without a wildcard's star: what a free text may still have."""
    return tuple(key.removeprefix("*.") for key, value in rules if key != value)


def rewritten(rules: HostnameMap) -> tuple[str, ...]:
    """What they become, without the star; one that ends in the old name still has it in it."""
    return tuple(value.removeprefix("*.") for key, value in rules if key != value)
