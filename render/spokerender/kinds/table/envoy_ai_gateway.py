"""Envoy AI Gateway: routes to models and to MCP servers, on gateways of Envoy Gateway.

Its controller makes an HTTPRoute of the same name for each AIGatewayRoute, and policies of Envoy
Gateway are for that. Facts: envoyproxy/ai-gateway c217da8, api and internal/controller.
"""

from functools import partial

from spokerender.kinds.columns import Need
from spokerender.kinds.kind import Controller, Kind, NamespaceRule, ReferencePath, Role
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.kinds.rows import any_object, backend_ref, local_object, parent_ref, target_refs
from spokerender.model.refs import GATEWAY_API

_GROUP = "aigateway.envoyproxy.io"
_SOURCE = "envoyproxy/ai-gateway c217da8, internal/controller"

# Without group and kind one of its own backends is meant.
_MODELS = ReferencePath(
    "spec.rules[].backendRefs[]", Role.BACKEND, _GROUP, "AIServiceBackend", NamespaceRule.ANY
)
_EXT_AUTH = tuple(
    any_object(f"spec.securityPolicy.extAuth.{path}", "Service")
    for path in ("grpc.backendRef", "grpc.backendRefs[]", "http.backendRef", "http.backendRefs[]")
)
_JWKS = "spec.securityPolicy.oauth.jwks"
_CREDENTIALS = (
    "apiKey.secretRef",
    "anthropicAPIKey.secretRef",
    "azureAPIKey.secretRef",
    "awsCredentials.credentialsFile.secretRef",
    "azureCredentials.clientSecretRef",
    "gcpCredentials.credentialsFile.secretRef",
)

_OIDC = tuple(
    any_object(f"spec.{path}.oidcExchangeToken.oidc.{field}", of)
    for path in (
        "awsCredentials",
        "azureCredentials",
        "gcpCredentials.workloadIdentityFederationConfig",
    )
    for field, of in (
        ("clientIDRef", "Secret"),
        ("clientSecret", "Secret"),
        ("provider.backendRef", "Service"),
        ("provider.backendRefs[]", "Service"),
    )
)

CONTROLLERS: tuple[Controller, ...] = ()

_row = partial(Kind, _GROUP, versions=("v1beta1", "v1alpha1"))

KINDS: tuple[Kind, ...] = (
    _row(
        "AIGatewayRoute",
        references=(parent_ref("spec.parentRefs[]", max_items=16), _MODELS),
        needs=(Need("metadata", "HTTPRoute", GATEWAY_API),),
    ),
    _row(
        "MCPRoute",
        references=(
            parent_ref("spec.parentRefs[]", max_items=16),
            backend_ref("spec.backendRefs[]"),
        ),
        needs=(
            any_object("spec.backendRefs[].securityPolicy.apiKey.secretRef"),
            any_object("spec.securityPolicy.apiKeyAuth.credentialRefs[]"),
            any_object(f"{_JWKS}.remoteJWKS.backendRefs[]", "Service"),
            any_object(f"{_JWKS}.remoteJWKS.backendRef", "Service"),
            local_object("spec.securityPolicy.extAuth.contextExtensions[].valueRef"),
            any_object(f"{_JWKS}.localJWKS.valueRef", "ConfigMap"),
            *_EXT_AUTH,
        ),
    ),
    _row("AIServiceBackend", references=(backend_ref("spec.backendRef"),)),
    # Several on one backend are an error, and none of them holds.
    _row(
        "BackendSecurityPolicy",
        references=(target_refs(),),
        needs=(*(any_object(f"spec.{path}") for path in _CREDENTIALS), *_OIDC),
        targets=("AIServiceBackend", "InferencePool"),
        merging=Merging(Process.ALONE, Several.ALONE, source=f"{_SOURCE}/ai_service_backend.go"),
    ),
    _row(
        "QuotaPolicy",
        references=(target_refs(),),
        targets=("AIServiceBackend",),
        merging=Merging(Process.UNKNOWN, source=f"{_SOURCE}, which nobody has read for it"),
    ),
    _row("GatewayConfig"),
)
