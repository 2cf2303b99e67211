"""Computes the conditions of listeners (Gateway API, `ListenerStatus`).

They depend on protocol, TLS, kinds of route, and rival listeners on the port. The conditions of a
refused listener also depend on the controller: they are unknown without its `RoutingRules`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.attachment.statuses import NOT_KNOWN, Condition, Truth
from spokerender.judging.routing.certificates import check_certificate_refs, check_clients
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import (
    INVALID_PRESENTED,
    PRESENTED_NOT_GRANTED,
    make_false,
    make_true,
    make_unknown,
)
from spokerender.kinds.kind import Controller
from spokerender.kinds.routing import ListenerRules, WrittenCondition
from spokerender.kinds.table import group_rows
from spokerender.model.refs import GATEWAY_API
from spokerender.model.shapes import as_list, as_mapping
from spokerender.topology.node import Listener, Node
from spokerender.topology.taken import HOSTNAME_CONFLICT, PROTOCOL_CONFLICT, ListenerConflict

ACCEPTED, PROGRAMMED, RESOLVED, CONFLICTED = "Accepted", "Programmed", "ResolvedRefs", "Conflicted"
PARTIALLY_INVALID = "PartiallyInvalidCertificateRef"
_HARMLESS = (PARTIALLY_INVALID, INVALID_PRESENTED, PRESENTED_NOT_GRANTED)
"""Reasons for which a controller does not refuse a listener."""
INVALID_KINDS = "InvalidRouteKinds"
WITHOUT_TLS = "WithoutTLS"
"""Our own reason for a TLS listener without `tls`; each controller has another reason."""
INVALID_CERTIFICATE = "InvalidCertificateRef"
NO_KINDS = "no route kind"
"""Our own reason for a listener that supports none of its kinds of route."""
_INVALID, _SETS_INVALID = "Invalid", "ListenersNotValid"
"""A reason, and the reason that replaces it for listeners of a ListenerSet."""
_CORE = ("HTTP", "HTTPS")
_NAMELESS = ("TCP", "UDP")
_PLAIN = ("HTTP", "TCP", "UDP")
_TLS = ("HTTPS", "TLS")
_PASSED_ON = (("Passthrough", ("TLSRoute",)),)
"""The kinds of route by mode of TLS, according to the Gateway API."""

_SHARED = {
    PROTOCOL_CONFLICT: "another protocol on its port",
    HOSTNAME_CONFLICT: "its hostname on its port",
}
"""The property that causes a conflict between listeners, by the reason of the conflict."""

RouteKinds = tuple[tuple[str, str], ...]
"""Kinds of route, by group and kind."""
_Faults = Mapping[str, Condition]
"""The faults of a listener, by the type of the condition that reports each."""


class OwnFaults(Struct, frozen=True):
    """The kinds of route that a listener supports, and its faults apart from other listeners."""

    kinds: RouteKinds
    conditions: tuple[Condition, ...]

    @property
    def faults(self) -> _Faults:
        """The faults by type of condition; of several faults of a type, the last one."""
        return {condition.type: condition for condition in self.conditions}

    @property
    def is_sound(self) -> bool:
        """True if the listener is not refused, and so can conflict with other listeners."""
        return all(
            item.status is Truth.UNKNOWN or item.reason in _HARMLESS for item in self.conditions
        )

    @property
    def is_open_question(self) -> bool:
        """True if the listener may be sound or not, depending on facts in no file."""
        return self.is_sound and any(
            item.status is Truth.UNKNOWN and item.reason not in _HARMLESS
            for item in self.conditions
        )


def check_listener(scene: Scene, gateway: Node, parent: Node, listener: Listener) -> OwnFaults:
    """Return the faults of a listener apart from conflicts (Envoy Gateway, listener.go)."""
    entries = as_list(scene.spec(parent.ref).get("listeners"))
    raw = as_mapping(entries[listener.index] if listener.index < len(entries) else None)
    controller = scene.controller(gateway)
    table = controller.routing.listeners if controller.routing is not None else None
    possible = find_route_kinds(listener, controller)
    kinds = tuple(kind for kind in listener.kinds if kind in possible)
    certificates = (*check_certificate_refs(scene, gateway, parent, listener, raw),)
    conditions: tuple[Condition, ...]
    if table is None:
        conditions = (
            *_check_namespaces(raw),
            *_check_protocol(listener, controller),
            *_check_kinds(listener, possible),
            *_check_tls(listener, raw),
            *certificates,
            *check_clients(scene, gateway, parent, listener),
            *_check_hostname(listener),
        )
    else:
        # Faults that Envoy Gateway checks besides can't occur: the API server refuses them by the
        # CRDs of the Gateway API.
        absent = (*_check_absent_tls(listener, raw, table),)
        # Some controllers compare the kinds with those of the protocol, whatever the mode of TLS.
        passed = listener if table.completes else replace(listener, tls_mode="Passthrough")
        conditions = (
            *_check_protocol(listener, controller),
            *_check_kinds(listener, find_route_kinds(passed, controller)),
            *(absent or certificates),
            *_check_mode(listener, possible, table),
            *(() if certificates else check_clients(scene, gateway, parent, listener)),
        )
    return OwnFaults(kinds if listener.kinds else possible, conditions)


def find_route_kinds(listener: Listener, controller: Controller) -> RouteKinds:
    """Return the kinds of route that a controller supports for a listener's protocol and TLS."""
    table = controller.routing.listeners if controller.routing is not None else None
    if table is not None and listener.protocol not in table.protocols:
        return ()
    by_mode = controller.tls_listener or (_PASSED_ON if not controller.id else ())
    modes = dict(by_mode) if listener.protocol == "TLS" else {}
    return tuple(
        (row.group, row.kind)
        for row in group_rows(GATEWAY_API).values()
        if listener.protocol in row.protocols
        and row.kind in modes.get(listener.tls_mode, (row.kind,))
    )


