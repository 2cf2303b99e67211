"""Three questions about an object: what it ships with, moves with and guards."""

from msgspec.structs import replace

from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.graph import Topology
from spokerender.topology.guards import find_attachments
from tests.support import cases
from tests.support.stages import gateway, graph, route

WEB = Ref(GATEWAY_API, "Gateway", "infra", "web")
CART = Ref(GATEWAY_API, "HTTPRoute", "shop", "cart")
NAME = f"{GATEWAY_API}/gateway-name"
OPEN = "allowedRoutes: {namespaces: {from: All}}"
HUB = (
    gateway(
        "web",
        metadata="labels: {tier: gold}",
        listeners=f"[{{name: a, port: 80, {OPEN}}}, {{name: b, hostname: '*.example', port: 81}}]",
    ),
    route(
        "cart",
        spec="hostnames: [x.example], rules: [{name: main, backendRefs: [{name: svc}], filters: "
        "[{type: ExtensionRef, extensionRef: {group: example.com, kind: Filter, name: f}}]}]",
    ),
)


def policy(spec: str, namespace: str = "infra", kind: str = "SecurityPolicy") -> str:
    group = {"SecurityPolicy": "gateway.envoyproxy.io/v1alpha1", "Filter": "example.com/v1"}
    api = group.get(kind, "networking.k8s.io/v1")
    return (
        f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: f, namespace: {namespace}}}\n"
        f"spec: {spec}\n"
    )


def asked(text: str) -> tuple[Topology, Ref]:
    """The graph with one more object, and that object."""
    topology = graph(*HUB, text)
    (ref,) = (ref for ref in topology.nodes if ref.name == "f")
    return topology, ref


def target(kind: str, name: str, more: str = "") -> str:
    group = "" if kind == "Service" else GATEWAY_API
    return f'{{targetRefs: [{{group: "{group}", kind: {kind}, name: {name}{more}}}]}}'


def selecting(kind: str, more: str = "") -> str:
    return f"{{targetSelectors: [{{kind: {kind}, matchLabels: {{tier: gold}}{more}}}]}}"


PODS = f"{{podSelector: {{matchLabels: {{{NAME}: web}}}}}}"
PEER = f"{{podSelector: {{}}, ingress: [{{from: [{PODS}]}}]}}"


@cases(
    (policy(target("Gateway", "web")), True, ["Gateway infra/web"], ["Gateway infra/web"]),
    (policy(target("Gateway", "web", ", sectionName: a")), True, ["Gateway infra/web"],
     ["Gateway infra/web [a]"]),
    (policy(target("Gateway", "web", ", sectionName: c")), True, ["Gateway infra/web"], []),
    (policy(target("HTTPRoute", "cart"), "shop"), True, [str(CART)], [str(CART)]),
    (policy(selecting("Gateway")), True, ["Gateway infra/web"], ["Gateway infra/web"]),
    # It may look elsewhere, and has no grant to.
    (policy(selecting("Gateway", ", namespaces: {from: All}"), "shop"), True, [], []),
    (policy(selecting("Gateway"), "shop"), False, [], []),
    (policy(target("Service", "svc"), "shop"), True, ["Service shop/svc"],
     ["Service shop/svc by HTTPRoute shop/cart"]),
    (policy(PODS, kind="NetworkPolicy"), True, ["Gateway infra/web"], ["Gateway infra/web"]),
    # Whom a NetworkPolicy lets through is none of what it isolates.
    (policy(PEER, kind="NetworkPolicy"), True, [], []),
    (policy("{}", "shop", "Filter"), True, [str(CART)],
     ["HTTPRoute shop/cart by HTTPRoute shop/cart"]),
    (policy("{}", "infra", "Filter"), False, [], []),
)  # fmt: skip
def test_what_an_object_ships_with_moves_with_and_guards(
    text: str, ships: bool, moves: list[str], guarded: list[str]
) -> None:
    topology, ref = asked(text)
    assert topology.ships_with(ref) == ({WEB} if ships else set())
    assert [str(found) for _, found in topology.moves_with(ref)] == moves
    bonds = [bond for bond, _ in find_attachments(topology, ref)]
    assert [str(b.thing) + (f" by {b.by}" if b.by else "") for b in bonds] == guarded


def test_a_route_is_on_listeners_hostname_by_hostname() -> None:
    topology = graph(*HUB)
    (bond,) = (bond for bond, _ in find_attachments(topology, CART))
    assert (bond.thing, bond.hostname, bond.by) == (WEB.section("a"), "x.example", None)
    assert topology.moves_with(CART) == ()


def test_it_is_asked_once_and_labels_of_namespaces_may_be_elsewhere() -> None:
    """A selector of namespaces is met by the labels of the topology that has them."""
    selector = "{from: Selector, selector: {matchLabels: {team: a}}}"
    web = gateway("web", listeners=f"[{{name: a, allowedRoutes: {{namespaces: {selector}}}}}]")
    hub = graph("{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}\n")
    other = graph(web, HUB[1], namespaces=hub.with_labels({"shop": {"team": "b"}}))
    assert find_attachments(other, CART) == ()
    spoke = graph(web, HUB[1], namespaces=hub)
    found = find_attachments(spoke, CART)
    assert [bond.thing for bond, _ in found] == [replace(WEB, section_name="a")]
    assert find_attachments(spoke, CART) is found
