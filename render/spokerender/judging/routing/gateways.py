"""The conditions of Gateways and ListenerSets, by their listeners and the Gateway's TLS."""

from collections.abc import Iterator

from spokerender.judging.attachment.statuses import NOT_KNOWN, Condition, Truth
from spokerender.judging.routing import values
from spokerender.judging.routing.certificates import RefProblem, check_client_certificate
from spokerender.judging.routing.listeners import ACCEPTED, PROGRAMMED, RESOLVED
from spokerender.judging.routing.scene import Scene
from spokerender.kinds.routing import GatewayRules
from spokerender.topology.authorities import USUAL_TRUST, AuthorityFault, find_first_fault
from spokerender.topology.node import Node
from spokerender.topology.processed import PARAMETERS, list_refusals
from spokerender.topology.reading import read_authorities, read_validations

_WRONG_PARAMETERS, _INVALID_SET = "InvalidParameters", "ListenersNotValid"
_INSECURE, _LENIENT = "InsecureFrontendValidationMode", "AllowInsecureFallback"
_Listeners = tuple[values.ListenerStatus, ...]


def judge_gateway(scene: Scene, node: Node, listeners: _Listeners) -> tuple[Condition, ...]:
    """Return the conditions of a Gateway as far as files tell."""
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
    """Yield the conditions about the Gateway's certificate for backends, and about its clients."""
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
        yield _judge_references(check_client_certificate(scene, node), faults)
    if lenient:
        state = Truth.TRUE if Truth.TRUE in lenient else Truth.UNKNOWN
        why = f"`tls.frontend` has the mode {_LENIENT}"
        yield Condition(_INSECURE, state, "ConfigurationChanged", why)


def _judge_references(problem: RefProblem | None, faults: list[AuthorityFault]) -> Condition:
    """Judge the references in a Gateway's `tls`."""
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
    """Return the conditions of a ListenerSet, which its listeners decide (GEP-1713)."""
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
    """Return the worst of a listener's conditions of these types; None if one is absent."""
    order = (None, Truth.FALSE, Truth.UNKNOWN, Truth.TRUE)
    conditions = (values.find_condition(listener.conditions, kind) for kind in kinds)
    return min(conditions, key=lambda item: order.index(item.status if item is not None else None))
