"""Computes the statuses of all routes, Gateways and ListenerSets of a cluster."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from spokerender.judging.attachment.statuses import NOT_KNOWN, Condition, Truth
from spokerender.judging.routing import values
from spokerender.judging.routing.certificates import RefProblem, check_client_certificate
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
from spokerender.kinds.routing import GatewayRules
from spokerender.model.refs import GATEWAY_API, Ref
from spokerender.topology.admission import explain_dead
from spokerender.topology.authorities import USUAL_TRUST, AuthorityFault, find_first_fault
from spokerender.topology.conflicts import find_admitting_gateways, find_conflicts_among_sound
from spokerender.topology.node import Node
from spokerender.topology.processed import PARAMETERS, list_refusals
from spokerender.topology.reading import read_authorities, read_validations
from spokerender.topology.taken import ListenerConflict

_WRONG_PARAMETERS, _INVALID_SET = "InvalidParameters", "ListenersNotValid"
_INSECURE, _LENIENT = "InsecureFrontendValidationMode", "AllowInsecureFallback"
_Listeners = tuple[values.ListenerStatus, ...]


def judge_gateway(scene: Scene, node: Node, listeners: _Listeners) -> tuple[Condition, ...]:
    """Return the conditions of a Gateway; UNKNOWN if they depend on more than files."""
    rules = _find_rules(scene, node)
    why = "it depends on addresses and proxies, which only the cluster has"
    return (
        _judge_accepted(scene, node, rules, listeners),
        values.make_unknown(PROGRAMMED, why),
        *(_list_tls(scene, node, rules) if rules is not None else ()),
    )


def _find_rules(scene: Scene, gateway: Node) -> GatewayRules | None:
    routing = scene.rules(gateway)
    return routing.gateways if routing is not None else None


def _judge_accepted(
    scene: Scene, node: Node, rules: GatewayRules | None, listeners: _Listeners
) -> Condition:
    controller = scene.controller(node)
    if not controller.id:
        why = f"what the controller of class {node.gateway_class} asks for is not known"
        return values.make_unknown(ACCEPTED, why, NOT_KNOWN)
    for fault in list_refusals(scene.topology, node, rules) if rules is not None else ():
        return values.make_false(ACCEPTED, fault.reason, fault.why)
    for ref in (link.ref for link in node.needs if link.path == PARAMETERS):
        if (presence := scene.presence(ref)) is Truth.FALSE:
            return values.make_false(ACCEPTED, _WRONG_PARAMETERS, f"{ref} is not there")
        if presence is Truth.UNKNOWN:
            return values.make_unknown(ACCEPTED, f"the spoke has to have {ref}")
    if rules is not None:
        # Envoy Gateway, UpdateGatewayStatusAccepted: one that is accepted is enough.
        return _summarise(ACCEPTED, listeners, _INVALID_SET, rules)
    return values.make_true(ACCEPTED, f"of class {node.gateway_class} ({controller.id})")


def _list_tls(scene: Scene, node: Node, rules: GatewayRules) -> Iterator[Condition]:
    """Yield the conditions about a Gateway's `tls`: certificates for backends and of clients."""
    spec, reads = scene.spec(node.ref), rules.clients
    faults, lenient = list[AuthorityFault](), list[Truth]()
    trust = scene.controller(node).trust or USUAL_TRUST
    for item in filter(None, read_validations(spec).values()):
        refs = tuple(read_authorities(item, node.ref.namespace))
        fault = reads and find_first_fault(scene.topology, node, refs, scene.is_there, trust)
        faults += [fault] if fault else []
        if item.get("mode") == _LENIENT and not (fault and fault.is_certain):
            lenient.append(Truth.UNKNOWN if fault else Truth.TRUE)
    if "tls" in spec or not reads:
        yield _judge_references(check_client_certificate(scene, node, node), faults)
    if lenient:
        state = Truth.TRUE if Truth.TRUE in lenient else Truth.UNKNOWN
        why = f"`tls.frontend` has the mode {_LENIENT}"
        yield Condition(_INSECURE, state, "ConfigurationChanged", why)


