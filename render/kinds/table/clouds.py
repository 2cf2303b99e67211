"""The policies of the clouds' own controllers: AWS, Azure, Google.

Most of their targets have a `namespace`. AWS documents that it has to be the policy's own;
the others do not say that another one works, and the own one does.
"""

from __future__ import annotations

from render.kinds.kind import (
    SECTION,
    SECTIONS,
    Kind,
    Merging,
    NamespaceRule,
    Process,
    ReferencePath,
)
from render.kinds.rows import (
    any_object,
    label_selector,
    row,
    secret,
    target_ref,
    target_refs,
)
from render.kinds.traits import Traits

_LATTICE = "application-networking.k8s.aws"
_AWS = "gateway.k8s.aws"
_AZURE = "alb.networking.azure.io"
_GKE = "networking.gke.io"

_OWN = (target_ref(namespace=NamespaceRule.OWN),)
_AZURE_TARGET = (target_ref(namespace=NamespaceRule.OWN, section=SECTIONS),)
_SERVICE: tuple[ReferencePath, ...] = (target_ref(path="spec.targetReference", kind="Service"),)
_TEN = (target_refs(max_items=10),)
_PODS = label_selector("spec.targetRefs[].selector")

_AZURE_TLS = (
    any_object("spec.default.verify.caCertificateRef"),
    any_object("spec.default.clientCertificateRef"),
)

# Of a service network and of a service in it, both policies are asked; of two on one target the
# younger is Conflicted.
_LATTICE_AUTH = Merging(Process.ALL, one_each=True)
_LATTICE_TARGETS = ("Gateway", "HTTPRoute", "GRPCRoute")
_BACKENDS = ("Service", "ServiceImport", "InferencePool")
_GUARD = Traits(guards=True)

AWS: tuple[Kind, ...] = (
    row(_LATTICE, "AccessLogPolicy", "v1alpha1", references=_OWN, targets=_LATTICE_TARGETS),
    row(
        _LATTICE,
        "IAMAuthPolicy",
        "v1alpha1",
        references=_OWN,
        security=True,
        targets=_LATTICE_TARGETS,
        merging=_LATTICE_AUTH,
        traits=_GUARD,
    ),
    row(
        _LATTICE,
        "TargetGroupPolicy",
        "v1alpha1",
        references=_OWN,
        targets=("Service", "ServiceExport"),
        merging=Merging(Process.NONE),
    ),
    # Its security groups decide who may enter.
    row(
        _LATTICE,
        "VpcAssociationPolicy",
        "v1alpha1",
        references=_OWN,
        security=True,
        targets=("Gateway",),
    ),
    row(
        _AWS,
        "TargetGroupConfiguration",
        "v1",
        "v1beta1",
        references=_SERVICE,
        targets=("Service",),
    ),
    row(_AWS, "LoadBalancerConfiguration", "v1", "v1beta1"),
    row(_AWS, "ListenerRuleConfiguration", "v1", "v1beta1"),
)

AZURE: tuple[Kind, ...] = (
    row(
        _AZURE,
        "FrontendTLSPolicy",
        "v1",
        references=_AZURE_TARGET,
        needs=_AZURE_TLS[:1],
        security=True,
        targets=("Gateway",),
    ),
    row(
        _AZURE,
        "WebApplicationFirewallPolicy",
        "v1",
        references=_AZURE_TARGET,
        security=True,
        targets=("Gateway", "HTTPRoute"),
    ),
    row(
        _AZURE,
        "BackendTLSPolicy",
        "v1",
        references=_AZURE_TARGET,
        needs=_AZURE_TLS,
        security=True,
        targets=("Service",),
    ),
    row(_AZURE, "RoutePolicy", "v1", references=_AZURE_TARGET, targets=("HTTPRoute",)),
    row(_AZURE, "HealthCheckPolicy", "v1", references=_AZURE_TARGET, targets=("Service",)),
)

GKE: tuple[Kind, ...] = (
    row(_GKE, "GCPGatewayPolicy", "v1", references=_OWN, security=True, targets=("Gateway",)),
    # It switches on Cloud Armor and Identity-Aware Proxy.
    row(
        _GKE,
        "GCPBackendPolicy",
        "v1",
        references=_OWN,
        needs=(secret("spec.default.iap.oauth2ClientSecret"),),
        security=True,
        targets=_BACKENDS,
    ),
    row(_GKE, "GCPSessionAffinityPolicy", "v1", references=_OWN, targets=_BACKENDS),
    row(_GKE, "HealthCheckPolicy", "v1", references=_OWN, targets=_BACKENDS),
    row(
        _GKE,
        "GCPAuthzPolicy",
        "v1",
        references=(*_TEN, *_PODS),
        security=True,
        targets=("Gateway", "Pod"),
        traits=_GUARD,
    ),
    row(
        _GKE,
        "GCPClientTLSPolicy",
        "v1",
        references=(target_refs(max_items=10, section=SECTION),),
        security=True,
        targets=("Service", "Namespace"),
    ),
    # It names no object at all: its targets are pods by their labels.
    row(_GKE, "GCPServerTLSPolicy", "v1", references=_PODS, security=True),
    row(
        _GKE,
        "GCPTrafficDistributionPolicy",
        "v1",
        references=(target_refs(),),
        targets=("Service",),
    ),
    row(_GKE, "GCPRoutingExtension", "v1", references=_TEN, targets=("Gateway",)),
    row(_GKE, "GCPTrafficExtension", "v1", references=_TEN, targets=("Gateway",)),
)

KINDS: tuple[Kind, ...] = (*AWS, *AZURE, *GKE)
