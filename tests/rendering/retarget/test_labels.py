"""References by label: selectors of gateways, and of the pods that they generate."""

from tests.rendering.retarget.moving import RENAMED, listing, made, namespace, policy
from tests.support import cases, each, rows_of
from tests.support.project import rendered
from tests.support.stages import (
    CLASS,
    EVERYWHERE,
    GATEWAY,
    everywhere,
    gateway,
    hub,
    objects,
    placement,
    render,
    told,
    values,
)


@each("SecurityPolicy", "EnvoyExtensionPolicy")
def test_target_selectors_stay_as_they_are_and_their_policy_moves(kind: str) -> None:
    text = policy(
        "gateway.envoyproxy.io",
        kind,
        "targetSelectors: [{kind: Gateway, matchExpressions: [{key: a, operator: DoesNotExist}]}]",
    )
    item = made(text)
    assert namespace(item) == "gw"
    assert item["spec"]["targetSelectors"] == [
        {"kind": "Gateway", "matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}
    ]


@each(
    "{from: All}",
    "{from: Selector, selector: {matchExpressions: [{key: a, operator: DoesNotExist}]}}",
)
def test_a_selector_that_looks_into_other_namespaces_holds_its_policy_nowhere(
    namespaces: str,
) -> None:
    text = policy(
        "gateway.envoyproxy.io",
        "SecurityPolicy",
        f"targetSelectors: [{{kind: Gateway, namespaces: {namespaces}}}]",
        "shop",
    )
    assert namespace(made(text)) == "shop"


NAME = "gateway.networking.k8s.io/gateway-name"


@cases(*rows_of(__file__, "a_policy_that_finds_its_gateway_by_label_ships_moves_and_follows"))
def test_a_policy_that_finds_its_gateway_by_label_ships_moves_and_follows(
    group: str, kind: str, before: str, after: str
) -> None:
    item = made(policy(group, kind, before))
    assert (namespace(item), item["spec"]) == ("gw", values(f"{{{after}}}\n")[0])


def test_in_istio_s_root_namespace_the_name_follows_and_the_policy_stays() -> None:
    """It selects in every namespace from there (pilot/pkg/model/policyattachment.go)."""
    text = policy(
        "security.istio.io",
        "AuthorizationPolicy",
        f"selector: {{matchLabels: {{{NAME}: web}}}}",
        "istio-system",
    )
    item = made(text)
    assert namespace(item) == "istio-system"
    assert item["spec"] == {"selector": {"matchLabels": {NAME: "edge"}}}


def test_in_istio_s_root_namespace_one_name_for_gateways_that_get_two_is_told() -> None:
    text = policy(
        "security.istio.io",
        "AuthorizationPolicy",
        f"selector: {{matchLabels: {{{NAME}: web}}}}",
        "istio-system",
    )
    other = GATEWAY.replace("namespace: infra", "namespace: shop")
    for name, lost in (("web", "Gateway infra/edge"), ("edge", "")):
        rule = "- {gateways: {names: [%s/web]}, spokes: {names: [eu]}, as: {name: %s}}\n"
        rules = rule % ("infra", "edge") + rule % ("shop", name)
        found = rendered(hub(CLASS, GATEWAY, other, text), placement(rules))
        why = f"its selector does not select {lost} on the spoke, as it did on the hub"
        assert [result.message for result in found.results if result.code == "SR1706"] == (
            [why] if lost else []
        )


@each(*rows_of(__file__, "a_policy_that_selects_another_workload_does_not_ship"))
def test_a_policy_that_selects_another_workload_does_not_ship(spec: str) -> None:
    text = policy("security.istio.io", "AuthorizationPolicy", spec)
    found = render([CLASS, GATEWAY, text], EVERYWHERE, settings=listing(text))
    assert sorted(objects(found)) == ["Gateway infra/web"]


def test_a_policy_for_all_of_a_namespace_ships_with_its_gateway() -> None:
    """Without a selector it is in force on the Gateway as well (Istio, ShouldAttachPolicy)."""
    text = policy("security.istio.io", "AuthorizationPolicy", "")
    rules = everywhere("{namespace: gw}")
    found = render([CLASS, GATEWAY, text], rules, settings=listing(text))
    assert sorted(objects(found)) == ["AuthorizationPolicy gw/p", "Gateway gw/web"]


def test_a_label_for_a_gateway_that_is_not_there_is_dropped_from_values_and_told() -> None:
    text = policy(
        "networking.k8s.io",
        "NetworkPolicy",
        f"podSelector: {{matchExpressions: [{{key: {NAME}, operator: In, values: [web, api]}}]}}, "
        f"ingress: [{{from: [{{podSelector: {{matchLabels: {{{NAME}: api}}}}}}]}}]",
    )
    rules = f"- {{gateways: {{names: [infra/web]}}, spokes: {{names: [eu]}}, as: {RENAMED}}}"
    found = render([CLASS, GATEWAY, gateway("api"), text], rules)
    spec = objects(found)["NetworkPolicy infra/p"]["spec"]
    assert spec["podSelector"]["matchExpressions"][0]["values"] == ["edge"]
    assert spec["ingress"] == [{"from": [{"podSelector": {"matchLabels": {NAME: "api"}}}]}]
    assert told(found.results, "SR1503", "SR1504") == [
        (
            "SR1503 NetworkPolicy infra/p spec.podSelector.matchExpressions[0].values[1]: the "
            "entry for Gateway infra/api is dropped: gateway infra/api is not on the spoke [eu]"
        ),
        (
            "SR1504 NetworkPolicy infra/p spec.ingress[0].from[0].podSelector.matchLabels: Gateway "
            "infra/api is not rendered; the spoke has to have it [eu]"
        ),
    ]


CLASS_NAME = "gateway.networking.k8s.io/gateway-class-name"
ONE_CLASS = f"{{key: {CLASS_NAME}, operator: In, values: [%s]}}"
BOTH_WAYS = f"selector: {{matchLabels: {{{NAME}: %s}}, matchExpressions: [{ONE_CLASS}]}}"


@cases(
    (f"selector: {{matchLabels: {{{NAME}: web, {CLASS_NAME}: hub}}}}",
     f"selector: {{matchLabels: {{{NAME}: edge, {CLASS_NAME}: istio}}}}"),
    (f"selector: {{matchLabels: {{{CLASS_NAME}: hub}}}}",
     f"selector: {{matchLabels: {{{CLASS_NAME}: istio}}}}"),
    (f"selector: {{matchExpressions: [{ONE_CLASS % 'hub, stranger'}]}}",
     f"selector: {{matchExpressions: [{ONE_CLASS % 'istio, stranger'}]}}"),
    (BOTH_WAYS % ("web", "hub"), BOTH_WAYS % ("edge", "istio")),
)  # fmt: skip
def test_the_label_of_a_class_follows_the_class(before: str, after: str) -> None:
    item = made(policy("policy", "PodDisruptionBudget", before))
    assert (namespace(item), item["spec"]) == ("gw", values(f"{{{after}}}\n")[0])


def test_a_selector_of_a_class_in_every_namespace_stays_and_follows_it() -> None:
    text = policy(
        "monitoring.coreos.com",
        "PodMonitor",
        f"selector: {{matchLabels: {{{CLASS_NAME}: hub}}}}, namespaceSelector: {{any: true}}",
        "watch",
    )
    item = made(text)
    assert namespace(item) == "watch"
    assert item["spec"]["selector"] == {"matchLabels": {CLASS_NAME: "istio"}}


def test_a_class_that_becomes_two_is_left_as_it_is() -> None:
    text = policy(
        "policy", "PodDisruptionBudget", f"selector: {{matchLabels: {{{CLASS_NAME}: hub}}}}"
    )
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}\n"
        "- {gateways: {names: [infra/api]}, spokes: {names: [eu]}, as: {gatewayClassName: eg}}\n"
    )
    found = render([CLASS, GATEWAY, gateway("api"), text], rules, settings=listing(text))
    selector = objects(found)["PodDisruptionBudget infra/p"]["spec"]["selector"]
    assert selector == {"matchLabels": {CLASS_NAME: "hub"}}
