"""The statuses of all routes, Gateways and ListenerSets of a cluster."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from spokerender.judging.attachment.statuses import NOT_KNOWN, Condition, Truth
from spokerender.judging.routing import values
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
from spokerender.kinds.kind import Controller
from spokerender.model.refs import GATEWAY_API, Ref
from spokerender.topology.admission import explain_dead
from spokerender.topology.conflicts import find_admitting_gateways, find_conflicts_among_sound
from spokerender.topology.node import Node
from spokerender.topology.processed import PARAMETERS
from spokerender.topology.taken import ListenerConflict

_INVALID_SET = "ListenersNotValid"
_Listeners = tuple[values.ListenerStatus, ...]
_Key = tuple[Ref, str]
"""A listener: its Gateway or ListenerSet, and its name."""


def judge_routing(scene: Scene) -> values.Routing:
    """Judge a cluster; of gateways that it has already files have only what is declared.

    A listener that is refused if another object is older than its own is taken to be refused:
    where the result has some that are `unsettled`, ages have to be known.
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
        dict(_judge_holders(scene, holders, own, worlds, attached)),
        tuple(item for conflicts in worlds for item in conflicts if not item.is_certain),
    )


def _judge_holders(
    scene: Scene,
    holders: Mapping[Ref, Node | None],
    own: Mapping[_Key, OwnFaults],
    worlds: Iterable[Iterable[ListenerConflict]],
    attached: tuple[Mapping[_Key, int], Mapping[_Key, int]],
) -> Iterator[tuple[Ref, values.HolderStatus]]:
    """Yield the statuses, where a listener in doubt has its conflicts or not (`worlds`)."""
    sure, unsure = attached
    by_listener = [{(item.parent, item.listener): item for item in each} for each in worlds]
    for ref, gateway in holders.items():
        node = scene.topology.nodes[ref]
        if node.is_gateway and (fault := scene.topology.dead.get(ref)):
            state = Truth.FALSE if fault.reason else Truth.UNKNOWN
            reason = fault.reason or "Pending"  # the default of its CRD
            condition = Condition(ACCEPTED, state, reason, fault.why)
            yield ref, values.HolderStatus((condition,))
            continue
        if gateway is None or not (node.is_gateway or scene.controller(gateway).listener_sets):
            yield ref, values.HolderStatus(_refuse_set(scene, node, gateway))
            continue
        if node.is_declared:
            yield ref, _judge_declared(node, scene.controller(node), sure, unsure)
            continue
        listeners = tuple(
            values.ListenerStatus(
                listener.name,
                own[key := (ref, listener.name)].kinds,
                sure.get(key, 0),
                unsure.get(key, 0),
                values.leave_common(
                    (
                        find_conditions(scene, gateway, node, own[key], conflict)
                        for conflict in _list_outcomes(key, own, by_listener)
                    ),
                    _depend_on_rival,
                ),
            )
            for listener in node.listeners
        )
        if node.is_gateway:
            conditions = _judge_gateway(scene, node, listeners)
        else:
            conditions = _judge_set(scene, gateway, node, listeners)
        yield ref, values.HolderStatus(conditions, listeners)


def _list_outcomes(
    key: _Key, own: Mapping[_Key, OwnFaults], by_listener: Sequence[Mapping[_Key, ListenerConflict]]
) -> Iterator[ListenerConflict | None]:
    """Yield a listener's conflict as long as those in doubt are sound, and where they are not.

    One in doubt itself keeps it where a rival of it is sure to be sound.
    """
    first, second = (conflicts.get(key) for conflicts in by_listener)
    if first is not None and own[key].is_open_question:
        rivals = ((rival.whole, rival.section_name) for rival in first.by)
        if any(rival in own and not own[rival].is_open_question for rival in rivals):
            second = first
    yield first
    yield second


def _depend_on_rival(item: Condition) -> Condition:
    """Return what is unknown, as it hangs on whether a rival of the listener is sound."""
    why = f"as long as the other one is in order: {item.message}"
    return values.make_unknown(item.type, why)


def _count_attached(
    scene: Scene, judged: Iterable[tuple[JudgedParent, ...]], holders: Mapping[Ref, Node | None]
) -> tuple[Mapping[_Key, int], Mapping[_Key, int]]:
    """Return the number of routes that each listener has, and of those that it may have."""
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