def _judge_references(problem: RefProblem | None, faults: list[AuthorityFault]) -> Condition:
    """Return `ResolvedRefs` of a Gateway, given the problems of the references in its `tls`."""
    certain = [fault.why for fault in faults if fault.is_certain]
    # Envoy Gateway reports the fault of the certificate for backends, if there are two faults.
    if problem is not None and problem[0] is Truth.FALSE:
        return values.make_false(RESOLVED, problem[1], problem[2])
    if certain:
        reason = _WRONG_PARAMETERS if problem is None else values.UNVERIFIED
        return values.make_false(RESOLVED, reason, certain[0])
    for why in (*([problem[2]] if problem is not None else ()), *(fault.why for fault in faults)):
        return values.make_unknown(RESOLVED, why)
    return values.make_true(RESOLVED, "all that its `tls` names is there")


def judge_set(
    scene: Scene, gateway: Node, node: Node, listeners: _Listeners
) -> tuple[Condition, ...]:
    """Return the conditions of a ListenerSet, which depend on its listeners (GEP-1713)."""
    labels = scene.topology.around.labels_of_namespace(node.ref.namespace)
    if gateway.admits_listener_sets.is_open_question(labels):
        why = f"whether {gateway.ref} admits it depends on labels that no file has"
        return values.make_unknown(ACCEPTED, why), values.make_unknown(PROGRAMMED, why)
    rules = scene.rules(gateway)
    table = rules.listeners if rules is not None else None
    partly = table.partly if table is not None else _INVALID_SET
    own = _find_rules(scene, gateway)
    return tuple(_summarise(kind, listeners, partly, own) for kind in (ACCEPTED, PROGRAMMED))


def _summarise(
    kind: str, listeners: _Listeners, partly: str, rules: GatewayRules | None
) -> Condition:
    kinds = (rules.counted if rules is not None else ()) or (kind,)
    conditions = [_find_worst(item, kinds) for item in listeners]
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


def _find_worst(listener: values.ListenerStatus, kinds: tuple[str, ...]) -> Condition | None:
    """Return the worst condition of the types `kinds`; None if the listener lacks one of them."""
    order = (None, Truth.FALSE, Truth.UNKNOWN, Truth.TRUE)
    conditions = (values.find_condition(listener.conditions, kind) for kind in kinds)
    return min(conditions, key=lambda item: order.index(item.status if item is not None else None))


_Key = tuple[Ref, str]
"""A listener: the Gateway or ListenerSet that declares it, and its name."""
_WHY = "the spoke has it already, and files have only what the placement declares of it"
_DECLARED = tuple(values.make_unknown(kind, _WHY) for kind in (ACCEPTED, PROGRAMMED, RESOLVED))


