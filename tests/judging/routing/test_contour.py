"""What Contour says of routes otherwise, beside `acceptance/data/controllers.yaml`."""

from tests.judging.routing.cluster import ISTIO, NOTHING, SERVICE, judged, parents
from tests.support import cases
from tests.topology.test_requests import gateway, listener, route

CONTOUR = ISTIO.replace("istio.io/gateway-controller", "projectcontour.io/gateway-controller")


@cases(
    ("{name: gw}", "", "Accepted? (NotKnown)", 1),
    ("{name: gw, namespace: shop}", "", "none", 0),
    # Whether one of them is assigned, only the cluster knows.
    (
        "{name: gw, namespace: infra}",
        ", addresses: [{value: 1.2.3.4}]",
        "Accepted? (Unverified)",
        1,
    ),
)
def test_a_reference_without_a_namespace_is_for_every_gateway_of_its_name(
    parent: str, more: str, expected: str, count: int
) -> None:
    """gatewayapi/helpers.go, IsRefToGateway; isAddressAssigned."""
    web, rules = gateway(listener(), more=more), ", rules: [{backendRefs: [{name: s, port: 80}]}]"
    routing = judged(CONTOUR, SERVICE, web, route(parents=parent, more=rules), unseen=NOTHING)
    assert parents(routing) == [expected + (", ResolvedRefs" if more else "")]
    (holder,) = routing.holders.values()
    assert [each.attached for each in holder.listeners] == [count]
