"""Closed-source controllers of Google (GKE) and Azure (Application Gateway for Containers).

Facts that their documentation lacks are unknown here: for a target's `namespace`, only the policy's
own is known to work.
"""

from functools import partial

from spokerender.kinds.columns import Guarding, Need, Scale, Traits
from spokerender.kinds.kind import SECTION, SECTIONS, Controller, Kind, NamespaceRule
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.kinds.rows import any_object, label_selector, target_ref, target_refs

GOOGLE = Controller("GKE Gateway controller", names=("networking.gke.io/gateway",))
ALB = Controller(
    "Application Gateway for Containers", names=("alb.networking.azure.io/alb-controller",)
)

_TEN = (target_refs(max_items=10),)
_PODS = label_selector("spec.targetRefs[].selector")
_BACKENDS = ("Service", "ServiceImport", "InferencePool")

_CLIENT_TLS = any_object("spec.default.clientCertificateRef")
_VERIFY = any_object("spec.default.verify.caCertificateRef")

CONTROLLERS: tuple[Controller, ...] = (GOOGLE, ALB)

_gke_policy = partial(
    Kind,
    "networking.gke.io",
    versions=("v1",),
    merging=Merging(Process.UNKNOWN, source="closed; Google's documentation says nothing of it"),
    controller=GOOGLE,
)
_documented_policy = partial(
    _gke_policy,
    references=(target_ref(namespace=NamespaceRule.OWN),),
    merging=Merging(
        Process.NONE,
        Several.ONE,
        rules=("default.*",),
        source="closed; cloud.google.com/kubernetes-engine/docs, configure-gateway-resources",
    ),
)

_azure_policy = partial(
    Kind,
    "alb.networking.azure.io",
    versions=("v1",),
    references=(target_ref(namespace=NamespaceRule.OWN, section=SECTIONS),),
    merging=Merging(
        Process.UNKNOWN,
        rules=("default.*", "override.*"),
        source="closed; "
        "MicrosoftDocs/azure-docs 0a88982, api-specification-kubernetes.md says nothing",
    ),
    controller=ALB,
)

KINDS: tuple[Kind, ...] = (
    _documented_policy(
        "GCPGatewayPolicy",
        security=True,
        targets=("Gateway",),
        traits=Traits(
            scales=(Scale("default.allowGlobalAccess", order=(True, False), unset=False),)
        ),
    ),
    # It switches on Cloud Armor and Identity-Aware Proxy.
    _documented_policy(
        "GCPBackendPolicy",
        needs=(Need("spec.default.iap.oauth2ClientSecret"),),
        security=True,
        targets=_BACKENDS,
        traits=Traits(
            guarding=(
                Guarding("default.securityPolicy"),
                Guarding("default.iap", unless=((("default.iap.enabled", (False, None)),),)),
            )
        ),
    ),
    _documented_policy("GCPSessionAffinityPolicy", targets=_BACKENDS),
    _documented_policy("HealthCheckPolicy", targets=_BACKENDS),
    _gke_policy(
        "GCPAuthzPolicy",
        references=(*_TEN, *_PODS),
        security=True,
        targets=("Gateway", "Pod"),
        traits=Traits(guards=True),
    ),
    _gke_policy(
        "GCPClientTLSPolicy",
        references=(target_refs(max_items=10, section=SECTION),),
        security=True,
        targets=("Service", "Namespace"),
    ),
    # It names no object at all: its targets are pods by their labels.
    _gke_policy("GCPServerTLSPolicy", references=_PODS, security=True),
    _gke_policy("GCPTrafficDistributionPolicy", references=(target_refs(),), targets=("Service",)),
    _gke_policy("GCPRoutingExtension", references=_TEN, targets=("Gateway",)),
    _gke_policy("GCPTrafficExtension", references=_TEN, targets=("Gateway",)),
    _azure_policy("FrontendTLSPolicy", needs=(_VERIFY,), security=True, targets=("Gateway",)),
    _azure_policy("WebApplicationFirewallPolicy", security=True, targets=("Gateway", "HTTPRoute")),
    _azure_policy(
        "BackendTLSPolicy", needs=(_VERIFY, _CLIENT_TLS), security=True, targets=("Service",)
    ),
    _azure_policy("RoutePolicy", targets=("HTTPRoute",)),
    _azure_policy("HealthCheckPolicy", targets=("Service",)),
)
