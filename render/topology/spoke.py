"""A spoke's topology: what is rendered for it, and the gateways that it has of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable

from render.kinds import Catalogue
from render.model import PlacedGateway
from render.topology.graph import Topology
from render.topology.node import Node, node


def spoke_topology(
    shipped: Iterable[Node], placed: Iterable[PlacedGateway], catalogue: Catalogue
) -> Topology:
    """Build the topology of a spoke; its own gateways have the listeners that were declared."""
    existing = {
        place.ref: node(
            place.ref,
            {
                "metadata": {},
                "spec": {
                    "gatewayClassName": place.gateway_class,
                    "listeners": json.loads(place.listeners),
                },
            },
            catalogue,
        )
        for place in placed
        if place.existing
    }
    return Topology({**existing, **{item.ref: item for item in shipped}}.values())
