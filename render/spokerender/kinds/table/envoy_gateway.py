"""Envoy Gateway's policies; `targetRef` is the deprecated form of `targetRefs`."""

from functools import partial

from msgspec.structs import replace

from spokerender.kinds import merging, rows
from spokerender.kinds.columns import Need, Reach, Trust
from spokerender.kinds.kind import BACKEND_TLS, SECTION, Ancestors, Controller, Kind, Reports
from spokerender.kinds.routing import BackendDemand, GatewayRules, RoutingRules
from spokerender.kinds.table import envoy_gateway_demands as demands, envoy_gateway_traits as traits
from spokerender.model.refs import CONFIG_MAP, GATEWAY_API, SECRET, SERVICE, SERVICE_IMPORT

_GROUP = "gateway.envoyproxy.io"
_HEADERS = ("RequestHeaderModifier", "ResponseHeaderModifier")
ROUTING = RoutingRules(
    backends=(SERVICE, SERVICE_IMPORT, (_GROUP, "Backend")),
    # validate.go, validateBackendRefGroup: extensionManager.backendResources; of Envoy AI Gateway.
    extended=tuple((f"inference.networking.{of}.io", "InferencePool") for of in ("k8s", "x-k8s")),
    filters=(
        (
            "HTTPRoute",
            (
                *_HEADERS,
                "RequestMirror",
                "URLRewrite",
                "RequestRedirect",
                "CORS",
                "ExtensionRef",
            ),
        ),
        ("GRPCRoute", (*_HEADERS, "RequestMirror", "ExtensionRef")),
    ),
    backend_filters=(
        ("HTTPRoute", (*_HEADERS, "URLRewrite", "ExtensionRef")),
        ("GRPCRoute", _HEADERS),
    ),
    extensions=((_GROUP, "HTTPRouteFilter"),),
    # controller.go, processGatewayParamsRef; translator.go, GetRelevantGateways
    gateways=GatewayRules((_GROUP, "EnvoyProxy"), ("IPAddress", "Hostname")),
    combines_filters=True,
    one_rule=("TCPRoute", "UDPRoute"),
    no_port="PortNotSpecified",
    wrong_port="PortNotFound",
    rules_last=True,  # route.go, processHTTPRouteParentRefs
    joins_ports=True,  # contexts.go, IsParentRefEqual
    headers="self.lowerAscii() != 'host' && !self.contains('/') && !self.contains(':')",
    header_values="self.matches('^[!-~]+([\\t ]?[!-~]+)*$')",  # filters.go, HeaderValueRegexp
    wrong_trust="InvalidBackendRef",
    unsound_backend_filter="InvalidBackendFilters",
    expressions=True,
    whole_expressions=True,  # Envoy, RouteMatch.safe_regex
    counts_method=True,  # sort.go
    avoids_coalescing=True,  # listener.go, checkOverlappingCertificates
    unique_hostnames=True,  # helpers.go, computeHosts; Envoy refuses two virtual hosts of a domain
    enters_by_route=True,  # internal/xds/translator/listener.go, addXdsTCPFilterChain
    refused_whole=("GRPCRoute",),  # route.go, processGRPCRouteParentRefs
    lone=BackendDemand(
        "Backend",
        "!has(self.type) || self.type != 'DynamicResolver'",
        "InvalidBackendRef",
        "a backend that goes where a request's hostname leads has to be alone in its rule",
        on=("HTTPRoute",),  # of a TLSRoute all rules are one
    ),
    demands=(
        BackendDemand(
            "Backend",
            "!has(self.endpoints) || self.endpoints.all(e, has(e.fqdn)) || "
            "self.endpoints.all(e, !has(e.fqdn))",
            "UnsupportedAddressType",
            "mixes hostnames and addresses",
            late=True,  # route.go, validateDestinationSettings
        ),
        BackendDemand(
            "Backend",
            "!has(self.endpoints) || self.endpoints.all(e, "
            "(!has(e.fqdn) || e.fqdn.hostname.contains('.')) && "
            "(!has(e.ip) || !e.ip.address.startsWith('127.')))",
            "InvalidAddress",
            "names a loopback address, or a hostname of one label",
        ),
        BackendDemand(
            "Backend",
            "!has(self.endpoints) || self.endpoints.all(e, !has(e.unix))",
            "UnsupportedAddressType",
            "names a Unix domain socket",
        ),
    ),
    source="envoyproxy/gateway v1.9.1, internal/gatewayapi (route, validate, filters, backend).go",
)


_SOURCE = "envoyproxy/gateway d32f282, internal/gatewayapi"
_BY_AGE = merging.Precedence(names=merging.Names.PAIR)

