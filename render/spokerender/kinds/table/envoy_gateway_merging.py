"""How Envoy Gateway puts several of its policies together."""

from __future__ import annotations

from msgspec.structs import replace

from spokerender.kinds.merging import (
    Asking,
    Merge,
    Merging,
    Names,
    Precedence,
    Process,
    Rank,
    Several,
)

SOURCE = "envoyproxy/gateway d32f282, internal/gatewayapi"
BY_AGE = Precedence(names=Names.PAIR)

# Whoever comes first fills the route: a rule's policy, then the route's, the ListenerSet's
# listener's, the ListenerSet's, the Gateway's listener's, the Gateway's; each of them whole. A
# second one on the same is Conflicted.
NEAREST = Merging(Process.NONE, Several.ONE, first=BY_AGE, source=SOURCE)
_ASKING = Asking("mergeType", (("JSONMerge", Merge.PATCH), ("StrategicMerge", Merge.STRATEGIC)))
ASKED = replace(NEAREST, asking=_ASKING)
# Of a TCPRoute only `authorization` is carried out; without it the Gateway's policy stays.
SECURITY = replace(
    ASKED,
    asking=replace(_ASKING, lists=(("extAuth.contextExtensions", "name"),)),
    on_routes=(("TCPRoute", replace(ASKED, counts=("authorization",), substance="authorization")),),
    source=f"{SOURCE}/securitypolicy.go",
)
# `setIfNil`: on routes of layer 4 each field is the nearest policy's that has it.
_LAYER_4 = replace(
    NEAREST,
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
    source=f"{SOURCE}/backendtrafficpolicy.go, translateBackendTrafficPolicyForListeners",
)
TRAFFIC = replace(
    ASKED,
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
    source=f"{SOURCE}/backendtrafficpolicy.go; api/v1alpha1/backendtrafficpolicy_types.go",
)
PATCHES = Merging(
    Process.ALL,
    first=replace(BY_AGE, rank=Rank(("spec", "priority"))),
    source=f"{SOURCE}/resource/resource.go",
)
