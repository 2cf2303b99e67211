"""The listeners of a policy's targets, and the parents of targets that are routes."""

from collections.abc import Iterator

from spokerender.judging.attachment.case import Case
from spokerender.kinds.kind import Role
from spokerender.kinds.routing import NAMELESS
from spokerender.model import GATEWAY_CLASS, Ref
from spokerender.topology import conflicts
from spokerender.topology.graph import Topology, is_merged
from spokerender.topology.node import PARENTS, Listener


def list_protocols(case: Case) -> Iterator[str]:
    """Yield the protocols of a policy's targeted listeners, except those with a fault or conflict.

    `NAMELESS` comes last if no listener, and no route on them, has a hostname without `*`.
    """
    topology = case.around.topology
    targets = [target.ref for target in case.attached]
    listeners = dict(item for ref in targets for item in list_opened_listeners(topology, ref))
    yield from (listener.handling for listener in listeners.values())
    wholes = {section.whole for section in listeners}
    names = [listener.hostname for listener in listeners.values()]
    for route in topology.nodes.values():
        links = [it for it in route.references if it.row.role is Role.PARENT and route.hostnames]
        if not wholes.isdisjoint(ref for link in links for ref in topology.parents(link)):
            names += route.hostnames
    if not any(name and "*" not in name for name in names):
        yield NAMELESS


def list_opened_listeners(topology: Topology, target: Ref) -> Iterator[tuple[Ref, Listener]]:
    """Yield the listeners of a target that have no fault and no conflict in files."""
    closed = conflicts.find_closed_listeners(topology) | {
        parent.section(name) for parent, name in conflicts.find_refused_listeners(topology)
    }
    for section, listener in list_target_listeners(topology, target):
        if section not in closed:
            yield section, listener


def list_target_listeners(topology: Topology, target: Ref) -> Iterator[tuple[Ref, Listener]]:
    """Yield the listeners of a target with their refs; for a Gateway, also of its ListenerSets."""
    node = topology.nodes.get(target.whole)
    if node is None:
        return
    listeners = [(node, listener) for listener in node.listeners]
    if node.is_gateway and not target.section_name:
        listeners = [*conflicts.find_gateway_listeners(topology)[node.ref]]
    for parent, listener in listeners:
        if target.section_name in ("", listener.name):
            yield parent.ref.section(listener.name), listener


def is_route(case: Case, ref: Ref) -> bool:
    """Return whether a ref is a route of the cluster."""
    node = case.around.topology.nodes.get(ref)
    return node is not None and node.is_route


def is_for_class(case: Case, ref: Ref) -> bool:
    """Return whether a policy on `ref` is for the whole GatewayClass, whose Gateways are merged."""
    topology = case.around.topology
    if not case.subject.kind.reach.class_if_merged:
        return False
    # Envoy Gateway, envoypatchpolicy.go: under mergeGateways a target is the class, be it a
    # Gateway or an object that does not exist.
    if ref in topology.nodes and _is_own(case, ref):
        return is_merged(topology, ref)
    return any(is_merged(topology, other) and _is_own(case, other) for other in topology.gateways)


def _is_own(case: Case, gateway: Ref) -> bool:
    kind = case.subject.kind
    return case.around.looks_at(kind, gateway) and not case.around.explain_doubt(kind, gateway)


def find_named_parents(case: Case, target: Ref) -> Iterator[Ref]:
    """Yield the parents of a target route; for another target, the target if it can be a parent."""
    topology = case.around.topology
    node = topology.nodes.get(target.whole)
    if node is None or not node.is_route:
        kind = target.group, target.kind
        if kind == GATEWAY_CLASS or (kind in PARENTS and target.name):
            yield target
        return
    for link in node.references:
        if link.row.role is not Role.PARENT:
            continue
        for parent in topology.parents(link):
            # A policy has no entries for the gateways of another controller.
            if not case.around.foreign(case.subject.kind, parent):
                yield from link.parts(parent)
