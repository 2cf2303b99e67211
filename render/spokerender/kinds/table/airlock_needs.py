"""What Airlock Microgateway's kinds name, all of it by name and of their own namespace.

Source: airlock/microgateway 9ac212e, deploy/bundles/airlock-microgateway/manifests: the CRDs.
"""

from __future__ import annotations

from spokerender.kinds.need import Need, any_object, secret

GROUP = "microgateway.airlock.com"
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
NAMED = tuple(sorted({of for _, _, of in _OWN}))
"""Its kinds that others name."""


def of(kind: str) -> tuple[Need, ...]:
    """What objects of a kind of its name."""
    trust = "tls.certificateVerification.custom"
    return (
        *(Need(path, of, GROUP) for owner, path, of in _OWN if owner == kind),
        *(Need(path, "ConfigMap") for owner, path in _CONFIG_MAPS if owner == kind),
        *(secret(path) for owner, path in _SECRETS if owner == kind),
        *(
            secret(f"{path}.{trust}.{each}[].secretRef")
            for owner, path in _ENDPOINTS
            if owner == kind
            for each in ("trustedCA.certificates", *(() if kind in _NO_LISTS else ("crl.lists",)))
        ),
    )


GATEWAY_PARAMETERS = (
    any_object("spec.experimental.tls.backend.clientCertificateRef"),
    any_object(
        "spec.experimental.tls.frontend.default.validation.caCertificateRefs[]", "ConfigMap"
    ),
    any_object(
        "spec.experimental.tls.frontend.perPort[].tls.validation.caCertificateRefs[]", "ConfigMap"
    ),
)
