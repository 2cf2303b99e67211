"""Answers to requests as values, on a spoke with Envoy Gateway."""

from spokerender.explain.answered import AnswerOfProxy
from spokerender.explain.requests import read_request
from spokerender.explain.running import share_request_answers
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge
from tests.support import each, end_to_end as e2e, manifest

CLASS = (
    "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: eg}\n"
    "spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}\n"
)
ALL = "allowedRoutes: {namespaces: {from: All}}"


def answer(asked: str, listener: str, rule: str) -> AnswerOfProxy:
    gateway = manifest("Gateway infra/web", f"gatewayClassName: eg, listeners: [{listener}]")
    route = manifest(
        "HTTPRoute shop/cart", f"parentRefs: [{{name: web, namespace: infra}}], rules: [{rule}]"
    )
    service = manifest("Service shop/cart", "ports: [{port: 80}]")
    files = {
        "hub/class.yaml": CLASS,
        "hub/all.yaml": f"{gateway}---\n{route}---\n{service}",
        "fleet.yaml": e2e.fleet(("gateway.networking.k8s.io", "HTTPRoute")),
        "placement.yaml": e2e.everywhere("infra/web"),
    }
    rendered = e2e.rendered(files)
    judged = judge(rendered, (), Aspect.STATES)
    (shared,), _ = share_request_answers(rendered, judged, read_request(asked))
    (proxy,) = shared.common.proxies
    return proxy


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
