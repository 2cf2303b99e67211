"""One spoke before and after: what was renamed, what protects the same, what goes with what."""

from textwrap import dedent

from spokerender.review.values import LostObject
from tests.review.guard.trees import (
    AUTH_REF,
    BOTH_LAYOUTS,
    CART_AUTH_REF,
    DNS,
    DNS_REF,
    ENVOY,
    GATEWAY,
    GATEWAY_REF,
    GATEWAY_TARGET,
    LIMITS,
    POLICY,
    ROUTE,
    ROUTE_POLICY,
    ROUTE_REF,
    Make,
    lost_on_spoke,
    routes,
    told,
    tree,
)
from tests.support import cases, each, rows_of

MOVED_GATEWAY = GATEWAY.replace("name: public, namespace: shop", "name: edge, namespace: ingress")
MOVED_POLICY = POLICY.replace("namespace: shop", "namespace: ingress").replace("public", "edge")


@BOTH_LAYOUTS
def test_a_gateway_is_renamed_and_moved_with_its_policies(files: Make) -> None:
    old = files(GATEWAY, POLICY, ROUTE, ROUTE_POLICY)
    new = files(MOVED_GATEWAY, MOVED_POLICY, ROUTE.replace("public", "edge"), ROUTE_POLICY)
    assert lost_on_spoke(old, new) == (
        LostObject(GATEWAY_REF, replaced=True),
        LostObject(AUTH_REF, replaced=True),
    )
    assert told(old, new) == []


def test_a_gateway_is_renamed_and_loses_its_policy() -> None:
    assert told(tree(GATEWAY, POLICY), tree(MOVED_GATEWAY, ROUTE)) == ["AuthPolicy/shop/auth goes"]


def test_two_gateways_are_renamed_and_their_policies_tell_which_is_which() -> None:
    internal = GATEWAY.replace("public", "internal")
    internal_policy = POLICY.replace("public", "internal").replace("name: auth", "name: inner")
    old = tree(GATEWAY, POLICY, internal, internal_policy)
    new = tree(
        *(text.replace("public", "zone-a") for text in (GATEWAY, POLICY)),
        *(text.replace("internal", "zone-b") for text in (internal, internal_policy)),
    )
    assert told(old, new) == []
    unprotected = tree(
        *(text.replace("public", "zone-a") for text in (GATEWAY, POLICY)),
        internal.replace("internal", "zone-b"),
    )
    assert told(old, unprotected) == ["AuthPolicy/shop/inner goes"]


def test_gateways_that_share_a_name_are_told_apart_by_their_policies() -> None:
    second = (
        GATEWAY.replace("shop", "pay"),
        POLICY.replace("shop", "pay").replace("auth", "login"),
    )
    old = tree(GATEWAY, POLICY, *second)
    new = tree(
        *(text.replace("shop", "web").replace("public", "one") for text in (GATEWAY, POLICY)),
        *(text.replace("pay", "app").replace("public", "two") for text in second),
    )
    assert told(old, new) == []


def test_a_policy_is_renamed() -> None:
    renamed = POLICY.replace("name: auth", "name: login")
    assert told(tree(GATEWAY, POLICY), tree(GATEWAY, renamed)) == []


def test_another_policy_of_the_kind_protects_the_target_already() -> None:
    second = POLICY.replace("name: auth", "name: login")
    assert told(tree(GATEWAY, POLICY, second), tree(GATEWAY, second)) == []


def test_a_policy_of_another_kind_is_no_replacement() -> None:
    assert told(tree(GATEWAY, POLICY, LIMITS), tree(GATEWAY, LIMITS)) == [
        "AuthPolicy/shop/auth goes"
    ]


SECTION = POLICY.replace("name: public}", "name: public, sectionName: https}")


def test_a_policy_on_the_whole_gateway_takes_over_from_one_on_a_listener() -> None:
    assert told(tree(GATEWAY, SECTION), tree(GATEWAY, POLICY)) == []
    renamed = POLICY.replace("name: auth", "name: login")
    assert told(tree(GATEWAY, SECTION), tree(GATEWAY, renamed)) == []


@cases(*rows_of(__file__, "one_that_was_there_before_takes_over_if_it_asks_as_much"))
def test_one_that_was_there_before_takes_over_if_it_asks_as_much(
    whole: str, is_refused: bool
) -> None:
    below = POLICY.replace("name: auth", "name: login").replace("a: {jwt: {}}", whole)
    refused = ["AuthPolicy/shop/auth goes"]
    before = tree(GATEWAY, ROUTE, SECTION, below)
    assert told(before, tree(GATEWAY, ROUTE, below)) == refused * is_refused


