"""What kgateway's kinds name besides their targets.

Source: kgateway 48460f7, api/v1alpha1/kgateway; a GatewayExtension may be named across namespaces
without a grant unless the controller is told to be strict (pkg/pluginsdk, reference-grant mode).
"""

from __future__ import annotations

from msgspec.structs import replace

from spokerender.kinds.need import Need, any_object, local_object, secret

GROUP = "gateway.kgateway.dev"
_EXTENDING = ("extAuth", "extProc", "jwtAuth", "oauth2", "rateLimit.global")


def _secret_of(path: str) -> Need:
    """A Secret of any namespace."""
    return Need(path, namespace_key="namespace")


def _headers(path: str) -> tuple[Need, ...]:
    return tuple(_secret_of(f"{path}.{verb}[].secretRef") for verb in ("add", "set"))


def _listener(path: str) -> tuple[Need, ...]:
    http = f"{path}.httpSettings"
    services = (
        f"{http}.accessLog[].grpcService",
        f"{http}.accessLog[].openTelemetry.grpcService",
        f"{http}.tracing.provider.openTelemetry.grpcService",
    )
    return (
        *(any_object(f"{service}.backendRef", "Service") for service in services),
        *_headers(f"{http}.localReplies.mappers[].headers"),
    )


TRAFFIC = (
    *(
        replace(
            Need(f"spec.{field}.extensionRef", "GatewayExtension", GROUP),
            namespace_key="namespace",
            is_granted=False,
        )
        for field in _EXTENDING
    ),
    _secret_of("spec.basicAuth.secretRef"),
    any_object("spec.apiKeyAuth.secretRef"),
    *_headers("spec.headerModifiers.request"),
    *_headers("spec.headerModifiers.response"),
)
LISTENER = (
    *_listener("spec.default"),
    *_listener("spec.perPort[].listener"),
    any_object("spec.default.clientCertificateValidation.caCertificateRefs[]", "ConfigMap"),
)
BACKEND_CONFIG = (secret("spec.tls.secretRef"),)
EXTENSION = (
    *(
        any_object(f"spec.{path}", "Service")
        for path in (
            "extAuth.grpcService.backendRef",
            "extAuth.httpService.backendRef",
            "extProc.grpcService.backendRef",
            "rateLimit.grpcService.backendRef",
            "jwt.providers[].jwks.remote.backendRef",
            "oauth2.backendRef",
            "oauth2.jwt.jwksBackendRef",
        )
    ),
    local_object("spec.jwt.providers[].jwks.local.configMapRef", "ConfigMap"),
    secret("spec.oauth2.credentials.clientSecretRef"),
)
BACKEND = (
    secret("spec.aws.auth.secretRef"),
    Need("spec.priorityGroups[].backendRefs[]", "Backend", GROUP),
)
