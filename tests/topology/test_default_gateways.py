"""Routes that want default Gateways (GEP-3793: `useDefaultGateways`, `defaultScope`)."""

from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.guards import find_attachments
from spokerender.topology.requests import find_rule_paths
from tests.support import cases
from tests.support.stages import (
    CLASS,
    auth,
    gateway,
    graph,
    objects as shipped,
    render,
    route,
    told,
)

CART = Ref(GATEWAY_API, "HTTPRoute", "shop", "cart")
ALL = "defaultScope: All"
SAME = "[{name: http, port: 80, protocol: HTTP}]"


def defaulted(scope: str = "All", parents: str = "[]") -> str:
    rules = "rules: [{backendRefs: [{name: svc, port: 80}]}]"
    return route("cart", parents, spec=f"useDefaultGateways: {scope}, {rules}")


def on(*documents: str) -> list[str]:
    """The Gateways, with listeners, that the route is on, by both who ask for it."""
    topology = graph(*documents)
    paths = {f"{path.gateway} [{path.listener}]" for path in find_rule_paths(topology)}
    guarded = {str(bond.thing) for bond, _ in find_attachments(topology, CART)}
    assert guarded == paths
    assert topology.ships_with(CART) >= {path.gateway for path in find_rule_paths(topology)}
    return sorted(paths)


@cases(
    ((gateway("web", spec=ALL), defaulted()), ["Gateway infra/web [http]"]),
    ((gateway("web", spec=ALL), gateway("other", "edge", spec=ALL), defaulted()),
     ["Gateway edge/other [http]", "Gateway infra/web [http]"]),
    ((gateway("web"), defaulted()), []),
    ((gateway("web", spec=ALL), defaulted("None")), []),
    ((gateway("web", spec=ALL), defaulted('""')), []),
    ((gateway("web", spec="defaultScope: None"), defaulted()), []),
    # The usual rules hold: whose routes a listener takes, for one.
    ((gateway("web", spec=ALL, listeners=SAME), defaulted()), []),
    ((gateway("web", spec=ALL), gateway("own"),
      defaulted("All", "[{name: own, namespace: infra}]")),
     ["Gateway infra/own [http]", "Gateway infra/web [http]"]),
    # It need not be one that is named as well.
    ((gateway("web", spec=ALL), defaulted("All", "[{name: web, namespace: infra}]")),
     ["Gateway infra/web [http]"]),
)  # fmt: skip
def test_it_is_on_the_gateways_of_its_scope(
    documents: tuple[str, ...], gateways: list[str]
) -> None:
    assert on(*documents) == gateways


def test_it_goes_where_they_go() -> None:
    documents = [
        CLASS,
        gateway("web", spec=ALL),
        defaulted(),
        auth("p", "kind: Gateway, name: web"),
    ]
    found = render(documents)
    assert told(found.results) == []
    assert shipped(found)["HTTPRoute shop/cart"]["spec"]["useDefaultGateways"] == "All"


def test_without_a_default_gateway_it_is_told() -> None:
    found = render([CLASS, gateway("web"), defaulted()])
    assert "HTTPRoute shop/cart" not in shipped(found)
    assert [line.partition(":")[0] for line in told(found.results)] == [
        "SR1513 HTTPRoute shop/cart"
    ]


def test_a_default_gateway_that_does_not_take_it_on_the_spoke_is_an_error() -> None:
    opened = gateway("web", "shop", spec=ALL, listeners=SAME)
    rule = "- {gateways: {names: [shop/web]}, spokes: {all: true}, as: {namespace: edge}}\n"
    found = render([CLASS, opened, defaulted()], rule)
    assert [line.partition(" (")[0] for line in told(found.results)] == [
        (
            "SR1706 HTTPRoute shop/cart spec.useDefaultGateways: it is not on Gateway edge/web, "
            "a default Gateway, on the spoke, as it was on the hub"
        )
    ]


def test_it_may_follow_its_default_gateway() -> None:
    opened = gateway("web", "shop", spec=ALL, listeners=SAME)
    rule = (
        "- {gateways: {names: [shop/web]}, spokes: {all: true}, as: {namespace: edge}, "
        "routes: follow}\n"
    )
    assert "HTTPRoute edge/cart" in shipped(render([CLASS, opened, defaulted()], rule))