# Whoever comes first fills the route: a rule's policy, then the route's, the ListenerSet's
# listener's, the ListenerSet's, the Gateway's listener's, the Gateway's; each of them whole. A
# second one on the same is Conflicted.
_NEAREST_MERGING = merging.Merging(
    merging.Process.NONE, merging.Several.ONE, first=_BY_AGE, source=_SOURCE
)
_ASKING = merging.Asking(
    "mergeType", (("JSONMerge", merging.Merge.PATCH), ("StrategicMerge", merging.Merge.STRATEGIC))
)
_ASKED_MERGING = replace(_NEAREST_MERGING, asking=_ASKING)
# Of a TCPRoute only `authorization` is carried out; without it the Gateway's policy stays.
_OF_TCP = replace(_ASKED_MERGING, counts=("authorization",), substance="authorization", fails=False)
_SECURITY_MERGING = replace(
    _ASKED_MERGING,
    asking=replace(_ASKING, lists=(merging.MergedList("extAuth.contextExtensions", "name"),)),
    on_paths=(("TCPRoute", _OF_TCP), ("TLSRoute", _OF_TCP)),
    opens=("extAuth",),
    source=f"{_SOURCE}/securitypolicy.go",
)
# `setIfNil`: on routes of layer 4 each field is the nearest policy's that has it.
_LAYER_4 = replace(
    _ASKED_MERGING,
    process=merging.Process.FIELDS,
    fails=False,
    counts=(
        "loadBalancer",
        "proxyProtocol",
        "healthCheck",
        "circuitBreaker",
        "tcpKeepalive",
        "timeout",
        "connection",
        "dns",
    ),
    fields=merging.Fields(on_routes=("connection",)),
    source=f"{_SOURCE}/backendtrafficpolicy.go, translateBackendTrafficPolicyForListeners",
)
_TRAFFIC_MERGING = replace(
    _ASKED_MERGING,
    asking=replace(
        _ASKING,
        lists=(
            merging.MergedList("compression", "type"),
            merging.MergedList("compressor", "type"),
            merging.MergedList("httpUpgrade", "type"),
            merging.MergedList("rateLimit.global.rules"),
            # buildLocalRateLimit: the IR has one default, and always has one.
            merging.MergedList("rateLimit.local.rules", selector="clientSelectors"),
        ),
    ),
    on_paths=(
        ("TCPRoute", _LAYER_4),
        ("TLSRoute", _LAYER_4),
        ("UDPRoute", replace(_LAYER_4, counts=("loadBalancer", "dns"))),
    ),
    source=f"{_SOURCE}/backendtrafficpolicy.go; api/v1alpha1/backendtrafficpolicy_types.go",
)
# translateClientTrafficPolicyForListener: the rest is for listeners of HTTP, and what it makes of
# `tls` and `http3` for those with TLS (buildListenerTLSParameters).
_OF_CONNECTIONS = ("connection", "enableProxyProtocol", "proxyProtocol", "tcpKeepalive", "timeout")
_OF_REQUESTS = (
    *("clientIPDetection", "grpc", "headers", "healthCheck", "http1", "http2", "path", "scheme"),
)
_CLIENT_MERGING = replace(
    _NEAREST_MERGING,
    on_paths=(
        ("HTTP", replace(_NEAREST_MERGING, counts=(*_OF_CONNECTIONS, *_OF_REQUESTS))),
        ("TCP", replace(_NEAREST_MERGING, counts=_OF_CONNECTIONS)),
        ("TLS", replace(_NEAREST_MERGING, counts=(*_OF_CONNECTIONS, "tls"))),
        ("TLS Passthrough", replace(_NEAREST_MERGING, counts=_OF_CONNECTIONS)),
    ),
    source=f"{_SOURCE}/clienttrafficpolicy.go",
)
_PATCHES_MERGING = merging.Merging(
    merging.Process.ALL,
    first=replace(_BY_AGE, rank=merging.Rank(("spec", "priority"))),
    source=f"{_SOURCE}/resource/resource.go",
)


