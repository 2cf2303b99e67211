"""What protects is compared, not what policies say: each case was missed, or wrongly refused."""

import pytest

from spokerender.review.comparison.views import SpokeView, Way
from spokerender.review.guard.refusals import refuse_removals, report_weaknesses
from tests.review.guard.trees import (
    ENVOY,
    GATEWAY,
    POLICY,
    ROUTE,
    ROUTE_POLICY,
    lost,
    routes,
    told,
    tree,
)
from tests.support import cases, rows_of

OWN = GATEWAY.replace("gatewayClassName: istio", "gatewayClassName: eg")
LABELLED = OWN.replace("namespace: shop}", "namespace: shop, labels: {a: b}}")
NAMED = ENVOY.replace("targetSelectors", "targetRefs").replace(
    "matchLabels: {a: b}", "name: public"
)
EMPTY = POLICY.replace("a: {jwt: {}}", "")
REST = routes(9)
"""More objects, so that one is no large part."""
SERVED: str = rows_of(__file__, "served")


def test_a_gateway_loses_the_label_that_a_policy_selects_by() -> None:
    assert told(tree(LABELLED, ENVOY, *REST), tree(OWN, ENVOY, *REST)) == [
        "Gateway/shop/public opens"
    ]


def test_a_route_loses_the_label_that_a_policy_selects_by() -> None:
    policy = ENVOY.replace("kind: Gateway", "kind: HTTPRoute")
    labelled = ROUTE.replace("namespace: shop}", "namespace: shop, labels: {a: b}}")
    assert told(tree(OWN, labelled, policy), tree(OWN, ROUTE, policy)) == [
        "HTTPRoute/shop/cart opens"
    ]


def test_a_selector_becomes_references_that_name_the_same_gateways() -> None:
    assert told(tree(LABELLED, ENVOY), tree(LABELLED, NAMED)) == []
    assert told(tree(LABELLED, NAMED), tree(LABELLED, ENVOY)) == []


def test_a_selector_becomes_references_that_name_fewer() -> None:
    second = LABELLED.replace("public", "second")
    assert told(tree(LABELLED, second, ENVOY), tree(LABELLED, second, NAMED)) == [
        "SecurityPolicy/shop/auth opens"
    ]


def test_a_gateway_goes_from_under_a_policy_that_stays() -> None:
    """`create` becomes `existing`: what applies the tree deletes the gateway that is there."""
    assert told(tree(GATEWAY, POLICY, *REST), tree(POLICY, *REST)) == ["Gateway/shop/public goes"]


def test_a_route_goes_from_under_a_policy_that_stays() -> None:
    assert told(tree(GATEWAY, ROUTE, ROUTE_POLICY, *REST), tree(GATEWAY, ROUTE_POLICY, *REST)) == [
        "HTTPRoute/shop/cart goes"
    ]
    assert len(told(tree(GATEWAY, ROUTE, ROUTE_POLICY), tree(GATEWAY, ROUTE_POLICY))) == 1


def test_a_policy_that_loses_its_rules_guards_nothing() -> None:
    assert told(tree(GATEWAY, SERVED, POLICY), tree(GATEWAY, SERVED, EMPTY)) == [
        "AuthPolicy/shop/auth opens"
    ]


def test_a_policy_changes_what_it_says() -> None:
    other = POLICY.replace("a: {jwt", "b: {jwt")
    assert told(tree(GATEWAY, SERVED, POLICY), tree(GATEWAY, SERVED, other)) == []


def test_a_route_that_takes_a_guarded_hostname_has_to_be_acknowledged() -> None:
    """The routes of REST are for every hostname."""
    less = SERVED.replace(", b.example", "")
    other = SERVED.replace("name: cart", "name: open").replace("a.example, ", "")
    old = tree(GATEWAY, SERVED, ROUTE_POLICY, *REST)
    for more, opens in (((other,), "HTTPRoute/shop/open"), ((), "HTTPRoute/shop/cart")):
        after = tree(GATEWAY, less, ROUTE_POLICY, *more, *REST)
        assert told(old, after) == [f"{opens} opens"]
        (message,) = {it.message for it in refuse_removals(lost({"eu": old}, {"eu": after}))}
        assert "HTTPRoute shop/cart [all] took these requests before" in message
        assert message.endswith("for example GET http://b.example/")


