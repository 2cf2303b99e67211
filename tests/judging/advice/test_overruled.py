"""A policy of which nothing is in force anywhere."""

from tests.judging.advice.spokes import CART, GATEWAY, advised, auth, limits, route
from tests.support import case, each, manifest

LATER = (
    "nothing is wrong if it is there for what comes later; `strategy: merge` lets its rules hold "
    "beside theirs"
)
NEVER = "remove it, or let the rules of both hold with `strategy: merge` in the one that overrides"
OVERRIDE = "overrides: {rules: {authentication: {g: {}}}}"


def found(ref: str, by: str, cure: str) -> str:
    return (
        f"info SR2212 {ref}: nothing of it is in force: it is overridden by {by} on every path "
        f"({cure})"
    )


def test_a_gateways_override_takes_the_place_of_a_routes_policy() -> None:
    gateway = auth("gw", "Gateway/web", OVERRIDE)
    cart = auth("cart", "HTTPRoute/cart", "", "shop")
    assert advised("SR2212", GATEWAY, CART, gateway, cart) == [
        found("AuthPolicy shop/cart", "infra/gw", NEVER)
    ]


def test_every_route_has_its_own() -> None:
    documents = [auth("gw", "Gateway/web"), auth("cart", "HTTPRoute/cart", "", "shop")]
    assert advised("SR2212", GATEWAY, CART, *documents) == [
        found("AuthPolicy infra/gw", "shop/cart", LATER)
    ]


def test_no_cure_shuts_everybody_out() -> None:
    """Authorization rules are all asked: beside a route's own, a default that denies denies all."""
    denies = "rules: {authorization: {deny: {opa: {rego: allow = false}}}}"
    documents = [auth("gw", "Gateway/web", denies), auth("cart", "HTTPRoute/cart", "", "shop")]
    (told,) = advised("SR2212", GATEWAY, CART, *documents)
    assert told == found(
        "AuthPolicy infra/gw", "shop/cart", "nothing is wrong if it is there for what comes later"
    )


def test_a_routes_override_does_not_take_the_place_of_a_gateways() -> None:
    documents = [
        auth("gw", "Gateway/web", OVERRIDE),
        auth("cart", "HTTPRoute/cart", OVERRIDE, "shop"),
    ]
    assert advised("SR2212", GATEWAY, CART, *documents) == [
        found("AuthPolicy shop/cart", "infra/gw", NEVER)
    ]


@each(
    case("another route has none", [route("pay"), auth("gw", "Gateway/web")]),
    case(
        "it is merged",
        [limits("gw", "Gateway/web", "defaults: {strategy: merge, limits: {g: {}}}")],
    ),
    case("it is attached nowhere", [auth("gw", "Gateway/none")]),
)
def test_policies_with_something_in_force(documents: list[str]) -> None:
    both = [auth("c", "HTTPRoute/cart", "", "shop"), limits("c", "HTTPRoute/cart", "", "shop")]
    assert advised("SR2212", GATEWAY, CART, *documents, *both) == []


def test_a_merge_strategy_is_offered_where_there_is_one() -> None:
    client = manifest(
        "ClientTrafficPolicy infra/NAME",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}]",
    )
    whole = client.replace("NAME", "gw").replace("}]}", "}], a: 1}")
    section = client.replace("NAME", "listener").replace(
        "web}]}", "web, sectionName: http}], a: 2}"
    )
    assert advised("SR2212", GATEWAY, CART, whole, section) == [
        found("ClientTrafficPolicy infra/gw", "infra/listener", LATER.partition(";")[0])
    ]


def test_which_of_two_is_overridden_is_not_known() -> None:
    two = [limits(name, "Gateway/web", f"limits: {{{name}: {{}}}}") for name in "pq"]
    assert advised("SR2212", GATEWAY, CART, *two) == []
