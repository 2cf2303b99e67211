"""A rule that is targeted by its position."""

from __future__ import annotations

import pytest

from tests.judging.advice.spokes import GATEWAY, advised, auth, route

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


@pytest.mark.parametrize(
    ("rules", "target"),
    [
        pytest.param("[{name: all}, {}]", "HTTPRoute/cart/all", id="a name"),
        pytest.param("[{}, {name: rule-2}]", "HTTPRoute/cart/rule-2", id="a name like a position"),
        pytest.param("[{}]", "HTTPRoute/cart", id="the whole route"),
        pytest.param("[{}]", "HTTPRoute/cart/rule-2", id="there is no such rule"),
    ],
)
def test_targets_that_stay(rules: str, target: str) -> None:
    cart = route("cart", f"rules: {rules}")
    assert advised("SR2208", GATEWAY, cart, auth("p", target, "", "shop")) == []


def test_a_listener_is_no_rule() -> None:
    assert advised("SR2208", GATEWAY, UNNAMED, auth("p", "Gateway/web/http")) == []
