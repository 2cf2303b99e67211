"""Envoy Gateway's validation rules for its policies beyond their CRDs.

Source: envoyproxy/gateway d32f282, internal/gatewayapi: backendtrafficpolicy.go,
clienttrafficpolicy.go, securitypolicy.go, envoyextensionpolicy.go, tls.go. If the translation of a
policy fails, requests are answered with 500; a policy that a validator refuses is ignored.
"""

from msgspec.structs import replace

from spokerender.kinds.columns import DISABLED, Demand, Setting, Unseen
from spokerender.kinds.routing import NAMELESS

# api/v1alpha1/envoygateway_types.go; gatewayapi/runner/runner.go: what is not set is off.
SETTINGS = (
    Setting("extensionApis.enableBackend"),
    Setting("extensionApis.enableEnvoyPatchPolicy"),
    Setting("extensionApis.enableLua", opposite="extensionApis.disableLua"),
    Setting("rateLimit", is_block=True),
)
_UINT32 = 2**32 - 1

_AMOUNT = "isQuantity(string(self)) && quantity(string(self)).isInteger()"


def _duration(path: str, protocols: tuple[str, ...] = ()) -> Demand:
    """Return the demand that a field is a duration that Go can parse (`time.ParseDuration`)."""
    says = "has to be a duration such as 10s"
    return Demand(path, "duration(self) == duration(self)", says, protocols)


def _amount(path: str, least: int, most: int, protocols: tuple[str, ...] = ()) -> Demand:
    bounds = (
        f"quantity(string(self)).compareTo(quantity('{least}')) >= 0",
        f"quantity(string(self)).compareTo(quantity('{most}')) <= 0",
    )
    says = f"has to be a whole number of bytes from {least} to {most}"
    return Demand(path, " && ".join((_AMOUNT, *bounds)), says, protocols)


def _whole(path: str, most: int = _UINT32) -> Demand:
    return Demand(path, f"self >= 0 && self <= {most}", f"has to be from 0 to {most}")


def _expression(path: str, when: str = "") -> Demand:
    """Return the demand that `value` at `path` is an RE2 expression, if `when` (CEL) is true."""
    rule = "''.matches(self.value) in [true, false]"
    rule = f"!({when}) || !has(self.value) || {rule}" if when else rule
    return Demand(path, rule, "has to have a regular expression of RE2's")


def _off_backends(*paths: str) -> tuple[Demand, ...]:
    """Return the demands that no backend has the kind Backend, unless a setting allows that."""
    setting = "extensionApis.enableBackend"
    rule = "!has(self.kind) || self.kind != 'Backend'"
    return tuple(
        Demand(f"{path}.{field}", rule, f"is a Backend, which needs {setting}", setting=setting)
        for path in paths
        for field in ("backendRef", "backendRefs[]")
    )


def _off(path: str, setting: str) -> Demand:
    """Return the demand that a field is absent, unless a setting of the controller is on."""
    return Demand(path, "", f"needs {setting}", setting=setting)


_PRIMES = [n for n in range(2, 2237) if all(n % d for d in range(2, int(n**0.5) + 1))]
"""The primes up to the root of the largest table size of a consistent hash, 5000011."""

_BREAKERS = (
    "maxConnections",
    "maxParallelRequests",
    "maxPendingRequests",
    "maxParallelRetries",
    "maxRequestsPerConnection",
)
_TIMEOUTS = (
    "tcp.connectTimeout",
    "http.connectionIdleTimeout",
    "http.maxConnectionDuration",
    "http.requestTimeout",
    "http.maxStreamDuration",
    "http.streamIdleTimeout",
)
_UTILIZATION = (
    "blackoutPeriod",
    "weightExpirationPeriod",
    "weightUpdatePeriod",
    "outOfBand.reportingPeriod",
)


def http2(path: str, protocols: tuple[str, ...] = ()) -> tuple[Demand, ...]:
    """Return the demands on settings of HTTP/2."""
    windows = ("initialStreamWindowSize", "initialConnectionWindowSize")
    alive = ("interval", "timeout", "idleInterval")
    return (
        *(_amount(f"{path}.{field}", 65535, 2**31 - 1, protocols) for field in windows),
        *(_duration(f"{path}.connectionKeepalive.{field}", protocols) for field in alive),
    )


