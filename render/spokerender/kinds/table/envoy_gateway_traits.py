"""The fields of Envoy Gateway's policies that restrict access or limit, with their scales."""

from spokerender.kinds.columns import Everybody, FieldCondition, Guarding, More, Scale, Traits
from spokerender.kinds.rows import ask_for

# What Envoy makes of Auto depends on its release.
_VERSIONS = ("1.0", "1.1", "1.2", "1.3")
_Exceptions = tuple[tuple[FieldCondition, ...], ...]
_DENIES = ((("authorization.rules[].action", ("Deny",)),),)
_ALLOWS = ((("authorization.rules[].action", ("Allow",)),),)
# Any entry of these lists is enough; without a list everybody is meant.
_CHOICES = (
    *("principal.clientCIDRs", "operation.methods"),
    *("principal.jwt.claims[].values", "principal.headers[].values"),
)
# All of these have to match.
_MATCHES = ("principal.jwt", "principal.jwt.claims", "principal.jwt.scopes", "principal.headers")


def _rank_matches(more: More, condition: More, unless: _Exceptions) -> tuple[Scale, ...]:
    """Return scales of authorization rules; `more`: how further rules or values change access."""
    rules = "authorization.rules"
    return (
        *(Scale(f"{rules}[].{f}", entries=more, unset="open", unless=unless) for f in _CHOICES),
        *(Scale(f"{rules}[].{field}", entries=condition, unless=unless) for field in _MATCHES),
        Scale(rules, entries=more, unless=unless),
    )


# api/v1alpha1: pointers to booleans, of which the translator asks whether they are true.
_OFF = frozenset(
    (
        *("disableXForwardedForAppend", "enableProxyProtocol", "enableWeb", "sanitize"),
        *("disableRateLimitHeaders", "enableEnvoyHeaders", "stripTrailingHostDot"),
        *("preserveXRequestID", "disableSafeMaxConnectionDuration", "enableTrailers"),
        *("useDefaultHost", "preserveHeaderCase", "disableMergeSlashes", "allowModeOverride"),
        *("recomputeRoute", "forwardAccessToken", "fallback", "useClientProtocol", "shadowMode"),
    )
)

# `cors` says what browsers let through, and nothing of who may call.
SECURITY = Traits(
    off=_OFF,
    guards=True,
    issuers=(
        *(f"spec.oidc.provider.{name}" for name in ("issuer", "authorizationEndpoint")),
        "spec.jwt.providers[].issuer",
        "spec.jwt.providers[].remoteJWKS.uri",
    ),
    checks=(
        *ask_for({"apiKeyAuth": "apiKey", "basicAuth": "basic"}),
        *ask_for({"jwt.providers[]": "jwt"}, "issuer"),
        *ask_for({"oidc": "oidc"}, "provider.issuer"),
    ),
    guarding=(
        Guarding("apiKeyAuth"),
        Guarding("basicAuth"),
        Guarding("oidc"),
        Guarding("extAuth", lapses=("extAuth.failOpen", (True,))),
        Guarding("jwt", unless=((("jwt.optional", (True,)),), (("jwt.failOpen", (True,)),))),
        Guarding(
            "authorization",
            unless=((("authorization.defaultAction", ("Allow",)),),),
            everybody=Everybody(
                "authorization.rules[]",
                ("action", ("Allow",)),
                parts=("principal", "operation"),
                networks=("clientCIDRs",),
                methods=("methods",),
                aside=("name", "action"),
            ),
        ),
    ),
    scales=(
        Scale("jwt.optional", order=(True, False), unset=False),
        Scale("jwt.failOpen", order=(True, False), unset=False),
        Scale("jwt.providers", entries="weaker"),
        # api/v1alpha1/jwt_types.go: without one, any is taken.
        *(
            Scale(f"jwt.providers[].{name}", entries="weaker", unset="open")
            for name in ("issuer", "audiences")
        ),
        Scale("apiKeyAuth.credentialRefs", entries="weaker"),
        Scale("extAuth.failOpen", order=(True, False), unset=False),
        *(
            Scale(f"oidc.{name}", order=(True, False), unset=False)
            for name in ("passThroughAuthHeader", "disableTokenEncryption")
        ),
        *(Scale(f"oidc.default{name}TTL", number="weaker") for name in ("Token", "RefreshToken")),
        Scale("cors.allowOrigins", entries="weaker", wildcards=True),
        *(
            Scale(f"cors.{name}", entries="weaker", unset="other")
            for name in ("allowMethods", "allowHeaders", "exposeHeaders")
        ),
        Scale("cors.allowCredentials", order=(True, False), unset=False),
        # api/v1alpha1/authorization_types.go: the first rule that matches decides.
        Scale("authorization.rules[].name", is_name=True),
        Scale("authorization.defaultAction", order=("Allow", "Deny"), unset="Deny"),
        *_rank_matches("weaker", "stricter", _DENIES),
        *_rank_matches("stricter", "weaker", _ALLOWS),
        Scale("authorization.rules", refusing=("action", ("Deny",))),
    ),
)
_UNDERSCORES = ("Allow", "DropHeader", "RejectRequest")
# What a client says of its certificate itself is believed by the first one.
_CERTIFICATES = ("AlwaysForwardOnly", "ForwardOnly", "AppendForward", "SanitizeSet", "Sanitize")
CLIENT_TRAFFIC = Traits(
    off=_OFF,
    # internal/xds/translator: a port is one listener of Envoy, which has them from any or the first
    # of its own (buildXdsTCPListener, patchProxyProtocolFilter, http3EnabledListeners).
    port_fields=(
        *("enableProxyProtocol", "proxyProtocol", "tcpKeepalive", "http3"),
        *("connection.bufferLimit", "connection.maxAcceptPerSocketEvent"),
        "timeout.tcp.connectionInspectionTimeout",
    ),
    checks=ask_for({"tls.clientValidation": "certificate"}),
    guarding=(
        Guarding(
            "tls.clientValidation",
            unless=((("tls.clientValidation.optional", (True,)),),),
        ),
    ),
    scales=(
        Scale("tls.clientValidation.optional", order=(True, False), unset=False),
        Scale("tls.clientValidation.caCertificateRefs", entries="weaker", trusts=True),
        *(
            Scale(f"tls.clientValidation.{name}", entries="weaker", unset="open")
            for name in ("spkiHashes", "certificateHashes", "subjectAltNames")
        ),
        Scale("tls.clientValidation.subjectAltNames.*", entries="weaker"),
        Scale("tls.clientValidation.crl.refs", entries="stricter"),
        Scale(
            "tls.clientValidation.crl.onlyVerifyLeafCertificate", order=(True, False), unset=False
        ),
        # api/v1alpha1/tls_types.go: 1.2 and 1.3 are the defaults.
        Scale("tls.minVersion", "encryption", order=_VERSIONS, unset="1.2"),
        Scale("tls.maxVersion", "encryption", order=_VERSIONS, unset="1.3"),
        *(
            Scale(f"tls.{name}", "encryption", entries="weaker", unset="other")
            for name in ("ciphers", "ecdhCurves", "signatureAlgorithms")
        ),
        # api/v1alpha1/clienttrafficpolicy_types.go, pathsettings_types.go.
        Scale("headers.withUnderscoresAction", order=_UNDERSCORES, unset=_UNDERSCORES[-1]),
        Scale("headers.xForwardedClientCert.mode", order=_CERTIFICATES, unset=_CERTIFICATES[-1]),
        Scale("path.escapedSlashesAction", order=("KeepUnchanged", "RejectRequest")),
        Scale("clientIPDetection.customHeader.failClosed", order=(False, True), unset=False),
        Scale("connection.connectionLimit.value", "limits", number="weaker", unlimited=(None,)),
        Scale("connection.bufferLimit", "limits", number="weaker", unset="32Ki"),
        Scale("http2.maxConcurrentStreams", "limits", number="weaker", unset=100),
    ),
)
_RULES = ("rateLimit.global.rules", "rateLimit.local.rules")
_SELECTORS = f"{_RULES[0]}[].clientSelectors"


