"""agentgateway's rules for routes and listeners, where the Gateway API has none."""

from spokerender.kinds.routing import ListenerRules, RoutingRules

_HEADERS = ("RequestHeaderModifier", "ResponseHeaderModifier")
_MIRRORED = (*_HEADERS, "RequestMirror")
_HTTP = (*_MIRRORED, "RequestRedirect", "URLRewrite", "CORS", "ExternalAuth")
_NOT_OPENED = (("Programmed", False, "Invalid"), ("ResolvedRefs", False, ""))
_NO_CLIENTS = (("Accepted", False, "NoValidCACertificate"), *_NOT_OPENED)
_NO_GRANT = ("ResolvedRefs", False, "RefNotPermitted")
_NOT_IN_SET = (("Accepted", False, "ListenersNotValid"), *_NOT_OPENED)
_CONFLICT = (
    ("Accepted", False, ""),
    ("Programmed", False, ""),
    ("ResolvedRefs", True, "ResolvedRefs"),
    ("Conflicted", True, ""),
)
AGENTGATEWAY_ROUTING = RoutingRules(
    backends=(
        ("", "Service"),
        ("agentgateway.dev", "AgentgatewayBackend"),
        ("inference.networking.k8s.io", "InferencePool"),
    ),
    filters=(("HTTPRoute", _HTTP), ("GRPCRoute", _MIRRORED)),
    backend_filters=(("HTTPRoute", (*_MIRRORED, "RequestRedirect")), ("GRPCRoute", _MIRRORED)),
    wrong_filter=("ResolvedRefs", "IncompatibleFilters"),
    wrong_backend_filter="IncompatibleFilters",
    checks=("filters", "grant", "kind", "port"),
    no_port="UnsupportedValue",
    wrong_port="",
    external_name="",
    last=True,
    ends=("IncompatibleFilters", "UnsupportedValue"),  # route_collections.go, computeRoute
    strict_mirrors=("HTTPRoute", "GRPCRoute"),
    delegates=True,  # conversion.go, buildAgwHTTPDestination
    listeners=ListenerRules(
        protocols=("HTTP", "HTTPS", "TLS", "TCP", "HBONE"),
        outcomes=(
            ("UnsupportedProtocol", (("Accepted", False, ""),)),
            ("InvalidRouteKinds", (("ResolvedRefs", False, ""),)),
            ("InvalidCertificateRef", _NOT_OPENED),
            ("RefNotPermitted", _NOT_OPENED),
            ("InvalidCACertificateRef", _NO_CLIENTS),
            ("InvalidCACertificateKind", _NO_CLIENTS),
            ("CARefNotPermitted", (*_NO_CLIENTS[:2], _NO_GRANT)),
            (
                "PartlyInvalidCACertificateRef",
                (("ResolvedRefs", False, "InvalidCACertificateRef"),),
            ),
            (
                "PartlyInvalidCACertificateKind",
                (("ResolvedRefs", False, "InvalidCACertificateKind"),),
            ),
            ("PartlyCARefNotPermitted", (_NO_GRANT,)),
            ("ProtocolConflict", _CONFLICT),
            ("HostnameConflict", _CONFLICT),
        ),
        in_sets=(("InvalidCertificateRef", _NOT_IN_SET), ("RefNotPermitted", _NOT_IN_SET)),
        clients="some",
        hides_conflicts=True,
        options=(
            ("agentgateway.dev/tls-certificate-source", ("SPIFFE",)),
            ("gateway.istio.io/tls-terminate-mode", ("ISTIO_SIMPLE", "ISTIO_MUTUAL")),
        ),
        grants_last=True,
    ),
    source="agentgateway/agentgateway 75b4e6c, controller/pkg/agentgateway/translator "
    "(conversion, gateway_collection, route_collections).go and controller/pkg/syncer/syncer.go",
)
