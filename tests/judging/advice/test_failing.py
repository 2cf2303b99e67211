"""Rules of routes that answer no request, whatever their controller and their kind."""

from tests.judging.advice.spokes import advised
from tests.support import cases, each, manifest, rows_of, text_of

CONTROLLERS = rows_of(__file__, "controllers")
PROTOCOLS = {"HTTPRoute": "HTTP", "GRPCRoute": "HTTP", "TCPRoute": "TCP", "UDPRoute": "UDP"}
THERE = "{name: pay, namespace: team, port: 80}"
HERE = "{name: shop, port: 80}"
FROM_ALL = "allowedRoutes: {namespaces: {from: All}}"
GRANT = text_of(__file__, "failing_grant.yaml")


def of_class(controller: str, *listeners: str) -> tuple[str, str]:
    """A Gateway of a controller's, with its class."""
    return (
        manifest("GatewayClass own", f"controllerName: {CONTROLLERS[controller]}"),
        manifest(
            "Gateway infra/web", f"gatewayClassName: own, listeners: [{', '.join(listeners)}]"
        ),
    )


def told(controller: str, rule: str, kind: str = "HTTPRoute", *more: str) -> list[str]:
    """What is told of a route with one rule on a Gateway of a controller's."""
    listener = f"{{name: any, port: 80, protocol: {PROTOCOLS[kind]}, {FROM_ALL}}}"
    route = f"""\
apiVersion: gateway.networking.k8s.io/v1
kind: {kind}
metadata: {{name: cart, namespace: shop}}
spec: {{parentRefs: [{{name: web, namespace: infra}}], rules: [{rule}]}}
"""
    return advised("SR2244", *of_class(controller, listener), route, *more)


@each(*CONTROLLERS)
@each(*PROTOCOLS)
def test_a_backend_that_no_grant_opens(kind: str, controller: str) -> None:
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


@each("eg", "istio")
def test_a_backend_whose_policy_for_tls_is_refused(controller: str) -> None:
    """Istio blocks requests, too, and says so of the policy alone: `wrong_tls` of its row."""
    names = "{group: '', kind: Service, name: shop}"
    trusted = "{hostname: a.example, caCertificateRefs: [{group: '', kind: ConfigMap, name: ca}]}"
    more = (
        manifest("Service shop/shop", "ports: [{port: 80}]"),
        manifest("ConfigMap shop/ca", data="{ca.crt: ''}"),
        manifest("BackendTLSPolicy shop/tls", f"targetRefs: [{names}], validation: {trusted}"),
    )
    (line,) = told(controller, f"{{backendRefs: [{HERE}]}}", "HTTPRoute", *more)
    assert "backendRefs[0]: requests for Service shop/shop are answered with 500" in line


@cases(*rows_of(__file__, "a_filter_that_calls_what_no_grant_opens"))
def test_a_filter_that_calls_what_no_grant_opens(filters: str, controllers: list[str]) -> None:
    rule = f"{{filters: [{filters}], backendRefs: [{HERE}]}}"
    for controller in controllers:
        (line,) = told(controller, rule)
        assert line.startswith("error SR2244 HTTPRoute shop/cart spec.rules[0]: ")
        assert "no ReferenceGrant in team" in line
        assert told(controller, rule, "HTTPRoute", GRANT.replace("KIND", "HTTPRoute")) == []


FILTERS = rows_of(__file__, "filters")


@each("HTTPRoute", "GRPCRoute")
def test_traefik_answers_500_where_a_filter_is_not_supported_and_no_status_says_so(
    kind: str,
) -> None:
    """httproute.go and grpcroute.go, loadMiddlewares: the service of the router is an error."""
    for text in FILTERS:
        lines = told("traefik", f"{{filters: [{text}], backendRefs: [{HERE}]}}", kind)
        is_supported = "Middleware" in text or "Modifier" in text
        assert ["not supported" in line for line in lines] == [True] * (not is_supported)


