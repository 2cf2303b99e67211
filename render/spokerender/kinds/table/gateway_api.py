"""The Gateway API's own kinds (CRDs of v1.6.1, both channels, and of the releases before)."""

from __future__ import annotations

from msgspec.structs import replace

from spokerender.kinds.columns import Need
from spokerender.kinds.kind import (
    EXPERIMENTAL,
    SECTION,
    Authorities,
    Controller,
    Kind,
    ListLimits,
    ListMaps,
    ReferencePath,
)
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.kinds.rows import (
    any_object,
    backend,
    extension,
    local_object,
    parent,
    row,
    target_refs,
)
from spokerender.model.refs import GATEWAY_API

_CERT_MANAGER = "cert-manager.io"

_PARENTS = parent("spec.parentRefs[]", unique=True, max_items=32)
_BACKENDS = backend("spec.rules[].backendRefs[]")
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
_CERTIFICATES = any_object("spec.listeners[].tls.certificateRefs[]")


# The lists that are maps are read off the CRDs of v1.6.1; every other list of these kinds is
# ordered (atomic).
_NAMED = ("name",)
_LISTENERS: ListMaps = (("spec.listeners", _NAMED),)
_MATCHED_HEADERS: ListMaps = (("spec.rules[].matches[].headers", _NAMED),)
_MODIFIED_HEADERS: ListMaps = tuple(
    (f"{path}.{modifier}.{verb}", _NAMED)
    for path in _FILTERS
    for modifier in ("requestHeaderModifier", "responseHeaderModifier")
    for verb in ("add", "set")
)

# `maxItems` in the CRDs of v1.4.1 and v1.6.1, both channels; where releases differ, the most.
_MOST_LISTENERS: ListLimits = (
    ("spec.listeners", 64),
    ("spec.listeners[].allowedRoutes.kinds", 8),
    ("spec.listeners[].tls.certificateRefs", 64),
)
_MOST_RULES: ListLimits = (
    ("spec.hostnames", 1024),  # of a TLSRoute
    ("spec.rules", 16),
    ("spec.rules[].backendRefs", 16),
)
_MOST_OF_HTTP: ListLimits = (
    *_MOST_RULES[1:],
    ("spec.hostnames", 16),
    ("spec.rules[].matches", 64),
    ("spec.rules[].matches[].headers", 16),
    ("spec.rules[].matches[].queryParams", 16),
    *((path.removesuffix("[]"), 16) for path in _FILTERS),
)


def _route(
    kind: str,
    *versions: str,
    protocols: tuple[str, ...],
    backends: tuple[ReferencePath, ...] = (),
    is_http: bool = False,
    list_maps: ListMaps = (),
) -> Kind:
    """Make a route's row. `protocols` are those of `ProtocolType`."""
    extensions = tuple(map(extension, _FILTERS)) if is_http else ()
    return row(
        GATEWAY_API,
        kind,
        *versions,
        references=(_PARENTS, *extensions, _BACKENDS, *backends),
        is_route=True,
        protocols=protocols,
        own_hostnames=is_http,
        list_maps=list_maps,
        limits=_MOST_OF_HTTP if is_http else _MOST_RULES,
    )


_MIRRORS = tuple(backend(f"{path}.requestMirror.backendRef") for path in _FILTERS)
_EXTERNAL_AUTH = tuple(backend(f"{path}.externalAuth.backendRef") for path in _FILTERS)

CONTROLLERS: tuple[Controller, ...] = ()

