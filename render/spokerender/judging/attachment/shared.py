"""What a policy's target shares with others, where its controller refuses it for that (P10)."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import attachment as codes
from spokerender.findings.faults import Fault
from spokerender.judging.attachment.case import Case, Target
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.topology.classes import is_merged, merged_with
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import is_within
from spokerender.topology.listening import gateways_of, listeners_of
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import rule_paths

_PLAIN = "HTTP"
Door = tuple[Ref, str, int | str, str]
"""A Gateway, hostname, port and path."""


def is_alone(case: Case) -> Iterator[Fault]:
    """No route but those that it targets has the hostname, port and path of one of these."""
    if not case.subject.kind.controller.refuses_overlap:
        return
    targeted = {target.ref.whole for target in case.attached}
    doors = _doors(case.around.topology, case.around.namespaces)
    for target in case.attached:
        for door in doors.of.get(target.ref.whole, ()):
            others = sorted(doors.routes[door] - targeted)
            if others:
                yield Fault(
                    codes.SHARED_DOOR,
                    f"{target.ref} has the path {door[3]} of {door[1] or 'every hostname'} on port "
                    f"{door[2]} of {door[0]} in common with {', '.join(map(str, others))}, which "
                    "the policy does not target: it is refused",
                    "target the other route as well, or let them have different paths",
                    target.link.path,
                )
                break


class _Doors:
    """Which routes requests of a hostname, port and path may take, and the other way round."""

    def __init__(self, topology: Topology, namespaces: Topology | None) -> None:
        self.routes: dict[Door, set[Ref]] = {}
        self.of: dict[Ref, dict[Door, None]] = {}
        for path in rule_paths(topology, namespaces):
            for door in _doors_of(topology, path):
                if path.route is not None:
                    self.routes.setdefault(door, set()).add(path.route)
                    self.of.setdefault(path.route, {})[door] = None


@memoised
def _doors(topology: Topology, namespaces: Topology | None) -> _Doors:
    return _Doors(topology, namespaces)


def _doors_of(topology: Topology, path: RequestPath) -> Iterator[Door]:
    parent = topology.nodes[path.listener_set or path.gateway]
    listener = next(each for each in parent.listeners if each.name == path.listener)
    if path.route is None:
        return
    route = topology.nodes[path.route]
    index = (route.sections or (path.rule,)).index(path.rule)
    matches = route.matches[index] if index < len(route.matches) else ()
    names = path.hostnames or (listener.hostname,)
    for name in names:
        host = listener.hostname if is_within(listener.hostname, name or "*") else name
        for match in matches:
            yield path.gateway, host or name, listener.port, match.path


def has_port_alone(case: Case) -> Iterator[Fault]:
    """A policy for one plain-HTTP listener is not refused only if no other has its port."""
    if not case.subject.kind.reach.whole_ports:
        return
    for target in case.attached:
        sharing = sorted(set(_sharing(case, target)))
        if sharing:
            yield Fault(
                codes.SHARED_PORT,
                f"{target.ref} shares its port with {', '.join(sharing)}, and one plain-HTTP port "
                "has one policy: it is refused",
                "target all of the Gateway, or give the listener a port of its own",
                target.link.path,
            )


def is_not_merged(case: Case) -> Iterator[Fault]:
    """A Gateway that is one with others is not targeted, where its class has to be."""
    if not case.subject.kind.reach.class_if_merged:
        return
    for target in case.attached:
        if is_merged(case.around.topology, target.ref.whole, case.around.namespaces):
            yield Fault(
                codes.WRONG_TARGET,
                f"has {target.ref} for a target, which its GatewayClass's parameters make one with "
                f"all others of the class: {case.subject.kind.kind} is for the class then",
                "target the GatewayClass",
                target.link.path,
            )


def _sharing(case: Case, target: Target) -> Iterator[str]:
    """The open listeners that are on a port of the target's and are not the target's."""
    topology = case.around.topology
    node = topology.nodes.get(target.ref.whole)
    if node is None:
        return
    around = case.around.namespaces or topology
    own = [
        each
        for each in listeners_of(topology, node, around)
        if each.protocol == _PLAIN and target.ref.section_name in ("", each.name)
    ]
    ports = {each.port for each in own}
    gateways = {
        each
        for gateway in gateways_of(topology, node, around)
        for each in merged_with(topology, gateway.ref, around)
    }
    for other in topology.nodes.values():
        if not other.listeners or not any(
            gateway.ref in gateways for gateway in gateways_of(topology, other, around)
        ):
            continue
        for each in listeners_of(topology, other, around):
            is_own = other is node and target.ref.section_name in ("", each.name)
            if each.port in ports and each.protocol == _PLAIN and not is_own:
                yield f"{other.ref} [{each.name}]"
