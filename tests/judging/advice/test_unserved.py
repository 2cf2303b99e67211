"""A route's hostname that no listener of its gateways serves is an error that names it."""

from tests.judging.advice.spokes import advised, gateway, listener, route
from tests.support import cases

TWO = gateway(listener("http", "*.shop.example"), listener("api", "api.example"))
OPEN = gateway(listener("http", "*.shop.example"), listener("rest"))


def unserved(hostnames: str, field: str) -> str:
    return (
        f"error SR2240 HTTPRoute shop/cart spec.hostnames{field}: no listener of Gateway "
        f"infra/web serves {hostnames} (they have *.shop.example, api.example) (add a "
        f"listener for it, map it in the rule's `as.hostnames`, or take it out of the route)"
    )


@cases(
    ("[a.shop.example, api.example]", []),
    ("[a.shop.example, b.else]", [unserved("hostname b.else", "[1]")]),
    ("[b.else]", []),
    ("[c.else, a.shop.example, b.else]", [unserved("hostnames c.else, b.else", "")]),
    ("['*.example']", []),
)
def test_a_hostname_that_nobody_serves(hostnames: str, expected: list[str]) -> None:
    found = advised("SR2240", TWO, route("cart", f"hostnames: {hostnames}"))
    assert sorted(found) == expected


def test_a_listener_without_a_hostname_serves_all() -> None:
    assert advised("SR2240", OPEN, route("cart", "hostnames: [b.else]")) == []
