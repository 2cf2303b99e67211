"""Google's controller for GKE. It is closed: what its documentation does not say is not known.

A target's `namespace` other than the policy's own is not said to work, and the own one does.
"""

from functools import partial

from spokerender.kinds.columns import Guarding, Need, Scale, Traits
from spokerender.kinds.kind import SECTION, Controller, Kind, NamespaceRule
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.kinds.rows import label_selector, target_ref, target_refs

GOOGLE = Controller("GKE Gateway controller", names=("networking.gke.io/gateway",))

_TEN = (target_refs(max_items=10),)
_PODS = label_selector("spec.targetRefs[].selector")
_BACKENDS = ("Service", "ServiceImport", "InferencePool")

CONTROLLERS: tuple[Controller, ...] = (GOOGLE,)

_policy = partial(
    Kind,
    "networking.gke.io",
    versions=("v1",),
    merging=Merging(Process.UNKNOWN, source="closed; Google's documentation says nothing of it"),
    controller=GOOGLE,
)
_documented_policy = partial(
    _policy,
    references=(target_ref(namespace=NamespaceRule.OWN),),
    merging=Merging(
        Process.NONE,
        Several.ONE,
        rules=("default.*",),
        source="closed; cloud.google.com/kubernetes-engine/docs, configure-gateway-resources",
    ),
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
    _policy(
        "GCPAuthzPolicy",
        references=(*_TEN, *_PODS),
        security=True,
        targets=("Gateway", "Pod"),
        traits=Traits(guards=True),
    ),
    _policy(
        "GCPClientTLSPolicy",
        references=(target_refs(max_items=10, section=SECTION),),
        security=True,
        targets=("Service", "Namespace"),
    ),
    # It names no object at all: its targets are pods by their labels.
    _policy("GCPServerTLSPolicy", references=_PODS, security=True),
    _policy("GCPTrafficDistributionPolicy", references=(target_refs(),), targets=("Service",)),
    _policy("GCPRoutingExtension", references=_TEN, targets=("Gateway",)),
    _policy("GCPTrafficExtension", references=_TEN, targets=("Gateway",)),
)
