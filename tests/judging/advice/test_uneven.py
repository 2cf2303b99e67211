"""A security policy that is in force on a route on some spokes only."""

from spokerender.judging.advice.view import JudgedSpokeView
from tests.judging.advice.spokes import CART, GATEWAY, advised_fleet, auth, limits, route, view
from tests.support import case, each

LIMITED = view(GATEWAY, CART, limits("p", "Gateway/web"))
UNLIMITED = view(GATEWAY, CART)


def test_a_route_with_a_limit_on_some_spokes() -> None:
    spokes = {"a": LIMITED, "b": LIMITED, "c": UNLIMITED, "d": UNLIMITED}
    expected = (
        "warning SR2211 HTTPRoute shop/cart: no RateLimitPolicy is in force on it, while one is "
        "on a, b (place the policy and its target alike, or attach one of its own on these "
        "spokes) [c d]"
    )
    assert advised_fleet("SR2211", **spokes) == [expected]


@each(
    case("on both", LIMITED),
    case("another route", view(GATEWAY, route("pay"))),
    case("no route", view(GATEWAY)),
    case(
        "another policy of the kind",
        view(GATEWAY, CART, limits("cart", "HTTPRoute/cart", "", "shop")),
    ),
)
def test_policies_that_are_in_force_alike(other: JudgedSpokeView) -> None:
    assert advised_fleet("SR2211", eu=LIMITED, us=other) == []


def test_who_may_call_is_told_elsewhere() -> None:
    guarded = view(GATEWAY, CART, auth("p", "Gateway/web"))
    assert advised_fleet("SR2211", eu=guarded, us=UNLIMITED) == []
