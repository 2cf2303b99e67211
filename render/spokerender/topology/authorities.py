"""The CA certificates with which a listener checks its clients (`GatewayTLSConfig.frontend`)."""

from collections.abc import Callable
from typing import Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.columns import Trust
from spokerender.kinds.kind import Controller
from spokerender.model import CONFIG_MAP, SECRET
from spokerender.model.refs import Ref
from spokerender.topology.node import Listener, Node

WRONG_KIND = "InvalidCACertificateKind"
NOT_GRANTED = "CARefNotPermitted"
"""Ours, not the API's: its RefNotPermitted would not tell these from listeners' certificates."""
UNREADABLE = "InvalidCACertificateRef"
USUAL_TRUST = Trust((CONFIG_MAP, SECRET))
_WHERE = "a CA certificate is in a ConfigMap or Secret"
_HTTPS, _TLS = "HTTPS", "TLS"

Presence = Callable[[Ref], bool | None]
"""A function that returns whether an object exists; None if no file decides it."""


class Referents(Protocol):
    """The methods of a topology that this module needs."""

    def find(self, ref: Ref) -> Node | None:
        """Return an object of the files; None if no file has it."""

    def permits(self, referrer: Ref, referent: Ref) -> bool:
        """Return whether `referrer` may name `referent`: in its own namespace, or by a grant."""


_Reading = Literal["", "one", "some", "first"]


class AuthorityFault(Struct, frozen=True):
    """The reason why a listener can't check the certificates of its clients."""

    reason: str
    """Empty if files can't decide which of several reasons applies."""
    why: str
    is_certain: bool = True
    is_partial: bool = False
    """The listener ignores this CA certificate and uses the remaining CA certificates."""
    refuses: bool = False
    """The controller refuses the whole listener."""


def find_authority_fault(
    topology: Referents,
    controller: Controller,
    holders: tuple[Node, Node],
    listener: Listener,
    presence: Presence,
) -> AuthorityFault | None:
    """Return the fault in a listener's CA certificates by the controller's rules; None if none.

    `holders` are the listener's Gateway, and the Gateway or ListenerSet that declares it.
    """
    gateway, parent = holders
    reading = _choose_reading(controller)
    # Istio, conversion.go, buildCaCertificateReference: whoever declares a listener names them.
    referrer = gateway if controller.routing is None or reading == "first" else parent
    refs = gateway.authorities(listener, referrer.ref.namespace)
    # Envoy Gateway checks clients of HTTPS listeners only; other controllers also those of TLS.
    is_checked = listener.protocol == _HTTPS or (listener.protocol == _TLS and reading != "first")
    if not (reading and refs and is_checked and listener.tls_mode == "Terminate"):
        return None
    if reading == "one" and len(refs) > 1:
        return AuthorityFault(UNREADABLE, "it takes one CA certificate for clients alone")
    if reading == "first":
        trust = controller.trust or USUAL_TRUST
        first = find_first_fault(topology, gateway, refs, presence, trust)
        return None if first is None else replace(first, refuses=True)
    faults = [
        fault for ref in refs if (fault := _find_any(topology, referrer, ref, presence)) is not None
    ]
    # Uncertain faults may prove to be none, so they don't make the fault partial.
    certain = [fault for fault in faults if fault.is_certain]
    if certain and len(certain) < len(refs):
        return replace(certain[0], is_partial=True)
    return next(iter(certain or faults), None)


def _choose_reading(controller: Controller) -> _Reading:
    """Return how a controller reads the CA certificates of a listener.

    Envoy Gateway reads them in order, up to the first fault. If nobody has examined the
    controller's code, one readable certificate among several is assumed to be enough.
    """
    rules = controller.routing
    if rules is None:
        return "some"
    return "first" if rules.listeners is None else rules.listeners.clients


def find_first_fault(
    topology: Referents, gateway: Node, refs: tuple[Ref, ...], presence: Presence, trust: Trust
) -> AuthorityFault | None:
    """Return the fault that Envoy Gateway finds (backendtlspolicy.go, getCaCertsFromCARefs).

    It stops at the first fault, and skips references to other kinds if they are permitted.
    """
    kinds = {kind for _, kind in trust.kinds}
    doubt: AuthorityFault | None = None
    for ref in refs:
        fault = _check_grant(topology, gateway, ref)
        if fault is None and ref.kind in kinds:
            fault = _check_object(topology, ref, presence, trust)
        if fault is not None and fault.is_certain:
            is_told = doubt is None or doubt.reason == fault.reason
            # An earlier doubt could be the first fault, with a reason of its own.
            return fault if is_told else replace(fault, reason="")
        doubt = doubt or fault
    if kinds.isdisjoint(ref.kind for ref in refs):
        return AuthorityFault(WRONG_KIND, _WHERE)
    return doubt


def _find_any(
    topology: Referents, referrer: Node, ref: Ref, presence: Presence
) -> AuthorityFault | None:
    if (ref.group, ref.kind) not in USUAL_TRUST.kinds:
        return AuthorityFault(WRONG_KIND, f"{_WHERE}, not in a {ref.kind}")
    faults = (
        _check_object(topology, ref, presence, USUAL_TRUST),
        _check_grant(topology, referrer, ref),
    )
    # A certain fault before a possible one.
    ordered = sorted(filter(None, faults), key=lambda fault: not fault.is_certain)
    return next(iter(ordered), None)


def _check_grant(topology: Referents, referrer: Node, ref: Ref) -> AuthorityFault | None:
    if topology.permits(referrer.ref, ref):
        return None
    return AuthorityFault(NOT_GRANTED, f"no ReferenceGrant in {ref.namespace} lets it name {ref}")


def _check_object(
    topology: Referents, ref: Ref, presence: Presence, trust: Trust
) -> AuthorityFault | None:
    # Two questions: files may know that an object is there without having it.
    is_there, node = presence(ref), topology.find(ref)
    if is_there is False:
        return AuthorityFault(UNREADABLE, f"{ref} is not there")
    # A Secret's data is often in no file.
    if node is not None and (node.keys or ref.kind == "ConfigMap") and not _reads(trust, node.keys):
        return AuthorityFault(UNREADABLE, f"{ref} has no key {' or '.join(trust.keys)}")
    if is_there is None:
        return AuthorityFault(UNREADABLE, f"the spoke has to have {ref}", is_certain=False)
    return None


def _reads(trust: Trust, keys: tuple[str, ...]) -> bool:
    return (trust.only_key and len(keys) == 1) or not {*trust.keys}.isdisjoint(keys)
