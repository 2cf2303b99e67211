"""Keys of `as.hostnames` that no listener or route has a use for."""

from spokerender.model import Origin
from tests.support import case, each
from tests.support.stages import CLASS, EVERYWHERE, GATEWAY, gateway, render, route, told

CART = route("cart", spec="hostnames: [a.shop.example]")
OPEN = gateway("open")
ON_OPEN = route("toys", "[{name: open, namespace: infra}]", spec="hostnames: [a.toys.example]")


def unused(*documents: str, rules: str) -> list[str]:
    """The findings about keys; nothing else is told of the fleet."""
    return told(render([CLASS, *documents], rules).results, "SR1409")


def mapping(keys: str, gateways: str = "[infra/web]", more: str = "") -> str:
    """A rule for every spoke with these hostnames."""
    return (
        f"- {{gateways: {{names: {gateways}}}, spokes: {{all: true}}{more}, "
        f"as: {{hostnames: {{{keys}}}}}}}\n"
    )


@each(
    case("of a listener", '"*.shop.example": "*.x.example"'),
    case("of a route, exactly", "a.shop.example: a.x.example"),
    case("a wildcard over several labels", '"*.example": "*.x.example"'),
    case("that keeps a hostname as it is", "a.shop.example: a.shop.example"),
)
def test_a_key_that_maps_something_is_used(keys: str) -> None:
    assert unused(GATEWAY, CART, rules=mapping(keys)) == []


def test_a_key_that_maps_nothing_is_told_where_the_rule_is() -> None:
    found = render([CLASS, GATEWAY, CART], mapping('"*.shpo.example": "*.x.example"'))
    assert told(found.results) == [
        (
            "SR1409 spec.rules[0].as.hostnames[*.shpo.example]: no listener or route has a "
            'hostname that "*.shpo.example" maps (did you mean "*.shop.example"?)'
        )
    ]
    assert [result.origin for result in found.results if result.code == "SR1409"] == [
        Origin("placement.yaml", 0, 9)
    ]


def test_a_wildcard_is_unused_where_longer_keys_are_for_everything() -> None:
    keys = '"*.shop.example": "*.x.example", "*.example": "*.y.example"'
    (line,) = unused(GATEWAY, CART, rules=mapping(keys))
    assert "as.hostnames[*.example]:" in line


def test_it_is_enough_that_one_gateway_of_the_rule_uses_a_key() -> None:
    keys = '"*.shop.example": "*.x.example", "*.toys.example": "*.y.example"'
    both = mapping(keys, "[infra/web, infra/open]")
    assert unused(GATEWAY, CART, OPEN, ON_OPEN, rules=both) == []


def test_a_key_of_another_rule_is_not_used_by_it() -> None:
    rules = EVERYWHERE + mapping('"*.shop.example": "*.x.example"', "[infra/open]")
    assert len(unused(GATEWAY, CART, OPEN, ON_OPEN, rules=rules)) == 1


def test_a_gateway_that_cannot_serve_a_hostname_does_not_use_the_key_for_it() -> None:
    both = route(
        "toys",
        "[{name: web, namespace: infra}, {name: open, namespace: infra}]",
        spec="hostnames: [a.toys.example]",
    )
    rules = mapping('"*.toys.example": "*.x.example"') + mapping("", "[infra/open]")
    assert len(unused(GATEWAY, OPEN, both, rules=rules)) == 1


def test_a_rule_that_places_nothing_is_told_nothing_of_its_keys() -> None:
    rules = EVERYWHERE + mapping("a.b.example: c.d.example", "[infra/absent]", ", optional: true")
    assert unused(GATEWAY, CART, rules=rules) == []


def test_the_routes_of_an_existing_gateway_use_keys() -> None:
    listeners = "[{name: http, allowedRoutes: {namespaces: {from: All}}}]"
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, mode: existing, as: "
        f"{{listeners: {listeners}, "
        "hostnames: {a.shop.example: b.x.example, z.example: y.example}}}\n"
    )
    (line,) = unused(GATEWAY, CART, rules=rules)
    assert "as.hostnames[z.example]:" in line
