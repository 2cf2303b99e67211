"""GatewayClasses: which controller has the gateways of one, as the files tell."""

from __future__ import annotations

from render.kinds.controllers import Controller
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
    return _declared(topology, gateway_class, namespaces) or controller("", gateway_class)


def has_a_say(
    own: Controller, topology: Topology, gateway_class: str, namespaces: Topology | None = None
) -> bool:
    """Whether a controller's policies may count on gateways of a class.

    They may where no file has the class: anybody can make one of any name.
    """
    other = _declared(topology, gateway_class, namespaces)
    return other is None or own.looks_at(other)


def _declared(
    topology: Topology, gateway_class: str, namespaces: Topology | None
) -> Controller | None:
    """What a GatewayClass among the objects says; None where there is none."""
    ref = Ref(*GATEWAY_CLASS, "", gateway_class)
    for each in (topology, namespaces):
        node = each.nodes.get(ref) if each is not None else None
        if node is not None and node.controller:
            return controller(node.controller)
    return None
