"""The graph: what hangs on what."""

from spokerender.kinds.kind import Role
from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.node import NamespaceLabels
from tests.support import cases, manifest, text_of
from tests.support.stages import graph, hub


def gateway(name: str, namespace: str = "infra") -> Ref:
    return Ref(GATEWAY_API, "Gateway", namespace, name)


GATEWAYS = text_of(__file__, "graph.yaml")


def policy(target: str, namespace: str = "shop") -> str:
    """A policy that targets `target` (YAML flow text)."""
    return manifest(f"AuthPolicy {namespace}/policy", f"targetRef: {target}")


POLICY = Ref("kuadrant.io", "AuthPolicy", "shop", "policy")


@cases(
    ("{group: gateway.networking.k8s.io, kind: Gateway, name: web}", "infra", {"web"}),
    ("{group: gateway.networking.k8s.io, kind: Gateway, name: web, sectionName: http}", "infra",
     {"web"}),
    ("{group: gateway.networking.k8s.io, kind: ListenerSet, name: more}", "shop", {"web"}),
    ("{group: gateway.networking.k8s.io, kind: HTTPRoute, name: direct}", "shop", {"web"}),
    ("{group: gateway.networking.k8s.io, kind: HTTPRoute, name: direct, sectionName: rule-1}",
     "shop", {"web"}),
    ("{group: gateway.networking.k8s.io, kind: HTTPRoute, name: below}", "shop", {"web"}),
    ("{group: gateway.networking.k8s.io, kind: GRPCRoute, name: both}", "shop", {"web", "api"}),
    ('{group: "", kind: Service, name: cart}', "shop", {"web"}),
    ('{group: "", kind: Service, name: far}', "other", {"web"}),
    ('{group: "", kind: Service, name: far}', "shop", set()),
    ('{group: "", kind: ConfigMap, name: cart}', "shop", set()),
    ("{group: gateway.networking.k8s.io, kind: TCPRoute, name: nowhere}", "shop", set()),
    ("{group: gateway.networking.k8s.io, kind: Gateway, name: web}", "shop", set()),
    ("{group: gateway.networking.k8s.io, kind: GRPCRoute, name: direct}", "shop", set()),
    ("{group: networking.istio.io, kind: Gateway, name: web}", "infra", set()),
)  # fmt: skip
def test_a_policy_hangs_on_gateways_at_any_distance(
    target: str, namespace: str, gateways: set[str]
) -> None:
    topology = graph(GATEWAYS, policy(target, namespace))
    ref = Ref("kuadrant.io", "AuthPolicy", namespace, "policy")
    assert topology.ships_with(ref) == {gateway(name) for name in gateways}


def test_a_gateway_hangs_on_itself_and_a_stranger_on_nothing() -> None:
    topology = graph(GATEWAYS)
    assert topology.ships_with(gateway("web")) == {gateway("web")}
    assert topology.ships_with(gateway("stranger")) == set()


def test_things_that_name_each_other_hang_on_what_they_reach() -> None:
    topology = graph(
        GATEWAYS,
        hub(
            manifest("ListenerSet infra/a", "parentRef: {kind: ListenerSet, name: b}"),
            manifest("ListenerSet infra/b", "parentRef: {kind: ListenerSet, name: a}"),
        ),
    )
    assert topology.ships_with(Ref(GATEWAY_API, "ListenerSet", "infra", "a")) == set()


def test_a_policy_on_a_service_beside_it_without_routes_leads_to_the_service() -> None:
    topology = graph(
        GATEWAYS,
        "{apiVersion: v1, kind: Service, metadata: {name: lone, namespace: shop}}\n",
        policy('{group: "", kind: Service, name: lone}'),
    )
    (link,) = topology.nodes[POLICY].attachments
    assert topology.targets(link) == (Ref("", "Service", "shop", "lone"),)
    assert topology.ships_with(POLICY) == set()


@cases(
    ("", "{tier: public}", {"web"}),
    ("", "{tier: nothing}", set()),
    ("namespaces: {from: All}, ", "{tier: internal}", {"api", "far"}),
    (
        "namespaces: {from: Selector, selector: {matchLabels: {team: far}}}, ",
        "{tier: internal}",
        {"far"},
    ),
)
def test_target_selectors_select_gateways_by_label(
    namespaces: str, selector: str, found: set[str]
) -> None:
    topology = graph(
        GATEWAYS,
        """\
        apiVersion: gateway.networking.k8s.io/v1
        kind: Gateway
        metadata: {name: far, namespace: far, labels: {tier: internal}}
        ---
        {apiVersion: v1, kind: Namespace, metadata: {name: far, labels: {team: far}}}
        """,
        manifest(
            "SecurityPolicy infra/policy",
            f"targetSelectors: [{{{namespaces}group: gateway.networking.k8s.io, kind: Gateway, "
            f"matchLabels: {selector}}}]",
        ),
    )
    hangs_on = topology.ships_with(
        Ref("gateway.envoyproxy.io", "SecurityPolicy", "infra", "policy")
    )
    assert {ref.name for ref in hangs_on} == found


def test_a_policy_on_a_service_of_the_hub_hangs_where_the_routes_to_it_do() -> None:
    topology = graph(
        GATEWAYS,
        "{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}}\n",
        policy('{group: "", kind: Service, name: cart}'),
    )
    assert topology.ships_with(POLICY) == {gateway("web")}


def test_routes_to_a_backend_are_told_once_each_and_sorted() -> None:
    topology = graph(GATEWAYS)
    assert [str(ref) for ref in topology.carriers(Ref("", "Service", "shop", "cart"))] == [
        "HTTPRoute shop/below",
        "HTTPRoute shop/direct",
    ]
    assert topology.carriers(Ref("", "Service", "shop", "absent")) == ()


def test_gateways_are_sorted_and_objects_are_found_by_kind_and_namespace() -> None:
    topology = graph(GATEWAYS)
    assert topology.gateways == (gateway("api"), gateway("web"))
    routes = topology.of_kind(GATEWAY_API, "HTTPRoute", "shop")
    assert [item.ref.name for item in routes] == ["direct", "below"]
    assert topology.of_kind(GATEWAY_API, "HTTPRoute", "infra") == ()


def test_a_namespace_has_the_label_with_its_name() -> None:
    topology = graph(
        "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}\n"
    )
    assert topology.labels_of_namespace("shop") == NamespaceLabels(
        {"team": "a", "kubernetes.io/metadata.name": "shop"}, is_complete=True
    )
    assert topology.labels_of_namespace("other") == NamespaceLabels(
        {"kubernetes.io/metadata.name": "other"}, is_complete=False
    )


def test_labels_of_namespaces_that_are_declared_come_first() -> None:
    topology = graph(
        "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}\n"
    ).with_labels({"shop": {"team": "b"}, "other": {}})
    assert topology.labels_of_namespace("shop").values["team"] == "b"
    assert topology.labels_of_namespace("other").is_complete


def test_backends_are_references_and_no_attachments() -> None:
    route = graph(GATEWAYS).nodes[Ref(GATEWAY_API, "HTTPRoute", "shop", "direct")]
    assert [link.row.role for link in route.references] == [Role.PARENT, Role.BACKEND, Role.BACKEND]
    assert [link.row.role for link in route.attachments] == [Role.PARENT]
