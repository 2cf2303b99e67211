"""What a policy's controller has an entry of its status for (`spokerender.kinds.Ancestors`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spokerender.judging.attachment.case import GATEWAY_CLASS, Case, Target
from spokerender.judging.attachment.model import ROOM
from spokerender.kinds import Ancestors, Role
from spokerender.model import Ref
from spokerender.topology import PARENTS


def ancestors(case: Case) -> tuple[Ref, ...]:
    """Those of a policy, sorted; whatever it names where there is none."""
    named = {target.ref.whole for target in case.targets if target.ref.name}
    kind = case.subject.kind
    match kind.controller.ancestors:
        case Ancestors.PARENT:
            looked = case.attached or tuple(each for each in case.targets if not each.is_foreign)
            own = {ref for target in looked for ref in _parents(case, target.ref)}
            return tuple(sorted(own or case.gateways or named))
        case Ancestors.HOLDER:
            held = {ref for target in case.attached for ref in _holders(case, target)}
            return tuple(sorted(held or case.gateways or named))
        case Ancestors.TARGET:
            routes = {ref for ref in named if _is_route(case, ref)}
            return tuple(sorted(routes or case.gateways or named))
        case Ancestors.NONE:
            return tuple(sorted(named))
    if not kind.controller.id:
        return tuple(sorted(set(_of_others(case)) or named))
    return tuple(sorted(case.gateways or named))


def _holders(case: Case, target: Target) -> Iterator[Ref]:
    """A route's parents, also where it has the policy as a filter; else the target as a whole."""
    is_filter = target.link.row.role is Role.FILTER
    for ref in case.around.topology.carriers(target.ref) if is_filter else (target.ref,):
        if _is_route(case, ref.whole):
            yield from _parents(case, ref)
        elif ref.name:
            yield ref.whole


def _of_others(case: Case) -> Iterator[Ref]:
    """Of a kind of the Gateway API's: as the controller of each of its gateways has it."""
    carriers = {
        carrier
        for target in case.attached
        for carrier in case.around.topology.carriers(target.ref.whole)
    }
    of_parents = {
        gateway
        for gateway in case.gateways
        if case.around.controller(gateway).ancestors is Ancestors.PARENT
    }
    yield from case.gateways - of_parents
    found = {parent for carrier in carriers for parent in _above(case, carrier, of_parents)}
    yield from found or of_parents


def room(case: Case) -> int | None:
    """How many entries its controller keeps, where it says which: the others are cut off.

    Envoy Gateway, `TruncatePolicyAncestors`.
    """
    own = case.subject.kind.controller
    controllers = [own] if own.id else map(case.around.controller, case.gateways)
    return ROOM if any(each.ancestors is Ancestors.PARENT for each in controllers) else None


def _above(case: Case, carrier: Ref, gateways: set[Ref]) -> Iterator[Ref]:
    """The parents of a route that leads to it, or another policy that needs what it is for."""
    reached = case.around.topology.ships_with(carrier)
    if _is_route(case, carrier):
        for parent in _parents(case, carrier):
            if gateways & case.around.topology.ships_with(parent.whole):
                yield parent
    elif reached and all(
        case.around.controller(gateway).ancestors is Ancestors.PARENT for gateway in reached
    ):
        yield carrier


def _is_route(case: Case, ref: Ref) -> bool:
    node = case.around.topology.nodes.get(ref)
    return node is not None and node.is_route


def _looked_at(case: Case, parents: Iterable[Ref]) -> Iterator[Ref]:
    """Those of another controller's gateways have none of its entries."""
    return (ref for ref in parents if not case.around.foreign(case.subject.kind, ref))


def _parents(case: Case, target: Ref) -> Iterator[Ref]:
    """A Gateway or ListenerSet with its section; of a route, each of its parents; a class."""
    topology = case.around.topology
    node = topology.nodes.get(target.whole)
    if node is None or not node.is_route:
        if ((target.group, target.kind) in PARENTS and target.name) or (
            (target.group, target.kind) == GATEWAY_CLASS
        ):
            yield target
        return
    for link in node.references:
        if link.row.role is Role.PARENT:
            for parent in _looked_at(case, topology.parents(link)):
                yield from (parent.section(name) for name in link.sections or ("",))
