"""Fields that do nothing where they are, and rules that are targeted by their position."""

from tests.judging.advice.spokes import CART, GATEWAY, advised, auth, policy, route
from tests.support import case, cases, each

WHEN = "when: [{predicate: 'true'}]"
BLOCK = "{limits: {a: {}}}"


@each("RateLimitPolicy", "TokenRateLimitPolicy")
@each("defaults", "overrides")
def test_a_condition_beside_a_block(block: str, kind: str) -> None:
    written = policy(kind, "p", "Gateway/web", f"{WHEN}, {block}: {BLOCK}")
    expected = (
        f"warning SR2204 {kind} infra/p spec.when: spec.when has no effect: of a {kind} with "
        f"spec.{block} only what is in there counts (move it to spec.{block}.when)"
    )
    assert advised("SR2204", GATEWAY, CART, written) == [expected]


@cases(
    case("a bare policy", "RateLimitPolicy", f"{WHEN}, limits: {{a: {{}}}}"),
    case("none is there", "RateLimitPolicy", f"defaults: {BLOCK}"),
    case("it is empty", "RateLimitPolicy", f"when: [], defaults: {BLOCK}"),
    case("in the block", "RateLimitPolicy", f"defaults: {{limits: {{a: {{}}}}, {WHEN}}}"),
    # Its CRD refuses it: that is told where the CRD's rules are.
    case("another kind", "AuthPolicy", f"{WHEN}, defaults: {{rules: {{}}}}"),
)
def test_a_condition_that_counts(kind: str, spec: str) -> None:
    assert advised("SR2204", GATEWAY, CART, policy(kind, "p", "Gateway/web", spec)) == []


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
