"""Rules whose policies Kuadrant's plugin does not find for their requests."""

from tests.judging.advice.spokes import GATEWAY, advised, auth, limits, route
from tests.support import rows_of
from tests.support.cases import cases, each

ON_ONE = auth("p", "HTTPRoute/shop/one", namespace="shop")
EXPRESSION = "{path: {value: /a}, headers: [{name: X, value: 'g.*', type: RegularExpression}]}"
HEADER = "PathPrefix /a header x: ~g.*"
START = "HTTPRoute shop/shop spec.rules: HTTPRoute shop/shop [one] is for"
PLUGIN = "Kuadrant's plugin"


def told(match: str, *documents: str) -> list[str]:
    """What is told of a route whose first rule has the match and the policy, without its cure."""
    two = "{name: two, matches: [{path: {value: /a}}]}"
    rules = f"rules: [{{name: one, matches: [{match}]}}, {two}]"
    lines = advised("SR2248", GATEWAY, route("shop", rules), ON_ONE, *documents)
    return [line.partition(" (match headers")[0] for line in lines]


@cases(*rows_of(__file__, "policies_that_are_not_found"))
def test_policies_that_are_not_found(match: str, expected: str) -> None:
    assert told(match) == [f"{expected}AuthPolicy shop/p"]


@cases(*rows_of(__file__, "requests_that_the_plugin_fails"))
def test_requests_that_the_plugin_fails(match: str, expected: str) -> None:
    (line,) = told(match)
    assert line.startswith(f"error SR2248 {START} ")
    assert line.endswith(f"{PLUGIN} {expected}")


def test_a_match_of_any_method_comes_first() -> None:
    other = limits("q", "HTTPRoute/shop/two", namespace="shop")
    (line,) = told("{path: {value: /a}, method: GET}", other)
    assert line.endswith(f"{PLUGIN} finds RateLimitPolicy shop/q for /a, not AuthPolicy shop/p")


@each(*rows_of(__file__, "matches_that_mean_the_same_to_the_plugin"))
def test_matches_that_mean_the_same_to_the_plugin(match: str) -> None:
    assert told(match) == []


def test_the_same_policies_may_be_found_by_another_rule() -> None:
    whole = auth("whole", "HTTPRoute/shop", "rules: {authentication: {a: {}}}", "shop")
    rules = f"rules: [{{name: one, matches: [{EXPRESSION}]}}, {{name: two}}]"
    assert advised("SR2248", GATEWAY, route("shop", rules), whole) == []


def test_policies_of_a_route_that_is_not_admitted_are_found_all_the_same() -> None:
    documents = route("shop", "rules: [{name: one}]"), auth("p", "HTTPRoute/shop", namespace="shop")
    assert advised("SR2248", GATEWAY, *documents) == []
    (line,) = advised("SR2248", GATEWAY.replace("from: All", "from: Same"), *documents)
    assert line.startswith(
        "warning SR2248 HTTPRoute shop/shop spec.parentRefs: Gateway infra/web takes no request "
        f"for HTTPRoute shop/shop [one], and yet {PLUGIN} may find AuthPolicy shop/p"
    )
