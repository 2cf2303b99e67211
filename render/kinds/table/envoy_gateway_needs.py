"""What Envoy Gateway's policies need on a cluster besides (its CRDs)."""

from __future__ import annotations

from render.kinds.kind import Need
from render.kinds.rows import any_object, local_object


def backends(*paths: str) -> tuple[Need, ...]:
    """Backends of a `BackendCluster`; `backendRef` is the deprecated form of `backendRefs`."""
    return tuple(
        any_object(f"{path}.{field}", "Service")
        for path in paths
        for field in ("backendRef", "backendRefs[]")
    )


SECURITY_NEEDS = (
    any_object("spec.oidc.clientIDRef"),
    any_object("spec.oidc.clientSecret"),
    any_object("spec.basicAuth.users"),
    any_object("spec.apiKeyAuth.credentialRefs[]"),
    local_object("spec.jwt.providers[].localJWKS.valueRef", "ConfigMap"),
    *backends("spec.oidc.provider", "spec.jwt.providers[].remoteJWKS"),
    *backends("spec.extAuth.grpc", "spec.extAuth.http"),
)
_VALIDATION = "spec.tls.clientValidation"
CLIENT_NEEDS = tuple(
    any_object(f"{_VALIDATION}.{field}") for field in ("caCertificateRefs[]", "crl.refs[]")
)
BACKEND_NEEDS = (local_object("spec.responseOverride[].response.body.valueRef", "ConfigMap"),)
EXTENSION_NEEDS = (
    any_object("spec.wasm[].code.image.pullSecretRef"),
    local_object("spec.lua[].valueRef", "ConfigMap"),
    *backends("spec.extProc[]"),
)
_LOGS = "spec.telemetry.accessLog.settings[].sinks[]"
PROXY_NEEDS = backends(
    f"{_LOGS}.als",
    f"{_LOGS}.openTelemetry",
    "spec.telemetry.metrics.sinks[].openTelemetry",
    "spec.telemetry.tracing.provider",
)
