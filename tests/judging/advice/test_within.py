"""A route's hostname that reaches beyond its listener's: no policy is in force there."""

from tests.judging.advice.spokes import advised, auth, gateway, limits, listener, policy, route
from tests.support import case, cases

NARROW = gateway(listener("http", "a.example.com"))
WIDE = route("cart", 'hostnames: ["*.example.com"]')
CURE = (
    "(add the hostname a.example.com to the route, or a listener whose hostname takes in the "
    "route's)"
)


def found(lost: str) -> str:
    return (
        "error SR2209 HTTPRoute shop/cart spec.hostnames: *.example.com reaches beyond the "
        "hostname a.example.com of Gateway infra/web [http]: requests are served there, and "
        f"without {lost} {CURE}"
    )


@cases(
    (auth("p", "Gateway/web"), "AuthPolicy infra/p"),
    (auth("p", "Gateway/web/http"), "AuthPolicy infra/p"),
    (limits("p", "HTTPRoute/cart", "", "shop"), "RateLimitPolicy shop/p"),
)
def test_a_wildcard_on_a_narrower_listener(written: str, lost: str) -> None:
    assert advised("SR2209", NARROW, WIDE, written) == [found(lost)]


def test_each_route_is_told_once_with_all_policies() -> None:
    wide = route("cart", 'hostnames: ["*.example.com"], rules: [{name: x}, {name: y}]')
    documents = [auth("p", "Gateway/web"), limits("q", "Gateway/web")]
    assert advised("SR2209", NARROW, wide, *documents) == [
        found("AuthPolicy infra/p, RateLimitPolicy infra/q")
    ]


@cases(
    case("no policy is above", '["*.example.com"]', ""),
    case(
        "a kind that is for listeners",
        '["*.example.com"]',
        policy("TLSPolicy", "p", "Gateway/web", "x: 1"),
    ),
    case("the same hostname", "[a.example.com]", auth("p", "Gateway/web")),
    case("one is within", '["*.example.com", a.example.com]', auth("p", "Gateway/web")),
    case("the listener has none of it", "[b.example.com]", auth("p", "Gateway/web")),
    case("a route without hostnames", "[]", auth("p", "Gateway/web")),
)
def test_a_route_within_its_listener(hostnames: str, written: str) -> None:
    cart = route("cart", f"hostnames: {hostnames}")
    assert advised("SR2209", *filter(None, [NARROW, cart, written])) == []


def test_each_hostname_is_looked_at_by_itself() -> None:
    """One that is within does not cover those that are not."""
    cart = route("cart", 'hostnames: ["*.example.com", x.a.example.com, "*.org"]')
    narrow = gateway(listener("http", "*.a.example.com"))
    (line,) = advised("SR2209", narrow, cart, auth("p", "Gateway/web"))
    assert line.startswith(
        "error SR2209 HTTPRoute shop/cart spec.hostnames: *.example.com reaches beyond the "
        "hostname *.a.example.com of Gateway infra/web [http]"
    )


def test_a_wider_listener() -> None:
    wider = gateway(listener("http", "*.example.com"))
    cart = route("cart", 'hostnames: ["*.eu.example.com"]')
    assert advised("SR2209", wider, cart, auth("p", "Gateway/web")) == []