ENVOY_GATEWAY = Controller(
    "Envoy Gateway",
    names=("gateway.envoyproxy.io/gatewayclass-controller",),
    reports=Reports.ENVOY_GATEWAY,
    # Of a route's policy, each parent of the route with its section; further ones for what merges.
    ancestors=Ancestors.PARENT,
    # What fails in translation is answered with 500: a policy that can't be carried out opens
    # nothing.
    needs_all=True,
    # One for a port comes before one for the whole Service.
    merges=(
        (
            BACKEND_TLS,
            replace(_NEAREST_MERGING, source=f"{_SOURCE}/backendtlspolicy.go"),
        ),
    ),
    settings=demands.SETTINGS,
    release="v1.9.1",
    isolates="equal",  # helpers.go, computeHosts
    shares_plugin=True,  # kuadrant-operator v1.5.2, gatewayComponentsToSync
    # validate.go, validateConflictedLayer4Listeners, validateConflictedHostnameListeners.
    refused_block=True,
    routing=ROUTING,
    # route.go, processTCPRouteParentRefs, processUDPRouteParentRefs: the listener's first route,
    # and TLSRoutes come before TCPRoutes (translator.go).
    single_routes=("TCPRoute", "UDPRoute"),
    # backendtlspolicy.go, getCaCertsFromCARefs: it looks at the kind, and not at the group.
    trust=Trust(
        kinds=(
            CONFIG_MAP,
            SECRET,
            ("", "ClusterTrustBundle"),
            ("certificates.k8s.io", "ClusterTrustBundle"),
        ),
        keys=("ca.crt", "tls.crt"),
        only_key=True,
        every=True,
        fails=True,
    ),
    # listener.go: the kinds that it supports by protocol and mode.
    tls_listener=(("Passthrough", ("TLSRoute",)), ("Terminate", ("TCPRoute", "TLSRoute"))),
)

_LISTENERS = ("Gateway", "ListenerSet")
_ACCESS = (*_LISTENERS, "HTTPRoute", "GRPCRoute", "TCPRoute")


def _backends(*paths: str) -> tuple[Need, ...]:
    """Return the needs of a `BackendCluster`; `backendRef` is the old form of `backendRefs`."""
    return tuple(
        rows.any_object(f"{path}.{field}", "Service")
        for path in paths
        for field in ("backendRef", "backendRefs[]")
    )


def _with_key(path: str, key: str, *, or_single: bool = False) -> Need:
    """Return the need of a Secret whose data has `key` or (if `or_single`) a single key."""
    return replace(rows.any_object(path), keys=(key,), or_single=or_single)


def _by_gateway(*needs: Need) -> tuple[Need, ...]:
    """Return the needs, marked as looked up for each gateway of a route (`gtwCtx`)."""
    return tuple(replace(need, by_gateway=True) for need in needs)


_SECURITY_NEEDS = (
    # api/v1alpha1/oidc_types.go, basic_auth_types.go: the keys of the Secrets.
    *_by_gateway(
        _with_key("spec.oidc.clientIDRef", "client-id"),
        _with_key("spec.oidc.clientSecret", "client-secret"),
    ),
    _with_key("spec.basicAuth.users", ".htpasswd"),
    rows.any_object("spec.apiKeyAuth.credentialRefs[]"),
    *_by_gateway(
        rows.local_object("spec.jwt.providers[].localJWKS.valueRef", "ConfigMap"),
        *_backends("spec.oidc.provider", "spec.jwt.providers[].remoteJWKS"),
        *_backends("spec.extAuth.grpc", "spec.extAuth.http"),
        rows.local_object("spec.extAuth.contextExtensions[].valueRef"),
    ),
)
_VALIDATION = "spec.tls.clientValidation"
# clienttrafficpolicy.go, validateAndGetDataAtKeyInRef.
_CLIENT_NEEDS = tuple(
    replace(_with_key(f"{_VALIDATION}.{path}", key, or_single=True), protocols=("HTTPS", "TLS"))
    for path, key in (("caCertificateRefs[]", "ca.crt"), ("crl.refs[]", "ca.crl"))
)
_EXTENSION_NEEDS = (
    rows.any_object("spec.wasm[].code.image.pullSecretRef"),
    *(rows.any_object(f"spec.wasm[].code.{way}.tls.caCertificateRef") for way in ("http", "image")),
    *_by_gateway(
        rows.local_object("spec.lua[].valueRef", "ConfigMap"), *_backends("spec.extProc[]")
    ),
)
_LOGS = "spec.telemetry.accessLog.settings[].sinks[]"
_PROXY_NEEDS = _backends(
    f"{_LOGS}.als",
    f"{_LOGS}.openTelemetry",
    "spec.telemetry.metrics.sinks[].openTelemetry",
    "spec.telemetry.tracing.provider",
)

CONTROLLERS: tuple[Controller, ...] = (ENVOY_GATEWAY,)