@each("{}", "{authentication: {a: {anonymous: {}}}}")
@each((), (POLICY,), ids=["alone", "before others"])
def test_a_policy_that_restricts_nothing_may_go(others: tuple[str, ...], rules: str) -> None:
    exemption = ROUTE_POLICY.replace("{authentication: {a: {jwt: {}}}}", rules)
    rest = (GATEWAY, ROUTE, *others, *routes(9))
    assert told(tree(*rest, exemption), tree(*rest)) == []


def test_a_policy_on_a_listener_does_not_take_over_from_one_on_the_gateway() -> None:
    assert told(tree(GATEWAY, POLICY), tree(GATEWAY, SECTION)) == ["AuthPolicy/shop/auth opens"]


def test_a_listener_and_the_section_name_are_renamed() -> None:
    old = tree(GATEWAY, SECTION)
    new = tree(*(text.replace("https", "secure") for text in (GATEWAY, SECTION)))
    assert lost_on_spoke(old, new) == ()


@BOTH_LAYOUTS
def test_a_policy_turns_to_another_target(files: Make) -> None:
    second = GATEWAY.replace("public", "internal")
    old, new = (
        files(GATEWAY, second, text) for text in (POLICY, POLICY.replace("public", "internal"))
    )
    assert told(old, new) == ["AuthPolicy/shop/auth opens"]


def test_a_policy_turns_away_from_a_gateway_that_goes() -> None:
    second = GATEWAY.replace("public", "internal")
    old = tree(GATEWAY, second, POLICY)
    new = tree(second, POLICY.replace("public", "internal"))
    assert lost_on_spoke(old, new) == (LostObject(GATEWAY_REF),)
    assert told(old, new) == []


def test_a_policy_turns_away_from_a_gateway_that_the_spoke_has() -> None:
    new = POLICY.replace("public", "internal")
    assert told(tree(POLICY, DNS), tree(new, DNS)) == ["AuthPolicy/shop/auth opens"]


def test_a_policy_changes_otherwise() -> None:
    new = POLICY.replace("a: {jwt", "b: {jwt")
    assert lost_on_spoke(tree(GATEWAY, POLICY), tree(GATEWAY, new)) == ()


def test_a_policy_that_finds_its_gateway_by_label_moves_with_it() -> None:
    moved = (text.replace("shop", "ingress") for text in (GATEWAY, ENVOY))
    assert told(tree(GATEWAY, ENVOY), tree(*moved)) == []


OTHER = GATEWAY.replace("public", "other")


def test_what_hangs_on_a_gateway_goes_with_it_at_any_distance() -> None:
    old = tree(GATEWAY, POLICY, DNS, ROUTE, ROUTE_POLICY, OTHER)
    assert lost_on_spoke(old, tree(OTHER)) == (
        LostObject(GATEWAY_REF),
        LostObject(ROUTE_REF, goes_with=(GATEWAY_REF,)),
        LostObject(AUTH_REF, goes_with=(GATEWAY_REF,)),
        LostObject(
            CART_AUTH_REF,
            goes_with=(GATEWAY_REF,),
        ),
        LostObject(DNS_REF, goes_with=(GATEWAY_REF,)),
    )


def test_a_route_that_had_another_parent_did_not_go_with_the_gateway() -> None:
    route = ROUTE.replace("{name: public}", "{name: public}, {name: other}")
    old = tree(GATEWAY, OTHER, route, ROUTE_POLICY)
    assert lost_on_spoke(old, tree(OTHER)) == (
        LostObject(GATEWAY_REF),
        LostObject(ROUTE_REF),
        LostObject(
            CART_AUTH_REF,
            goes_with=(ROUTE_REF,),
        ),
    )


def test_a_policy_with_a_target_that_stays_goes_with_nothing() -> None:
    gateways = [f"{{{GATEWAY_TARGET}, name: {name}}}" for name in ("public", "other")]
    policy = ENVOY.partition("  targetS")[0] + f"  targetRefs: [{', '.join(gateways)}]\n"
    assert told(tree(GATEWAY, OTHER, policy, *routes(9)), tree(OTHER, *routes(9))) == [
        "SecurityPolicy/shop/auth goes"
    ]


def test_what_hangs_on_itself_is_no_endless_story() -> None:
    listener_set = rows_of(__file__, "what_hangs_on_itself_is_no_endless_story")
    (item,) = lost_on_spoke(tree(OTHER, dedent(listener_set)), tree(OTHER))
    assert item.goes_with == ()
