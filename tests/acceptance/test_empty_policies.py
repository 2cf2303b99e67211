"""A policy that says nothing still is one (Envoy Gateway: the nearest holds, whole)."""

from spokerender.explain.values import PathQuestion
from spokerender.kinds.catalogue import Catalogue
from spokerender.pipeline import judge
from tests.support import cases, manifest, text_of
from tests.support.answers import in_force
from tests.support.end_to_end import built, everywhere, fleet
from tests.support.stages import hub

HUB = hub(
    manifest("GatewayClass eg", "controllerName: gateway.envoyproxy.io/gatewayclass-controller"),
    manifest(
        "Gateway infra/web",
        "gatewayClassName: eg, listeners: [{name: http, port: 80, protocol: HTTP}]",
    ),
    manifest(
        "HTTPRoute infra/shop",
        "parentRefs: [{name: web}], rules: [{backendRefs: [{name: shop, port: 80}]}]",
    ),
    manifest(
        "SecurityPolicy infra/guard",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], "
        "jwt: {providers: [{name: a, remoteJWKS: {uri: 'https://a.example'}}]}",
    ),
)
EMPTY = text_of(__file__, "empty_policies_empty.yaml")


@cases(("", ["guard"]), (EMPTY, []))
def test_an_empty_policy_opens_a_route(more: str, holding: list[str]) -> None:
    files = {
        "hub/hub.yaml": HUB + more,
        "placement.yaml": everywhere("infra/web"),
        "fleet.yaml": fleet(
            ("gateway.networking.k8s.io", "HTTPRoute"), ("gateway.envoyproxy.io", "SecurityPolicy")
        ),
    }
    found = built(files)
    (answer,) = in_force(found, judge(found), PathQuestion("", "shop", "SecurityPolicy", ""))
    assert [each.rule.policy.name for each in answer.rules] == holding
    assert [each.overruled.policy.name for each in answer.overruled] == (["guard"] if more else [])


@cases(("TrafficPolicy", "GRPCRoute"), ("BackendConfigPolicy", "Hostname"))
def test_targets_that_kgateway_has(kind: str, target: str) -> None:
    """Kgateway 48460f7: the CEL of their CRDs."""
    assert target in Catalogue.of([]).kind("gateway.kgateway.dev", kind).targets
