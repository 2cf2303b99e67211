"""Traefik's rules for routes and listeners, where the Gateway API has none."""

from spokerender.kinds.routing import ListenerRules, RoutingRules

_HEADERS = ("RequestHeaderModifier", "ResponseHeaderModifier")
_HTTP = (*_HEADERS, "RequestRedirect", "URLRewrite", "ExtensionRef")
_NOT_HERE = (("Programmed", False, "Invalid"), ("ResolvedRefs", False, ""))
TRAEFIK_ROUTING = RoutingRules(
    backends=(("", "Service"), ("traefik.io", "TraefikService")),
    filters=(("HTTPRoute", _HTTP), ("GRPCRoute", ("RequestHeaderModifier", "ExtensionRef"))),
    backend_filters=(("HTTPRoute", _HTTP),),
    extensions=(("traefik.io", "Middleware"),),
    wrong_filter=("ResolvedRefs", ""),
    wrong_backend_filter="InvalidKind",
    checks=("grant", "kind", "port"),
    checks_on=(
        ("HTTPRoute", ("grant", "filters", "kind", "port", "tls")),
        ("GRPCRoute", ("kind", "grant", "port")),
    ),
    wrong_tls="RefNotPermitted",
    no_port="UnsupportedProtocol",
    external_name="BackendNotFound",
    last=True,
    listeners=ListenerRules(
        protocols=("HTTP", "HTTPS", "TLS", "TCP"),
        switched=(("TCP", "its setting experimentalChannel"),),
        outcomes=(
            ("UnsupportedProtocol", (("Accepted", False, ""),)),
            ("InvalidRouteKinds", (("ResolvedRefs", False, ""),)),
            ("WithoutTLS", (("Accepted", False, "InvalidTLSConfiguration"),)),
            ("InvalidCertificateRef", _NOT_HERE),
            ("RefNotPermitted", _NOT_HERE),
        ),
        completes=False,
        needs_sound=True,
    ),
    source="traefik/traefik v3.7.13, pkg/provider/kubernetes/gateway",
)
