"""GatewayClasses: which controller has the gateways of one, as the files tell."""

from __future__ import annotations

from spokerender.kinds.controllers import Controller
from spokerender.kinds.table import find_controller
from spokerender.model import Ref
from spokerender.topology.graph import Topology
from spokerender.topology.node import GATEWAY_CLASS


def controller_of(
    topology: Topology, gateway_class: str, namespaces: Topology | None = None
) -> Controller:
    """The controller of a GatewayClass; `spokerender.kinds.controllers.ANY` where nobody can tell.

    A spoke's class is rarely among its objects: `namespaces`, the hub's topology, may have it.
    """
    return _declared(topology, gateway_class, namespaces) or find_controller("", gateway_class)


def has_a_say(
    own: Controller, topology: Topology, gateway_class: str, namespaces: Topology | None = None
) -> bool:
    """Whether a controller's policies may count on gateways of a class.

    They may where no file has the class: anybody can make one of any name.
    """
    other = _declared(topology, gateway_class, namespaces)
    return other is None or own.looks_at(other)


def merged_with(topology: Topology, gateway: Ref, namespaces: Topology | None = None) -> set[Ref]:
    """The Gateway, and those that are one with it."""
    if not is_merged(topology, gateway, namespaces):
        return {gateway}
    own = topology.nodes[gateway].gateway_class
    return {each for each in topology.gateways if topology.nodes[each].gateway_class == own}


def is_merged(topology: Topology, gateway: Ref, namespaces: Topology | None = None) -> bool:
    """Whether a Gateway is one with all of its class, as the class's parameters say.

    Not where no file has the class, or the parameters.
    """
    around = [each for each in (topology, namespaces) if each is not None]
    node = topology.nodes.get(gateway)
    gateway_class = node.gateway_class if node is not None else ""
    ref = Ref(*GATEWAY_CLASS, "", gateway_class)
    classes = (each.nodes[ref] for each in around if ref in each.nodes)
    parameters = {link.ref for node in classes for link in node.needs}
    return any(each.nodes[ref].merges for each in around for ref in parameters if ref in each.nodes)


def _declared(
    topology: Topology, gateway_class: str, namespaces: Topology | None
) -> Controller | None:
    """What a GatewayClass among the objects says; None where there is none."""
    ref = Ref(*GATEWAY_CLASS, "", gateway_class)
    for each in (topology, namespaces):
        node = each.nodes.get(ref) if each is not None else None
        if node is not None and node.controller:
            return find_controller(node.controller)
    return None
