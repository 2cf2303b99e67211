"""Envoy AI Gateway: its routes ship, and what is for them."""

from tests.support import end_to_end as e2e

_AI = "aigateway.envoyproxy.io"
_ENVOY = "gateway.envoyproxy.io"
_API = "gateway.networking.k8s.io"
HUB = f"""\
apiVersion: {_API}/v1
kind: Gateway
metadata:
  name: web
  namespace: infra
  annotations: {{{_AI}/gateway-config: own}}
spec: {{gatewayClassName: eg, listeners: [{{name: http, port: 80, protocol: HTTP}}]}}
---
apiVersion: {_AI}/v1beta1
kind: GatewayConfig
metadata: {{name: own, namespace: infra}}
---
apiVersion: {_AI}/v1beta1
kind: AIGatewayRoute
metadata: {{name: models, namespace: infra}}
spec:
  parentRefs: [{{name: web}}]
  rules: [{{backendRefs: [{{name: model}}]}}]
---
apiVersion: {_AI}/v1beta1
kind: MCPRoute
metadata: {{name: tools, namespace: infra}}
spec:
  parentRefs: [{{name: web}}]
  backendRefs: [{{group: {_ENVOY}, kind: Backend, name: server}}]
---
apiVersion: {_AI}/v1beta1
kind: AIServiceBackend
metadata: {{name: model, namespace: infra}}
spec: {{backendRef: {{group: {_ENVOY}, kind: Backend, name: provider}}}}
---
apiVersion: {_AI}/v1beta1
kind: BackendSecurityPolicy
metadata: {{name: key, namespace: infra}}
spec: {{targetRefs: [{{group: {_AI}, kind: AIServiceBackend, name: model}}]}}
---
apiVersion: {_ENVOY}/v1alpha1
kind: Backend
metadata: {{name: provider, namespace: infra}}
---
apiVersion: {_ENVOY}/v1alpha1
kind: BackendTrafficPolicy
metadata: {{name: retries, namespace: infra}}
spec: {{targetRefs: [{{group: {_API}, kind: HTTPRoute, name: models}}]}}
---
apiVersion: {_API}/v1
kind: BackendTLSPolicy
metadata: {{name: tls, namespace: infra}}
spec:
  targetRefs: [{{group: {_ENVOY}, kind: Backend, name: provider}}]
  validation: {{hostname: a.example, wellKnownCACertificates: System}}
"""
KINDS = (
    (_AI, "GatewayConfig"),
    (_AI, "AIGatewayRoute"),
    (_AI, "MCPRoute"),
    (_AI, "AIServiceBackend"),
    (_AI, "BackendSecurityPolicy"),
    (_ENVOY, "Backend"),
    (_ENVOY, "BackendTrafficPolicy"),
    (_API, "BackendTLSPolicy"),
)


def test_all_of_it_ships_and_the_route_that_its_controller_makes_is_not_missed() -> None:
    found = e2e.built(
        {
            "hub/all.yaml": HUB,
            "fleet.yaml": e2e.fleet(*KINDS),
            "placement.yaml": e2e.everywhere("infra/web"),
        }
    )
    assert sorted(e2e.objects(found)) == sorted(
        [
            "Gateway infra/web",
            "GatewayConfig infra/own",
            "AIGatewayRoute infra/models",
            "MCPRoute infra/tools",
            "AIServiceBackend infra/model",
            "BackendSecurityPolicy infra/key",
            "Backend infra/provider",
            "BackendTrafficPolicy infra/retries",
            "BackendTLSPolicy infra/tls",
        ]
    )
