"""Envoy Gateway's rules for routes and listeners, where the Gateway API has none."""

from spokerender.kinds.routing import BackendDemand, RoutingRules

_GROUP = "gateway.envoyproxy.io"
_HEADERS = ("RequestHeaderModifier", "ResponseHeaderModifier")
ROUTING = RoutingRules(
    backends=(
        ("", "Service"),
        ("multicluster.x-k8s.io", "ServiceImport"),
        (_GROUP, "Backend"),
    ),
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
