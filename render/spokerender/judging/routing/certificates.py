"""Checks the certificates of listeners, and the CA certificates for client certificates.

Secrets are never rendered, so a Secret in no file of the hub may still exist on the cluster.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spokerender.judging.attachment.statuses import NOT_KNOWN, Condition, Truth
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import (
    INVALID_PRESENTED,
    PRESENTED_NOT_GRANTED,
    UNVERIFIED,
    make_false,
    make_unknown,
)
from spokerender.kinds.routing import RoutingRules
from spokerender.model import SECRET, Ref
from spokerender.model.shapes import as_mapping, as_mappings, as_text
from spokerender.topology.authorities import NOT_GRANTED, find_authority_fault
from spokerender.topology.conflicts import CERTIFICATE_KEYS
from spokerender.topology.node import Listener, Node

_ACCEPTED, _PROGRAMMED, _RESOLVED = "Accepted", "Programmed", "ResolvedRefs"
_TYPE = "kubernetes.io/tls"
_KEYS = (tuple(sorted(CERTIFICATE_KEYS)),)
_INVALID, _PARTLY = "InvalidCertificateRef", "PartiallyInvalidCertificateRef"
_NOT_PERMITTED = "RefNotPermitted"
_TERMINATING = ("HTTPS", "TLS")

RefProblem = tuple[Truth, str, str]
"""A certificate's problem: FALSE or UNKNOWN (it may exist), a reason, and a message."""
_Check = Callable[[Scene, Node, Ref, RoutingRules | None], RefProblem | None]


def check_certificate_refs(
    scene: Scene, gateway: Node, parent: Node, listener: Listener, raw: Mapping[str, Any]
) -> Iterator[Condition]:
    """Yield `ResolvedRefs` of a listener if some of its certificates do not, or may not, exist."""
    tls = as_mapping(raw.get("tls"))
    if listener.protocol not in _TERMINATING or listener.tls_mode != "Terminate":
        return
    refs = as_mappings(tls.get("certificateRefs"))
    rules = scene.rules(gateway)
    table = rules.listeners if rules is not None else None
    order = _LAST_GRANTS if table and table.grants_last else _FIRST_GRANTS
    checked = [_check(scene, parent, entry, order, rules) for entry in refs]
    problems = [problem for problem in checked if problem is not None]
    if not problems:
        return
    is_one_enough = table is not None and table.any_certificate
    if is_one_enough and len(problems) < len(checked):
        # Envoy Gateway, validateTerminateModeAndGetTLSSecrets.
        return
    wrong = [problem for problem in problems if problem[0] is Truth.FALSE]
    open_ones = [problem for problem in problems if problem[0] is Truth.UNKNOWN]
    why = "; ".join(dict.fromkeys(text for _, _, text in wrong or open_ones))
    if table is not None and wrong and not (is_one_enough and open_ones):
        yield make_false(_RESOLVED, wrong[0][1], why)
    elif table is None and len(wrong) == len(checked):
        reasons = {reason for _, reason, _ in wrong}
        reason = reasons.pop() if reasons == {_NOT_PERMITTED} else _INVALID
        yield make_false(_RESOLVED, reason, why)
    elif table is None and wrong and len(problems) < len(checked):
        yield make_false(_RESOLVED, _PARTLY, why)
    elif table is None and rules is not None and len(problems) < len(checked):
        yield make_unknown(_RESOLVED, why, _PARTLY)  # the listener is opened either way
    else:
        yield make_unknown(_RESOLVED, why)


def _check(
    scene: Scene,
    parent: Node,
    entry: Mapping[str, Any],
    order: tuple[_Check, ...],
    rules: RoutingRules | None,
) -> RefProblem | None:
    group, kind = as_text(entry.get("group")), as_text(entry.get("kind")) or "Secret"
    if (group, kind) != SECRET:
        return Truth.FALSE, _INVALID, f"a certificate is in a Secret, not in a {kind}"
    namespace = as_text(entry.get("namespace")) or parent.ref.namespace
    ref = Ref(*SECRET, namespace, as_text(entry.get("name")))
    problems = [problem for check in order if (problem := check(scene, parent, ref, rules))]
    # A certain fault is reported even if a check before it can't be decided.
    certain = (problem for problem in problems if problem[0] is Truth.FALSE)
    return next(certain, next(iter(problems), None))


def _check_grant(scene: Scene, parent: Node, ref: Ref, _: RoutingRules | None) -> RefProblem | None:
    if scene.topology.permits(parent.ref, ref):
        return None
    why = f"no ReferenceGrant in {ref.namespace} lets it name {ref}"
    return Truth.FALSE, _NOT_PERMITTED, why