_row = partial(Kind, "gateway.envoyproxy.io", versions=("v1alpha1",))
_policy = partial(
    _row,
    references=(
        rows.target_ref(section=SECTION),
        rows.target_refs(section=SECTION, max_items=None),
        rows.target_selectors(group=GATEWAY_API),
    ),
    security=True,
    targets=(*_ACCESS, "UDPRoute", "TLSRoute"),
    # `spec`, CEL: either targetRef or targetRefs must be used.
    alternatives=(("targetRef", "targetRefs"),),
    controller=ENVOY_GATEWAY,
)

KINDS: tuple[Kind, ...] = (
    _policy(
        "SecurityPolicy",
        needs=_SECURITY_NEEDS,
        merging=_SECURITY_MERGING,
        targets=_ACCESS,
        # translateSecurityPolicyForListeners: those of Gateways count on all routes of layer 4.
        reach=Reach(from_above=("TLSRoute",)),
        traits=traits.SECURITY,
        # envoyproxy/gateway, api/v1alpha1/jwt_types.go: a key of type `oct` is a secret.
        credentials=("spec.jwt.providers[].localJWKS.inline",),
        demands=demands.SECURITY,
        unseen=demands.UNSEEN_OF_SECURITY,
    ),
    # It holds the validation of client certificates.
    _policy(
        "ClientTrafficPolicy",
        needs=_CLIENT_NEEDS,
        merging=_CLIENT_MERGING,
        targets=_LISTENERS,
        reach=Reach(whole_ports=True, protocols=("HTTP", "HTTPS", "TLS", "TCP")),
        traits=traits.CLIENT_TRAFFIC,
        demands=demands.CLIENT_TRAFFIC,
        unseen=demands.UNSEEN_OF_CLIENTS,
    ),
    # It holds the rate limits.
    _policy(
        "BackendTrafficPolicy",
        needs=(
            replace(
                rows.local_object("spec.responseOverride[].response.body.valueRef", "ConfigMap"),
                or_bytes=True,  # backendtrafficpolicy.go, getCustomResponseBody
            ),
        ),
        merging=_TRAFFIC_MERGING,
        # route.go makes one rule of a TLSRoute, without a name: such a policy is accepted for
        # nothing.
        reach=Reach(whole_routes=("TLSRoute",)),
        traits=traits.BACKEND_TRAFFIC,
        demands=demands.BACKEND_TRAFFIC,
    ),
    # Filters of the user's own, of which some authorize.
    _policy(
        "EnvoyExtensionPolicy",
        needs=_EXTENSION_NEEDS,
        merging=replace(
            _ASKED_MERGING,
            opens=("extProc[]", "wasm[]"),
            source=f"{_SOURCE}/envoyextensionpolicy.go",
        ),
        # Its filters are Envoy's filters of HTTP.
        reach=Reach(protocols=("HTTP", "HTTPS")),
        # api/v1alpha1/wasm_types.go: handed to the plugin as it is.
        traits=traits.EXTENSION,
        credentials=("spec.wasm[].config",),
        demands=demands.EXTENSION,
        unseen=demands.UNSEEN_OF_EXTENSIONS,
    ),
    # All patches are made, by priority; of a GatewayClass where its Gateways are merged into one.
    _row(
        "EnvoyPatchPolicy",
        references=(rows.target_ref(),),
        security=True,
        merging=_PATCHES_MERGING,
        traits=traits.PATCHES,
        targets=("Gateway", "GatewayClass"),
        controller=ENVOY_GATEWAY,
        reach=Reach(class_if_merged=True),
        demands=demands.PATCH,
    ),
    _row(
        "EnvoyProxy",
        needs=(*_PROXY_NEEDS, rows.any_object("spec.backendTLS.clientCertificateRef")),
        # api/v1alpha1/envoyproxy_types.go; translator.go, IsMergeGatewaysEnabled: of a class only.
        merges_gateways="spec.mergeGateways",
        presents="spec.backendTLS.clientCertificateRef",
    ),
    _row(
        "Backend",
        # route.go, getTargetBackendReference.
        numbered_ports=True,
        controller=ENVOY_GATEWAY,
        demands=demands.BACKEND,
        traits=traits.BACKEND,
        needs=(
            rows.local_object("spec.tls.caCertificateRefs[]"),
            rows.any_object("spec.tls.clientCertificateRef"),
        ),
    ),
    _row(
        "HTTPRouteFilter",
        controller=ENVOY_GATEWAY,
        # api/v1alpha1/httproutefilter_types.go: both of them have to match.
        narrows="spec.matches",
        answers="spec.directResponse",
        needs=(
            rows.any_object("spec.credentialInjection.credential.valueRef"),
            rows.local_object("spec.directResponse.body.valueRef"),
        ),
    ),
)
