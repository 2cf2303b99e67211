"""Contour (v1.33.8): its controller of Gateways.

Its HTTPProxies and ExtensionServices are beside the Gateway API: no policy of its own attaches.
"""

from spokerender.kinds.columns import PortSharing, Trust
from spokerender.kinds.kind import Controller, Kind
from spokerender.kinds.routing import ListenerRules, RoutingRules
from spokerender.model.refs import CONFIG_MAP, SECRET, SERVICE

_HEADERS = ("RequestHeaderModifier", "ResponseHeaderModifier")
_MIRRORED = (*_HEADERS, "RequestMirror")
_CLOSED = ("Programmed", False, "Invalid")
_UNRESOLVED = (_CLOSED, ("ResolvedRefs", False, ""))
_CONFLICT = (
    ("Accepted", True, "Accepted"),
    _CLOSED,
    ("ResolvedRefs", True, "ResolvedRefs"),
    ("Conflicted", True, ""),
)
_TAKEN = ("TLSRoute", "TCPRoute")
CONTROLLERS: tuple[Controller, ...] = (
    Controller(
        "Contour",
        names=("projectcontour.io/gateway-controller",),
        listener_sets=False,
        trust=Trust((CONFIG_MAP, SECRET), every=True),
        tls_listener=(("Passthrough", _TAKEN), ("Terminate", _TAKEN)),
        isolates="within",
        sharing=PortSharing(apart=(), first_wins=True),
        refused_block=True,
        routing=RoutingRules(
            backends=(SERVICE,),
            filters=(
                ("HTTPRoute", (*_MIRRORED, "RequestRedirect", "URLRewrite")),
                ("GRPCRoute", _MIRRORED),
            ),
            backend_filters=(("HTTPRoute", _HEADERS), ("GRPCRoute", _HEADERS)),
            wrong_backend_filter="UnsupportedValue",
            checks=("kind", "grant", "port", "filters"),
            no_port="Degraded",
            external_name="BackendNotFound",
            matches_once=True,
            listeners=ListenerRules(
                protocols=("HTTP", "HTTPS", "TLS", "TCP"),
                outcomes=(
                    ("UnsupportedProtocol", (("Accepted", False, ""), _CLOSED)),
                    ("InvalidRouteKinds", _UNRESOLVED),
                    ("WithoutTLS", (_CLOSED,)),
                    ("InvalidCertificateRef", _UNRESOLVED),
                    ("RefNotPermitted", _UNRESOLVED),
                    ("ProtocolConflict", _CONFLICT),
                    ("HostnameConflict", _CONFLICT),
                ),
                lone_certificate=True,
            ),
            source="projectcontour/contour v1.33.8, internal/dag/gatewayapi_processor.go, "
            "internal/gatewayapi/listeners.go",
        ),
    ),
)
KINDS: tuple[Kind, ...] = (Kind("projectcontour.io", "ContourDeployment", ("v1alpha1",)),)
