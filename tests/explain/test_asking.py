"""Answers to requests as values, on a spoke with Envoy Gateway."""

from spokerender.explain.answered import AnswerOfProxy, RequestAnswer
from spokerender.explain.requests import read_request
from spokerender.explain.running import share_request_answers
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge
from spokerender.rendering.values.alike import Alike
from tests.support import each, end_to_end as e2e, manifest

CLASS = (
    "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: eg}\n"
    "spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}\n"
)
ALL = "allowedRoutes: {namespaces: {from: All}}"


def share(
    asked: str, listener: str, rule: str, places: str = e2e.everywhere("infra/web")
) -> Alike[RequestAnswer]:
    gateway = manifest("Gateway infra/web", f"gatewayClassName: eg, listeners: [{listener}]")
    route = manifest(
        "HTTPRoute shop/cart", f"parentRefs: [{{name: web, namespace: infra}}], rules: [{rule}]"
    )
    service = manifest("Service shop/cart", "ports: [{port: 80}]")
    files = {
        "hub/class.yaml": CLASS,
        "hub/all.yaml": f"{gateway}---\n{route}---\n{service}",
        "fleet.yaml": e2e.fleet(("gateway.networking.k8s.io", "HTTPRoute")),
        "placement.yaml": places,
    }
    rendered = e2e.rendered(files)
    judged = judge(rendered, (), Aspect.STATES)
    (shared,), _ = share_request_answers(rendered, judged, read_request(asked))
    return shared


def answer(asked: str, listener: str, rule: str) -> AnswerOfProxy:
    (proxy,) = share(asked, listener, rule).common.proxies
    return proxy


def test_weights_of_spokes_are_not_added_up() -> None:
    cart = "{name: cart, port: 80}"
    places = e2e.placement(
        "[{name: a, values: {w: 70}}, {name: b, values: {w: 90}}]",
        "[{gateways: {names: [infra/web]}, spokes: {all: true}}]",
        "[{target: {kind: HTTPRoute}, spokes: {all: true}, patch: [{op: add,"
        " path: /spec/rules/0/backendRefs/0/weight, value: '{{ spoke.values.w }}'}]}]",
    )
    listener = f"{{name: http, protocol: HTTP, port: 80, {ALL}}}"
    shared = share("http://h.example/", listener, f"{{backendRefs: [{cart}, {cart}]}}", places)
    shares = [
        [backend.share for rule in each.proxies[0].rules for backend in rule.backends]
        for each in (shared.common, *shared.each)
    ]
    assert shares == [["weight {{ spoke.values.w }}", "weight 1"]] + [
        [f"weight {weight}", "weight 1"] for weight in (70, 90)
    ]


@each("port: 81", "port: 80, filters: [{type: RequestMirror}]")
def test_of_two_references_to_a_service_the_wrong_one_fails(wrong: str) -> None:
    backends = f"{{backendRefs: [{{name: cart, port: 80}}, {{name: cart, {wrong}}}]}}"
    listener = f"{{name: http, protocol: HTTP, port: 80, {ALL}}}"
    (rule,) = answer("http://a.example/", listener, backends).rules
    assert [bool(backend.failing) for backend in rule.backends] == [False, True]


def test_a_listener_whose_certificate_may_not_be_named_is_not_opened() -> None:
    reference = "tls: {certificateRefs: [{name: cert, namespace: shop}]}"
    listener = f"{{name: https, protocol: HTTPS, port: 443, {reference}, {ALL}}}"
    proxy = answer("https://a.example/", listener, "{backendRefs: [{name: cart, port: 80}]}")
    assert proxy.rules == ()
    assert proxy.refused.startswith("port 443 is not opened: ")
