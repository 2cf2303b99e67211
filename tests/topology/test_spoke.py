"""A spoke's topology: what it is given, and the gateways that it has of its own."""

from spokerender.kinds.catalogue import Catalogue
from spokerender.model import JsonValue, PlacedGateway, Ref
from spokerender.topology.reading import build_spoke_topology
from tests.support import manifest
from tests.support.stages import node_of

CATALOGUE = Catalogue.of([])
HUB = Ref("gateway.networking.k8s.io", "Gateway", "infra", "web")
THEIRS = Ref("gateway.networking.k8s.io", "Gateway", "edge", "theirs")
LISTENERS = JsonValue.of([{"name": "http", "hostname": "*.example.com", "port": 80}])
ROUTE = node_of(manifest("HTTPRoute shop/shop", "parentRefs: [{name: theirs, namespace: edge}]"))
WEB = node_of(
    manifest(
        "Gateway edge/theirs",
        "gatewayClassName: istio, listeners: [{name: https, port: 443, protocol: HTTPS}]",
        metadata="labels: {made: here}",
    )
)


def test_an_existing_gateway_has_the_listeners_that_the_placement_declares() -> None:
    place = PlacedGateway(HUB, THEIRS, 0, existing=True, gateway_class="istio", listeners=LISTENERS)
    found = build_spoke_topology([ROUTE], [place], CATALOGUE)
    gateway = found.nodes[THEIRS]
    assert [(each.name, each.hostname) for each in gateway.listeners] == [("http", "*.example.com")]
    assert gateway.gateway_class == "istio"
    assert found.ships_with(ROUTE.ref) == {THEIRS}
    assert HUB not in found.nodes


def test_a_gateway_that_is_shipped_is_there_as_it_is_shipped() -> None:
    """The declared listeners are in it already: retargeting has merged them."""
    place = PlacedGateway(HUB, THEIRS, 0, listeners=LISTENERS)
    found = build_spoke_topology([WEB, ROUTE], [place], CATALOGUE)
    assert found.nodes == {THEIRS: WEB, ROUTE.ref: ROUTE}


def test_a_gateway_that_is_neither_is_not_there() -> None:
    found = build_spoke_topology([ROUTE], [PlacedGateway(HUB, THEIRS, 0)], CATALOGUE)
    assert found.nodes == {ROUTE.ref: ROUTE}
    assert found.ships_with(ROUTE.ref) == frozenset()


def test_two_hub_gateways_that_are_one_there_have_the_listeners_of_both() -> None:
    other = Ref("gateway.networking.k8s.io", "Gateway", "infra", "api")
    more = JsonValue.of([{"name": "http", "port": 80}, {"name": "https", "port": 443}])
    places = [
        PlacedGateway(other, THEIRS, 0, existing=True, listeners=more),
        PlacedGateway(HUB, THEIRS, 1, existing=True, gateway_class="istio", listeners=LISTENERS),
    ]
    gateway = build_spoke_topology([], places, CATALOGUE).nodes[THEIRS]
    assert [each.name for each in gateway.listeners] == ["http", "https"]
    assert gateway.gateway_class == "istio"