def cluster(path: str) -> tuple[Demand, ...]:
    """Return the demands on the settings of a backend cluster, in a policy or a backend."""
    back_off = f"{path}.retry.perRetry.backOff"
    return (
        *(_whole(f"{path}.circuitBreaker.{field}") for field in _BREAKERS),
        *(_duration(f"{path}.timeout.{field}") for field in _TIMEOUTS),
        *(_duration(f"{path}.tcpKeepalive.{field}") for field in ("idleTime", "interval")),
        _amount(f"{path}.connection.bufferLimit", 0, _UINT32),
        Demand(
            f"{path}.loadBalancer.consistentHash.tableSize",
            f"self > 1 && self <= 5000011 && {_PRIMES}.all(p, self == p || self % p != 0)",
            "has to be a prime number up to 5000011",
        ),
        *(_duration(f"{path}.loadBalancer.backendUtilization.{field}") for field in _UTILIZATION),
        _duration(f"{path}.retry.perRetry.timeout"),
        *(
            Demand(
                f"{back_off}.{field}", "duration(self) != duration('0s')", "has to be more than 0s"
            )
            for field in ("baseInterval", "maxInterval")
        ),
        Demand(
            back_off,
            "!has(self.baseInterval) || !has(self.maxInterval) || "
            "duration(self.baseInterval) <= duration(self.maxInterval)",
            "has to have a maxInterval that is not less than its baseInterval",
        ),
        *http2(f"{path}.http2"),
    )


_HTTP = ("HTTP", "HTTPS")
_TLS = ("HTTPS", "TLS")

_SECONDS = (
    "{'Second': 1, 'Minute': 60, 'Hour': 3600, 'Day': 86400, 'Month': 2592000, 'Year': 31536000}"
)
_FREE = "(!has({0}.clientSelectors) || size({0}.clientSelectors) == 0)"
_ONE, _OTHER = _FREE.format("r"), _FREE.format("o")
_LOCAL = "spec.rateLimit.local.rules"
_SELECTORS = tuple(
    f"spec.rateLimit.{side}.rules[].clientSelectors[]" for side in ("global", "local")
)


def _selecting(path: str) -> tuple[Demand, ...]:
    distinct = "!has(self.type) || self.type != 'Distinct' || !has(self.invert) || !self.invert"
    regex = "has(self.type) && self.type == 'RegularExpression'"
    matched = ("headers[]", "path", "queryParams[]")
    return (
        *(
            Demand(f"{path}.{field}", distinct, "can't be inverted where its type is Distinct")
            for field in ("headers[]", "queryParams[]")
        ),
        *(_expression(f"{path}.{field}", regex) for field in matched),
    )


_PER_SECOND = "(has(self.unit) ? {'Minute': 60, 'Hour': 3600, 'Second': 1}[self.unit] : 1)"

BACKEND_TRAFFIC = (
    # backendtrafficpolicy.go, buildRateLimit: with a type, the other rules are passed over.
    Demand(
        "spec.rateLimit",
        "!has(self.global) || (has(self.type) && self.type == 'Local')",
        "has global rules, and needs rateLimit",
        setting="rateLimit",
    ),
    *cluster("spec"),
    _amount("spec.requestBuffer.limit", 0, _UINT32),
    Demand(
        "spec",
        "!has(self.requestBuffer) || !has(self.httpUpgrade) || size(self.httpUpgrade) == 0",
        "can't have requestBuffer beside httpUpgrade",
    ),
    *(
        Demand(
            f"spec.bandwidthLimit.{way}.limit",
            "isQuantity(string(self.value)) && quantity(string(self.value)).isInteger() && "
            f"quantity(string(self.value)).asInteger() >= 1024 * {_PER_SECOND}",
            "has to be at least 1 KiB a second",
        )
        for way in ("request", "response")
    ),
    Demand(
        _LOCAL,
        f"self.filter(r, {_ONE}).size() <= 1",
        "can have one rule without clientSelectors only",
    ),
    Demand(
        _LOCAL,
        f"self.all(r, self.all(o, !{_OTHER} || "
        f"{_SECONDS}[r.limit.unit] % {_SECONDS}[o.limit.unit] == 0))",
        "has to have units that are multiples of that of the rule without clientSelectors",
    ),
    *(demand for path in _SELECTORS for demand in _selecting(path)),
)

