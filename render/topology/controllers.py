"""Which controller a Gateway has: that of its class, as far as files or its name tell."""

from __future__ import annotations

from render.kinds import Controller
from render.kinds.table import controller
from render.model import Ref
from render.topology.graph import Topology
from render.topology.node import GATEWAY_CLASS


def controller_of(
    topology: Topology, gateway_class: str, namespaces: Topology | None = None
) -> Controller:
    """The controller of a GatewayClass; `render.kinds.controllers.ANY` where nobody can tell.

    A spoke's class is rarely among its objects: `namespaces`, the hub's topology, may have it.
    """
    ref = Ref(*GATEWAY_CLASS, "", gateway_class)
    for each in (topology, namespaces):
        node = each.nodes.get(ref) if each is not None else None
        if node is not None and node.controller:
            return controller(node.controller)
    return controller("", gateway_class)
