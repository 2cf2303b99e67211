"""Envoy AI Gateway: routes to models and to MCP servers, on gateways of Envoy Gateway.

Its controller creates an HTTPRoute of the same name for each AIGatewayRoute; policies of Envoy
Gateway attach to that HTTPRoute. Facts: envoyproxy/ai-gateway c217da8, api, internal/controller.
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
_SECRETS = tuple(
    any_object(f"spec.**.{field}")
    for field in ("secretRef", "clientSecretRef", "clientSecret", "clientIDRef", "credentialRefs[]")
)
_SERVICES = tuple(
    any_object(f"spec.**.{holder}.{field}", "Service")
    for holder in ("remoteJWKS", "grpc", "http", "provider")
    for field in ("backendRef", "backendRefs[]")
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
            *_SECRETS,
            *_SERVICES,
            local_object("spec.**.contextExtensions[].valueRef"),
            local_object("spec.**.localJWKS.valueRef", "ConfigMap"),
        ),
    ),
    _row("AIServiceBackend", references=(backend_ref("spec.backendRef"),)),
    # Several on one backend are an error, and none of them holds.
    _row(
        "BackendSecurityPolicy",
        references=(target_refs(),),
        needs=(*_SECRETS, *_SERVICES),
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