_CIPHERS = [
    *(
        f"ECDHE-{key}-{cipher}"
        for key in ("ECDSA", "RSA")
        for cipher in (
            "AES128-GCM-SHA256",
            "AES256-GCM-SHA384",
            "CHACHA20-POLY1305",
            "AES128-SHA",
            "AES256-SHA",
        )
    ),
    *(
        f"TLS_ECDHE_{key}_WITH_{cipher}"
        for key in ("ECDSA", "RSA")
        for cipher in (
            "AES_128_GCM_SHA256",
            "AES_256_GCM_SHA384",
            "CHACHA20_POLY1305_SHA256",
            "AES_128_CBC_SHA",
            "AES_256_CBC_SHA",
        )
    ),
    *("AES128-GCM-SHA256", "AES128-SHA", "AES256-GCM-SHA384", "AES256-SHA"),
    *("TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA"),
    *("TLS_RSA_WITH_AES_256_GCM_SHA384", "TLS_RSA_WITH_AES_256_CBC_SHA"),
]
_CLIENT_TIMEOUTS = (
    "tcp.idleTimeout",
    "tcp.tlsHandshakeTimeout",
    "tcp.connectionInspectionTimeout",
    "http.requestReceivedTimeout",
    "http.idleTimeout",
    "http.streamIdleTimeout",
    "http.requestHeadersReceivedTimeout",
)
_LIMITED = ("closeDelay", "maxConnectionDuration", "maxStreamDuration")

CLIENT_TRAFFIC = (
    *(_duration(f"spec.tcpKeepalive.{field}") for field in ("idleTime", "interval")),
    *(_duration(f"spec.timeout.{field}") for field in _CLIENT_TIMEOUTS),
    *(_duration(f"spec.connection.connectionLimit.{field}") for field in _LIMITED),
    _amount("spec.connection.bufferLimit", 0, _UINT32),
    _amount("spec.headers.maxRequestHeaderLimit", 1024, 8192 * 1024, _HTTP),
    *(
        Demand(
            f"spec.headers.{headers}.{verb}[]",
            "self.name != '' && !self.name.matches('[/:]') && "
            "self.value.matches('^[!-~]+([\\\\t ]?[!-~]+)*$')",
            "has to have the name and the value of a header",
            _HTTP,
        )
        for headers in ("earlyRequestHeaders", "lateResponseHeaders")
        for verb in ("add", "set", "addIfAbsent")
    ),
    # translateHTTP1Settings
    Demand(
        "spec.http1.http10.useDefaultHost",
        "self == false",
        "needs a hostname without a wildcard, and neither a listener nor a route on one has it",
        (NAMELESS,),
    ),
    *http2("spec.http2", _HTTP),
    Demand("spec.tls.ciphers[]", f"self in {_CIPHERS}", "has to be a cipher that Envoy has", _TLS),
    Demand(
        "spec.tls.clientValidation",
        "(has(self.mode) && !(self.mode in ['VerifyIfGiven', 'RequireAndVerify'])) || "
        "(has(self.caCertificateRefs) && size(self.caCertificateRefs) > 0)",
        "has to have caCertificateRefs to verify certificates by",
        _TLS,
    ),
)

_HEADER = "!has(self.jwt) || !self.jwt.providers.exists(p, !has(p.extractFrom) || {})"
_READS = "(has(p.extractFrom.headers) && size(p.extractFrom.headers) > 0)"
_PASSES = "!has(self.oidc) || !has(self.oidc.passThroughAuthHeader) || "
_LAYER_7 = ("cors", "csrf", "jwt", "oidc", "apiKeyAuth", "basicAuth", "extAuth")
# validateSecurityPolicy: of policies on gateways it is not asked.
_ON_HTTP = ("HTTPRoute", "GRPCRoute")
_PRINCIPALS = ("jwt", "headers", "clientIPGeoLocations")

