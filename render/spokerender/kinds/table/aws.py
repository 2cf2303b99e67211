"""AWS' two controllers: VPC Lattice, and the load balancers.

A target's `namespace` has to be the policy's own: Lattice's controller ignores any other.
"""

from __future__ import annotations

from msgspec.structs import replace

from spokerender.kinds.columns import Need, Traits
from spokerender.kinds.kind import (
    Ancestors,
    Controller,
    Kind,
    NamespaceRule,
    ReferencePath,
    Role,
    Targetless,
)
from spokerender.kinds.merging import Merging, Names, Order, Precedence, Process, Several
from spokerender.kinds.rows import row, target_ref

_LATTICE = "application-networking.k8s.aws"
_AWS = "gateway.k8s.aws"

_OWN = (target_ref(namespace=NamespaceRule.OWN),)
# Its controller looks at kind and name only (pkg/gateway/routeutils/backend.go).
_SERVICE = (
    ReferencePath("spec.targetReference", Role.TARGET, default_kind="Service", infers_group=True),
)

LATTICE = Controller(
    "AWS Gateway API Controller",
    names=("application-networking.k8s.aws/gateway-api-controller",),
    classes=("amazon-vpc-lattice",),
    ancestors=Ancestors.NONE,
)
LOAD_BALANCER = Controller(
    "AWS Load Balancer Controller", names=("gateway.k8s.aws/alb", "gateway.k8s.aws/nlb")
)
# On one target the oldest is accepted, and of those the first by name.
_LATTICE_ONE = Merging(
    Process.NONE,
    Several.ONE,
    first=Precedence(names=Names.NAME),
    source="aws/aws-application-networking-k8s 03d6abe, pkg/k8s/policyhelper/policy.go",
)
# Of a service network and of a service in it, both are asked, and both have to allow.
_LATTICE_AUTH = replace(_LATTICE_ONE, process=Process.ALL)
# One for each type of destination; of two of a type whichever AWS sees second is refused.
_LATTICE_LOGS = Merging(
    Process.ALL,
    Several.ALONE,
    source="aws/aws-application-networking-k8s 03d6abe",
)
# The first that a list has: nothing orders it.
_ANY_ONE = Merging(
    Process.NONE,
    Several.ONE,
    first=Precedence(order=Order.UNORDERED),
    source="kubernetes-sigs/aws-load-balancer-controller 225f445",
)
_LATTICE_TARGETS = ("Gateway", "HTTPRoute", "GRPCRoute")
_GUARD = Traits(guards=True)

CONTROLLERS: tuple[Controller, ...] = (LATTICE, LOAD_BALANCER)

KINDS: tuple[Kind, ...] = (
    row(
        _LATTICE,
        "AccessLogPolicy",
        "v1alpha1",
        references=_OWN,
        targets=_LATTICE_TARGETS,
        merging=_LATTICE_LOGS,
        controller=LATTICE,
    ),
    row(
        _LATTICE,
        "IAMAuthPolicy",
        "v1alpha1",
        references=_OWN,
        security=True,
        targets=_LATTICE_TARGETS,
        merging=_LATTICE_AUTH,
        controller=LATTICE,
        traits=_GUARD,
    ),
    row(
        _LATTICE,
        "TargetGroupPolicy",
        "v1alpha1",
        references=_OWN,
        targets=("Service", "ServiceExport"),
        merging=_LATTICE_ONE,
        controller=LATTICE,
    ),
    # Its security groups decide who may enter.
    row(
        _LATTICE,
        "VpcAssociationPolicy",
        "v1alpha1",
        references=_OWN,
        security=True,
        targets=("Gateway",),
        merging=_LATTICE_ONE,
        controller=LATTICE,
    ),
    row(
        _AWS,
        "TargetGroupConfiguration",
        "v1",
        "v1beta1",
        references=_SERVICE,
        # A Gateway is a backend where gateways are chained.
        targets=("Service", "Gateway"),
        targetless=Targetless.NAMED,
        merging=_ANY_ONE,
        controller=LOAD_BALANCER,
    ),
    row(
        _AWS,
        "LoadBalancerConfiguration",
        "v1",
        "v1beta1",
        needs=(Need("spec.defaultTargetGroupConfiguration", "TargetGroupConfiguration", _AWS),),
    ),
    row(_AWS, "ListenerRuleConfiguration", "v1", "v1beta1"),
)
