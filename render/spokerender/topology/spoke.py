"""A spoke's topology: what is rendered for it, and the gateways that it has of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Any

from spokerender.kinds import Catalogue
from spokerender.model import PlacedGateway, Ref
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node
from spokerender.topology.precedence import Ages
from spokerender.topology.reading import node

_NO_AGES: Ages = MappingProxyType({})


def spoke_topology(
    shipped: Iterable[Node],
    placed: Iterable[PlacedGateway],
    catalogue: Catalogue,
    namespaces: Topology | None = None,
    ages: Ages = _NO_AGES,
) -> Topology:
    """Build the topology of a spoke; its own gateways have the listeners that were declared.

    Two hub gateways may be one that the spoke has: it has the listeners that either declares.
    `namespaces` and `ages` as for `Topology`.
    """
    declared: dict[Ref, list[PlacedGateway]] = {}
    for place in placed:
        if place.existing:
            declared.setdefault(place.ref, []).append(place)
    existing = {ref: _existing(ref, places, catalogue) for ref, places in declared.items()}
    nodes = {**existing, **{item.ref: item for item in shipped}}
    return Topology(nodes.values(), namespaces, ages)


def _existing(ref: Ref, places: Sequence[PlacedGateway], catalogue: Catalogue) -> Node:
    listeners: dict[str, Any] = {}
    for place in places:
        for listener in place.listeners.entries:
            listeners.setdefault(listener["name"], listener)
    gateway_class = next((place.gateway_class for place in places if place.gateway_class), "")
    spec = {"gatewayClassName": gateway_class, "listeners": list(listeners.values())}
    return node(ref, {"metadata": {}, "spec": spec}, catalogue)
