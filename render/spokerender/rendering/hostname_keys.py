"""Keys of a rule's `as.hostnames` that map nothing: most often a hostname with a typo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from spokerender.findings.codes.placement import UNUSED_HOSTNAME
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.kinds.fields import read_value
from spokerender.model import PlacedGateway, Ref
from spokerender.model.shapes import as_list
from spokerender.rendering.retarget.hostnames import key_of, serving
from spokerender.rendering.values.bundles import Blueprint, Bundle
from spokerender.rendering.values.placement import Decision
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub


def unused_hostnames(
    decision: Decision, hub: Hub, topology: Topology, bundles: Iterable[Bundle]
) -> Iterator[Result]:
    """A warning for every key that is used on no spoke of its rule; a rule may be on none at all.

    A hub Gateway's listeners count also where the spoke has its own gateway: the key says what
    the hostname is on the hub.
    """
    by_outcomes = {id(bundle.blueprint.outcomes): bundle.blueprint for bundle in bundles}
    mapping = [each for each in by_outcomes.values() if any(p.hostnames for p in each.placed)]
    if not mapping:
        return
    seen = _Seen(hub, topology)
    for blueprint in mapping:
        seen.look_at(blueprint)
    for rule in decision.rules:
        if rule.number not in seen.keys:
            continue
        names = seen.names.get(rule.number, set())
        for key in sorted(rule.placed_as.hostnames.keys() - seen.keys[rule.number]):
            yield UNUSED_HOSTNAME.result(
                f'no listener or route has a hostname that "{key}" maps',
                cure=did_you_mean(key, names, "they have") or "take the key out of the rule",
                field=f"{rule.field}.as.hostnames[{key}]",
                origin=rule.origin,
            )


class _Seen:
    """What the blueprints use, by the number of the rule: keys, and the hostnames there are."""

    def __init__(self, hub: Hub, topology: Topology) -> None:
        self._topology = topology
        self._of_hub = [
            (index, manifest.ref, of_listeners, of_route)
            for index, manifest in enumerate(hub.manifests)
            for of_listeners, of_route in [_hostnames(manifest.object, manifest.ref, topology)]
            if of_listeners or of_route
        ]
        self.keys: dict[int, set[str]] = {}
        self.names: dict[int, set[str]] = {}

    def look_at(self, blueprint: Blueprint) -> None:
        """Note what one blueprint uses."""
        for place in blueprint.placed:
            self.keys.setdefault(place.rule, set())
        for index, ref, of_listeners, of_route in self._of_hub:
            gateways = self._topology.ships_with(ref)
            here = [p for p in blueprint.placed if p.hub == ref or p.hub in gateways]
            is_there = blueprint.outcomes[index].object is not None
            if not is_there and ref not in (place.hub for place in here):
                continue
            for hostname in of_listeners:
                self._use(hostname, here)
            for hostname in of_route:
                route = self._topology.nodes[ref]
                self._use(hostname, serving(hostname, route, self._topology, here))

    def _use(self, hostname: str, places: Iterable[PlacedGateway]) -> None:
        for place in places:
            self.names.setdefault(place.rule, set()).add(hostname)
            key = key_of(hostname, place.hostnames)
            self.keys[place.rule].update([] if key is None else [key])


def _hostnames(
    data: Mapping[str, Any], ref: Ref, topology: Topology
) -> tuple[Sequence[str], Sequence[str]]:
    """The hostnames of an object's own listeners, and, of a route, those that it is for."""
    listeners = read_value(data, ("spec", "listeners"))
    own = [read_value(each, ("hostname",)) for each in as_list(listeners)]
    names = read_value(data, ("spec", "hostnames")) if topology.nodes[ref].is_route else None
    return _texts(own), _texts(as_list(names))


def _texts(values: Iterable[Any]) -> list[str]:
    return [value for value in values if isinstance(value, str)]
