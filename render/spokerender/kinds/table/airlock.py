"""Airlock Microgateway's policies, all of them direct ones for HTTPRoutes. Its operator is closed.

Its CRDs and documentation say what they attach to, and nothing of several on one route.
"""

from __future__ import annotations

from spokerender.kinds.columns import NO_TRAITS, NOTHING, Guarding, Need, Traits
from spokerender.kinds.kind import Controller, Kind
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.kinds.rows import any_object, plural_of, row, secret, target_refs

_GROUP = "microgateway.airlock.com"
_CONDITIONS = "spec.policies[].authorization"
_ENDPOINTS = (
    ("ICAPProvider", "spec.endpoints[]"),
    ("JWKS", "spec.provider.remote"),
    ("OIDCProvider", "spec.static.endpoints.introspection"),
    ("OIDCProvider", "spec.static.endpoints.token"),
    ("RedisProvider", "spec"),
    ("Telemetry", "spec.tracing.provider.openTelemetry.exporter.grpcEndpoint"),
    ("Telemetry", "spec.tracing.provider.openTelemetry.exporter.httpEndpoint"),
    ("TokenExchange", "spec.tokenEndpoint.endpoint"),
)
_NO_LISTS = ("RedisProvider",)
"""Whose endpoints know no lists of what is revoked."""
_SECRETS = (
    ("JWKS", "spec.provider.local.secretRef"),
    ("OIDCRelyingParty", "spec.credentials.clientSecret.secretRef"),
    ("RedisProvider", "spec.auth.password.secretRef"),
    ("RedisProvider", "spec.tls.clientCertificate.secretRef"),
    ("TokenExchange", "spec.tokenEndpoint.credentials.clientPassword.clientSecret.secretRef"),
)
_OWN = (
    ("AccessControlPolicy", f"{_CONDITIONS}.authentication.jwt.jwtRef", "JWT"),
    (
        "AccessControlPolicy",
        f"{_CONDITIONS}.authentication.oidc.oidcRelyingPartyRef",
        "OIDCRelyingParty",
    ),
    (
        "AccessControlPolicy",
        "spec.policies[].identityPropagation.actions[].identityPropagationRef",
        "IdentityPropagation",
    ),
    (
        "AccessControlPolicy",
        "spec.policies[].tokenExchange.actions[].tokenExchangeRef",
        "TokenExchange",
    ),
    ("APIProtection", "spec.policies[].graphQLRef", "GraphQL"),
    ("APIProtection", "spec.policies[].openAPIRef", "OpenAPI"),
    ("ContentSecurityPolicy", "spec.secured.apiProtectionRef", "APIProtection"),
    ("ContentSecurityPolicy", "spec.secured.csrfProtectionRef", "CSRFProtection"),
    ("ContentSecurityPolicy", "spec.secured.filter.denyRulesRef", "DenyRules"),
    ("ContentSecurityPolicy", "spec.secured.headerRewritesRef", "HeaderRewrites"),
    ("ContentSecurityPolicy", "spec.secured.limitsRef", "Limits"),
    ("ContentSecurityPolicy", "spec.secured.parserRef", "Parser"),
    (
        "CustomResponsePolicy",
        "spec.policies.local[].responses[].customResponseRef",
        "CustomResponse",
    ),
    (
        "CustomResponsePolicy",
        "spec.policies.upstream[].responses[].customResponseRef",
        "CustomResponse",
    ),
    ("EnvoyExtensionPolicy", "spec.envoyClusterRefs[]", "EnvoyCluster"),
    (
        "GatewayParameters",
        "spec.defaults.customResponses.local[].customResponseRef",
        "CustomResponse",
    ),
    (
        "GatewayParameters",
        "spec.defaults.customResponses.upstream[].customResponseRef",
        "CustomResponse",
    ),
    ("GatewayParameters", "spec.defaults.sessionHandlingRef", "SessionHandling"),
    ("GatewayParameters", "spec.defaults.telemetryRef", "Telemetry"),
    ("ICAPPolicy", "spec.policies[].request.actions[].icapProviderRef", "ICAPProvider"),
    ("JWT", "spec.requireAny[].jwksRef", "JWKS"),
    ("OIDCProvider", "spec.static.tokenValidation.idToken.signatureVerification.jwksRef", "JWKS"),
    ("OIDCRelyingParty", "spec.oidcProviderRef", "OIDCProvider"),
    ("SessionHandling", "spec.persistence.redisProviderRef", "RedisProvider"),
)
_CONFIG_MAPS = (
    *(
        (
            "AccessControlPolicy",
            f"{_CONDITIONS}.{which}[].clientCertificate.hash.in.valuesFrom.configMapRef",
        )
        for which in ("requireAll", "requireAny")
    ),
    ("CustomResponse", "spec.content[].body.valueFrom.configMapKeyRef"),
    ("GraphQL", "spec.settings.schema.source.configMapRef"),
    ("OpenAPI", "spec.settings.schema.source.configMapRef"),
)
_NAMED = tuple(sorted({of for _, _, of in _OWN}))
"""Its kinds that others name."""


