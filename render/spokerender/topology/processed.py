"""Gateways that no controller processes, so that their routes and policies have no effect."""

from collections.abc import Iterator, Mapping

from spokerender.kinds.routing import GatewayRules
from spokerender.model import GATEWAY_CLASS
from spokerender.model.refs import Ref
from spokerender.topology.graph import Topology, find_class_controller, is_merged
from spokerender.topology.node import Node, Unprocessed

PARAMETERS = ("spec", "infrastructure", "parametersRef")
_WRONG_PARAMETERS, _WRONG_ADDRESS = "InvalidParameters", "UnsupportedAddress"
_DEFAULT_ADDRESS = "IPAddress"
"""The CRD's default."""


def find_dead_gateways(topology: Topology) -> Mapping[Ref, Unprocessed]:
    """Return the Gateways that are certainly not processed, with the reasons."""
    nodes = (topology.nodes[ref] for ref in topology.gateways)
    faults = ((node.ref, next(_list_faults(topology, node), None)) for node in nodes)
    return {ref: fault for ref, fault in faults if fault is not None}


def _list_faults(topology: Topology, node: Node) -> Iterator[Unprocessed]:
    if node.is_declared:
        return
    controller = find_class_controller(topology, node.gateway_class)
    gateway_class = Ref(*GATEWAY_CLASS, "", node.gateway_class)
    # Controllers make classes of well-known names themselves.
    if node.gateway_class and not controller.id and topology.is_absent(gateway_class):
        cure = "correct the name, add the class to the hub, or declare it under `spec.external`"
        why = f"{gateway_class} is not there, so no controller looks at it"
        yield Unprocessed("", why, "spec.gatewayClassName", cure)
    rules = controller.routing.gateways if controller.routing is not None else None
    if rules is not None and rules.addresses:
        faults = [*list_refusals(topology, node, rules)]
        if rules.alone:
            faults = [fault for fault in faults if fault.reason == _WRONG_ADDRESS]
            faults = faults if len(faults) == len(node.addresses) else []
        yield from faults


def list_refusals(topology: Topology, node: Node, rules: GatewayRules) -> Iterator[Unprocessed]:
    """Yield the reasons why a controller with these `rules` refuses a Gateway as a whole."""
    group, kind = rules.parameters
    for ref in (link.ref for link in node.needs if link.path == PARAMETERS):
        cure = f"name a {kind} that the hub has, or remove it"
        if is_merged(topology, node.ref):
            cure, why = "remove it", "its class merges Gateways, which have no parameters then"
        elif not kind:
            cure, why = "remove it", "its controller takes no parameters of a Gateway"
        elif (ref.group, ref.kind) != (group, kind):
            why = f"its parameters are a {ref.kind}, and have to be a {kind} of group {group}"
        elif topology.is_absent(ref):
            why = f"{ref} is not there"
        else:
            continue
        yield Unprocessed(_WRONG_PARAMETERS, why, ".".join(PARAMETERS), cure)
    types = tuple(address or _DEFAULT_ADDRESS for address in node.addresses)
    for index, address in enumerate(types if types != (rules.alone,) else ()):
        if rules.addresses and address not in rules.addresses:
            why = f"addresses of type {address} are not supported"
            cure = f"use one of {', '.join(rules.addresses)}"
            yield Unprocessed(_WRONG_ADDRESS, why, f"spec.addresses[{index}].type", cure)
