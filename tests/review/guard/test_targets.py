"""What policies of all sorts protect, in words."""

from typing import Any

from spokerender.formats import yamlio
from spokerender.review.guard.targets import targets_of_policy
from tests.review.guard.trees import CATALOGUE
from tests.support import cases

GATEWAY = "group: gateway.networking.k8s.io, kind: Gateway, name: web"
LABELS = "{matchLabels: {app: web, tier: a}}"
HAS_APP = "{matchExpressions: [{key: app, operator: Exists}]}"
BY_NAME = "{matchLabels: {gateway.networking.k8s.io/gateway-name: web}}"
EVERYWHERE = "{kind: Gateway, matchLabels: {a: b}, namespaces: {from: All}}"
SOMEWHERE = "{kind: Gateway, namespaces: {from: Selector, selector: {matchLabels: {c: d}}}}"


def words(group: str, kind: str, spec: str) -> list[str]:
    (document,), _ = yamlio.read(f"spec: {spec}\n".encode(), "")
    return list(map(str, targets_of_policy(CATALOGUE.kind(group, kind), document.value, "shop")))


@cases(
    ("kuadrant.io", "AuthPolicy", f"{{targetRef: {{{GATEWAY}}}}}", ["Gateway shop/web"]),
    ("kuadrant.io", "AuthPolicy", f"{{targetRef: {{{GATEWAY}, sectionName: https}}}}",
     ["Gateway shop/web [https]"]),
    ("gateway.envoyproxy.io", "SecurityPolicy", f"{{targetRefs: [{{{GATEWAY}}}, {{{GATEWAY}}}]}}",
     ["Gateway shop/web"]),
    ("gateway.envoyproxy.io", "SecurityPolicy", f"{{targetSelectors: [{EVERYWHERE}, {SOMEWHERE}]}}",
     ["every Gateway with a=b of every namespace", "every Gateway of namespace (c=d)"]),
    ("kuadrant.io", "AuthPolicy", "{}", []),
    ("security.istio.io", "AuthorizationPolicy", f"{{selector: {LABELS}}}",
     ["every workload with app=web,tier=a of namespace shop"]),
    ("security.istio.io", "AuthorizationPolicy", "{}", ["every workload of namespace shop"]),
    ("security.istio.io", "AuthorizationPolicy", f"{{selector: {BY_NAME}}}", ["Gateway shop/web"]),
    ("networking.k8s.io", "NetworkPolicy",
     f"{{podSelector: {HAS_APP}, ingress: [{{from: [{{podSelector: {BY_NAME}}}]}}]}}",
     ["every workload with app of namespace shop"]),
    ("gateway.networking.k8s.io", "BackendTLSPolicy",
     "{targetRefs: [{group: '', kind: Service, name: cart}]}", ["Service shop/cart"]),
)  # fmt: skip
def test_targets(group: str, kind: str, spec: str, expected: list[Any]) -> None:
    assert words(group, kind, spec) == expected
