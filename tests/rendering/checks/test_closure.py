"""What a spoke's tree refers to is there, or a result says that it is not."""

from tests.support import cases, each
from tests.support.stages import CLASS, auth, everywhere, gateway, render, route, told

LABELLED = gateway("web", metadata="labels: {tier: public}")
ROUTE = route("cart", spec="rules: [{}]")


def found(text: str, as_: str = "{}", mode: str = "create", settings: str = "") -> list[str]:
    rules = everywhere(as_, mode)
    results = render(
        [CLASS, LABELLED, gateway("api"), ROUTE, text], rules, settings=settings
    ).results
    return told(results, "SR1504", "SR1706")


def policy(spec: str) -> str:
    return (
        "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: SecurityPolicy\n"
        f"metadata: {{name: p, namespace: infra}}\nspec: {spec}\n"
    )


def selecting(labels: str, more: str = "") -> str:
    return policy(f"{{targetSelectors: [{{kind: Gateway, matchLabels: {labels}{more}}}]}}")


@cases(
    (auth("p", "kind: Gateway, name: web"), "{name: edge, namespace: gw}", "create"),
    (auth("p", "kind: Gateway, name: web"), "{name: edge}", "existing"),
    (auth("p", "kind: HTTPRoute, name: cart", "shop"), "{}", "create"),
    (selecting("{tier: public}"), "{}", "create"),
    (selecting("{tier: public}"), "{namespace: gw}", "create"),
    (selecting("{tier: public}"), "{labels: {other: x}}", "create"),
    # The labels of a gateway that the spoke has of its own are in no file.
    (selecting("{tier: public}"), "{listeners: [{name: http}]}", "existing"),
    # It selected nobody on the hub either, and does not ship.
    (selecting("{tier: none}"), "{}", "create"),
)
def test_nothing_to_tell(text: str, as_: str, mode: str) -> None:
    assert [line for line in found(text, as_, mode) if "/p " in line] == []


def test_a_service_that_a_shipped_policy_targets_is_told() -> None:
    text = policy(
        '{targetRefs: [{group: "", kind: Service, name: svc}, '
        "{group: gateway.networking.k8s.io, kind: Gateway, name: web}]}"
    )
    assert found(text) == [
        (
            "SR1504 SecurityPolicy infra/p spec.targetRefs[0]: Service infra/svc is not rendered; "
            "the spoke has to have it [eu us]"
        )
    ]


def test_a_route_whose_kind_is_not_listed_is_told_of_its_policies() -> None:
    text = auth("p", "kind: GRPCRoute, name: g", "shop")
    grpc = route("g").replace("HTTPRoute", "GRPCRoute")
    results = render(
        [gateway("web"), grpc, text],
        settings="policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]",
    ).results
    assert told(results, "SR1504") == [
        (
            "SR1504 AuthPolicy shop/p spec.targetRef: GRPCRoute shop/g is not rendered; the spoke "
            "has to have it [eu us]"
        )
    ]


def lost(gateways: str, spokes: str) -> list[str]:
    return [
        (
            f"SR1706 SecurityPolicy infra/p spec.targetSelectors[0]: its selector does not select "
            f"{gateways} on the spoke, as it did on the hub (keep the labels that it selects in "
            f"the "
            f"rule's `as.labels`, and the gateways in a namespace that it looks into) [{spokes}]"
        )
    ]


@each("{labels: {tier: null}}", "{labels: {tier: '{{ spoke.name }}'}}")
def test_a_selector_that_lost_its_gateway_is_an_error(as_: str) -> None:
    assert found(selecting("{tier: public}"), as_) == lost("Gateway infra/web", "eu us")


def test_a_selector_that_lost_one_of_two_gateways_is_an_error() -> None:
    labelled = [gateway(name, metadata="labels: {tier: public}") for name in ("api", "web")]
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}}\n"
        "- {gateways: {names: [infra/api]}, spokes: {names: [us]}, as: {labels: {tier: null}}}\n"
    )
    results = render([CLASS, *labelled, selecting("{tier: public}")], rules).results
    assert told(results, "SR1706") == lost("Gateway infra/api", "us")


def test_a_selector_that_lost_its_gateway_by_an_override_is_an_error() -> None:
    results = render(
        [CLASS, LABELLED, selecting("{tier: public}")],
        overrides="- {target: {kind: Gateway}, spokes: {names: [us]}, "
        "merge: {metadata: {labels: {tier: internal}}}}",
    ).results
    assert told(results, "SR1706") == lost("Gateway infra/web", "us")