def judge_routing(scene: Scene) -> values.Routing:
    """Return the statuses of the routes, Gateways and ListenerSets of a cluster.

    Without ages, a listener that may be displaced by another object's listener counts as refused.
    If the result has `unsettled` conflicts, creation times decide: judge again with ages.
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
    """Yield the statuses of the Gateways and ListenerSets in `holders`.

    `worlds` has the listeners' conflicts if doubtful listeners are sound, and if they are not.
    """
    sure, unsure = attached
    by_listener = [{(item.parent, item.listener): item for item in each} for each in worlds]
    for ref, gateway in holders.items():
        node = scene.topology.nodes[ref]
        if node.is_gateway and (fault := scene.topology.dead.get(ref)):
            state = Truth.FALSE if fault.reason else Truth.UNKNOWN
            reason = fault.reason or "Pending"  # the CRD's default, as no controller wrote it
            condition = Condition(ACCEPTED, state, reason, fault.why)
            rules = _find_rules(scene, node)
            more = _list_tls(scene, node, rules) if rules is not None and not rules.clients else ()
            yield ref, values.HolderStatus((condition, *more))
            continue
        controller = scene.controller(gateway or node)
        if gateway is None or not (node.is_gateway or controller.listener_sets):
            yield ref, values.HolderStatus(_refuse_set(scene, node, gateway))
            continue
        if not node.is_gateway and _is_void(scene, gateway, own, by_listener):
            why = f"no listener of {gateway.ref} is valid, so its controller writes no status"
            yield ref, values.HolderStatus((values.make_unknown(ACCEPTED, why, NOT_KNOWN),))
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


def _is_void(
    scene: Scene,
    gateway: Node,
    own: Mapping[_Key, OwnFaults],
    by_listener: Sequence[Mapping[_Key, ListenerConflict]],
) -> bool:
    """Return whether a Gateway has no valid listener (Cilium, ListenersStatusNoneValid)."""
    rules = scene.rules(gateway)
    if rules is None or not rules.staged:
        return False
    statuses = (
        find_conditions(scene, gateway, gateway, own[key], conflict)
        for key in ((gateway.ref, listener.name) for listener in gateway.listeners)
        if key in own
        for conflict in _list_outcomes(key, own, by_listener)
    )
    accepted = [values.find_condition(each, ACCEPTED) for each in statuses]
    return all(item is not None and item.status is Truth.FALSE for item in accepted)


def _list_outcomes(
    key: _Key, own: Mapping[_Key, OwnFaults], by_listener: Sequence[Mapping[_Key, ListenerConflict]]
) -> Iterator[ListenerConflict | None]:
    """Yield a listener's conflict, or None, twice: if doubtful listeners are sound, and if not."""
    first, second = (conflicts.get(key) for conflicts in by_listener)
    # A doubtful listener keeps its conflict if one of its rivals is certainly sound.
    if first is not None and own[key].is_open_question:
        rivals = ((rival.whole, rival.section_name) for rival in first.by)
        if any(rival in own and not own[rival].is_open_question for rival in rivals):
            second = first
    yield first
    yield second


def _depend_on_rival(item: Condition) -> Condition:
    """Return a condition as unknown, since it depends on whether a rival listener is sound."""
    why = f"as long as the other one is in order: {item.message}"
    return values.make_unknown(item.type, why)


def _count_attached(
    scene: Scene, judged: Iterable[tuple[JudgedParent, ...]], holders: Mapping[Ref, Node | None]
) -> tuple[Mapping[_Key, int], Mapping[_Key, int]]:
    """Return how many routes are attached to each listener, and how many more may be attached."""
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
    """Return the statuses with the number of attached ListenerSets filled in for Gateways."""
    counts = Counter[Ref]()
    for ref, gateway in holders.items():
        accepted = values.find_condition(statuses[ref].conditions, ACCEPTED)
        if gateway is not None and gateway.ref != ref and accepted is not None:
            counts[gateway.ref] += accepted.status is Truth.TRUE
    return {ref: replace(status, sets=counts[ref]) for ref, status in statuses.items()}


def _refuse_set(scene: Scene, node: Node, gateway: Node | None) -> tuple[Condition, ...]:
    """Return the conditions of a ListenerSet that its Gateway, if any, does not admit or read."""
    parents = [link.ref.whole for link in node.references]
    absent = [ref for ref in parents if ref not in scene.topology.nodes]
    if gateway is not None or absent:
        why = f"{absent[0]} is not there, so nobody looks at it" if absent else ""
        if gateway is not None:
            why = f"the controller of {gateway.ref} does not look at ListenerSets"
        return tuple(values.make_unknown(kind, why, NOT_KNOWN) for kind in (ACCEPTED, PROGRAMMED))
    if why := explain_dead(scene.topology, node):  # Envoy Gateway, processListenerSet
        return (
            values.make_false(ACCEPTED, "ParentNotAccepted", why),
            values.make_false(PROGRAMMED, PROGRAMMED, why),
        )
    why = f"{', '.join(map(str, parents))} admits no ListenerSet of its namespace"
    return tuple(values.make_false(kind, "NotAllowed", why) for kind in (ACCEPTED, PROGRAMMED))
