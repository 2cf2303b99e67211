"""A condition of one policy decides about the rules of another."""

from tests.judging.advice.spokes import CART, GATEWAY, advised, auth, limits, route
from tests.support import case, each

JWT = "rules: {authentication: {jwt: {}}}"
WHEN = "when: [{predicate: 'false'}]"
X = "rules: {authorization: {x: {}}}"


def merging(block: str, more: str = "") -> str:
    """A block with the strategy `merge` and one rule."""
    return f"{block}: {{strategy: merge, {JWT}{more}}}"


ROUTE_OWNER = auth("cart", "HTTPRoute/cart", f"{X}, {WHEN}", "shop")
SWITCHED_OFF = (
    "warning SR2202 AuthPolicy infra/gw spec.overrides: its overrides hold only while `when` of "
    "AuthPolicy shop/cart is true, on HTTPRoute shop/cart [all] on Gateway infra/web [http]: it "
    "has no `when` of its own, so whoever writes that one can switch the overrides off (give "
    "spec.overrides a `when` of its own; a predicate that is always true is enough)"
)


def test_a_route_owner_switches_off_an_override() -> None:
    gateway = auth("gw", "Gateway/web", merging("overrides"))
    assert advised("SR2202", GATEWAY, CART, gateway, ROUTE_OWNER) == [SWITCHED_OFF]


def test_all_paths_are_told_at_once() -> None:
    two = route("cart", "rules: [{name: all}, {name: some}, {name: few}]")
    gateway = auth("gw", "Gateway/web", merging("overrides"))
    (told,) = advised("SR2202", GATEWAY, two, gateway, ROUTE_OWNER)
    assert "on HTTPRoute shop/cart [all] on Gateway infra/web [http] and 2 more paths: " in told


@each(
    case("it has one of its own",
         [auth("gw", "Gateway/web", merging("overrides", f", {WHEN}")), ROUTE_OWNER]),
    case("defaults may be switched off",
         [auth("gw", "Gateway/web", merging("defaults")), ROUTE_OWNER]),
    case("atomic overrides take nothing of the route's",
         [auth("gw", "Gateway/web", f"overrides: {{{JWT}}}"), ROUTE_OWNER]),
    case("there is no condition",
         [auth("gw", "Gateway/web", merging("overrides")),
          auth("cart", "HTTPRoute/cart", X, "shop")]),
    case("its condition decides about its own rules only",
         [auth("cart", "HTTPRoute/cart", f"{X}, {WHEN}", "shop")]),
)  # fmt: skip
def test_an_override_that_nobody_switches_off(documents: list[str]) -> None:
    assert advised("SR2202", GATEWAY, CART, *documents) == []


def test_a_gateways_condition_decides_about_the_routes_limits() -> None:
    gateway = limits(
        "gw", "Gateway/web", f"defaults: {{strategy: merge, limits: {{g: {{}}}}, {WHEN}}}"
    )
    cart = limits("cart", "HTTPRoute/cart", "limits: {r: {}}", "shop")
    expected = (
        "info SR2203 RateLimitPolicy infra/gw spec.defaults.when: its `when` decides about the "
        "rules of RateLimitPolicy shop/cart as well, on HTTPRoute shop/cart [all] on Gateway "
        "infra/web [http]: shop/cart has none of its own there, or one that is overridden (write "
        "the condition into the single rules, or a `when` into RateLimitPolicy shop/cart)"
    )
    assert advised("SR2203", GATEWAY, CART, gateway, cart) == [expected]


def test_a_route_that_has_its_own_condition_is_not_gated() -> None:
    gateway = limits(
        "gw", "Gateway/web", f"defaults: {{strategy: merge, limits: {{g: {{}}}}, {WHEN}}}"
    )
    cart = limits("cart", "HTTPRoute/cart", f"limits: {{r: {{}}}}, {WHEN}", "shop")
    assert advised("SR2203", GATEWAY, CART, gateway, cart) == []
