"""A route's hostnames stay within its listeners', or the build is refused."""

from spokerender.topology.hostnames import intersects
from tests.support import case, cases, each, end_to_end as e2e, rows_of
from tests.support.stages import CLASS, EVERYWHERE, everywhere, gateway, render, route, told

ALL = "allowedRoutes: {namespaces: {from: All}}"


def listener(name: str, port: int, hostname: str) -> str:
    """A listener that everybody may attach to."""
    host = f'hostname: "{hostname}", ' if hostname else ""
    return f"{{name: {name}, {host}port: {port}, protocol: HTTP, {ALL}}}"


def serving(*listeners: str) -> str:
    """The gateway with these listeners."""
    return gateway("web", listeners=f"[{', '.join(listeners)}]")


def asking(hostnames: str, parent: str = "") -> str:
    """A route with these hostnames; `parent` is more of its parent reference."""
    return route(
        "cart", f"[{{name: web, namespace: infra{parent}}}]", spec=f"hostnames: {hostnames}"
    )


def placed(as_: str, mode: str = "create") -> str:
    """The rule that places the gateway so everywhere."""
    return everywhere(as_, mode)


WILD_LISTENER = listener("http", 80, "*.shop.example")
WILD = serving(WILD_LISTENER)
TWO = serving(WILD_LISTENER, listener("api", 81, "api.example"))
CART = asking("[cart.shop.example]")
TO_EU = placed('{hostnames: {"*.shop.example": "*.eu.example"}}')
BY_VALUE = placed('{hostnames: {"*.shop.example": "*.{{ spoke.values.domain }}"}}')
NARROWER = placed('{listeners: [{name: http, hostname: "*.eu.shop.example"}]}')
FOREIGN = placed(f"{{listeners: [{listener('http', 80, '*.own.example')}]}}", "existing")
UNDECLARED = placed(f"{{listeners: [{{name: http, {ALL}}}]}}", "existing")


@cases(
    case("as on the hub", [WILD, CART], EVERYWHERE),
    case("both are mapped", [WILD, CART], TO_EU),
    case("both are mapped to the spoke's own", [WILD, CART], BY_VALUE),
    case("a route without hostnames", [WILD, asking("[]")], FOREIGN),
    case("it is in the narrower one too", [WILD, asking("[cart.eu.shop.example]")], NARROWER),
    case("a wildcard that has some in common", [WILD, asking('["*.shop.example"]')], NARROWER),
    case("an existing listener takes any", [WILD, CART], UNDECLARED),
    case("another listener is not mapped", [TWO, asking("[api.example]")], TO_EU),
    case(
        "a listener without hostname",
        [serving(listener("http", 80, "")), asking("[cart.shop.example]")],
        EVERYWHERE,
    ),
)
def test_hostnames_that_are_served(hub: list[str], rules: str) -> None:
    assert told(render([CLASS, *hub], rules).results) == []


@each(
    [WILD, asking("[else.example]")],
    [TWO, asking("[api.example]", ", sectionName: http")],
    ids=["its hostname", "its section"],
)
def test_what_is_outside_on_the_hub_already_is_no_error(hub: list[str]) -> None:
    results = render([CLASS, *hub], TO_EU).results
    assert [r.severity for r in results if r.code == "SR2234"] == ["warning"]
    assert e2e.errors(results) == []


def outside(hostname: str, listeners: str, index: int = 0, spokes: str = "eu us") -> str:
    """The finding about one hostname."""
    return (
        f"SR1704 HTTPRoute shop/cart spec.hostnames[{index}]: hostname {hostname} is outside the "
        f"listeners of Gateway infra/web on the spoke ({listeners}) (map it in the rule's "
        f"`as.hostnames`, or add a listener for it) [{spokes}]"
    )


@cases(
    case("the listener is narrower", [WILD, CART], NARROWER,
         [outside("cart.shop.example", "*.eu.shop.example")]),
    case(
        "each hostname",
        [WILD, asking('[cart.shop.example, cart.eu.shop.example, "*.us.shop.example"]')],
        NARROWER,
        [
            outside("cart.shop.example", "*.eu.shop.example"),
            outside("*.us.shop.example", "*.eu.shop.example", 2),
        ],
    ),
    case("the route is mapped and the listener is not", [WILD, CART],
         placed('{hostnames: {"cart.shop.example": "cart.eu.example"}}'),
         [outside("cart.eu.example", "*.shop.example")]),
    case("a mapping with the spoke's value: all are shown", [WILD, CART],
         placed('{hostnames: {"cart.shop.example": "{{ spoke.values.domain }}"}}'),
         [outside("eu.example (elsewhere us.example)", "*.shop.example")]),
    case("an existing gateway serves others", [WILD, CART], FOREIGN,
         [outside("cart.shop.example", "*.own.example")]),
    case("the listener of that name", [TWO, asking("[cart.shop.example]", ", sectionName: http")],
         placed('{listeners: [{name: http, hostname: a.example}, {name: api, hostname: ""}]}'),
         [outside("cart.shop.example", "a.example")]),
    case("the listener of that port", [TWO, asking("[cart.shop.example]", ", port: 80")],
         placed('{listeners: [{name: http, hostname: a.example}, {name: api, hostname: ""}]}'),
         [outside("cart.shop.example", "a.example")]),
    case("none of the listeners", [TWO, CART],
         placed("{listeners: [{name: http, hostname: a.example}]}"),
         [outside("cart.shop.example", "a.example, api.example")]),
    case("a listener that takes any, but not of this namespace, is none of them",
         [serving("{name: own, port: 82, protocol: HTTP}", WILD_LISTENER), CART], NARROWER,
         [outside("cart.shop.example", "*.eu.shop.example")]),
)  # fmt: skip
def test_hostnames_outside(hub: list[str], rules: str, expected: list[str]) -> None:
    assert told(render([CLASS, *hub], rules).results, "SR1704") == expected


def test_a_hostname_that_an_override_adds_must_be_served() -> None:
    override = """\
    - target: {kind: HTTPRoute, name: cart}
      spokes: {names: [us]}
      patch: [{op: add, path: /spec/hostnames/-, value: us.example}]
    """
    found = render([CLASS, WILD, CART], overrides=override)
    assert told(found.results) == [outside("us.example", "*.shop.example", 1, "us")]


@cases(*rows_of(__file__, "hostnames_with_a_name_in_common"))
def test_hostnames_with_a_name_in_common(
    listener_hostname: str, hostname: str, common: bool
) -> None:
    assert intersects(listener_hostname, hostname) is common
