"""Airlock Microgateway's policies, all direct and for HTTPRoutes. Its operator is closed source.

Its CRDs and documentation say what policies attach to, but nothing about several on one route.
"""

from functools import partial

from spokerender.kinds.columns import NOTHING, Guarding, Need, Traits
from spokerender.kinds.kind import Controller, Kind
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.kinds.rows import any_object, target_refs

_GROUP = "microgateway.airlock.com"

AIRLOCK = Controller(
    "Airlock Microgateway", names=("microgateway.airlock.com/gatewayclass-controller",)
)
# Its objects name each other by the same fields wherever they do. The names of some kinds are
# plurals.
_NAMED = {
    "apiProtectionRef": "APIProtection",
    "csrfProtectionRef": "CSRFProtection",
    "customResponseRef": "CustomResponse",
    "denyRulesRef": "DenyRules",
    "envoyClusterRefs[]": "EnvoyCluster",
    "graphQLRef": "GraphQL",
    "headerRewritesRef": "HeaderRewrites",
    "icapProviderRef": "ICAPProvider",
    "identityPropagationRef": "IdentityPropagation",
    "jwksRef": "JWKS",
    "jwtRef": "JWT",
    "limitsRef": "Limits",
    "oidcProviderRef": "OIDCProvider",
    "oidcRelyingPartyRef": "OIDCRelyingParty",
    "openAPIRef": "OpenAPI",
    "parserRef": "Parser",
    "redisProviderRef": "RedisProvider",
    "sessionHandlingRef": "SessionHandling",
    "telemetryRef": "Telemetry",
    "tokenExchangeRef": "TokenExchange",
}
_PLURALS = ("DenyRules", "GatewayParameters", "HeaderRewrites", "JWKS", "Limits")
_NEEDS = (
    *(Need(f"spec.**.{field}", name, _GROUP) for field, name in _NAMED.items()),
    Need("spec.**.secretRef"),
    *(Need(f"spec.**.{field}", "ConfigMap") for field in ("configMapRef", "configMapKeyRef")),
    any_object("spec.**.clientCertificateRef"),
    any_object("spec.**.caCertificateRefs[]", "ConfigMap"),
)

CONTROLLERS: tuple[Controller, ...] = (AIRLOCK,)

_row = partial(Kind, _GROUP, versions=("v1alpha1",), needs=_NEEDS)
_policy = partial(
    _row,
    references=(target_refs(unique=True),),
    targets=("HTTPRoute",),
    merging=Merging(
        Process.NONE,
        Several.ALONE,
        source="airlock/microgateway 9ac212e, deploy/charts/airlock-microgateway/crds say nothing",
    ),
    controller=AIRLOCK,
)

KINDS: tuple[Kind, ...] = (
    _policy(
        "AccessControlPolicy",
        security=True,
        # An empty `authorization` disables it (AccessControlPolicy, CRD reference 5.2).
        traits=Traits(
            guards=True,
            guarding=(Guarding("policies", unless=((("policies[].authorization", (NOTHING,)),),)),),
        ),
    ),
    # `unsecured` switches off the filtering of requests.
    _policy("ContentSecurityPolicy", security=True, traits=Traits(guarding=(Guarding("secured"),))),
    _policy("CustomResponsePolicy"),
    # Filters of the user's own, of which some authorize.
    _policy("EnvoyExtensionPolicy", security=True),
    _policy("ICAPPolicy", security=True),
    _policy("LogMaskingPolicy"),
    _policy("RateLimitPolicy", security=True),
    *(
        _row(name, plural=name.lower() if name in _PLURALS else "")
        for name in (*_NAMED.values(), "GatewayParameters")
    ),
)
