"""Cilium (v1.20.2): its network policies, and its controller of Gateways."""

from spokerender.kinds.columns import Guarding, More, PortSharing, Scale, Traits
from spokerender.kinds.kind import Controller, Kind
from spokerender.kinds.merging import Merging, Process
from spokerender.kinds.routing import GatewayRules, ListenerRules, RoutingRules
from spokerender.kinds.rows import label_selector
from spokerender.model.refs import SERVICE, SERVICE_IMPORT

_SOUND = (
    ("Accepted", True, "Accepted"),
    ("Programmed", True, "Programmed"),
    ("ResolvedRefs", True, "ResolvedRefs"),
)
_REFUSED = (("Accepted", False, ""), ("Programmed", False, "Pending"))
_INVALID = (("Accepted", False, "Invalid"), ("Programmed", False, "Pending"))
_INVALID_IN_SET = (("Accepted", False, "Invalid"), ("Programmed", False, "Invalid"))
_UNRESOLVED = ("ResolvedRefs", False, "")
_CONFLICT = ("Conflicted", True, "")
_CONFLICT_IN_SET = (
    ("Accepted", False, ""),
    ("Programmed", False, ""),
    _SOUND[2],
    _CONFLICT,
)
_BACKENDS = (SERVICE, SERVICE_IMPORT)
# It checks no filters, and no listener for its own `tls`.
ROUTING = RoutingRules(
    backends=_BACKENDS,
    granted=_BACKENDS,
    filters=(),
    backend_filters=(),
    wrong_backend_filter="",
    headers="self != 'Host'",
    expressions=True,
    checks=("grant", "kind", "port"),
    staged=("RefNotPermitted", "InvalidKind", "BackendNotFound"),
    no_port="InvalidKind",
    external_name="",
    wrong_tls="",
    gateways=GatewayRules(("", ""), addresses=("IPAddress",)),
    listeners=ListenerRules(
        protocols=("HTTP", "HTTPS", "TLS", "TCP", "UDP"),
        outcomes=(
            ("UnsupportedProtocol", _REFUSED),
            ("InvalidRouteKinds", (*_SOUND[:2], _UNRESOLVED)),
            ("no route kind", (*_INVALID, _UNRESOLVED)),
            ("UnsupportedValue", _REFUSED),
            ("WithoutTLS", _SOUND),
            ("InvalidCertificateRef", (*_INVALID, _UNRESOLVED)),
            ("RefNotPermitted", (*_INVALID, _UNRESOLVED)),
            ("ProtocolConflict", (*_INVALID, _CONFLICT)),
            ("HostnameConflict", (*_INVALID, _CONFLICT)),
        ),
        in_sets=(
            ("UnsupportedProtocol", (("Accepted", False, ""), ("Programmed", False, ""))),
            ("no route kind", (*_INVALID_IN_SET, _UNRESOLVED)),
            ("UnsupportedValue", (("Accepted", False, ""), ("Programmed", False, ""))),
            ("InvalidCertificateRef", (*_INVALID_IN_SET, _UNRESOLVED)),
            ("RefNotPermitted", (*_INVALID_IN_SET, _UNRESOLVED)),
            ("ProtocolConflict", _CONFLICT_IN_SET),
            ("HostnameConflict", _CONFLICT_IN_SET),
        ),
        completes=False,
        may_lack=True,
        counts_once=True,
    ),
    source="cilium/cilium v1.20.2, operator/pkg/gateway-api (status_listener, status_route).go and "
    "routechecks",
)
CONTROLLERS: tuple[Controller, ...] = (
    Controller(
        "Cilium",
        names=("io.cilium/gateway-controller",),
        classes=("cilium",),
        routing=ROUTING,
        sharing=PortSharing(
            families=(("HTTP", "HTTPS", "TLS"), ("TCP", "UDP")),
            apart=(),
            first_wins=True,
            by_protocol=True,
            by_pairs=True,
        ),
        tls_listener=(("Passthrough", ("TLSRoute",)), ("Terminate", ())),
    ),
)

# cilium/cilium, pkg/policy/api/{ingress,egress,l4}.go: what one rule admits is admitted, unless
# a denying one refuses it. Without ports a rule is for all, and a port without rules for all paths.
_CILIUM_PEERS = {
    "ingress": ("fromEndpoints", "fromCIDR", "fromCIDRSet", "fromEntities"),
    "egress": ("toEndpoints", "toCIDR", "toCIDRSet", "toEntities", "toFQDNs"),
}
_CILIUM_RULES: tuple[tuple[str, More], ...] = (("", "weaker"), ("Deny", "stricter"))
_POLICY = Kind(
    "cilium.io",
    "CiliumNetworkPolicy",
    ("v2",),
    references=label_selector("spec.endpointSelector"),
    security=True,
    merging=Merging(Process.ALL, source="cilium/cilium, pkg/policy/api/rule.go"),
    traits=Traits(
        guarding=(Guarding("*", beside="any"),),
        scales=tuple(
            scale
            for way, peers in _CILIUM_PEERS.items()
            for denying, more in _CILIUM_RULES
            for scale in (
                Scale(f"{way}{denying}", entries=more),
                *(Scale(f"{way}{denying}[].{name}", entries=more) for name in peers),
                *(
                    Scale(f"{way}{denying}[].{name}", entries=more, unset="open")
                    for name in ("toPorts", "toPorts[].ports", "toPorts[].rules.http")
                ),
            )
        ),
    ),
)

KINDS: tuple[Kind, ...] = (_POLICY,)
