"""Airlock Microgateway's policies, all of them direct ones for HTTPRoutes. Its operator is closed.

Its CRDs and documentation say what they attach to, and nothing of several on one route.
"""

from functools import partial

from spokerender.kinds.columns import NOTHING, Guarding, Need, Traits
from spokerender.kinds.kind import Controller, Kind
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.kinds.rows import any_object, target_refs

_GROUP = "microgateway.airlock.com"
_CONDITIONS = "spec.policies[].authorization"

AIRLOCK = Controller(
    "Airlock Microgateway", names=("microgateway.airlock.com/gatewayclass-controller",)
)
_own = partial(Need, group=_GROUP)


def _verification(path: str, *parts: str) -> tuple[Need, ...]:
    return tuple(
        Need(f"{path}.tls.certificateVerification.custom.{part}[].secretRef")
        for part in parts or ("trustedCA.certificates", "crl.lists")
    )


CONTROLLERS: tuple[Controller, ...] = (AIRLOCK,)

_row = partial(Kind, _GROUP, versions=("v1alpha1",))
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
        needs=(
            _own(f"{_CONDITIONS}.authentication.jwt.jwtRef", "JWT"),
            _own(f"{_CONDITIONS}.authentication.oidc.oidcRelyingPartyRef", "OIDCRelyingParty"),
            _own(
                "spec.policies[].identityPropagation.actions[].identityPropagationRef",
                "IdentityPropagation",
            ),
            _own("spec.policies[].tokenExchange.actions[].tokenExchangeRef", "TokenExchange"),
            *(
                Need(
                    f"{_CONDITIONS}.{rule}[].clientCertificate.hash.in.valuesFrom.configMapRef",
                    "ConfigMap",
                )
                for rule in ("requireAll", "requireAny")
            ),
        ),
        security=True,
        # An empty `authorization` disables it (AccessControlPolicy, CRD reference 5.2).
        traits=Traits(
            guards=True,
            guarding=(Guarding("policies", unless=((("policies[].authorization", (NOTHING,)),),)),),
        ),
    ),
    _policy(
        "ContentSecurityPolicy",
        needs=(
            _own("spec.secured.apiProtectionRef", "APIProtection"),
            _own("spec.secured.csrfProtectionRef", "CSRFProtection"),
            _own("spec.secured.filter.denyRulesRef", "DenyRules"),
            _own("spec.secured.headerRewritesRef", "HeaderRewrites"),
            _own("spec.secured.limitsRef", "Limits"),
            _own("spec.secured.parserRef", "Parser"),
        ),
        security=True,
        # `unsecured` switches off the filtering of requests.
        traits=Traits(guarding=(Guarding("secured"),)),
    ),
    _policy(
        "CustomResponsePolicy",
        needs=(
            _own("spec.policies.local[].responses[].customResponseRef", "CustomResponse"),
            _own("spec.policies.upstream[].responses[].customResponseRef", "CustomResponse"),
        ),
    ),
    # Filters of the user's own, of which some authorize.
    _policy(
        "EnvoyExtensionPolicy",
        needs=(_own("spec.envoyClusterRefs[]", "EnvoyCluster"),),
        security=True,
    ),
    _policy(
        "ICAPPolicy",
        needs=(_own("spec.policies[].request.actions[].icapProviderRef", "ICAPProvider"),),
        security=True,
    ),
    _policy("LogMaskingPolicy"),
    _policy("RateLimitPolicy", security=True),
    # What they name in turn goes along as well. The names of some kinds are plurals.
    _row(
        "APIProtection",
        needs=(
            _own("spec.policies[].graphQLRef", "GraphQL"),
            _own("spec.policies[].openAPIRef", "OpenAPI"),
        ),
    ),
    _row("CSRFProtection"),
    _row(
        "CustomResponse",
        needs=(Need("spec.content[].body.valueFrom.configMapKeyRef", "ConfigMap"),),
    ),
    _row("DenyRules", plural="denyrules"),
    _row("EnvoyCluster"),
    _row("GraphQL", needs=(Need("spec.settings.schema.source.configMapRef", "ConfigMap"),)),
    _row("HeaderRewrites", plural="headerrewrites"),
    _row("ICAPProvider", needs=_verification("spec.endpoints[]")),
    _row("IdentityPropagation"),
    _row(
        "JWKS",
        plural="jwks",
        needs=(Need("spec.provider.local.secretRef"), *_verification("spec.provider.remote")),
    ),
    _row("JWT", needs=(_own("spec.requireAny[].jwksRef", "JWKS"),)),
    _row("Limits", plural="limits"),
    _row(
        "OIDCProvider",
        needs=(
            _own("spec.static.tokenValidation.idToken.signatureVerification.jwksRef", "JWKS"),
            *_verification("spec.static.endpoints.introspection"),
            *_verification("spec.static.endpoints.token"),
        ),
    ),
    _row(
        "OIDCRelyingParty",
        needs=(
            _own("spec.oidcProviderRef", "OIDCProvider"),
            Need("spec.credentials.clientSecret.secretRef"),
        ),
    ),
    _row("OpenAPI", needs=(Need("spec.settings.schema.source.configMapRef", "ConfigMap"),)),
    _row("Parser"),
    _row(
        "RedisProvider",
        needs=(
            Need("spec.auth.password.secretRef"),
            Need("spec.tls.clientCertificate.secretRef"),
            # It knows no lists of revoked certificates.
            *_verification("spec", "trustedCA.certificates"),
        ),
    ),
    _row("SessionHandling", needs=(_own("spec.persistence.redisProviderRef", "RedisProvider"),)),
    _row(
        "Telemetry",
        needs=(
            *_verification("spec.tracing.provider.openTelemetry.exporter.grpcEndpoint"),
            *_verification("spec.tracing.provider.openTelemetry.exporter.httpEndpoint"),
        ),
    ),
    _row(
        "TokenExchange",
        needs=(
            Need("spec.tokenEndpoint.credentials.clientPassword.clientSecret.secretRef"),
            *_verification("spec.tokenEndpoint.endpoint"),
        ),
    ),
    _row(
        "GatewayParameters",
        plural="gatewayparameters",
        needs=(
            _own("spec.defaults.customResponses.local[].customResponseRef", "CustomResponse"),
            _own("spec.defaults.customResponses.upstream[].customResponseRef", "CustomResponse"),
            _own("spec.defaults.sessionHandlingRef", "SessionHandling"),
            _own("spec.defaults.telemetryRef", "Telemetry"),
            any_object("spec.experimental.tls.backend.clientCertificateRef"),
            any_object(
                "spec.experimental.tls.frontend.default.validation.caCertificateRefs[]",
                "ConfigMap",
            ),
            any_object(
                "spec.experimental.tls.frontend.perPort[].tls.validation.caCertificateRefs[]",
                "ConfigMap",
            ),
        ),
    ),
)
