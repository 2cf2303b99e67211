"""Envoy Gateway's policies; `targetRef` is the deprecated form of `targetRefs`."""

from __future__ import annotations

from dataclasses import replace

from render.kinds.kind import SECTION, Kind, Merge, Merging, Need, Process
from render.kinds.rows import (
    any_object,
    local_object,
    row,
    target_ref,
    target_refs,
    target_selectors,
)
from render.kinds.traits import Traits
from render.model import GATEWAY_API

_GROUP = "gateway.envoyproxy.io"
_TARGETS = (
    target_ref(section=SECTION),
    target_refs(section=SECTION, max_items=None),
    target_selectors(group=GATEWAY_API),
)

# A policy on a section holds there whole, then one on the ListenerSet, then one on the Gateway; a
# second one on the same is Conflicted.
_ONE_EACH = Merging(Process.GEP_713, one_each=True)
# But for routes: `mergeType` there merges with the closest one above. What a strategic merge does
# with lists is in Go's types only; here it replaces them, as a JSON merge does.
_MERGED = replace(
    _ONE_EACH, merge_types=(("JSONMerge", Merge.PATCH), ("StrategicMerge", Merge.PATCH))
)
# `spec`, CEL: either targetRef or targetRefs must be used.
_EITHER = (("targetRef", "targetRefs"),)
# `cors` says what browsers let through, and nothing of who may call.
_GUARD = Traits(
    guards=True,
    guarding=("apiKeyAuth", "authorization", "basicAuth", "extAuth", "jwt", "oidc"),
)
_LISTENERS = ("Gateway", "ListenerSet")
_ACCESS = (*_LISTENERS, "HTTPRoute", "GRPCRoute", "TCPRoute")
_ALL = (*_ACCESS, "UDPRoute", "TLSRoute")


def _backends(*paths: str) -> tuple[Need, ...]:
    """Backends of a `BackendCluster`; `backendRef` is the deprecated form of `backendRefs`."""
    return tuple(
        any_object(f"{path}.{field}", "Service")
        for path in paths
        for field in ("backendRef", "backendRefs[]")
    )


_SECURITY_NEEDS = (
    any_object("spec.oidc.clientIDRef"),
    any_object("spec.oidc.clientSecret"),
    any_object("spec.basicAuth.users"),
    any_object("spec.apiKeyAuth.credentialRefs[]"),
    local_object("spec.jwt.providers[].localJWKS.valueRef", "ConfigMap"),
    *_backends(
        "spec.oidc.provider",
        "spec.jwt.providers[].remoteJWKS",
        "spec.extAuth.grpc",
        "spec.extAuth.http",
    ),
)
_CLIENT_NEEDS = (
    any_object("spec.tls.clientValidation.caCertificateRefs[]"),
    any_object("spec.tls.clientValidation.crl.refs[]"),
)
_BACKEND_NEEDS = (local_object("spec.responseOverride[].response.body.valueRef", "ConfigMap"),)
_EXTENSION_NEEDS = (
    any_object("spec.wasm[].code.image.pullSecretRef"),
    local_object("spec.lua[].valueRef", "ConfigMap"),
    *_backends("spec.extProc[]"),
)

KINDS: tuple[Kind, ...] = (
    row(
        _GROUP,
        "SecurityPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=_SECURITY_NEEDS,
        security=True,
        merging=_MERGED,
        targets=_ACCESS,
        alternatives=_EITHER,
        traits=_GUARD,
    ),
    # It holds the validation of client certificates.
    row(
        _GROUP,
        "ClientTrafficPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=_CLIENT_NEEDS,
        security=True,
        merging=_ONE_EACH,
        targets=_LISTENERS,
        alternatives=_EITHER,
    ),
    # It holds the rate limits.
    row(
        _GROUP,
        "BackendTrafficPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=_BACKEND_NEEDS,
        security=True,
        merging=_MERGED,
        targets=_ALL,
        alternatives=_EITHER,
    ),
    # Filters of the user's own, of which some authorize.
    row(
        _GROUP,
        "EnvoyExtensionPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=_EXTENSION_NEEDS,
        security=True,
        merging=_MERGED,
        targets=_ALL,
        alternatives=_EITHER,
    ),
    # All patches are made, by priority; of a GatewayClass where its Gateways are merged into one.
    row(
        _GROUP,
        "EnvoyPatchPolicy",
        "v1alpha1",
        references=(target_ref(),),
        security=True,
        merging=Merging(Process.ALL),
        targets=("Gateway", "GatewayClass"),
    ),
    row(_GROUP, "EnvoyProxy", "v1alpha1"),
    row(_GROUP, "Backend", "v1alpha1"),
    row(_GROUP, "HTTPRouteFilter", "v1alpha1"),
)