def _needs(kind: str) -> tuple[Need, ...]:
    """Return the needs of a kind."""
    trust = "tls.certificateVerification.custom"
    return (
        *(Need(path, of, _GROUP) for owner, path, of in _OWN if owner == kind),
        *(Need(path, "ConfigMap") for owner, path in _CONFIG_MAPS if owner == kind),
        *(secret(path) for owner, path in _SECRETS if owner == kind),
        *(
            secret(f"{path}.{trust}.{part}[].secretRef")
            for owner, path in _ENDPOINTS
            if owner == kind
            for part in ("trustedCA.certificates", *(() if kind in _NO_LISTS else ("crl.lists",)))
        ),
    )


_PARAMETERS_NEEDS = (
    any_object("spec.experimental.tls.backend.clientCertificateRef"),
    any_object(
        "spec.experimental.tls.frontend.default.validation.caCertificateRefs[]", "ConfigMap"
    ),
    any_object(
        "spec.experimental.tls.frontend.perPort[].tls.validation.caCertificateRefs[]", "ConfigMap"
    ),
)


AIRLOCK = Controller(
    "Airlock Microgateway", names=("microgateway.airlock.com/gatewayclass-controller",)
)
_PLURALS = ("DenyRules", "HeaderRewrites", "JWKS", "Limits")
_ALONE = Merging(
    Process.NONE,
    Several.ALONE,
    source="airlock/microgateway 9ac212e, deploy/charts/airlock-microgateway/crds say nothing",
)
# An empty `authorization` disables it (AccessControlPolicy, CRD reference 5.2).
_CALLERS = Traits(
    guards=True,
    guarding=(Guarding("policies", unless=((("policies[].authorization", (NOTHING,)),),)),),
)
# `unsecured` switches off the filtering of requests.
_FILTERS = Traits(guarding=(Guarding("secured"),))


def _policy(kind: str, *, security: bool, traits: Traits = NO_TRAITS) -> Kind:
    return row(
        _GROUP,
        kind,
        "v1alpha1",
        references=(target_refs(unique=True),),
        needs=_needs(kind),
        security=security,
        targets=("HTTPRoute",),
        merging=_ALONE,
        controller=AIRLOCK,
        traits=traits,
    )


def _plural(kind: str) -> str:
    """Return the plural that its CRDs have: the names of some kinds are plurals."""
    return kind.lower() if kind in _PLURALS else plural_of(kind)


CONTROLLERS: tuple[Controller, ...] = (AIRLOCK,)

KINDS: tuple[Kind, ...] = (
    _policy("AccessControlPolicy", security=True, traits=_CALLERS),
    _policy("ContentSecurityPolicy", security=True, traits=_FILTERS),
    _policy("CustomResponsePolicy", security=False),
    # Filters of the user's own, of which some authorize.
    _policy("EnvoyExtensionPolicy", security=True),
    _policy("ICAPPolicy", security=True),
    _policy("LogMaskingPolicy", security=False),
    _policy("RateLimitPolicy", security=True),
    # What they name in turn goes along as well.
    *(row(_GROUP, kind, "v1alpha1", plural=_plural(kind), needs=_needs(kind)) for kind in _NAMED),
    row(
        _GROUP,
        "GatewayParameters",
        "v1alpha1",
        plural="gatewayparameters",
        needs=(*_needs("GatewayParameters"), *_PARAMETERS_NEEDS),
    ),
)