# ext_service.go, processExtServiceDestination.
SECURITY = (
    *_off_backends(
        "spec.oidc.provider",
        "spec.jwt.providers[].remoteJWKS",
        "spec.extAuth.grpc",
        "spec.extAuth.http",
    ),
    Demand(
        "spec",
        f"{_PASSES}!self.oidc.passThroughAuthHeader || !({_HEADER.format(_READS)})",
        "has to have a JWT provider that reads from a header beside oidc.passThroughAuthHeader",
        targets=_ON_HTTP,
        fails=False,
    ),
    Demand(
        "spec.apiKeyAuth.extractFrom[]",
        "[has(self.headers), has(self.params), has(self.cookies)].filter(x, x).size() <= 1",
        "can have one of headers, params and cookies only",
        targets=_ON_HTTP,
        fails=False,
    ),
    Demand(
        "spec",
        " && ".join(f"!has(self.{field})" for field in _LAYER_7),
        "can have nothing but authorization for a TCPRoute",
        targets=("TCPRoute",),
        fails=False,
    ),
    Demand(
        "spec.authorization.rules[]",
        "!has(self.cel) && (!has(self.principal) || ("
        + " && ".join(f"!has(self.principal.{field})" for field in _PRINCIPALS)
        + "))",
        "can have nothing but clientCIDRs for a TCPRoute",
        targets=("TCPRoute",),
        fails=False,
    ),
    Demand(
        "spec.jwt.providers",
        "self.all(p, self.exists_one(o, o.name == p.name))",
        "has to have a name of its own for each provider",
    ),
    # buildExtAuth: the CRD has the same rule, but nobody asks it of what comes of a merge.
    Demand(
        "spec.extAuth",
        "!has(self.http) || !has(self.grpc)",
        "can have one of http and grpc only",
    ),
    *cluster("spec.extAuth.http.backendSettings"),
    *cluster("spec.extAuth.grpc.backendSettings"),
)

# Whatever it names: envoypatchpolicy.go asks for the setting before all else.
PATCH = (
    replace(_off("spec", "extensionApis.enableEnvoyPatchPolicy"), fails=False, reason=DISABLED),
)

# validate.go, validateBackendRefBackend: of a backend of a route, before all else.
BACKEND = (replace(_off("", "extensionApis.enableBackend"), reason="UnsupportedValue"),)

EXTENSION = (
    _off("spec.lua[]", "extensionApis.enableLua"),
    *_off_backends("spec.extProc[]"),
    _duration("spec.extProc[].messageTimeout"),
    *cluster("spec.extProc[].backendSettings"),
)


def _of_one_type(path: str) -> Unseen:
    """Return the field at `path`, for which files can't decide if all backends have one type."""
    return Unseen(
        path,
        "the endpoints of all its backends have to be of one type",
        rule="has(self.backendRefs) && size(self.backendRefs) > 1 && "
        "self.backendRefs.exists(b, has(b.kind) && b.kind == 'Backend')",
    )


UNSEEN_OF_SECURITY = (
    _of_one_type("spec.extAuth.http"),
    _of_one_type("spec.extAuth.grpc"),
    Unseen(
        "spec.oidc.provider.issuer",
        "Envoy Gateway has to get its endpoints from the issuer's configuration",
        unless=("spec.oidc.provider.authorizationEndpoint",),
    ),
    Unseen(
        "spec.authorization.rules[].principal.clientIPGeoLocations",
        "the gateway's EnvoyProxy has to name a provider of geo locations, and its "
        "ClientTrafficPolicy how clients' addresses are detected",
    ),
    # buildAPIKeyAuth: a key of one Secret that another one has too is refused.
    Unseen(
        "spec.apiKeyAuth.credentialRefs",
        "no two of the keys in its Secrets may be equal",
        rule="size(self) > 1",
    ),
)
# buildCrl, validateCrl: one that is past its next update is refused; translateHTTP1Settings.
UNSEEN_OF_CLIENTS = (
    Unseen("spec.tls.clientValidation.crl.refs[]", "the list has to be one that has not expired"),
    Unseen(
        "spec.http1.http10.useDefaultHost",
        "the listener, or one route of it only, has to have a hostname without a wildcard",
        rule="self == true",
    ),
)
# Envoy Gateway runs each script before it takes it (luavalidator).
UNSEEN_OF_EXTENSIONS = (
    Unseen("spec.lua[]", "Envoy Gateway takes a script only if it ran well"),
    _of_one_type("spec.extProc[]"),
    Unseen("spec.wasm[].code", "Envoy Gateway has to get the module, with that checksum"),
    Unseen("spec.dynamicModule[]", "the gateway's EnvoyProxy has to list the module"),
)
