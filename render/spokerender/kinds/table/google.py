"""Google's controller for GKE. It is closed: what its documentation does not say is not known.

A target's `namespace` other than the policy's own is not said to work, and the own one does.
"""

from __future__ import annotations

from spokerender.kinds.columns import Guarding, Traits
from spokerender.kinds.kind import SECTION, Controller, Kind, NamespaceRule
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.kinds.rows import label_selector, row, secret, target_ref, target_refs

_GKE = "networking.gke.io"

_OWN = (target_ref(namespace=NamespaceRule.OWN),)
_TEN = (target_refs(max_items=10),)
_PODS = label_selector("spec.targetRefs[].selector")

GOOGLE = Controller("GKE Gateway controller", names=("networking.gke.io/gateway",))

_GKE_ONE = Merging(
    Process.NONE,
    Several.ONE,
    rules=("default.*",),
    source="closed; cloud.google.com/kubernetes-engine/docs, configure-gateway-resources",
)
_GKE_UNKNOWN = Merging(Process.UNKNOWN, source="closed; Google's documentation says nothing of it")
_BACKENDS = ("Service", "ServiceImport", "InferencePool")
_GUARD = Traits(guards=True)

CONTROLLERS: tuple[Controller, ...] = (GOOGLE,)

KINDS: tuple[Kind, ...] = (
    row(
        _GKE,
        "GCPGatewayPolicy",
        "v1",
        references=_OWN,
        security=True,
        targets=("Gateway",),
        merging=_GKE_ONE,
        controller=GOOGLE,
    ),
    # It switches on Cloud Armor and Identity-Aware Proxy.
    row(
        _GKE,
        "GCPBackendPolicy",
        "v1",
        references=_OWN,
        needs=(secret("spec.default.iap.oauth2ClientSecret"),),
        security=True,
        targets=_BACKENDS,
        merging=_GKE_ONE,
        controller=GOOGLE,
        traits=Traits(guarding=(Guarding("default.securityPolicy"), Guarding("default.iap"))),
    ),
    row(
        _GKE,
        "GCPSessionAffinityPolicy",
        "v1",
        references=_OWN,
        targets=_BACKENDS,
        merging=_GKE_ONE,
        controller=GOOGLE,
    ),
    row(
        _GKE,
        "HealthCheckPolicy",
        "v1",
        references=_OWN,
        targets=_BACKENDS,
        merging=_GKE_ONE,
        controller=GOOGLE,
    ),
    row(
        _GKE,
        "GCPAuthzPolicy",
        "v1",
        references=(*_TEN, *_PODS),
        security=True,
        targets=("Gateway", "Pod"),
        merging=_GKE_UNKNOWN,
        controller=GOOGLE,
        traits=_GUARD,
    ),
    row(
        _GKE,
        "GCPClientTLSPolicy",
        "v1",
        references=(target_refs(max_items=10, section=SECTION),),
        security=True,
        targets=("Service", "Namespace"),
        merging=_GKE_UNKNOWN,
        controller=GOOGLE,
    ),
    # It names no object at all: its targets are pods by their labels.
    row(
        _GKE,
        "GCPServerTLSPolicy",
        "v1",
        references=_PODS,
        security=True,
        merging=_GKE_UNKNOWN,
        controller=GOOGLE,
    ),
    row(
        _GKE,
        "GCPTrafficDistributionPolicy",
        "v1",
        references=(target_refs(),),
        targets=("Service",),
        merging=_GKE_UNKNOWN,
        controller=GOOGLE,
    ),
    *(
        row(
            _GKE,
            kind,
            "v1",
            references=_TEN,
            targets=("Gateway",),
            merging=_GKE_UNKNOWN,
            controller=GOOGLE,
        )
        for kind in ("GCPRoutingExtension", "GCPTrafficExtension")
    ),
)
