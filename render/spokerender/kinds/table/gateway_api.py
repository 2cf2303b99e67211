"""The Gateway API's own kinds (CRDs of v1.6.1, both channels, and of the releases before)."""

from functools import partial

from msgspec.structs import replace

from spokerender.kinds import kind, rows
from spokerender.kinds.columns import Guarding, Need, Scale, Traits
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.model.refs import GATEWAY_API

_CERT_MANAGER = "cert-manager.io"

_PARENTS = rows.parent_ref("spec.parentRefs[]", unique=True, max_items=32)
_BACKENDS = rows.backend_ref("spec.rules[].backendRefs[]")
_FILTERS = ("spec.rules[].filters[]", "spec.rules[].backendRefs[].filters[]")

# cert-manager's ingress-shim makes the Secrets of certificateRefs with the issuer named here.
_ISSUERS = (
    Need(
        "metadata.annotations",
        "Issuer",
        _CERT_MANAGER,
        name=f"{_CERT_MANAGER}/issuer",
        group_key=f"{_CERT_MANAGER}/issuer-group",
        kind_key=f"{_CERT_MANAGER}/issuer-kind",
    ),
    Need(
        "metadata.annotations",
        "ClusterIssuer",
        _CERT_MANAGER,
        name=f"{_CERT_MANAGER}/cluster-issuer",
    ),
)
# What Envoy AI Gateway looks for.
_AI = "aigateway.envoyproxy.io"
_AI_CONFIG = Need("metadata.annotations", "GatewayConfig", _AI, name=f"{_AI}/gateway-config")
_CERTIFICATES = rows.any_object("spec.listeners[].tls.certificateRefs[]")


# The lists that are maps are read off the CRDs of v1.6.1; every other list of these kinds is
# ordered (atomic).
_NAMED = ("name",)
_LISTENERS: kind.ListMaps = (("spec.listeners", _NAMED),)
_MATCHED_HEADERS: kind.ListMaps = (("spec.rules[].matches[].headers", _NAMED),)
_MODIFIED_HEADERS: kind.ListMaps = tuple(
    (f"{path}.{modifier}.{verb}", _NAMED)
    for path in _FILTERS
    for modifier in ("requestHeaderModifier", "responseHeaderModifier")
    for verb in ("add", "set")
)

# `maxItems` in the CRDs of v1.4.1 and v1.6.1, both channels; where releases differ, the most.
_MOST_LISTENERS: kind.ListLimits = (
    ("spec.listeners", 64),
    ("spec.listeners[].allowedRoutes.kinds", 8),
    ("spec.listeners[].tls.certificateRefs", 64),
)
_MOST_RULES: kind.ListLimits = (
    ("spec.hostnames", 1024),  # of a TLSRoute
    ("spec.rules", 16),
    ("spec.rules[].backendRefs", 16),
)
_MOST_OF_HTTP: kind.ListLimits = (
    *_MOST_RULES[1:],
    ("spec.hostnames", 16),
    ("spec.rules[].matches", 64),
    ("spec.rules[].matches[].headers", 16),
    ("spec.rules[].matches[].queryParams", 16),
    *((path.removesuffix("[]"), 16) for path in _FILTERS),
)


# An ExtensionRef filter names an object of the route's namespace.
_EXTENSIONS = tuple(
    kind.ReferencePath(f"{path}.extensionRef", kind.Role.FILTER) for path in _FILTERS
)
_MIRRORS = tuple(rows.backend_ref(f"{path}.requestMirror.backendRef") for path in _FILTERS)
_EXTERNAL_AUTH = tuple(rows.backend_ref(f"{path}.externalAuth.backendRef") for path in _FILTERS)

CONTROLLERS: tuple[kind.Controller, ...] = ()

_standard = partial(kind.Kind, GATEWAY_API, versions=("v1", "v1beta1"))
_route = partial(
    _standard,
    references=(_PARENTS, _BACKENDS),
    needs=(rows.KONG_PLUGINS,),
    is_route=True,
    limits=_MOST_RULES,
)
# `protocols` are those of `ProtocolType`.
_http_route = partial(_route, protocols=("HTTP", "HTTPS"), limits=_MOST_OF_HTTP)
_experimental = partial(kind.Kind, kind.EXPERIMENTAL, versions=("v1alpha1",))

