"""Envoy Gateway's policies; `targetRef` is the deprecated form of `targetRefs`."""

from __future__ import annotations

from dataclasses import replace

from render.kinds.controllers import Ancestors, Controller, Reports, Trust
from render.kinds.identities import BACKEND_TLS
from render.kinds.kind import SECTION, Kind, Reach
from render.kinds.merging import (
    Asking,
    Merge,
    Merging,
    Names,
    Precedence,
    Process,
    Rank,
    Several,
)
from render.kinds.rows import (
    row,
    target_ref,
    target_refs,
    target_selectors,
)
from render.kinds.table import envoy_gateway_demands as demands
from render.kinds.table.envoy_gateway_needs import (
    BACKEND_NEEDS,
    CLIENT_NEEDS,
    EXTENSION_NEEDS,
    PROXY_NEEDS,
    SECURITY_NEEDS,
)
from render.kinds.traits import Guarding, Traits
from render.model import GATEWAY_API

_GROUP = "gateway.envoyproxy.io"
_TARGETS = (
    target_ref(section=SECTION),
    target_refs(section=SECTION, max_items=None),
    target_selectors(group=GATEWAY_API),
)

_SOURCE = "envoyproxy/gateway d32f282, internal/gatewayapi"
_BY_AGE = Precedence(names=Names.PAIR)

ENVOY_GATEWAY = Controller(
    "Envoy Gateway",
    names=("gateway.envoyproxy.io/gatewayclass-controller",),
    reports=Reports.ENVOY_GATEWAY,
    ancestors=Ancestors.PARENT,
    needs_all=True,
    merges=(
        (
            BACKEND_TLS,
            Merging(
                Process.NONE, Several.ONE, first=_BY_AGE, source=f"{_SOURCE}/backendtlspolicy.go"
            ),
        ),
    ),
    # backendtlspolicy.go, getCaCertsFromCARefs: it looks at the kind, and not at the group.
    trust=Trust(
        kinds=(
            ("", "ConfigMap"),
            ("", "Secret"),
            ("", "ClusterTrustBundle"),
            ("certificates.k8s.io", "ClusterTrustBundle"),
        ),
        keys=("ca.crt", "tls.crt"),
        only_key=True,
        every=True,
    ),
    tls_listener=(("Passthrough", ("TLSRoute",)), ("Terminate", ("TCPRoute", "TLSRoute"))),
)

# Whoever comes first fills the route: a rule's policy, then the route's, the ListenerSet's
# listener's, the ListenerSet's, the Gateway's listener's, the Gateway's; each of them whole. A
# second one on the same is Conflicted.
_NEAREST = Merging(Process.NONE, Several.ONE, first=_BY_AGE, source=_SOURCE)
_ASKING = Asking("mergeType", (("JSONMerge", Merge.PATCH), ("StrategicMerge", Merge.STRATEGIC)))
_ASKED = replace(_NEAREST, asking=_ASKING)
# Of a TCPRoute only `authorization` is carried out; without it the Gateway's policy stays.
_SECURITY = replace(
    _ASKED,
    asking=replace(_ASKING, lists=(("extAuth.contextExtensions", "name"),)),
    on_routes=(
        ("TCPRoute", replace(_ASKED, counts=("authorization",), substance="authorization")),
    ),
    source=f"{_SOURCE}/securitypolicy.go",
)
# `setIfNil`: on routes of layer 4 each field is the nearest policy's that has it.
_LAYER_4 = replace(
    _NEAREST,
    process=Process.FIELDS,
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
    source=f"{_SOURCE}/backendtrafficpolicy.go, translateBackendTrafficPolicyForListeners",
)
_TRAFFIC = replace(
    _ASKED,
    asking=replace(
        _ASKING,
        lists=(
            ("compression", "type"),
            ("compressor", "type"),
            ("httpUpgrade", "type"),
            ("rateLimit.global.rules", ""),
            ("rateLimit.local.rules", ""),
        ),
    ),
    on_routes=(
        ("TCPRoute", _LAYER_4),
        ("TLSRoute", _LAYER_4),
        ("UDPRoute", replace(_LAYER_4, counts=("loadBalancer", "dns"))),
    ),
    source=f"{_SOURCE}/backendtrafficpolicy.go; api/v1alpha1/backendtrafficpolicy_types.go",
)
_PATCHES = Merging(
    Process.ALL,
    first=replace(_BY_AGE, rank=Rank(("spec", "priority"))),
    source=f"{_SOURCE}/resource/resource.go",
)
_HTTP = ("HTTP", "HTTPS")
# `spec`, CEL: either targetRef or targetRefs must be used.
_EITHER = (("targetRef", "targetRefs"),)
# `cors` says what browsers let through, and nothing of who may call.
_GUARD = Traits(
    guards=True,
    guarding=(
        Guarding("apiKeyAuth"),
        Guarding("basicAuth"),
        Guarding("oidc"),
        Guarding("extAuth"),
        Guarding("jwt", unless=((("jwt.optional", (True,)),),)),
        Guarding("authorization", unless=((("authorization.defaultAction", ("Allow",)),),)),
    ),
)
_CLIENTS = Traits(
    guarding=(
        Guarding(
            "tls.clientValidation",
            unless=((("tls.clientValidation.optional", (True,)),),),
        ),
    )
)
_LIMITS = Traits(guarding=(Guarding("rateLimit"),))
_LISTENERS = ("Gateway", "ListenerSet")
_ACCESS = (*_LISTENERS, "HTTPRoute", "GRPCRoute", "TCPRoute")
_ALL = (*_ACCESS, "UDPRoute", "TLSRoute")


