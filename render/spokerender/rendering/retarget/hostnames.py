"""Hostnames on a spoke: a rule maps the hostnames of listeners and, by suffix, of routes."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from spokerender.kinds.fields import Edits, read_value
from spokerender.kinds.marks import HOSTNAME_ANNOTATIONS
from spokerender.model import PlacedGateway
from spokerender.model.shapes import as_list, as_mapping, as_text
from spokerender.topology.admission import find_named_listeners, find_parents, index_hostnames
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import split_suffixes as endings
from spokerender.topology.node import Node

HostnameMap = tuple[tuple[str, str], ...]
_MAPS_KEPT = 1_024
_ANNOTATIONS = (("metadata", "annotations"), ("spec", "infrastructure", "annotations"))
_HOSTNAME = re.compile(r"[^,\s]+")


class Conflict(Struct, frozen=True):
    """A hostname that a route's gateways map differently; `index` is its index in the route."""

    index: int
    hostname: str
    becomes: tuple[str, ...]


def mapped(hostname: str, rules: HostnameMap) -> str | None:
    """Return the hostname on the spoke; None if no key matches.

    An exact key takes precedence over a wildcard, a longer suffix over a shorter one. A wildcard
    key matches itself and, as in the Gateway API, any number of labels in place of the star.
    """
    key = key_of(hostname, rules)
    if key is None:
        return None
    value = _keys(rules)[key]
    return value if hostname == key else hostname[: -len(key) + 1] + value[1:]


def key_of(hostname: str, rules: HostnameMap) -> str | None:
    """Return the key that maps a hostname; None if no key matches (`mapped`)."""
    keys = _keys(rules)
    above = (f"*{suffix}" for suffix in endings(hostname))
    return next((key for key in (hostname, *above) if key in keys), None)


# A map is looked up for each hostname of each route of its gateway.
@lru_cache(_MAPS_KEPT)
def _keys(rules: HostnameMap) -> Mapping[str, str]:
    return dict(rules)


def candidates(hostname: str, maps: Iterable[HostnameMap]) -> tuple[str, ...]:
    """Return the hostnames to which several maps map a hostname; more than one is a conflict."""
    return tuple(dict.fromkeys(mapped(hostname, rules) or hostname for rules in maps))


def serving(
    hostname: str, route: Node, hub: Topology, gateways: Sequence[PlacedGateway]
) -> Sequence[PlacedGateway]:
    """Return the gateways whose maps apply to a hostname of a route that ships with `gateways`.

    A gateway's map applies if one of its listeners serves the hostname on the hub; if none does,
    all maps apply.
    """
    serving_gateways = {
        gateway
        for parent, link in find_parents(hub, route)
        for listener in find_named_listeners(parent, link)
        if listener.hostname in index_hostnames(hub, parent.ref).met_by(hostname)
        for gateway in hub.ships_with(parent.ref)
    }
    # A hostname that no listener serves is mapped as well: another check reports it, under its name
    # on the spoke.
    return [place for place in gateways if place.hub in serving_gateways] or gateways


def hostname_edits(
    data: Mapping[str, Any], route: Node, hub: Topology, gateways: Sequence[PlacedGateway]
) -> tuple[Edits, tuple[Conflict, ...]]:
    """Return the edits that map a route's hostnames, and the conflicts between its gateways."""
    hostnames = read_value(data, ("spec", "hostnames"))
    conflicts: list[Conflict] = []

    def list_new(hostname: str) -> tuple[str, ...]:
        maps = (place.hostnames for place in serving(hostname, route, hub, gateways))
        return candidates(hostname, maps)

    def become(hostname: str) -> str | None:
        new = list_new(hostname)
        return new[0] if len(new) == 1 else None

    is_mapped = any(place.hostnames for place in gateways)
    # Hostnames in annotations are not reported as conflicts: they are unchanged if maps differ.
    edits = annotation_edits(data, become) if is_mapped else {}
    for index, hostname in enumerate(as_list(hostnames)):
        if not isinstance(hostname, str):
            continue
        new = list_new(hostname)
        if len(new) > 1:
            conflicts.append(Conflict(index, hostname, new))
        elif new[0] != hostname:
            edits["spec", "hostnames", index] = new[0]
    return edits, tuple(conflicts)


def annotation_edits(data: Mapping[str, Any], become: Callable[[str], str | None]) -> Edits:
    """Return the edits that map hostnames in annotations, also in those for infrastructure.

    `become` returns the hostname on the spoke, or None if it is not mapped.
    """
    edits: Edits = {}
    for path in _ANNOTATIONS:
        texts = as_mapping(read_value(data, path))
        for key in HOSTNAME_ANNOTATIONS.intersection(texts):
            # Only the hostnames are replaced: commas and spaces remain as users wrote them.
            new = _HOSTNAME.sub(lambda found: become(found[0]) or found[0], as_text(texts[key]))
            if new and new != texts[key]:
                edits[*path, key] = new
    return edits


def list_changed_hostnames(rules: HostnameMap) -> tuple[str, ...]:
    """Return the hostnames that change, without the star of wildcards."""
    return tuple(key.removeprefix("*.") for key, value in rules if key != value)


def rewritten(rules: HostnameMap) -> tuple[str, ...]:
    """Return the hostnames that replace hostnames of the hub, without the star of wildcards."""
    return tuple(value.removeprefix("*.") for key, value in rules if key != value)