KINDS: tuple[kind.Kind, ...] = (
    _standard(
        "GatewayClass",
        namespaced=False,
        # A ConfigMap of a class is where Kuadrant's policy sync RFC has the list.
        needs=(replace(rows.any_object("spec.parametersRef", "", ""), stays=("ConfigMap",)),),
    ),
    _standard(
        "Gateway",
        needs=(
            Need("spec", "GatewayClass", GATEWAY_API, name="gatewayClassName"),
            _CERTIFICATES,
            rows.any_object("spec.tls.backend.clientCertificateRef"),
            rows.any_object(
                "spec.tls.frontend.default.validation.caCertificateRefs[]", "ConfigMap"
            ),
            rows.any_object(
                "spec.tls.frontend.perPort[].tls.validation.caCertificateRefs[]", "ConfigMap"
            ),
            rows.local_object("spec.infrastructure.parametersRef"),
            *_ISSUERS,
            _AI_CONFIG,
            # Where the experimental channel had them before v1.5.
            rows.any_object("spec.backendTLS.clientCertificateRef"),
            rows.any_object(
                "spec.listeners[].tls.frontendValidation.caCertificateRefs[]", "ConfigMap"
            ),
        ),
        presents="spec.tls.backend.clientCertificateRef",
        list_maps=(*_LISTENERS, ("spec.tls.frontend.perPort", ("port",))),
        limits=(*_MOST_LISTENERS, ("spec.tls.frontend.perPort", 64), ("spec.addresses", 16)),
    ),
    _standard(
        "ListenerSet",
        versions=("v1",),
        references=(rows.parent_ref("spec.parentRef", section=""),),
        needs=(_CERTIFICATES, *_ISSUERS),
        list_maps=_LISTENERS,
        limits=_MOST_LISTENERS,
    ),
    _http_route(
        "HTTPRoute",
        references=(_PARENTS, *_EXTENSIONS, _BACKENDS, *_MIRRORS, *_EXTERNAL_AUTH),
        list_maps=(
            *_MATCHED_HEADERS,
            ("spec.rules[].matches[].queryParams", _NAMED),
            *_MODIFIED_HEADERS,
        ),
    ),
    _http_route(
        "GRPCRoute",
        versions=("v1", "v1alpha2"),
        references=(_PARENTS, *_EXTENSIONS, _BACKENDS, *_MIRRORS),
        list_maps=(*_MATCHED_HEADERS, *_MODIFIED_HEADERS),
    ),
    _route("TLSRoute", versions=("v1", "v1alpha3", "v1alpha2"), protocols=("TLS",)),
    _route("TCPRoute", versions=("v1", "v1alpha2"), protocols=("TCP", "TLS")),
    _route("UDPRoute", versions=("v1", "v1alpha2"), protocols=("UDP",)),
    _standard(
        "BackendTLSPolicy",
        versions=("v1", "v1alpha3"),
        references=(rows.target_refs(section=kind.SECTION, unique=True),),
        needs=(rows.local_object("spec.validation.caCertificateRefs[]", "ConfigMap"),),
        security=True,
        traits=Traits(
            guarding=(Guarding("validation", about="encryption"),),
            scales=(
                *(
                    Scale(f"validation.{name}", "encryption", entries="weaker", trusts=True)
                    for name in ("caCertificateRefs", "wellKnownCACertificates")
                ),
                # With names, `hostname` is for SNI alone: they take its place.
                Scale("validation.subjectAltNames", "encryption", entries="weaker", unset="other"),
            ),
        ),
        # Its targets are Services and whatever else an implementation takes for a backend.
        # Whether a port's comes before the whole's differs: see each controller's `backend_tls`.
        merging=Merging(Process.ALONE, Several.ONE, source="BackendTLSPolicy, targetRefs (v1.4)"),
    ),
    # Its entries name kinds and namespaces rather than objects: `kinds.reference` reads them.
    _standard(
        "ReferenceGrant",
        versions=("v1", "v1beta1", "v1alpha2"),
        limits=(("spec.from", 16), ("spec.to", 16)),
    ),
    _experimental(
        "XListenerSet",
        references=(rows.parent_ref("spec.parentRef", section=""),),
        needs=(_CERTIFICATES, *_ISSUERS),
        limits=_MOST_LISTENERS,
    ),
    _experimental(
        "XBackendTrafficPolicy",
        references=(rows.target_refs(),),
        merging=Merging(
            Process.ALONE,
            Several.ALONE,
            source="its API (gateway-api 4564255, apisx/v1alpha1) says nothing of conflicts",
        ),
    ),
    _experimental(
        "XBackend",
        needs=(
            rows.any_object("spec.tls.clientCertificateRef"),
            rows.local_object("spec.tls.validation.caCertificateRefs[]", "ConfigMap"),
        ),
    ),
    _experimental(
        "XMesh",
        namespaced=False,
        needs=(rows.any_object("spec.parametersRef", "", ""),),
    ),
)
