"""Rules of routes that answer no request, whatever their controller and their kind."""

from __future__ import annotations

import pytest

from tests.judging.advice.spokes import advised

CONTROLLERS = {
    "eg": "gateway.envoyproxy.io/gatewayclass-controller",
    "istio": "istio.io/gateway-controller",
    "agentgateway": "agentgateway.dev/agentgateway",
    "traefik": "traefik.io/gateway-controller",
    "contour": "projectcontour.io/gateway-controller",
}
PROTOCOLS = {"HTTPRoute": "HTTP", "GRPCRoute": "HTTP", "TCPRoute": "TCP", "UDPRoute": "UDP"}
THERE = "{name: pay, namespace: team, port: 80}"
HERE = "{name: shop, port: 80}"
GRANT = """\
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: pay, namespace: team}
spec:
  from: [{group: gateway.networking.k8s.io, kind: KIND, namespace: shop}]
  to: [{group: "", kind: Service}]
"""


def told(controller: str, rule: str, kind: str = "HTTPRoute", *more: str) -> list[str]:
    """What is told of a route with one rule on a Gateway of a controller's."""
    gateway_class = f"""\
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {{name: own}}
spec: {{controllerName: {CONTROLLERS[controller]}}}
"""
    gateway = f"""\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: web, namespace: infra}}
spec:
  gatewayClassName: own
  listeners:
  - name: any
    port: 80
    protocol: {PROTOCOLS[kind]}
    allowedRoutes: {{namespaces: {{from: All}}}}
"""
    route = f"""\
apiVersion: gateway.networking.k8s.io/v1
kind: {kind}
metadata: {{name: cart, namespace: shop}}
spec: {{parentRefs: [{{name: web, namespace: infra}}], rules: [{rule}]}}
"""
    return advised("SR2244", gateway_class, gateway, route, *more)


@pytest.mark.parametrize("controller", CONTROLLERS)
@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_backend_that_no_grant_opens(controller: str, kind: str) -> None:
    """Gateway API, `RouteReasonRefNotPermitted`: whoever the controller is."""
    rule = f"{{backendRefs: [{THERE}]}}"
    effect = (
        "requests for Service team/pay are answered with 500"
        if kind in ("HTTPRoute", "GRPCRoute")
        else "connections for Service team/pay are refused"
    )
    (line,) = told(controller, rule, kind)
    assert line == (
        f"error SR2244 {kind} shop/cart spec.rules[0].backendRefs[0]: {effect}, as no "
        "ReferenceGrant in team lets it name Service team/pay (add the ReferenceGrant to the hub, "
        "or declare it under `spec.external` of fleet.yaml if the spokes have it)"
    )
    assert told(controller, rule, kind, GRANT.replace("KIND", kind)) == []


@pytest.mark.parametrize(
    ("filters", "controllers"),
    [
        (
            f"{{type: RequestMirror, requestMirror: {{backendRef: {THERE}}}}}",
            ("eg", "istio", "agentgateway", "contour"),
        ),
        (
            f"{{type: ExternalAuth, externalAuth: {{protocol: GRPC, backendRef: {THERE}}}}}",
            ("agentgateway", "contour"),
        ),
    ],
)
def test_a_filter_that_calls_what_no_grant_opens(
    filters: str, controllers: tuple[str, ...]
) -> None:
    rule = f"{{filters: [{filters}], backendRefs: [{HERE}]}}"
    for controller in controllers:
        (line,) = told(controller, rule)
        assert line.startswith("error SR2244 HTTPRoute shop/cart spec.rules[0]: ")
        assert "no ReferenceGrant in team" in line
        assert told(controller, rule, "HTTPRoute", GRANT.replace("KIND", "HTTPRoute")) == []


@pytest.mark.parametrize(
    ("controller", "rule", "expected"),
    [
        ("eg", "{backendRefs: [{kind: ConfigMap, name: shop, port: 80}]}", "not a ConfigMap of"),
        ("istio", "{backendRefs: [{group: a.b, kind: Bucket, name: s}]}", "not a Bucket of a.b"),
        ("contour", "{backendRefs: [{group: apps, kind: Deployment, name: s}]}", "is no backend"),
        ("contour", "{backendRefs: [{group: a.b, kind: Bucket, name: s}]}", ""),
        (
            "eg",
            "{backendRefs: [{group: inference.networking.k8s.io, kind: InferencePool, name: s}]}",
            "",
        ),
        (
            "eg",
            "{filters: [{type: ExtensionRef, extensionRef: {group: a.b, kind: C, name: c}}]}",
            "a filter can't be a C of a.b",
        ),
        (
            "istio",
            "{filters: [{type: ExtensionRef, extensionRef: {group: a.b, kind: C, name: c}}]}",
            "its controller refuses the rule, as filters of type ExtensionRef are not supported",
        ),
        (
            "contour",
            "{filters: [{type: ExtensionRef, extensionRef: {group: a.b, kind: C, name: c}}]}",
            "",
        ),
    ],
)
def test_what_a_controller_does_not_take(controller: str, rule: str, expected: str) -> None:
    lines = told(controller, rule)
    assert len(lines) == bool(expected)
    assert all(expected in line and line.startswith("error ") for line in lines)


def test_a_backend_without_requests_is_a_warning() -> None:
    """It fails in the status, and no request is for it."""
    weightless = THERE.replace("}", ", weight: 0}")
    (line,) = told("eg", f"{{backendRefs: [{HERE}, {weightless}]}}")
    assert line.startswith("warning SR2244 HTTPRoute shop/cart spec.rules[0].backendRefs[1]: ")
