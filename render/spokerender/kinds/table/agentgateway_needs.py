"""What agentgateway's kinds name besides their targets.

Source: agentgateway/agentgateway 75b4e6c, controller/install/helm/agentgateway-crds; the settings
of a backend have one form, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Iterable

from spokerender.kinds.need import Need, any_object, local_object

_TOKENS = (
    "oauthTokenExchange",
    "crossAppAccess.identityProvider",
    "crossAppAccess.resourceAuthorizationServer",
)
_KEYS = (
    "secretRef",
    "aws.secretRef",
    "azure.secretRef",
    "gcp.secretRef",
    "credentials[].secretRef",
)
_KEYS_OF_GUARDS = ("secretRef", "aws.secretRef", "gcp.secretRef")
_CLIENT_KEYS = ("secretRef", "privateKeyJwt.certificateRef", "privateKeyJwt.signingKeyRef")


def _service(path: str) -> Need:
    return any_object(f"{path}.backendRef", "Service")


def _plain(path: str, keys: Iterable[str]) -> tuple[Need, ...]:
    """Credentials that are keys, TLS, a tunnel."""
    return (
        *(local_object(f"{path}.auth.{key}", "Secret") for key in keys),
        local_object(f"{path}.tls.caCertificateRefs[]", "ConfigMap"),
        local_object(f"{path}.tls.mtlsCertificateRef[]", "Secret"),
        _service(f"{path}.tunnel"),
    )


def _connection(path: str) -> tuple[Need, ...]:
    """How a backend is spoken to: with tokens as well."""
    auth = f"{path}.auth"
    return (
        *_plain(path, (*_KEYS, "jwtSign.signingKeyRef")),
        *(_service(f"{auth}.{token}") for token in _TOKENS),
        *(
            local_object(f"{auth}.{token}.clientAuth.{key}", "Secret")
            for token in _TOKENS
            for key in _CLIENT_KEYS
        ),
    )


def _guards(path: str) -> tuple[Need, ...]:
    """Who looks at prompts, and at answers."""
    asked = [
        f"{path}.promptGuard.{way}[].{guard}"
        for way in ("request", "response")
        for guard in ("bedrockGuardrails", "googleModelArmor", "openAIModeration")
    ]
    return (
        *(need for guard in asked for need in _plain(f"{guard}.policies", _KEYS_OF_GUARDS)),
        *(_service(f"{path}.promptGuard.{way}[].webhook") for way in ("request", "response")),
    )


def _backend(path: str) -> tuple[Need, ...]:
    """The settings of a backend."""
    return (
        *_connection(path),
        *_guards(f"{path}.ai"),
        _service(f"{path}.extAuth"),
        local_object(f"{path}.mcp.authentication.clientSecretRef", "Secret"),
        _service(f"{path}.mcp.authentication.jwks"),
        _service(f"{path}.mcp.guardrails.processors[].remote"),
    )


_TRAFFIC = "spec.traffic"
POLICY = (
    *_backend("spec.backend"),
    *(
        _service(f"{_TRAFFIC}.{path}")
        for path in (
            "extAuth",
            "extAuth.conditional[].policy",
            "extProc",
            "extProc.conditional[].policy",
            "jwtAuthentication.providers[].jwks.remote",
            "rateLimit.global",
            "rateLimit.conditional[].policy.global",
        )
    ),
    *(
        local_object(f"{_TRAFFIC}.{kind}Authentication.secretRef", "Secret")
        for kind in ("apiKey", "basic")
    ),
    _service("spec.frontend.accessLog.otlp"),
    _service("spec.frontend.tracing"),
)
BACKEND = (
    *_backend("spec.policies"),
    *_connection("spec.ai.groups[].providers[].policies"),
    *_guards("spec.ai.groups[].providers[].policies.ai"),
    *_connection("spec.mcp.targets[].static.policies"),
    _service("spec.ai.groups[].providers[].custom"),
    _service("spec.ai.provider.custom"),
    Need("spec.mcp.targets[].static.backendRef", "Service"),
)
MODEL = (
    *_plain("spec.policies", _KEYS),
    _service("spec.policies.auth.oauthTokenExchange"),
    *(
        local_object(f"spec.policies.auth.oauthTokenExchange.clientAuth.{key}", "Secret")
        for key in _CLIENT_KEYS
    ),
    *_guards("spec.policies"),
    _service("spec.custom"),
    *(
        Need(f"spec.virtualModel.{way}.targets[].modelRef", "AgentgatewayModel", "agentgateway.dev")
        for way in ("conditional", "failover", "weighted")
    ),
)