def test_a_route_moves_to_a_gateway_without_a_policy() -> None:
    second = GATEWAY.replace("public", "second")
    old = tree(GATEWAY, second, POLICY, SERVED)
    moved = SERVED.replace("name: public", "name: second")
    assert told(old, tree(GATEWAY, second, POLICY, moved)) == ["HTTPRoute/shop/cart opens"]
    policy = POLICY.replace("public", "second").replace("name: auth,", "name: auth-2,")
    assert told(old, tree(GATEWAY, second, POLICY, policy, moved)) == []


def test_a_gateway_of_one_listener_and_its_policy_on_that_listener() -> None:
    """As a whole or by its one listener: the same requests are covered."""
    one = GATEWAY.replace("{name: http, port: 80, protocol: HTTP}, ", "")
    section = POLICY.replace("name: public}", "name: public, sectionName: https}")
    assert told(tree(one, POLICY), tree(one, section)) == []


def test_a_listener_is_renamed_and_its_policy_is_not() -> None:
    section = POLICY.replace("name: public}", "name: public, sectionName: https}")
    renamed = GATEWAY.replace("name: https", "name: secure")
    assert told(tree(GATEWAY, section), tree(renamed, section)) == ["Gateway/shop/public opens"]


def _followed(*objects: str) -> list[str]:
    """The same in the namespace that the gateway moves to (`routes: follow`)."""
    return [text.replace("namespace: shop", "namespace: edge") for text in objects]


def test_routes_follow_their_gateway_with_what_protects_them() -> None:
    old = (GATEWAY, SERVED, ROUTE_POLICY, *REST)
    assert told(tree(*old), tree(*_followed(*old))) == []


def test_a_route_follows_its_gateway_and_its_policy_does_not() -> None:
    old = (GATEWAY, SERVED, ROUTE_POLICY, *REST)
    assert told(tree(*old), tree(*_followed(GATEWAY, SERVED, *REST))) == [
        "AuthPolicy/shop/cart-auth goes"
    ]
    stays = SERVED.replace("name: public", "name: public, namespace: edge")
    assert told(tree(*old), tree(*_followed(GATEWAY, *REST), stays)) == [
        "AuthPolicy/shop/cart-auth goes"
    ]


def test_what_is_on_the_gateway_protects_a_route_that_follows() -> None:
    old = (GATEWAY, SERVED, POLICY, ROUTE_POLICY, *REST)
    assert told(tree(*old), tree(*_followed(GATEWAY, SERVED, POLICY, *REST))) == []


def test_a_policy_of_a_rule_by_its_number_is_left_behind_where_rules_change_places() -> None:
    rule = "backendRefs: [{name: app, port: 80}], matches: [{path: {type: PathPrefix, value: /%s}}]"
    first, second = (
        ROUTE.replace("{backendRefs: [{name: app, port: 80}]}", ", ".join(order))
        for order in ([f"{{{rule % name}}}" for name in names] for names in ("ab", "ba"))
    )
    policy = ROUTE_POLICY.replace("name: cart}", "name: cart, sectionName: rule-1}")
    assert told(tree(GATEWAY, first, policy), tree(GATEWAY, second, policy)) == [
        "HTTPRoute/shop/cart opens"
    ]


def _open_route(name: str, *paths: str) -> str:
    matches = (f"matches: [{{path: {{type: PathPrefix, value: {path}}}}}]" for path in paths)
    rules = ", ".join(f"{{{each}, backendRefs: [{{name: app, port: 80}}]}}" for each in matches)
    return (
        ROUTE.replace("cart", name)
        .replace("spec:", "spec:\n  hostnames: [c.example]")
        .replace("{backendRefs: [{name: app, port: 80}]}", rules)
    )


@cases(("two.example", True), ("c.example", False))
def test_a_new_route_is_open_if_its_hostname_was_not_served_before(
    hostname: str, is_told: bool
) -> None:
    guarded = (GATEWAY, SERVED, ROUTE_POLICY)
    old = tree(*guarded, _open_route("one", "/a", "/b"))
    two = _open_route("two", "/b").replace("c.example", hostname)
    new = tree(*guarded, _open_route("one", "/a"), two)
    assert bool(report_weaknesses(lost({"eu": old}, {"eu": new}))) is is_told


def test_whether_routes_are_guarded_is_asked_once_of_each_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Way] = []
    is_guarded = SpokeView.is_guarded

    def counted(view: SpokeView, way: Way) -> bool:
        asked.append(way)
        return is_guarded(view, way)

    monkeypatch.setattr(SpokeView, "is_guarded", counted)
    told(tree(GATEWAY, POLICY), tree(GATEWAY, POLICY, *routes(20)))
    assert len(asked) == 40  # on two listeners
