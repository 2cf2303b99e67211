"""AWS' two controllers: VPC Lattice, and the load balancers.

A target's `namespace` has to be the policy's own: Lattice's controller ignores any other.
"""

from functools import partial

from msgspec.structs import replace

from spokerender.kinds import kind
from spokerender.kinds.columns import Demand, Guarding, Need, Scale, Traits
from spokerender.kinds.merging import Fields, Merging, Names, Order, Precedence, Process, Several
from spokerender.kinds.rows import target_ref

_AWS = "gateway.k8s.aws"

LATTICE = kind.Controller(
    "AWS Gateway API Controller",
    names=("application-networking.k8s.aws/gateway-api-controller",),
    classes=("amazon-vpc-lattice",),
    # Its CRDs have `status.conditions` alone.
    ancestors=kind.Ancestors.NONE,
)
LOAD_BALANCER = kind.Controller(
    "AWS Load Balancer Controller",
    names=("gateway.k8s.aws/alb", "gateway.k8s.aws/nlb"),
)
# On one target the oldest is accepted, and of those the first by name. Where that one is refused,
# none of the others holds (ObjResolvedPolicy); but it is refused for its target alone, which is
# theirs as well (ValidateTargetRef), or by AWS for what its text says, which no file shows.
_LATTICE_ONE = Merging(
    Process.NONE,
    Several.ONE,
    first=Precedence(names=Names.NAME),
    source="aws/aws-application-networking-k8s 03d6abe, pkg/k8s/policyhelper/policy.go",
)
_LATTICE_TARGETS = ("Gateway", "HTTPRoute", "GRPCRoute")

CONTROLLERS: tuple[kind.Controller, ...] = (LATTICE, LOAD_BALANCER)

_lattice_policy = partial(
    kind.Kind,
    "application-networking.k8s.aws",
    versions=("v1alpha1",),
    references=(target_ref(namespace=kind.NamespaceRule.OWN),),
    merging=_LATTICE_ONE,
    controller=LATTICE,
)
# pkg/k8s/utils.go, GetNamespaceOrDefault: without a namespace it is `default`.
_OWN_NAMESPACE = Demand(
    "",
    "(has(self.spec.targetRef.namespace) ? self.spec.targetRef.namespace : 'default') == "
    "(has(self.metadata.namespace) ? self.metadata.namespace : 'default')",
    "has to name its own namespace in spec.targetRef.namespace, which is `default` if it is absent",
    fails=False,
    cure="write the policy's namespace into spec.targetRef.namespace",
)


def _unless_allowed(action: str, config: str) -> Guarding:
    """Return the guard of an action that requires a login, unless it allows callers without one."""
    way = f"actions.{action}.{config}.onUnauthenticatedRequest"
    return Guarding(f"actions.{action}", unless=(((way, ("allow",)),),))


_load_balancer_row = partial(kind.Kind, _AWS, versions=("v1", "v1beta1"))

KINDS: tuple[kind.Kind, ...] = (
    _lattice_policy(
        "AccessLogPolicy",
        targets=_LATTICE_TARGETS,
        demands=(_OWN_NAMESPACE,),
        # One for each type of destination; of two of a type whichever AWS sees second is refused.
        merging=Merging(
            Process.ALL, Several.ALONE, source="aws/aws-application-networking-k8s 03d6abe"
        ),
    ),
    _lattice_policy(
        "IAMAuthPolicy",
        security=True,
        targets=_LATTICE_TARGETS,
        # Of a service network and of a service in it, both are asked, and both have to allow.
        merging=replace(_LATTICE_ONE, process=Process.ALL),
        traits=Traits(guards=True),
    ),
    # That of a ServiceExport is for a target group of its own, which is on no path of a gateway
    # here, but on those of other clusters (docs/api-types/target-group-policy.md).
    _lattice_policy("TargetGroupPolicy", targets=("Service", "ServiceExport")),
    # Its security groups decide who may enter.
    _lattice_policy("VpcAssociationPolicy", security=True, targets=("Gateway",)),
    _load_balancer_row(
        "TargetGroupConfiguration",
        # Its controller looks at kind and name only (pkg/gateway/routeutils/backend.go).
        references=(
            kind.ReferencePath(
                "spec.targetReference", kind.Role.TARGET, default_kind="Service", infers_group=True
            ),
        ),
        # A Gateway is a backend where gateways are chained.
        targets=("Service", "Gateway"),
        targetless=kind.Targetless.NAMED,
        # The first that a list has: nothing orders it.
        merging=Merging(
            Process.NONE,
            Several.ONE,
            first=Precedence(order=Order.UNORDERED),
            source="kubernetes-sigs/aws-load-balancer-controller 225f445",
        ),
        controller=LOAD_BALANCER,
    ),
    _load_balancer_row(
        "LoadBalancerConfiguration",
        needs=(Need("spec.defaultTargetGroupConfiguration", "TargetGroupConfiguration", _AWS),),
        # Its source ranges, security groups and firewall decide who may enter.
        security=True,
        targets=("GatewayClass", "Gateway"),
        targetless=kind.Targetless.PARAMETERS,
        merging=Merging(
            Process.FIELDS,
            rules=("tags.*", "loadBalancerAttributes[key]", "listenerConfigurations[protocolPort]"),
            # That of the class comes first, unless it says otherwise; what a Gateway's says of the
            # mode does not count.
            fields=Fields(lock=("mergingMode", (None, "prefer-gateway-class"))),
            source="kubernetes-sigs/aws-load-balancer-controller 225f445, "
            "pkg/gateway/lb_config_merger.go",
        ),
        controller=LOAD_BALANCER,
        traits=Traits(scales=(Scale("sourceRanges", entries="weaker"),)),
    ),
    # For the rules of routes that name it in an ExtensionRef.
    _load_balancer_row(
        "ListenerRuleConfiguration",
        needs=(Need("spec.actions[].authenticateOIDCConfig.secret"),),
        security=True,
        targets=("HTTPRoute", "GRPCRoute"),
        targetless=kind.Targetless.FILTER,
        merging=Merging(
            rules=("actions[type]",),
            source="kubernetes-sigs/aws-load-balancer-controller 225f445, "
            "apis/gateway/v1beta1/listenerruleconfig_types.go",
        ),
        controller=LOAD_BALANCER,
        traits=Traits(
            guards=True,
            guarding=(
                _unless_allowed("authenticate-cognito", "authenticateCognitoConfig"),
                _unless_allowed("authenticate-oidc", "authenticateOIDCConfig"),
                Guarding("actions.jwt-validation"),
            ),
            besides=(Guarding("conditions"),),
            scales=(
                Scale("conditions[].sourceIPConfig.values", entries="weaker"),
                Scale(
                    "actions.jwt-validation.jwtValidationConfig.additionalClaims",
                    entries="stricter",
                ),
            ),
        ),
    ),
)
