"""Istio's rules for routes and listeners, where the Gateway API has none."""

from spokerender.kinds.routing import ListenerRules, RoutingRules

_HEADERS = ("RequestHeaderModifier", "ResponseHeaderModifier")
_HTTP = (*_HEADERS, "RequestRedirect", "RequestMirror", "URLRewrite", "CORS")
_INVALID = (("Programmed", False, "Invalid"), ("ResolvedRefs", False, ""))
_NO_CLIENTS = (("Accepted", False, "NoValidCACertificate"), *_INVALID)
_CONFLICT = (("Accepted", False, ""), ("Programmed", False, ""), ("Conflicted", True, ""))
ROUTING = RoutingRules(
    backends=(
        ("", "Service"),
        ("networking.istio.io", "Hostname"),
        ("multicluster.x-k8s.io", "ServiceImport"),
    ),
    extended=tuple((f"inference.networking.{of}.io", "InferencePool") for of in ("k8s", "x-k8s")),
    by_service=("ServiceImport",),
    whole_expressions=True,  # Envoy, RouteMatch.safe_regex
    filters=(("HTTPRoute", _HTTP), ("GRPCRoute", (*_HEADERS, "RequestMirror"))),
    backend_filters=(("HTTPRoute", _HEADERS), ("GRPCRoute", _HEADERS)),
    wrong_filter=("ResolvedRefs", "InvalidFilter"),
    wrong_backend_filter="InvalidFilter",
    checks=("filters", "grant", "kind", "port"),
    no_port="InvalidDestination",
    wrong_port="",
    external_name="",
    skips_unused=True,
    last=True,
    ends=("InvalidDestination", "InvalidFilter"),
    strict_mirrors=("GRPCRoute",),
    # gatewaycommon/references.go, ReferenceGrantsCollection
    granted=(("", "Service"),),
    listeners=ListenerRules(
        protocols=("HTTP", "HTTPS", "TLS", "TCP"),
        outcomes=(
            ("UnsupportedProtocol", (("Accepted", False, ""),)),
            ("InvalidRouteKinds", (("ResolvedRefs", False, ""),)),
            # It is not opened, and only a ListenerSet's says so.
            ("WithoutTLS", ()),
            ("InvalidCertificateRef", _INVALID),
            ("RefNotPermitted", _NO_CLIENTS),
            ("InvalidCACertificateRef", _NO_CLIENTS),
            ("InvalidCACertificateKind", _NO_CLIENTS),
            ("CARefNotPermitted", (*_NO_CLIENTS[:2], ("ResolvedRefs", False, "RefNotPermitted"))),
            ("ProtocolConflict", _CONFLICT),
            ("HostnameConflict", _CONFLICT),
        ),
        in_sets=(
            (
                "WithoutTLS",
                (("Accepted", False, "UnsupportedProtocol"), ("Programmed", False, "Invalid")),
            ),
        ),
        switched=(("HBONE", "the class of its Gateway"),),
        clients="one",
        partly="Accepted",  # gatewaycommon/conversion.go, ReportListenerSetStatus
        any_certificate=True,
        grants_last=True,
        may_lack=True,
        certificate_keys=(("tls.crt", "tls.key"), ("cert", "key")),
        drops_refused=True,
        counts_once=True,
    ),
    source="istio/istio eed52eb, pilot/pkg/config/kube/gateway (conversion, gateway_collection).go "
    "and gatewaycommon (conversion, listener_conflict).go",
)
