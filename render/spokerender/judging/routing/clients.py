"""The conditions of a listener for the CA certificates by which it checks its clients."""

from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import make_false, make_unknown
from spokerender.model import Ref
from spokerender.topology.authorities import NOT_GRANTED, find_authority_fault
from spokerender.topology.node import Listener, Node

_ACCEPTED, _PROGRAMMED, _RESOLVED = "Accepted", "Programmed", "ResolvedRefs"
_PRESENCES = {Truth.TRUE: True, Truth.FALSE: False}


def check_clients(
    scene: Scene, gateway: Node, parent: Node, listener: Listener
) -> tuple[Condition, ...]:
    """Return the conditions of a listener that can't check its clients, or not all of them."""

    def presence(ref: Ref) -> bool | None:
        return _PRESENCES.get(scene.presence(ref))

    controller, holders = scene.controller(gateway), (gateway, parent)
    fault = find_authority_fault(scene.topology, controller, holders, listener, presence)
    rules = controller.routing
    if fault is None or rules is None:
        return ()
    every = (_RESOLVED,) if rules.listeners is not None else (_ACCEPTED, _PROGRAMMED, _RESOLVED)
    if not (fault.is_certain and fault.reason):
        return tuple(make_unknown(kind, fault.why) for kind in every)
    if rules.listeners is not None:
        reason = f"Partly{fault.reason}" if fault.is_partial else fault.reason  # our own word
        return (make_false(_RESOLVED, reason, fault.why),)
    # Envoy Gateway, validate.go, validateTLSConfiguration: this replaces what it said before.
    reason = "RefNotPermitted" if fault.reason == NOT_GRANTED else fault.reason
    reasons = {_ACCEPTED: "NoValidCACertificate"}
    return tuple(make_false(kind, reasons.get(kind, reason), fault.why) for kind in every)