KINDS: tuple[Kind, ...] = (
    row(
        GATEWAY_API,
        "GatewayClass",
        "v1",
        "v1beta1",
        namespaced=False,
        # A ConfigMap of a class is where Kuadrant's policy sync RFC has the list.
        needs=(replace(any_object("spec.parametersRef", "", ""), stays=("ConfigMap",)),),
    ),
    row(
        GATEWAY_API,
        "Gateway",
        "v1",
        "v1beta1",
        needs=(
            Need("spec", "GatewayClass", GATEWAY_API, name="gatewayClassName"),
            _CERTIFICATES,
            any_object("spec.tls.backend.clientCertificateRef"),
            any_object("spec.tls.frontend.default.validation.caCertificateRefs[]", "ConfigMap"),
            any_object(
                "spec.tls.frontend.perPort[].tls.validation.caCertificateRefs[]", "ConfigMap"
            ),
            local_object("spec.infrastructure.parametersRef"),
            *_ISSUERS,
            _AI_CONFIG,
            # Where the experimental channel had them before v1.5.
            any_object("spec.backendTLS.clientCertificateRef"),
            any_object("spec.listeners[].tls.frontendValidation.caCertificateRefs[]", "ConfigMap"),
        ),
        list_maps=(*_LISTENERS, ("spec.tls.frontend.perPort", ("port",))),
        limits=(*_MOST_LISTENERS, ("spec.tls.frontend.perPort", 64), ("spec.addresses", 16)),
    ),
    row(
        GATEWAY_API,
        "ListenerSet",
        "v1",
        references=(parent("spec.parentRef", section=""),),
        needs=(_CERTIFICATES, *_ISSUERS),
        list_maps=_LISTENERS,
        limits=_MOST_LISTENERS,
    ),
    _route(
        "HTTPRoute",
        "v1",
        "v1beta1",
        protocols=("HTTP", "HTTPS"),
        backends=(*_MIRRORS, *_EXTERNAL_AUTH),
        is_http=True,
        list_maps=(
            *_MATCHED_HEADERS,
            ("spec.rules[].matches[].queryParams", _NAMED),
            *_MODIFIED_HEADERS,
        ),
    ),
    _route(
        "GRPCRoute",
        "v1",
        protocols=("HTTP", "HTTPS"),
        backends=_MIRRORS,
        is_http=True,
        list_maps=(*_MATCHED_HEADERS, *_MODIFIED_HEADERS),
    ),
    _route("TLSRoute", "v1", "v1alpha3", "v1alpha2", protocols=("TLS",)),
    _route("TCPRoute", "v1", "v1alpha2", protocols=("TCP", "TLS")),
    _route("UDPRoute", "v1", "v1alpha2", protocols=("UDP",)),
    row(
        GATEWAY_API,
        "BackendTLSPolicy",
        "v1",
        "v1alpha3",
        references=(target_refs(section=SECTION, unique=True),),
        needs=(local_object("spec.validation.caCertificateRefs[]", "ConfigMap"),),
        security=True,
        # Its targets are Services and whatever else an implementation takes for a backend.
        # Whether a port's comes before the whole's differs: see each controller's `backend_tls`.
        merging=Merging(Process.ALONE, Several.ONE, source="BackendTLSPolicy, targetRefs (v1.4)"),
        authorities=Authorities(
            refs="spec.validation.caCertificateRefs[]",
            well_known="spec.validation.wellKnownCACertificates",
            # Envoy Gateway takes both, NGINX Gateway Fabric and Kong Secrets.
            others=(("", "Secret"), ("certificates.k8s.io", "ClusterTrustBundle")),
            one_target=True,
        ),
    ),
    # Its entries name kinds and namespaces rather than objects: `kinds.reference` reads them.
    row(
        GATEWAY_API,
        "ReferenceGrant",
        "v1",
        "v1beta1",
        limits=(("spec.from", 16), ("spec.to", 16)),
    ),
    row(
        EXPERIMENTAL,
        "XListenerSet",
        "v1alpha1",
        references=(parent("spec.parentRef", section=""),),
        needs=(_CERTIFICATES, *_ISSUERS),
        limits=_MOST_LISTENERS,
    ),
    row(
        EXPERIMENTAL,
        "XBackendTrafficPolicy",
        "v1alpha1",
        references=(target_refs(),),
        merging=Merging(
            Process.ALONE,
            Several.ALONE,
            source="its API (gateway-api 4564255, apisx/v1alpha1) says nothing of conflicts",
        ),
    ),
    row(
        EXPERIMENTAL,
        "XBackend",
        "v1alpha1",
        needs=(
            any_object("spec.tls.clientCertificateRef"),
            local_object("spec.tls.validation.caCertificateRefs[]", "ConfigMap"),
        ),
    ),
    row(
        EXPERIMENTAL,
        "XMesh",
        "v1alpha1",
        namespaced=False,
        needs=(any_object("spec.parametersRef", "", ""),),
    ),
)