def _rank_limits(rules: str) -> tuple[Scale, ...]:
    return (
        Scale(f"{rules}[].limit", "limits", rate=("requests", "unit")),
        Scale(f"{rules}[].shared", "limits", order=(False, True), unset=False),
        Scale(f"{rules}[].shadowMode", "limits", order=(True, False), unset=False),
        Scale(f"{rules}[].cost.request.number", "limits", number="stricter", unset=1),
    )


BACKEND_TRAFFIC = Traits(
    off=_OFF,
    guarding=(
        # ratelimit_types.go: what a rule in shadow mode would refuse is counted, and passes.
        # What costs nothing is not counted.
        Guarding(
            "rateLimit",
            rules="rateLimit.*.rules[]",
            lets=("shadowMode",),
            void=tuple(
                (("cost.request.number", (0,)), (f"cost.response{name}", values))
                for name, values in (("", (None,)), (".number", (0,)))
            ),
            about="limits",
        ),
    ),
    # backendtrafficpolicy.go, buildRateLimit: the type says which rules are read, if it is there.
    unread=(
        ("rateLimit.global", ("rateLimit.type", ("Local",))),
        ("rateLimit.local", ("rateLimit.type", ("Global",))),
    ),
    scales=(
        # api/v1alpha1/ratelimit_types.go: every rule that matches counts. A request that a local
        # rule selects is not counted by the others (xds/translator/local_ratelimit.go).
        Scale(_RULES[0], "limits", entries="stricter"),
        # The same file: all of them have to hold, and distinct ones have counters of their own.
        Scale(_SELECTORS, "limits", entries="weaker"),
        Scale(f"{_SELECTORS}[].headers", "limits", entries="weaker"),
        Scale(f"{_SELECTORS}[].sourceCIDR.value", "limits", entries="stricter"),
        Scale(
            f"{_SELECTORS}[].sourceCIDR.type", "limits", order=("Distinct", "Exact"), unset="Exact"
        ),
        *(scale for rules in _RULES for scale in _rank_limits(rules)),
        # api/v1alpha1/circuitbreaker_types.go.
        *(
            Scale(f"circuitBreaker.{name}", "limits", number="weaker", unset=1024)
            for name in (
                *("maxConnections", "maxPendingRequests"),
                *("maxParallelRequests", "maxParallelRetries"),
            )
        ),
        Scale("requestBuffer.limit", "limits", number="weaker", unlimited=(None,)),
        Scale("connection.bufferLimit", "limits", number="weaker", unset="32Ki"),
    ),
)
PATCHES = Traits(ordered=("jsonPatches",))
# api/v1alpha1/envoyextensionpolicy_types.go: filters of one kind work in the order of the list.
EXTENSION = Traits(
    off=_OFF,
    ordered=("extProc", "wasm", "lua", "dynamicModule"),
    scales=tuple(
        Scale(f"{name}[].failOpen", order=(True, False), unset=False)
        for name in ("extProc", "wasm")
    ),
)
BACKEND = Traits(
    scales=(Scale("tls.insecureSkipVerify", "encryption", order=(True, False), unset=False),)
)