KINDS: tuple[Kind, ...] = (
    row(
        _GROUP,
        "SecurityPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=SECURITY_NEEDS,
        security=True,
        merging=_SECURITY,
        targets=_ACCESS,
        alternatives=_EITHER,
        controller=ENVOY_GATEWAY,
        traits=_GUARD,
        # envoyproxy/gateway, api/v1alpha1/jwt_types.go: a key of type `oct` is a secret.
        credentials=("spec.jwt.providers[].localJWKS.inline",),
        demands=demands.SECURITY,
        unseen=demands.UNSEEN_OF_SECURITY,
    ),
    # It holds the validation of client certificates.
    row(
        _GROUP,
        "ClientTrafficPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=CLIENT_NEEDS,
        security=True,
        merging=replace(_NEAREST, source=f"{_SOURCE}/clienttrafficpolicy.go"),
        targets=_LISTENERS,
        alternatives=_EITHER,
        controller=ENVOY_GATEWAY,
        reach=Reach(whole_ports=True),
        traits=_CLIENTS,
        demands=demands.CLIENT_TRAFFIC,
    ),
    # It holds the rate limits.
    row(
        _GROUP,
        "BackendTrafficPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=BACKEND_NEEDS,
        security=True,
        merging=_TRAFFIC,
        targets=_ALL,
        alternatives=_EITHER,
        controller=ENVOY_GATEWAY,
        reach=Reach(whole_routes=("TLSRoute",)),
        traits=_LIMITS,
        demands=demands.BACKEND_TRAFFIC,
    ),
    # Filters of the user's own, of which some authorize.
    row(
        _GROUP,
        "EnvoyExtensionPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=EXTENSION_NEEDS,
        security=True,
        merging=replace(_ASKED, source=f"{_SOURCE}/envoyextensionpolicy.go"),
        targets=_ALL,
        alternatives=_EITHER,
        controller=ENVOY_GATEWAY,
        reach=Reach(protocols=_HTTP),
        # api/v1alpha1/wasm_types.go: handed to the plugin as it is.
        credentials=("spec.wasm[].config",),
        demands=demands.EXTENSION,
        unseen=demands.UNSEEN_OF_EXTENSIONS,
    ),
    # All patches are made, by priority; of a GatewayClass where its Gateways are merged into one.
    row(
        _GROUP,
        "EnvoyPatchPolicy",
        "v1alpha1",
        references=(target_ref(),),
        security=True,
        merging=_PATCHES,
        targets=("Gateway", "GatewayClass"),
        controller=ENVOY_GATEWAY,
    ),
    row(
        _GROUP,
        "EnvoyProxy",
        "v1alpha1",
        needs=PROXY_NEEDS,
    ),
    row(_GROUP, "Backend", "v1alpha1"),
    row(_GROUP, "HTTPRouteFilter", "v1alpha1"),
)
