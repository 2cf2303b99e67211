"""A rule that is targeted by its position."""

from tests.judging.advice.spokes import GATEWAY, advised, auth, route
from tests.support import case, cases

UNNAMED = route("cart", "rules: [{name: all}, {}]")


def test_a_rule_without_a_name() -> None:
    target = auth("p", "HTTPRoute/cart/rule-2", "", "shop")
    expected = (
        "warning SR2208 AuthPolicy shop/p spec.targetRef.sectionName: rule-2 is the rule of "
        "HTTPRoute shop/cart that stands at that place now: a rule inserted before it moves the "
        "policy to another one, silently (name the rule (spec.rules[1].name of HTTPRoute "
        "shop/cart) and target that name)"
    )
    assert advised("SR2208", GATEWAY, UNNAMED, target) == [expected]


@cases(
    case("a name", "[{name: all}, {}]", "HTTPRoute/cart/all"),
    case("a name like a position", "[{}, {name: rule-2}]", "HTTPRoute/cart/rule-2"),
    case("the whole route", "[{}]", "HTTPRoute/cart"),
    case("there is no such rule", "[{}]", "HTTPRoute/cart/rule-2"),
)
def test_targets_that_stay(rules: str, target: str) -> None:
    cart = route("cart", f"rules: {rules}")
    assert advised("SR2208", GATEWAY, cart, auth("p", target, "", "shop")) == []


def test_a_listener_is_no_rule() -> None:
    assert advised("SR2208", GATEWAY, UNNAMED, auth("p", "Gateway/web/http")) == []
