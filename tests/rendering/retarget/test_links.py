"""Every reference to a placed gateway follows it; nothing else does."""

from tests.rendering.retarget.moving import BOTH, GW, MOVED, RENAMED, made, namespace, policy
from tests.support import cases, each, manifest, rows_of
from tests.support.stages import CLASS, GATEWAY, everywhere, gateway, objects, render, told, values

ROUTES = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"]


def route(parents: str, kind: str = "HTTPRoute", place: str = "shop") -> str:
    return manifest(
        f"{kind} {place}/r", f"parentRefs: [{parents}]", api="gateway.networking.k8s.io/v1"
    )


@each(*ROUTES)
@cases(*rows_of(__file__, "parent_refs"))
def test_parent_refs(as_: str, place: str, parent: str, expected: str, kind: str) -> None:
    item = made(route(parent, kind, place), as_)
    assert (namespace(item), item["spec"]["parentRefs"]) == (place, values(f"[{expected}]\n")[0])


@each(*rows_of(__file__, "a_parent_of_another_kind_or_group_is_left_alone"))
def test_a_parent_of_another_kind_or_group_is_left_alone(other: str) -> None:
    error = {"error": "SR1010"} if "XListenerSet" in other else {}
    item = made(route(f"{other}, {{name: web, namespace: infra}}"), BOTH, **error)
    assert item["spec"]["parentRefs"] == values(f"[{other}, {{name: edge, namespace: gw}}]\n")[0]


def test_a_gateway_of_the_same_name_elsewhere_is_another() -> None:
    other = gateway("web", "other")
    rules = (
        f"- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {BOTH}}}\n"
        "- {gateways: {names: [other/web]}, spokes: {all: true}}\n"
    )
    text = route("{name: web, namespace: other}, {name: web, namespace: infra}")
    found = render([CLASS, GATEWAY, other, text], rules)
    assert told(found.results) == []
    assert objects(found)["HTTPRoute shop/r"]["spec"]["parentRefs"] == [
        {"name": "web", "namespace": "other"},
        {"name": "edge", "namespace": "gw"},
    ]


@cases(*rows_of(__file__, "a_listener_set_stays_and_its_parent_follows"))
def test_a_listener_set_stays_and_its_parent_follows(
    as_: str, place: str, parent: str, expected: str
) -> None:
    text = manifest(
        f"ListenerSet {place}/more", f"parentRef: {parent}, listeners: [{{name: x, port: 81}}]"
    )
    item = made(text, as_)
    assert (namespace(item), item["spec"]["parentRef"]) == (place, values(f"{expected}\n")[0])


@cases(
    (BOTH, f"targetRef: {{{GW}, name: web}}", f"targetRef: {{{GW}, name: edge}}", "gw"),
    (RENAMED, f"targetRef: {{{GW}, name: web}}", f"targetRef: {{{GW}, name: edge}}", "infra"),
    (MOVED, f"targetRef: {{{GW}, name: web}}", f"targetRef: {{{GW}, name: web}}", "gw"),
    (BOTH, f"targetRef: {{{GW}, name: web, sectionName: http, extra: 5}}, more: {{web: infra}}",
     f"targetRef: {{{GW}, name: edge, sectionName: http, extra: 5}}, more: {{web: infra}}", "gw"),
)  # fmt: skip
def test_a_local_policy_moves_with_its_target_and_no_namespace_is_added(
    as_: str, before: str, after: str, place: str
) -> None:
    item = made(policy("kuadrant.io", "AuthPolicy", before), as_)
    assert (namespace(item), item["spec"]) == (place, values(f"{{{after}}}\n")[0])
    assert item["metadata"]["annotations"] == {"kuadrant.io/policy-synced": "true"}


def test_target_refs_of_one_list_each_follow_their_own() -> None:
    targets = (
        f"targetRefs: [{{{GW}, name: web, sectionName: http}}, "
        "{group: gateway.envoyproxy.io, kind: Gateway, name: web}]"
    )
    item = made(policy("gateway.envoyproxy.io", "SecurityPolicy", targets), RENAMED)
    assert (
        item["spec"]["targetRefs"]
        == values(
            f"[{{{GW}, name: edge, sectionName: http}}, "
            "{group: gateway.envoyproxy.io, kind: Gateway, name: web}]\n"
        )[0]
    )


@cases(*rows_of(__file__, "namespaces_are_said_only_where_the_kind_allows"))
def test_namespaces_are_said_only_where_the_kind_allows(
    group: str, kind: str, before: str, after: str
) -> None:
    item = made(policy(group, kind, before))
    assert (namespace(item), item["spec"]) == ("gw", values(f"{{{after}}}\n")[0])


def test_a_policy_that_names_its_target_across_namespaces_stays_where_it_is() -> None:
    text = policy(
        "example.com", "Unheard", f"targetRef: {{{GW}, name: web, namespace: infra}}", "shop"
    )
    item = made(text)
    assert namespace(item) == "shop"
    assert item["spec"]["targetRef"] == values(f"{{{GW}, name: edge, namespace: gw}}\n")[0]


@cases(*rows_of(__file__, "kinds_of_neighbours_that_name_gateways"))
def test_kinds_of_neighbours_that_name_gateways(
    api: str, kind: str, place: str, before: str, after: str
) -> None:
    where = f", namespace: {place}" if place else ""
    item = made(manifest(f"{kind} n-1{where}", before, api=api))
    assert item["metadata"] == {"name": "n-1", **({"namespace": place} if place else {})}
    assert item["spec"] == values(f"{{{after}}}\n")[0]


def test_what_only_looks_like_a_reference_is_left_alone() -> None:
    """The route `web` and the Service `web` keep their name when the Gateway `web` is renamed."""
    text = manifest(
        "HTTPRoute infra/web",
        "parentRefs: [{name: web}], hostnames: [web.shop.example], rules: [{name: web, "
        "backendRefs: [{name: web, port: 80}]}]",
        metadata="labels: {gateway: web}",
    )
    item = made(text, RENAMED)
    assert (
        item == values(text.replace("parentRefs: [{name: web}]", "parentRefs: [{name: edge}]"))[0]
    )


def test_a_policy_on_a_route_stays_with_its_route() -> None:
    below = route("{name: web, namespace: infra}")
    text = policy(
        "kuadrant.io",
        "AuthPolicy",
        "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: r}",
        "shop",
    )
    found = render([CLASS, GATEWAY, below, text], everywhere(BOTH))
    assert told(found.results) == []
    assert sorted(objects(found)) == ["AuthPolicy shop/p", "Gateway gw/edge", "HTTPRoute shop/r"]
    assert objects(found)["AuthPolicy shop/p"]["spec"]["targetRef"]["name"] == "r"
