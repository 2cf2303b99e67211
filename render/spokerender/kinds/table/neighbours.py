"""Other projects whose objects name Gateways, or look as if they did."""

from __future__ import annotations

from spokerender.kinds.columns import Need
from spokerender.kinds.kind import SECTION, Controller, Kind, NamespaceRule, Reach
from spokerender.kinds.merging import Merging, Names, Order, Precedence, Process, Several
from spokerender.kinds.rows import label_selector, parent, row, target_ref, target_refs
from spokerender.model.refs import GATEWAY_API

_APISIX = "apisix.apache.org"
_LINKERD = "policy.linkerd.io"
_CERT_MANAGER = "cert-manager.io"
_MONITORING = "monitoring.coreos.com"

_SECTIONS = (target_refs(section=SECTION),)
_GATEWAY_REF = target_ref(
    path="spec.gatewayRef", namespace=NamespaceRule.ANY, group=GATEWAY_API, kind="Gateway"
)
_SOLVERS = (parent("spec.acme.solvers[].http01.gatewayHTTPRoute.parentRefs[]"),)
APACHE = Controller("APISIX", names=("apisix.apache.org/apisix-ingress-controller",))
LINKERD_POLICY = Controller("Linkerd")
_INGRESS = "apache/apisix-ingress-controller d510f66"
_STATUS = "linkerd/linkerd2 b24cd40, policy-controller/k8s/status/src/index.rs"
_MONITORED = label_selector("spec.selector")

APISIX: tuple[Kind, ...] = (
    # A port's before the whole's; of two on the same nothing orders them.
    row(
        _APISIX,
        "BackendTrafficPolicy",
        "v1alpha1",
        references=_SECTIONS,
        targets=("Service",),
        merging=Merging(
            Process.NONE,
            Several.ONE,
            first=Precedence(order=Order.UNORDERED),
            source=_INGRESS,
        ),
        controller=APACHE,
    ),
    row(
        _APISIX,
        "Consumer",
        "v1alpha1",
        references=(_GATEWAY_REF,),
        needs=(Need("spec.credentials[].secretRef", namespace_key="namespace"),),
        # A gateway has many consumers.
        merging=Merging(Process.ALL, source=_INGRESS),
        targets=("Gateway",),
        controller=APACHE,
        # apache/apisix-ingress-controller, api/v1alpha1/consumer_types.go: inline ones.
        credentials=("spec.credentials[].config", "spec.plugins[].config"),
    ),
    # On one rule they hold together if they have one priority, and else none of them on the route.
    row(
        _APISIX,
        "HTTPRoutePolicy",
        "v1alpha1",
        references=_SECTIONS,
        targets=("HTTPRoute",),
        merging=Merging(
            Process.ALL,
            Several.EQUAL,
            equal="priority",
            source=f"{_INGRESS}/internal/controller/httproutepolicy.go",
        ),
        controller=APACHE,
    ),
    # Its plugins may restrict who gets in.
    row(
        _APISIX,
        "L4RoutePolicy",
        "v1alpha1",
        references=_SECTIONS,
        security=True,
        targets=("TCPRoute", "UDPRoute", "TLSRoute"),
        merging=Merging(Process.NONE, Several.ONE, source=_INGRESS),
        controller=APACHE,
    ),
)

# Linkerd's default group is its own: without a group, nothing here names the Gateway API.
LINKERD: tuple[Kind, ...] = (
    # A request needs one that admits it, whichever. It opens rather than guards: a Server denies
    # what nothing authorizes, and what has no Server is no affair of a Gateway's paths.
    row(
        _LINKERD,
        "AuthorizationPolicy",
        "v1alpha1",
        references=(target_ref(),),
        security=True,
        merging=Merging(Process.ALL, source="linkerd/linkerd2 b24cd40, policy-controller"),
        targets=("Server", "HTTPRoute", "GRPCRoute", "Namespace"),
        controller=LINKERD_POLICY,
        reach=Reach(beside=("Server", "Namespace")),
    ),
    row(
        _LINKERD,
        "HTTPLocalRateLimitPolicy",
        "v1alpha1",
        references=(target_ref(),),
        security=True,
        targets=("Server",),
        merging=Merging(
            Process.NONE,
            Several.ONE,
            first=Precedence(names=Names.NAME),
            refusal="RateLimitReasonAlreadyExists",
            source=_STATUS,
        ),
        controller=LINKERD_POLICY,
        reach=Reach(beside=("Server",)),
    ),
    row(
        _LINKERD,
        "HTTPRoute",
        "v1beta3",
        "v1beta2",
        "v1beta1",
        "v1alpha1",
        references=(parent("spec.parentRefs[]", group=_LINKERD, max_items=32),),
    ),
)

# kcp and its sync agent (kcp-dev/kcp dac74f5, kcp-dev/api-syncagent 51995bd).
_APIS = "apis.kcp.io"

KCP: tuple[Kind, ...] = (
    # Whoever has bound an export loses its objects' API with the schema or the export.
    row(_APIS, "APIExport", "v1alpha2", "v1alpha1", namespaced=False, guarded=True),
    row(_APIS, "APIResourceSchema", "v1alpha1", namespaced=False, guarded=True),
    row(_APIS, "APIBinding", "v1alpha2", "v1alpha1", namespaced=False),
    row("syncagent.kcp.io", "PublishedResource", "v1alpha1", namespaced=False),
)

CONTROLLERS: tuple[Controller, ...] = (APACHE, LINKERD_POLICY)

KINDS: tuple[Kind, ...] = (
    *APISIX,
    *LINKERD,
    *KCP,
    row(_CERT_MANAGER, "Issuer", "v1", references=_SOLVERS),
    row(_CERT_MANAGER, "ClusterIssuer", "v1", namespaced=False, references=_SOLVERS),
    row(_CERT_MANAGER, "Certificate", "v1"),
    # A Canary's targetRef is a Deployment.
    row(
        "flagger.app",
        "Canary",
        "v1beta1",
        plural="canaries",
        references=(parent("spec.service.gatewayRefs[]"),),
    ),
    row(_MONITORING, "PodMonitor", "v1", references=_MONITORED),
    row(_MONITORING, "ServiceMonitor", "v1", references=_MONITORED),
)