def _check_namespaces(raw: Mapping[str, Any]) -> Iterator[Condition]:
    namespaces = as_mapping(as_mapping(raw.get("allowedRoutes")).get("namespaces"))
    if namespaces.get("from") == "Selector" and namespaces.get("selector") is None:
        why = "allowedRoutes.namespaces.from is Selector, and there is no selector"
        yield make_false(PROGRAMMED, _INVALID, why)


def _check_protocol(listener: Listener, controller: Controller) -> Iterator[Condition]:
    table = controller.routing.listeners if controller.routing is not None else None
    setting = dict(table.switched).get(listener.protocol) if table is not None else None
    if setting is not None:
        why = f"whether {listener.protocol} is supported is decided by {setting}"
        yield make_unknown(ACCEPTED, why, NOT_KNOWN)
        return
    rows = group_rows(GATEWAY_API).values()
    protocols = (
        table.protocols if table is not None else {one for row in rows for one in row.protocols}
    )
    if listener.protocol in _CORE or (controller.routing and listener.protocol in protocols):
        return
    if controller.routing:
        why = f"the protocol {listener.protocol} is not supported"
        yield make_false(ACCEPTED, "UnsupportedProtocol", why)
    else:
        why = f"whether its controller supports the protocol {listener.protocol} is not known"
        yield make_unknown(ACCEPTED, why, NOT_KNOWN)


def _check_kinds(listener: Listener, possible: RouteKinds) -> Iterator[Condition]:
    if possible or listener.protocol in _NAMELESS:
        wrong = [kind for group, kind in listener.kinds if (group, kind) not in possible]
        if wrong:
            names = " and ".join(kind for _, kind in possible) or "no route here"
            why = (
                f"{', '.join(wrong)} is not for protocol {listener.protocol}, which is for {names}"
            )
            yield make_false(RESOLVED, INVALID_KINDS, why)


def _check_mode(
    listener: Listener, possible: RouteKinds, table: ListenerRules
) -> Iterator[Condition]:
    if listener.protocol == "TLS" and not possible and "TLS" in table.protocols:
        why = f"it takes no route with the mode {listener.tls_mode} of TLS"
        yield make_false(ACCEPTED, "UnsupportedValue", why)


def _check_tls(listener: Listener, raw: Mapping[str, Any]) -> Iterator[Condition]:
    """Yield a fault of `tls` that the CRDs do not exclude (Envoy Gateway, validate.go)."""
    protocol, tls = listener.protocol, raw.get("tls")
    if not raw:  # a Gateway that only the spoke has is declared without TLS
        return
    if protocol in _PLAIN and tls is not None:
        yield make_false(PROGRAMMED, _INVALID, f"a listener of protocol {protocol} has no tls")
    elif protocol in _TLS and tls is None:
        yield make_false(PROGRAMMED, _INVALID, f"a listener of protocol {protocol} needs tls")
    elif protocol == "HTTPS" and listener.tls_mode != "Terminate":
        why = "the mode of TLS has to be Terminate for protocol HTTPS"
        yield make_false(PROGRAMMED, "UnsupportedTLSMode", why)
    elif protocol in _TLS:
        mode = as_mapping(tls).get("mode")
        has_certificates = bool(as_mapping(tls).get("certificateRefs"))
        if mode == "Passthrough" and has_certificates:
            why = "it passes TLS through, and names certificates"
            yield make_false(PROGRAMMED, _INVALID, why)
        elif not has_certificates and (protocol == "HTTPS" or mode == "Terminate"):
            yield make_false(PROGRAMMED, _INVALID, "it terminates TLS, and names no certificate")


