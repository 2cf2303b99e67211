"""A policy with no route beneath it is accepted and enforced nowhere."""

from tests.judging.advice.spokes import (
    CART,
    GATEWAY,
    advised,
    auth,
    gateway,
    listener,
    policy,
    route,
)
from tests.support import case, each, stages

OTHER = gateway(listener("http"), name="other")
TWO = gateway(listener("http", "*.shop.example"), listener("api", "api.example"))
CURE = (
    "(attach a route, or correct the target; nothing is wrong if the spoke has routes of its own "
    "there)"
)


def found(severity: str, ref: str, target: str) -> str:
    return (
        f"{severity} SR2206 {ref} spec.targetRef: {target} is not in the path to any route of the "
        f"spoke's tree: the policy is accepted and enforced nowhere {CURE}"
    )


@each("AuthPolicy", "RateLimitPolicy", "TokenRateLimitPolicy", "DNSPolicy", "OIDCPolicy")
def test_a_gateway_without_routes_beside_one_with(kind: str) -> None:
    documents = [GATEWAY, CART, OTHER, policy(kind, "p", "Gateway/other", "x: 1")]
    assert advised("SR2206", *documents) == [
        found("warning", f"{kind} infra/p", "Gateway infra/other")
    ]


def test_routes_that_the_kind_is_not_for_do_not_count() -> None:
    """kuadrant-operator's TokenRateLimitPolicy leaves GRPCRoutes out."""
    calls = CART.replace("HTTPRoute", "GRPCRoute")
    tokens = policy("TokenRateLimitPolicy", "p", "Gateway/web", "limits: {a: {}}")
    assert advised("SR2206", GATEWAY, calls, tokens) == [
        found("warning", "TokenRateLimitPolicy infra/p", "Gateway infra/web")
    ]
    assert advised("SR2206", GATEWAY, calls, auth("p", "Gateway/web")) == []


def test_a_listener_without_routes() -> None:
    cart = route("cart", "hostnames: [a.shop.example]")
    assert advised("SR2206", TWO, cart, auth("p", "Gateway/web/api")) == [
        found("warning", "AuthPolicy infra/p", "Gateway infra/web [api]")
    ]


MEND = "(let the listener take the route, or correct the target)"
CLOSED = stages.gateway("web", listeners="[{name: http, port: 80, protocol: HTTP}]")
REFUSED = (
    "HTTPRoute shop/cart: no listener of Gateway infra/web admits routes of namespace shop "
    "(allowedRoutes.namespaces)"
)


def test_a_route_that_no_gateway_of_the_spoke_serves() -> None:
    astray = route("astray", parent="name: none")
    policy_of_route = auth("p", "HTTPRoute/astray", "", "shop")
    assert advised("SR2206", GATEWAY, CART, astray, policy_of_route) == [
        (
            "warning SR2206 AuthPolicy shop/p spec.targetRef: HTTPRoute shop/astray is not in the "
            "path to any route of the spoke's tree (HTTPRoute shop/astray: Gateway infra/none is "
            f"not there): the policy is accepted and enforced nowhere {MEND}"
        )
    ]


def test_why_a_route_that_names_the_gateway_is_not_on_it() -> None:
    """It is no affair of the spoke's: the route is among the files."""
    assert advised("SR2206", CLOSED, CART, auth("p", "Gateway/web")) == [
        (
            "warning SR2206 AuthPolicy infra/p spec.targetRef: Gateway infra/web is not in the "
            "path to any route "
            f"of the spoke's tree ({REFUSED}): the policy is accepted and enforced nowhere {MEND}"
        )
    ]


def test_two_reasons_are_told_of_many() -> None:
    routes = (CART.replace("cart", name) for name in ("cart", "dice", "eggs"))
    (line,) = advised("SR2206", CLOSED, *routes, auth("p", "Gateway/web"))
    assert (REFUSED in line, "shop/dice: " in line, "shop/eggs: " in line) == (True, True, False)


def test_where_no_route_is_rendered_it_is_the_spokes_affair() -> None:
    assert advised("SR2206", GATEWAY, auth("p", "Gateway/web")) == [
        found("info", "AuthPolicy infra/p", "Gateway infra/web")
    ]


@each(
    case("a gateway with a route", auth("p", "Gateway/web")),
    case("a listener with a route", auth("p", "Gateway/web/http")),
    case("a rule", auth("p", "HTTPRoute/cart/all", "", "shop")),
    case("needs no route", policy("TLSPolicy", "p", "Gateway/other", "x: 1")),
    case("has no target at all", auth("p", "Gateway/none")),
)
def test_policies_that_are_in_the_path(written: str) -> None:
    assert advised("SR2206", GATEWAY, CART, OTHER, written) == []
