"""Why a route is on no listener of the parent that it names."""

from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.doors import explain_detachment
from spokerender.topology.requests import find_rule_paths
from tests.support import cases, manifest
from tests.support.stages import graph
from tests.topology.test_requests import gateway, listener, listener_set, route

ROUTE = Ref(GATEWAY_API, "HTTPRoute", "shop", "web")
MORE = "{group: gateway.networking.k8s.io, kind: ListenerSet, name: more}"
GW = "Gateway infra/gw"


@cases(
    ((gateway(listener()), route()), ""),
    ((gateway(listener(), name="other"), route()), f"{GW} is not there"),
    ((gateway(listener()), route(parents="{name: gw, namespace: infra, sectionName: x}")),
     f"no listener of {GW} has the sectionName or port that it names"),
    ((gateway(listener(protocol="TCP")), route()),
     (f"no listener of {GW} takes routes of kind HTTPRoute (its protocol, tls.mode, or "
      "allowedRoutes.kinds)")),
    ((gateway(listener(more="")), route()),
     f"no listener of {GW} admits routes of namespace shop (allowedRoutes.namespaces)"),
    ((gateway(listener(more="hostname: a.example, allowedRoutes: {namespaces: {from: All}}")),
      route(more=", hostnames: [b.example, c.example]")),
     f"no listener of {GW} has a hostname in common with b.example, c.example"),
    ((gateway(listener()), listener_set(listener()), route(parents=MORE)),
     "no Gateway admits ListenerSet shop/more (spec.allowedListeners)"),
    ((gateway(listener(), more=", allowedListeners: {namespaces: {from: All}}"),
      listener_set(listener(port=81)), route(parents=MORE)), ""),
    (
        (
            gateway(listener(), more=", allowedListeners: {namespaces: {from: All}}"),
            listener_set(listener()),
            route(parents=MORE),
        ),
        (
            "no listener of ListenerSet shop/more is distinct from those of its Gateway that "
            "come first"
        ),
    ),
)  # fmt: skip
def test_the_first_reason_is_told(documents: tuple[str, ...], why: str) -> None:
    topology = graph(*documents)
    node = topology.nodes[ROUTE]
    assert [told for _, told in explain_detachment(topology, node)] == [why] * bool(why)
    assert bool(find_rule_paths(topology)) is not bool(why)


def test_labels_of_namespaces_are_the_hubs() -> None:
    """A spoke's Namespaces are rarely among its objects."""
    chosen = "allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {a: b}}}}"
    documents = (gateway(listener(more=chosen)), route())
    hub = graph(*documents, manifest("Namespace shop", metadata="labels: {a: b}"))
    other = hub.with_labels({"shop": {"a": "c"}})
    for namespaces, number in ((other, 1), (hub, 0)):
        topology = graph(*documents, namespaces=namespaces)
        assert len([*explain_detachment(topology, topology.nodes[ROUTE])]) == number
