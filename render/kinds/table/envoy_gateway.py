"""Envoy Gateway's policies; `targetRef` is the deprecated form of `targetRefs`."""

from __future__ import annotations

from render.kinds.kind import SECTION, Kind, Need
from render.kinds.rows import (
    any_object,
    local_object,
    row,
    target_ref,
    target_refs,
    target_selectors,
)
from render.model import GATEWAY_API

_GROUP = "gateway.envoyproxy.io"
_TARGETS = (
    target_ref(section=SECTION),
    target_refs(section=SECTION, max_items=None),
    target_selectors(group=GATEWAY_API),
)


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
    ),
    # It holds the validation of client certificates.
    row(
        _GROUP,
        "ClientTrafficPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=_CLIENT_NEEDS,
        security=True,
    ),
    # It holds the rate limits.
    row(
        _GROUP,
        "BackendTrafficPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=_BACKEND_NEEDS,
        security=True,
    ),
    # Filters of the user's own, of which some authorize.
    row(
        _GROUP,
        "EnvoyExtensionPolicy",
        "v1alpha1",
        references=_TARGETS,
        needs=_EXTENSION_NEEDS,
        security=True,
    ),
    row(_GROUP, "EnvoyPatchPolicy", "v1alpha1", references=(target_ref(),), security=True),
    row(_GROUP, "EnvoyProxy", "v1alpha1"),
    row(_GROUP, "Backend", "v1alpha1"),
    row(_GROUP, "HTTPRouteFilter", "v1alpha1"),
)
