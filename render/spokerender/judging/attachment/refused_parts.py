"""The parts of a policy's targets on which its controller refuses the policy (P10, P19).

Envoy Gateway judges each target of a policy separately (internal/gatewayapi, `Process…Policies`).
"""

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.codes import attachment as codes
from spokerender.findings.results import Fault
from spokerender.judging.attachment.case import Case, Target
from spokerender.judging.attachment.demands import explain_refused_values
from spokerender.judging.attachment.statuses import RefusedPart
from spokerender.judging.attachment.target_listeners import list_target_listeners
from spokerender.model import Ref
from spokerender.topology.conflicts import find_admitting_gateways
from spokerender.topology.doors import find_open_listeners
from spokerender.topology.graph import Topology, find_merged_gateways
from spokerender.topology.node import Listener, Node

_PLAIN = "HTTP"


def find_refused_parts(case: Case) -> tuple[RefusedPart, ...]:
    """Return the parts of targets on which the policy is refused, in the order of its targets."""
    return tuple(
        part
        for target in case.attached
        if target.ref.name
        for part in (*_find_refused_values(case, target), *_find_shared_ports(case, target))
    )


def _find_refused_values(case: Case, target: Target) -> Iterator[RefusedPart]:
    if not all(demand.fails for demand in case.subject.kind.demands):
        why = explain_refused_values(replace(case, targets=(target,)))
        if why:
            yield RefusedPart(target.ref, target.ref, why)


def _find_shared_ports(case: Case, target: Target) -> Iterator[RefusedPart]:
    """Yield the plain-HTTP listeners of a target that share a port with other listeners."""
    topology = case.around.topology
    if not case.subject.kind.reach.whole_ports:
        return
    # Envoy Gateway, `validatePortOverlapForClientTrafficPolicy`. A policy of a whole Gateway is
    # also for the listeners of its ListenerSets.
    is_section = bool(target.ref.section_name)
    for section, listener in list_target_listeners(topology, target.ref):
        node = topology.nodes[section.whole]
        if listener.protocol != _PLAIN or listener not in find_open_listeners(topology, node):
            continue
        own = section if is_section else target.ref
        others = sorted(set(_list_sharing(topology, node, listener, own)))
        if others:
            why = (
                f"{own} shares its port with {', '.join(others)}, and one plain-HTTP port has one "
                "policy"
            )
            # A policy of one listener still keeps others off it; a policy of a whole ListenerSet
            # leaves such a listener to the Gateway's policy.
            yield RefusedPart(target.ref, section, why, takes=is_section)


def _list_sharing(topology: Topology, node: Node, listener: Listener, own: Ref) -> Iterator[str]:
    """Yield the open plain-HTTP listeners that share a listener's port and are not in `own`."""
    gateways = {gateway.ref for gateway in find_admitting_gateways(topology, node)}
    merged = {other for ref in gateways for other in find_merged_gateways(topology, ref)}
    for other in topology.nodes.values():
        if not other.listeners:
            continue
        above = {gateway.ref for gateway in find_admitting_gateways(topology, other)}
        if above.isdisjoint(merged) or (own in above and own in gateways):
            continue
        for rival in find_open_listeners(topology, other):
            place = other.ref.section(rival.name)
            if (rival.port, rival.protocol) == (listener.port, _PLAIN) and own not in (
                place,
                place.whole,
            ):
                yield str(place)


def check_refused_parts(case: Case) -> Iterator[Fault]:
    """Check that a targeted plain-HTTP listener has its port to itself (P10)."""
    for target in case.attached:
        for part in _find_shared_ports(case, target):
            yield Fault(
                codes.SHARED_PORT,
                f"{part.why}: it is refused",
                "target all of the Gateway, or give the listener a port of its own",
                target.link.path,
            )
