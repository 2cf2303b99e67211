"""Two bare policies on one target: the newest holds, the other does nothing."""

from tests.judging.advice.spokes import CART, GATEWAY, advised, auth, limits, policy
from tests.support import case, each

A, B = "limits: {a: {}}", "limits: {b: {}}"
MERGE = "defaults: {strategy: merge, limits: {a: {}}}"
OWN = limits("cart", "HTTPRoute/cart", "limits: {c: {}}", "shop")
OVERRIDES = "overrides: {limits: {a: {}}}"
LOST = (
    "warning SR2205 RateLimitPolicy infra/{first} spec.targetRef: Gateway infra/web has {number} "
    "policies of kind RateLimitPolicy without a merge strategy ({names}): the newest holds whole "
    "and the others do nothing; files can't tell which one that is (make one policy of them, or "
    "write `defaults: {{strategy: merge}}` in all of them)"
)


@each(B, f"defaults: {{{B}}}", f"defaults: {{strategy: atomic, {B}}}")
def test_two_policies_that_do_not_merge(other: str) -> None:
    documents = [limits("p-2", "Gateway/web", A), limits("p-10", "Gateway/web", other)]
    assert advised("SR2205", GATEWAY, CART, OWN, *documents) == [
        LOST.format(first="p-10", number=2, names="infra/p-10, infra/p-2")
    ]


def test_where_it_changes_what_is_in_force_it_is_told_as_that() -> None:
    documents = [limits("p", "Gateway/web", A), limits("q", "Gateway/web", B)]
    assert len(advised("SR2201", GATEWAY, CART, *documents)) == 1
    assert advised("SR2205", GATEWAY, CART, *documents) == []


def test_policies_that_say_the_same_are_fine() -> None:
    documents = [limits("p", "Gateway/web", A), limits("q", "Gateway/web", f"defaults: {{{A}}}")]
    assert advised("SR2205", GATEWAY, CART, OWN, *documents) == []


def test_many_policies_are_told_once() -> None:
    documents = [limits(name, "Gateway/web", f"limits: {{{name}: {{}}}}") for name in "edcba"]
    names = "infra/a, infra/b, infra/c and 2 more"
    assert advised("SR2205", GATEWAY, CART, OWN, *documents) == [
        LOST.format(first="a", number=5, names=names)
    ]


@each(
    case("one merges", limits("q", "Gateway/web", MERGE)),
    case("one overrides", limits("q", "Gateway/web", OVERRIDES)),
    case("one is for a section", limits("q", "Gateway/web/http", B)),
    case("one is on a route", limits("q", "HTTPRoute/cart/all", B, "shop")),
    case("they are of two kinds", auth("q", "Gateway/web")),
    case("one has no target", limits("q", "Gateway/none", B)),
)
def test_policies_that_come_together(second: str) -> None:
    assert advised("SR2205", GATEWAY, CART, OWN, limits("p", "Gateway/web"), second) == []


@each("DNSPolicy", "TelemetryPolicy")
def test_kinds_that_do_not_come_together_so(kind: str) -> None:
    """Of the one, nothing is merged; of the other, nobody said how it is."""
    documents = [policy(kind, name, "Gateway/web", "x: 1") for name in "pq"]
    assert advised("SR2205", GATEWAY, CART, *documents) == []
