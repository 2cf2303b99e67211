"""Finds the faults of routes and listeners due to which requests are not served."""

from collections.abc import Iterable, Iterator

from spokerender.judging.attachment.statuses import Truth
from spokerender.judging.routing import listeners, rules, values
from spokerender.judging.routing.backends import Routed, find_backend
from spokerender.judging.routing.filters import read_extension
from spokerender.judging.routing.scene import Scene
from spokerender.model.shapes import as_mappings
from spokerender.topology import conflicts
from spokerender.topology.admission import find_parents
from spokerender.topology.node import Listener, Node, name_rules
from spokerender.topology.presented import find_presented


def find_faults(scene: Scene) -> values.RoutingFaults:
    """Return the parts of routes that fail on each Gateway, and the listeners with a fault."""
    topology = scene.topology
    parts = (
        part
        for route in topology.nodes.values()
        if route.is_route
        for gateway in {
            gateway.ref: gateway
            for parent, _ in find_parents(topology, route)
            for gateway in conflicts.find_admitting_gateways(topology, parent)
        }.values()
        for part in _list_failing(Routed(scene, gateway, route, find_presented(topology, gateway)))
    )
    closed = (
        _find_fault_of(scene, topology.nodes[ref], parent, listener)
        for ref, own in conflicts.find_gateway_listeners(topology).items()
        for parent, listener in own
    )
    return values.RoutingFaults((*parts,), (*filter(None, closed),))


def _find_fault_of(
    scene: Scene, gateway: Node, parent: Node, listener: Listener
) -> values.ClosedListener | None:
    """Return the fault of a listener; None if files show no certain fault."""
    own = listeners.check_listener(scene, gateway, parent, listener)
    fault = next((item for item in own.conditions if item.status is Truth.FALSE), None)
    if fault is None or parent.is_declared:
        return None
    if scene.rules(gateway) is None and fault.reason != listeners.INVALID_KINDS:
        # A controller that nobody has read may get certificates in its own way.
        return None
    conditions = (*own.conditions, *listeners.find_conditions(scene, gateway, parent, own, None))
    refused = {item.type for item in conditions if item.status is Truth.FALSE}
    is_closed = parent.ref.section(listener.name) in conflicts.find_closed_listeners(scene.topology)
    is_opened = not is_closed and refused.isdisjoint((listeners.ACCEPTED, listeners.PROGRAMMED))
    secrets = (*conflicts.find_secrets(parent, listener),)
    return values.ClosedListener(
        parent.ref, listener.name, fault.reason, fault.message, is_opened, secrets
    )


def _list_failing(routed: Routed) -> Iterator[values.FailingPart]:
    scene, route, names = routed.scene, routed.route, name_rules(routed.route.rules)
    for rule, fields in rules.walk_rules(routed):
        filters, field = as_mappings(fields.get("filters")), ("spec", "rules", rule.index)
        problems = [*rules.check_requests(rule, fields, filters)]
        backends = as_mappings(fields.get("backendRefs"))
        checked = [(each, [*rules.check_with_filters(rule, each)]) for each in backends]
        place = routed.gateway.ref, route.ref.section(names[rule.index])
        # What other controllers do with the rule of a filter that they refuse, nobody has read.
        is_read = rule.rules is not None and rule.rules.combines_filters
        lone = rules.check_lone(rule, problems, checked)
        for fault, is_known in ((_find_fault(problems), is_read), (_find_fault(lone), True)):
            if fault is not None:
                why = fault.why
                yield values.FailingPart(
                    *place, route.ref, why, fault.reason, field, is_read=is_known
                )
        reasons = [(find_backend(route, each), each, _find_fault(fs)) for each, fs in checked]
        sound = {ref for ref, _, fault in reasons if fault is None}
        named = (scene.topology.find(read_extension(route, each)) for each in filters)
        is_answered = any(node is not None and node.answers for node in named)
        for number, (ref, each, fault) in enumerate(reasons):
            if fault is not None:
                # If another port of the Service works, only this port fails.
                part = ref.section(str(each.get("port", ""))) if ref in sound else ref
                is_used = each.get("weight") != 0 and not is_answered
                at = (*field, "backendRefs", number)
                why = fault.why
                yield values.FailingPart(*place, part, why, fault.reason, at, is_used=is_used)


def _find_fault(problems: Iterable[values.RuleProblem]) -> values.RuleProblem | None:
    """Return the first problem that is certain, or None."""
    return next((item for item in problems if item.state is Truth.FALSE), None)