def _check_absent_tls(
    listener: Listener, raw: Mapping[str, Any], table: ListenerRules
) -> Iterator[Condition]:
    if listener.protocol not in _TLS or not raw:
        return
    tls = as_mapping(raw.get("tls"))
    if not tls:
        why = f"a listener of protocol {listener.protocol} needs tls"
        yield make_false(ACCEPTED, WITHOUT_TLS, why)
        return
    count = len(as_list(tls.get("certificateRefs")))
    if table.lone_certificate and listener.tls_mode == "Terminate" and count != 1:
        yield make_false(ACCEPTED, WITHOUT_TLS, f"it names {count} certificates, and not one")
        return
    options = as_mapping(tls.get("options"))
    has_option = any(options.get(key) in values for key, values in table.options)
    may_lack = tls.get("certificateRefs") or table.may_lack or has_option
    if listener.tls_mode == "Terminate" and not may_lack:
        why = "it terminates TLS, and names no certificate"
        yield make_false(RESOLVED, INVALID_CERTIFICATE, why)


def _check_hostname(listener: Listener) -> Iterator[Condition]:
    if listener.protocol in _NAMELESS and listener.hostname:
        why = f"a listener of protocol {listener.protocol} has no hostname"
        yield make_false(PROGRAMMED, _INVALID, why)


def find_conditions(
    scene: Scene, gateway: Node, parent: Node, own: OwnFaults, conflict: ListenerConflict | None
) -> tuple[Condition, ...]:
    """Return a listener's Accepted, Programmed, ResolvedRefs, and Conflicted if it is written."""
    rules = scene.rules(gateway)
    if rules is not None and rules.listeners is not None:
        denies = scene.controller(gateway).denies_conflicts
        is_hidden = rules.listeners.hides_conflicts and (parent.is_gateway or not own.is_sound)
        is_unread = any(item.reason == "UnsupportedProtocol" for item in own.conditions)
        is_hidden |= is_unread and scene.controller(gateway).refused_block
        outcomes = dict(rules.listeners.outcomes)
        if not parent.is_gateway:
            outcomes |= dict(rules.listeners.in_sets)
        conflict = None if is_hidden else conflict
        return _find_tabled(rules.listeners, outcomes, own, conflict, denies_conflicts=denies)
    faults = own.faults
    is_of_set, is_read = not parent.is_gateway, scene.rules(gateway) is not None
    if conflict is not None:
        faults = {**faults, **_conflicting(conflict, is_of_set=is_of_set, is_read=is_read)}
    conditions = _complete(faults, is_read=is_read)
    if CONFLICTED not in conditions and (
        (is_of_set and not faults) or scene.controller(gateway).denies_conflicts
    ):
        conditions[CONFLICTED] = make_false(CONFLICTED, "NoConflicts", "nothing is in its way")
    return tuple(
        replace(item, reason=_SETS_INVALID) if is_of_set and item.reason == _INVALID else item
        for item in _sort(conditions)
    )


def _sort(conditions: _Faults) -> Iterator[Condition]:
    order = (ACCEPTED, PROGRAMMED, RESOLVED, CONFLICTED)
    return (conditions[kind] for kind in order if kind in conditions)