@cases(*rows_of(__file__, "what_a_controller_does_not_take"))
def test_what_a_controller_does_not_take(controller: str, rule: str, expected: str) -> None:
    lines = told(controller, rule)
    assert len(lines) == bool(expected)
    assert all(expected in line and line.startswith("error ") for line in lines)


def test_a_backend_without_requests_is_a_warning() -> None:
    """It fails in the status, and no request is for it."""
    weightless = THERE.replace("}", ", weight: 0}")
    (line,) = told("eg", f"{{backendRefs: [{HERE}, {weightless}]}}")
    assert line.startswith("warning SR2244 HTTPRoute shop/cart spec.rules[0].backendRefs[1]: ")


LISTENERS = rows_of(__file__, "listeners")


@cases(*rows_of(__file__, "a_redirect_to_the_same_url"))
def test_a_redirect_to_the_same_url(name: str, redirect: str, more: str, expected: str) -> None:
    """Gateway API, HTTPRequestRedirectFilter: the port is the scheme's, or the listener's."""
    filters = f"filters: [{{type: RequestRedirect, requestRedirect: {redirect}}}]"
    rule = ", ".join(filter(None, (filters, more)))
    spec = f"parentRefs: [{{name: web}}], hostnames: [shop.example.com], rules: [{{{rule}}}]"
    own = manifest("Gateway infra/web", f"gatewayClassName: x, listeners: [{LISTENERS[name]}]")
    lines = advised("SR2245", own, manifest("HTTPRoute infra/r", spec))
    line = (
        f"{expected} SR2245 HTTPRoute infra/r spec.rules: rule rule-1 redirects requests for "
        "shop.example.com to the same URL, without end (let the redirect change something, or "
        "keep the route off this listener (sectionName))"
    )
    assert lines == [line] * bool(expected)


def test_a_redirect_of_whatever_no_other_route_serves() -> None:
    spec = "rules: [{filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]}]"
    own = manifest("Gateway infra/web", f"gatewayClassName: x, listeners: [{LISTENERS['https']}]")
    route = manifest("HTTPRoute infra/r", f"parentRefs: [{{name: web}}], {spec}")
    (line,) = advised("SR2245", own, route)
    assert line.startswith("warning SR2245 HTTPRoute infra/r spec.rules: rule rule-1 redirects ")


WIDE, ANY = "{name: wide, port: 80, protocol: HTTP, hostname: '*.ex.com'}", LISTENERS["http"]


@cases(*rows_of(__file__, "a_hostname_on_two_listeners_of_one_port"))
def test_a_hostname_on_two_listeners_of_one_port(
    controller: str, listeners: tuple[str, ...], hostname: str, *, expected: bool
) -> None:
    """Envoy: "Only unique values for domains are permitted"; its gateway accepts the route."""
    spec = f"parentRefs: [{{name: web}}], hostnames: [{hostname}], rules: [{{backendRefs: []}}]"
    route = manifest("HTTPRoute infra/r", spec)
    lines = advised("SR2246", *of_class(controller, *listeners), route)
    place = "error SR2246 HTTPRoute infra/r spec.parentRefs"
    assert [line.partition(": ")[0] for line in lines] == [place] * expected


@cases(*rows_of(__file__, "a_policy_of_which_nothing_counts"))
def test_a_policy_of_which_nothing_counts(
    kind: str, protocol: str, spec: str, *, expected: bool
) -> None:
    """Envoy Gateway, securitypolicy.go: of TCP it carries out `authorization` alone."""
    gateway = of_class("eg", f"{{name: any, port: 80, protocol: {protocol}}}")
    route = manifest(f"{kind} infra/r", "parentRefs: [{name: web}], rules: [{backendRefs: []}]")
    target = "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}]"
    policy = manifest("SecurityPolicy infra/p", f"{target}, {spec}")
    line = (
        f"warning SR2206 SecurityPolicy infra/p spec.targetRefs[0]: nothing of it counts on {kind} "
        "infra/r [rule-1] on Gateway infra/web [any]: it protects nothing (use what its "
        "controller carries out there, or target other routes)"
    )
    assert advised("SR2206", *gateway, route, policy) == [line] * expected