def _judge_declared(
    node: Node,
    controller: Controller,
    sure: Mapping[tuple[Ref, str], int],
    unsure: Mapping[tuple[Ref, str], int],
) -> values.HolderStatus:
    """Return what files tell of a gateway that the spoke has already: the routes on its listeners.

    Routes are counted on those listeners that the placement declares.
    """
    why = "the spoke has it already, and files have only what the placement declares of it"
    conditions = tuple(values.make_unknown(kind, why) for kind in (ACCEPTED, PROGRAMMED, RESOLVED))
    listeners = tuple(
        values.ListenerStatus(
            listener.name,
            find_route_kinds(listener, controller),
            sure.get((node.ref, listener.name), 0),
            unsure.get((node.ref, listener.name), 0),
            conditions,
        )
        for listener in node.listeners
    )
    return values.HolderStatus(conditions[:2], listeners)


def _refuse_set(scene: Scene, node: Node, gateway: Node | None) -> tuple[Condition, ...]:
    """Return the conditions of a ListenerSet that no Gateway admits, or whose Gateway is absent.

    Of those of a Gateway whose controller does not look at ListenerSets nobody says anything.
    """
    if gateway is not None:
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


def _judge_gateway(scene: Scene, node: Node, listeners: _Listeners) -> tuple[Condition, ...]:
    """Return what files tell of a Gateway; its addresses and proxies are the cluster's affair."""
    named = [link.ref for link in node.needs if link.path == PARAMETERS]
    missing = [ref for ref in named if scene.presence(ref) is not Truth.TRUE]
    controller = scene.controller(node)
    if not controller.id:
        why = f"what the controller of class {node.gateway_class} asks for is not known"
        accepted = values.make_unknown(ACCEPTED, why, NOT_KNOWN)
    elif missing and scene.presence(missing[0]) is Truth.FALSE:
        accepted = values.make_false(ACCEPTED, "InvalidParameters", f"{missing[0]} is not there")
    elif missing:
        accepted = values.make_unknown(ACCEPTED, f"the spoke has to have {missing[0]}")
    elif controller.routing is not None and controller.routing.gateways is not None:
        # Envoy Gateway, UpdateGatewayStatusAccepted: one that is accepted is enough.
        accepted = _summarise(ACCEPTED, listeners, _INVALID_SET)
    else:
        accepted = values.make_true(ACCEPTED, f"of class {node.gateway_class} ({controller.id})")
    why = "it depends on addresses and proxies, which only the cluster has"
    return accepted, values.make_unknown(PROGRAMMED, why)


def _judge_set(
    scene: Scene, gateway: Node, node: Node, listeners: _Listeners
) -> tuple[Condition, ...]:
    """Return the conditions of a ListenerSet, which follow from its listeners (GEP-1713)."""
    labels = scene.topology.around.labels_of_namespace(node.ref.namespace)
    if gateway.admits_listener_sets.is_open_question(labels):
        why = f"whether {gateway.ref} admits it depends on labels that no file has"
        return values.make_unknown(ACCEPTED, why), values.make_unknown(PROGRAMMED, why)
    rules = scene.rules(gateway)
    table = rules.listeners if rules is not None else None
    partly = table.partly if table is not None else _INVALID_SET
    return tuple(_summarise(kind, listeners, partly) for kind in (ACCEPTED, PROGRAMMED))


def _summarise(kind: str, listeners: _Listeners, partly: str) -> Condition:
    conditions = [values.find_condition(item.conditions, kind) for item in listeners]
    states = [item.status if item is not None else Truth.FALSE for item in conditions]
    if all(state is Truth.TRUE for state in states):
        return values.make_true(kind, "all of its listeners are")
    if Truth.TRUE in states:
        # Envoy Gateway, ProcessListenerSetStatus: one is enough.
        reason = partly if kind == ACCEPTED else kind
        if reason != kind and Truth.FALSE not in states:
            reason = values.UNVERIFIED
        return Condition(kind, Truth.TRUE, reason, "some of its listeners are not, or may not be")
    unsure = next((item for item in conditions if item and item.status is Truth.UNKNOWN), None)
    if unsure is not None:
        return values.make_unknown(kind, unsure.message, unsure.reason)
    return values.make_false(kind, _INVALID_SET, "none of its listeners is")
