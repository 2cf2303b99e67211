"""The CA certificates by which a listener checks its clients (`GatewayTLSConfig.frontend`)."""

from collections.abc import Iterator

from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import make_false, make_unknown
from spokerender.kinds.routing import ListenerRules
from spokerender.model import Ref
from spokerender.topology.node import Listener, Node

_UNREADABLE = "InvalidCACertificateRef"
_WRONG_KIND = "InvalidCACertificateKind"
_NOT_GRANTED = "CARefNotPermitted"
"""Our own word: of certificates of listeners and of CA certificates RefNotPermitted is told."""
_RESOLVED = "ResolvedRefs"
_KINDS = ("ConfigMap", "Secret")
_KEY = "ca.crt"
_TERMINATING = ("HTTPS", "TLS")


def check_clients(
    scene: Scene, gateway: Node, parent: Node, listener: Listener, table: ListenerRules
) -> Iterator[Condition]:
    """Yield the condition of a listener that can't check its clients, or not all of them."""
    refs = gateway.authorities(listener)
    is_terminating = listener.protocol in _TERMINATING and listener.tls_mode == "Terminate"
    if not (table.clients and refs and is_terminating):
        return
    if table.clients == "one" and len(refs) > 1:
        yield make_false(_RESOLVED, _UNREADABLE, "it takes one CA certificate for clients alone")
        return
    problems = [problem for ref in refs if (problem := _check(scene, parent, ref)) is not None]
    wrong = [problem for problem in problems if problem.status is Truth.FALSE]
    if wrong and len(wrong) < len(refs):
        yield make_false(_RESOLVED, f"Partly{wrong[0].reason}", wrong[0].message)  # our own word
    else:
        yield from (wrong or problems)[:1]


def _check(scene: Scene, parent: Node, ref: Ref) -> Condition | None:
    if ref.group or ref.kind not in _KINDS:
        why = f"a CA certificate is in a ConfigMap or Secret, not in a {ref.kind}"
        return make_false(_RESOLVED, _WRONG_KIND, why)
    presence = scene.presence(ref)
    if presence is Truth.FALSE:
        return make_false(_RESOLVED, _UNREADABLE, f"{ref} is not there")
    node = scene.topology.find(ref)
    if node is not None and node.keys and _KEY not in node.keys:
        return make_false(_RESOLVED, _UNREADABLE, f"{ref} has no key {_KEY}")
    if not scene.topology.permits(parent.ref, ref):
        why = f"no ReferenceGrant in {ref.namespace} lets it name {ref}"
        return make_false(_RESOLVED, _NOT_GRANTED, why)
    if presence is Truth.UNKNOWN:
        return make_unknown(_RESOLVED, f"the spoke has to have {ref}")
    return None