def _find_tabled(
    table: ListenerRules,
    outcomes: Mapping[str, tuple[WrittenCondition, ...]],
    own: OwnFaults,
    conflict: ListenerConflict | None,
    *,
    denies_conflicts: bool,
) -> tuple[Condition, ...]:
    """Return a listener's conditions from its faults and `conflict`, by the controller's table."""
    faults = list(own.conditions[:1] if table.first_alone else own.conditions)
    if conflict is not None:
        why = _describe(conflict)
        refused = Condition(CONFLICTED, Truth.TRUE, conflict.reason, why)
        # Of a refused listener, the controller only checks the kinds of route.
        faults = [refused, *(item for item in faults if item.reason == INVALID_KINDS)]
        if not table.completes:
            faults = [*own.conditions, refused]
    conditions: dict[str, Condition] = {}
    is_told = table.completes or all(item.status is Truth.UNKNOWN for item in faults)
    if conflict is None and is_told:
        conditions = {
            ACCEPTED: make_true(ACCEPTED, "it is valid"),
            PROGRAMMED: make_true(PROGRAMMED, "its port is opened"),
            RESOLVED: make_true(RESOLVED, "all that it names is there"),
        }
        if denies_conflicts:
            conditions[CONFLICTED] = make_false(CONFLICTED, "NoConflicts", "nothing is in its way")
    for fault in faults:
        reason = fault.reason if own.kinds or fault.reason != INVALID_KINDS else NO_KINDS
        written = outcomes.get(reason, outcomes.get(fault.reason))
        if fault.status is Truth.UNKNOWN or written is None:
            reason = fault.reason if fault.status is Truth.UNKNOWN else NOT_KNOWN
            every = ((kind, False, "") for kind in (ACCEPTED, PROGRAMMED, RESOLVED))
            may_change = outcomes.get(INVALID_CERTIFICATE) if fault.type == RESOLVED else None
            for kind, _, _ in written or may_change or every:
                conditions[kind] = make_unknown(kind, fault.message, reason)
            continue
        for kind, is_met, reason in written:
            status = Truth.TRUE if is_met else Truth.FALSE
            conditions[kind] = Condition(kind, status, reason or fault.reason, fault.message)
    return tuple(_sort(conditions))


def _describe(conflict: ListenerConflict) -> str:
    others = ", ".join(map(str, conflict.by))
    return f"{others} has {_SHARED[conflict.reason]}"


def _conflicting(conflict: ListenerConflict, *, is_of_set: bool, is_read: bool) -> _Faults:
    """Return the conditions of a listener that result from its conflict with other listeners."""
    why = _describe(conflict)
    # validateConflictedLayer4Listeners of Envoy Gateway writes this condition alone.
    if conflict.is_nameless and is_read and not conflict.is_between:
        why = f"{', '.join(map(str, conflict.by))} has its port and protocol"
        return {CONFLICTED: Condition(CONFLICTED, Truth.TRUE, PROTOCOL_CONFLICT, why)}
    faults = {CONFLICTED: Condition(CONFLICTED, Truth.TRUE, conflict.reason, why)}
    reason = conflict.earlier if conflict.is_between else conflict.reason
    if is_of_set and reason:
        faults[ACCEPTED] = make_false(ACCEPTED, reason, why)
        faults[PROGRAMMED] = make_false(PROGRAMMED, reason, why)
    return faults


def _complete(faults: _Faults, *, is_read: bool) -> dict[str, Condition]:
    """Return all conditions that result from faults (Envoy Gateway, validateListenerConditions).

    Unless `is_read` (the controller's rules are known), a refused listener's further conditions
    are Unknown.
    """
    conditions = dict(faults)
    accepted = make_true(ACCEPTED, "it is valid")
    resolved = make_true(RESOLVED, "all that it names is there")
    programmed = make_true(PROGRAMMED, "its port is opened")
    certain = {kind: item for kind, item in faults.items() if item.status is not Truth.UNKNOWN}
    only = faults.get(RESOLVED) if faults.keys() == {RESOLVED} else None
    if not certain:
        conditions.setdefault(RESOLVED, resolved)
        conditions.setdefault(ACCEPTED, accepted)
        open_question = next((item for item in faults.values() if item.type != CONFLICTED), None)
        if open_question is not None and open_question.reason != PARTIALLY_INVALID:
            why = f"it is opened unless: {open_question.message}"
            programmed = make_unknown(PROGRAMMED, why, open_question.reason)
        conditions.setdefault(PROGRAMMED, programmed)
    elif not is_read:
        for kind, good in ((ACCEPTED, accepted), (PROGRAMMED, programmed), (RESOLVED, resolved)):
            why = "what its controller says of a listener with a fault is not known"
            unknown = make_unknown(kind, why, NOT_KNOWN)
            conditions.setdefault(kind, good if kind == RESOLVED else unknown)
    elif only is not None and only.reason in (PARTIALLY_INVALID, INVALID_CERTIFICATE):
        conditions[ACCEPTED] = accepted
        refused = make_false(PROGRAMMED, _INVALID, f"it is invalid: {only.message}")
        conditions[PROGRAMMED] = programmed if only.reason == PARTIALLY_INVALID else refused
    else:
        why = next(item.message for item in certain.values())
        conditions.setdefault(PROGRAMMED, make_false(PROGRAMMED, _INVALID, f"it is invalid: {why}"))
        conditions.setdefault(RESOLVED, resolved)
    return conditions