def _check_secret(scene: Scene, _: Node, ref: Ref, rules: RoutingRules | None) -> RefProblem | None:
    table = rules.listeners if rules is not None else None
    pairs = table.certificate_keys if table else _KEYS
    presence = scene.presence(ref)
    if presence is not Truth.TRUE:
        why = f"{ref} is not there"
        if presence is Truth.UNKNOWN:
            why = f"the spoke has to have {ref}"
        return presence, _INVALID, why
    node = scene.topology.find(ref)
    keys = node.keys if node is not None else ()
    if keys and not any(set(pair).issubset(keys) for pair in pairs):
        lacks = [key for key in pairs[0] if key not in keys]
        return Truth.FALSE, _INVALID, f"{ref} has no key {' and '.join(lacks)}"
    return None


def _check_content(
    scene: Scene, _: Node, ref: Ref, rules: RoutingRules | None
) -> RefProblem | None:
    secret, node = scene.read(ref), scene.topology.find(ref)
    is_typed = rules is not None and rules.listeners is None
    if is_typed and secret and as_text(secret.get("type")) != _TYPE:
        return Truth.FALSE, _INVALID, f"{ref} is not of type {_TYPE}"
    if node is not None and node.is_garbled:
        return Truth.FALSE, _INVALID, f"{ref} has no certificate and key in PEM"
    return None


_FIRST_GRANTS: tuple[_Check, ...] = (_check_grant, _check_secret, _check_content)
_LAST_GRANTS: tuple[_Check, ...] = (_check_secret, _check_content, _check_grant)


def check_client_certificate(scene: Scene, gateway: Node, referrer: Node) -> RefProblem | None:
    """Return the problem with the certificate that a Gateway presents to backends, or None.

    `referrer` names the certificate: the Gateway, or a ListenerSet whose listener is judged.
    """
    backend = as_mapping(as_mapping(scene.spec(gateway.ref).get("tls")).get("backend"))
    entry, rules = as_mapping(backend.get("clientCertificateRef")), scene.rules(gateway)
    # Envoy Gateway asks for the keys alone (helpers.go, isValidClientCertificateRef).
    order = _LAST_GRANTS if rules and rules.listeners else (_check_grant, _check_secret)
    problem = _check(scene, referrer, entry, order, rules) if entry else None
    if problem is None or problem[1] == _NOT_PERMITTED:
        return problem
    return problem[0], INVALID_PRESENTED, problem[2]


def _check_presented(scene: Scene, gateway: Node, parent: Node) -> tuple[Condition, ...]:
    """Return the fault of a listener if the certificate for backends is wrong (agentgateway)."""
    rules = scene.rules(gateway)
    table = rules.listeners if rules is not None else None
    if table is None or INVALID_PRESENTED not in dict(table.outcomes):
        return ()
    problem = check_client_certificate(scene, gateway, parent)
    if problem is None:
        return ()
    state, reason, why = problem
    own = PRESENTED_NOT_GRANTED if reason == _NOT_PERMITTED else reason
    return (Condition(_RESOLVED, state, own, why),)


def check_clients(
    scene: Scene, gateway: Node, parent: Node, listener: Listener
) -> tuple[Condition, ...]:
    """Return conditions if a listener can't, or possibly can't, verify clients; else empty."""
    controller, holders = scene.controller(gateway), (gateway, parent)
    fault = find_authority_fault(scene.topology, controller, holders, listener, scene.is_there)
    rules = controller.routing
    if fault is None:
        return _check_presented(scene, gateway, parent)
    table = rules.listeners if rules is not None else None
    every = (_ACCEPTED, _PROGRAMMED, _RESOLVED) if table is None else (_RESOLVED,)
    if rules is None or not (fault.is_certain and fault.reason):
        reason = UNVERIFIED if rules is not None else NOT_KNOWN
        return tuple(make_unknown(kind, fault.why, reason) for kind in every)
    if table is not None:
        reason = f"Partly{fault.reason}" if fault.is_partial else fault.reason  # our own word
        return (make_false(_RESOLVED, reason, fault.why),)
    # Envoy Gateway, validate.go, validateTLSConfiguration: this replaces what it said before.
    reason = _NOT_PERMITTED if fault.reason == NOT_GRANTED else fault.reason
    reasons = {_ACCEPTED: "NoValidCACertificate"}
    return tuple(make_false(kind, reasons.get(kind, reason), fault.why) for kind in every)
