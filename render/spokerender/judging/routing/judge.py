"""The statuses of all routes, Gateways and ListenerSets of a cluster."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from spokerender.judging.attachment.statuses import NOT_KNOWN, Condition, Truth
from spokerender.judging.routing import values
from spokerender.judging.routing.gateways import judge_gateway, judge_set
from spokerender.judging.routing.listeners import (
    ACCEPTED,
    PROGRAMMED,
    RESOLVED,
    OwnFaults,
    check_listener,
    find_conditions,
    find_route_kinds,
)
from spokerender.judging.routing.parents import JudgedParent, judge_parents
from spokerender.judging.routing.scene import Scene
from spokerender.model.refs import GATEWAY_API, Ref
from spokerender.topology.admission import explain_dead
from spokerender.topology.conflicts import find_admitting_gateways, find_conflicts_among_sound
from spokerender.topology.node import Node
from spokerender.topology.taken import ListenerConflict

_Key = tuple[Ref, str]
"""A listener: the Gateway or ListenerSet that declares it, and its name."""
_WHY = "the spoke has it already, and files have only what the placement declares of it"
_DECLARED = tuple(values.make_unknown(kind, _WHY) for kind in (ACCEPTED, PROGRAMMED, RESOLVED))


def judge_routing(scene: Scene) -> values.Routing:
    """Judge the routes, Gateways and ListenerSets of a cluster.

    A listener that another object displaces if that object is older counts as refused. If the
    result has `unsettled` conflicts, pass the ages of the objects.
    """
    judged = {
        ref: tuple(judge_parents(scene, node))
        for ref, node in scene.topology.nodes.items()
        if node.is_route and ref.group == GATEWAY_API
    }
    holders = {
        ref: next(find_admitting_gateways(scene.topology, node), None)
        for ref, node in scene.topology.nodes.items()
        if node.listeners or node.is_gateway
    }
    own = {
        (ref, listener.name): check_listener(scene, gateway, scene.topology.nodes[ref], listener)
        for ref, gateway in holders.items()
        if gateway is not None and not scene.topology.nodes[ref].is_declared
        for listener in scene.topology.nodes[ref].listeners
    }
    unsound = frozenset(key for key, item in own.items() if not item.is_sound)
    doubtful = frozenset(key for key, item in own.items() if item.is_open_question)
    worlds = [
        find_conflicts_among_sound(scene.topology, refused)
        for refused in (unsound, unsound | doubtful)
    ]
    attached = _count_attached(scene, judged.values(), holders)
    return values.Routing(
        {ref: tuple(item.status for item in parents) for ref, parents in judged.items() if parents},
        _count_sets(holders, dict(_judge_holders(scene, holders, own, worlds, attached))),
        tuple(item for conflicts in worlds for item in conflicts if not item.is_certain),
    )


def _judge_holders(
    scene: Scene,
    holders: Mapping[Ref, Node | None],
    own: Mapping[_Key, OwnFaults],
    worlds: Iterable[Iterable[ListenerConflict]],
    attached: tuple[Mapping[_Key, int], Mapping[_Key, int]],
) -> Iterator[tuple[Ref, values.HolderStatus]]:
    """Yield the statuses; `worlds` are the conflicts if doubtful listeners are sound or not."""
    sure, unsure = attached
    by_listener = [{(item.parent, item.listener): item for item in each} for each in worlds]
    for ref, gateway in holders.items():
        node = scene.topology.nodes[ref]
        if node.is_gateway and (fault := scene.topology.dead.get(ref)):
            state = Truth.FALSE if fault.reason else Truth.UNKNOWN
            reason = fault.reason or "Pending"  # the CRD's default, as no controller wrote it
            condition = Condition(ACCEPTED, state, reason, fault.why)
            yield ref, values.HolderStatus((condition,))
            continue
        controller = scene.controller(gateway or node)
        if gateway is None or not (node.is_gateway or controller.listener_sets):
            yield ref, values.HolderStatus(_refuse_set(scene, node, gateway))
            continue
        listeners = tuple(
            values.ListenerStatus(
                listener.name,
                own[key].kinds if key in own else find_route_kinds(listener, controller),
                sure.get(key, 0),
                unsure.get(key, 0),
                values.leave_common(
                    (
                        find_conditions(scene, gateway, node, own[key], conflict)
                        for conflict in _list_outcomes(key, own, by_listener)
                    ),
                    _depend_on_rival,
                )
                if key in own
                else _DECLARED,
            )
            for listener in node.listeners
            for key in ((ref, listener.name),)
        )
        if node.is_declared:
            conditions = _DECLARED[:2]
        elif node.is_gateway:
            conditions = judge_gateway(scene, node, listeners)
        else:
            conditions = judge_set(scene, gateway, node, listeners)
        yield ref, values.HolderStatus(conditions, listeners)


def _list_outcomes(
    key: _Key, own: Mapping[_Key, OwnFaults], by_listener: Sequence[Mapping[_Key, ListenerConflict]]
) -> Iterator[ListenerConflict | None]:
    """Yield the conflict of a listener if doubtful listeners are sound, then if they are not."""
    first, second = (conflicts.get(key) for conflicts in by_listener)
    # A doubtful listener keeps its conflict if one of its rivals is certainly sound.
    if first is not None and own[key].is_open_question:
        rivals = ((rival.whole, rival.section_name) for rival in first.by)
        if any(rival in own and not own[rival].is_open_question for rival in rivals):
            second = first
    yield first
    yield second


def _depend_on_rival(item: Condition) -> Condition:
    """Return a condition that depends on whether a rival of the listener is sound."""
    why = f"as long as the other one is in order: {item.message}"
    return values.make_unknown(item.type, why)


def _count_attached(
    scene: Scene, judged: Iterable[tuple[JudgedParent, ...]], holders: Mapping[Ref, Node | None]
) -> tuple[Mapping[_Key, int], Mapping[_Key, int]]:
    """Return how many routes are attached to each listener, and how many may be."""
    sure, unsure = Counter[_Key](), Counter[_Key]()
    for parents in judged:
        taken = [item for parent in parents for item in parent.attached.items()]
        surely = [key for key, state in taken if state is Truth.TRUE]
        maybe = [key for key, state in taken if state is not Truth.TRUE]
        for key in dict.fromkeys((*surely, *maybe)):
            gateway = holders.get(key[0])
            rules = scene.rules(gateway) if gateway is not None else None
            if rules is not None and rules.listeners is not None and rules.listeners.counts_once:
                (sure if key in surely else unsure)[key] += 1
            else:
                sure[key] += surely.count(key)
                unsure[key] += maybe.count(key)
    return sure, unsure


def _count_sets(
    holders: Mapping[Ref, Node | None], statuses: Mapping[Ref, values.HolderStatus]
) -> Mapping[Ref, values.HolderStatus]:
    """Return the statuses, with the number of attached ListenerSets in those of Gateways."""
    counts = Counter[Ref]()
    for ref, gateway in holders.items():
        accepted = values.find_condition(statuses[ref].conditions, ACCEPTED)
        if gateway is not None and gateway.ref != ref and accepted is not None:
            counts[gateway.ref] += accepted.status is Truth.TRUE
    return {ref: replace(status, sets=counts[ref]) for ref, status in statuses.items()}


def _refuse_set(scene: Scene, node: Node, gateway: Node | None) -> tuple[Condition, ...]:
    """Return the conditions of a ListenerSet that no Gateway admits, or whose Gateway is absent."""
    if gateway is not None:
        # The ListenerSet is admitted, and nobody writes its status.
        why = f"the controller of {gateway.ref} does not look at ListenerSets"
        return tuple(values.make_unknown(kind, why, NOT_KNOWN) for kind in (ACCEPTED, PROGRAMMED))
    parents = [link.ref.whole for link in node.references]
    absent = [ref for ref in parents if ref not in scene.topology.nodes]
    if why := explain_dead(scene.topology, node):  # Envoy Gateway, processListenerSet
        return (
            values.make_false(ACCEPTED, "ParentNotAccepted", why),
            values.make_false(PROGRAMMED, PROGRAMMED, why),
        )
    if absent:
        reason, why = "ParentNotAccepted", f"{absent[0]} is not there"
    else:
        reason = "NotAllowed"
        why = f"{', '.join(map(str, parents))} admits no ListenerSet of its namespace"
    return tuple(values.make_false(kind, reason, why) for kind in (ACCEPTED, PROGRAMMED))
