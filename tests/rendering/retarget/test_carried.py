"""What a route names as a backend or a filter ships with it, if its kind is listed."""

from tests.support import cases, each, manifest, rows_of
from tests.support.nearby import reason, shipped
from tests.support.stages import gateway, objects, render, route, told

WEB = gateway("web")
GATEWAY_API = "gateway.networking.k8s.io"
SELF = "[{name: web, namespace: infra}]"
MOVED = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {namespace: gw}}\n"
HERE = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}\n"


def fleet(*kinds: str) -> str:
    """The kinds as `group/Kind`."""
    entries = (f'{{group: "{kind.rpartition("/")[0]}", kind: {kind.rpartition("/")[2]}}}'
               for kind in kinds)  # fmt: skip
    return f"policiesToSync: [{', '.join(entries)}]"


ROUTES = f"{GATEWAY_API}/HTTPRoute"
TRAFFIC = "gateway.kgateway.dev/TrafficPolicy"


def parent(backend: str, parents: str = SELF, name: str = "parent") -> str:
    return route(name, parents, spec=f"rules: [{{backendRefs: [{backend}]}}]")


def child(name: str = "child", namespace: str = "team", more: str = "", spec: str = "{}") -> str:
    return (
        f"apiVersion: {GATEWAY_API}/v1\nkind: HTTPRoute\n"
        f"metadata: {{name: {name}, namespace: {namespace}{more}}}\nspec: {spec}\n"
    )


TO_CHILD = f"{{group: {GATEWAY_API}, kind: HTTPRoute, name: child, namespace: team}}"
TO_ALL = TO_CHILD.replace("name: child", 'name: "*"')
BY_LABEL = "{group: delegation.kgateway.dev, kind: label, name: a, namespace: team}"
EVERYWHERE = BY_LABEL.replace("namespace: team", "namespace: all")
LABEL = ", labels: {delegation.kgateway.dev/label: a}"


@cases(*rows_of(__file__, "a_route_that_another_delegates_to_ships_with_it"))
@each(HERE, MOVED)
def test_a_route_that_another_delegates_to_ships_with_it(
    rules: str, backend: str, text: str
) -> None:
    found = render([WEB, parent(backend), text], rules, settings=fleet(ROUTES))
    assert told(found.results) == []
    assert shipped(found, "HTTPRoute team/child") == ["eu"]


@cases(
    (TO_CHILD, child("other")),
    (TO_ALL, child(namespace="else")),
    (BY_LABEL, child()),
    (BY_LABEL, child(namespace="else", more=LABEL)),
    (EVERYWHERE, child(more=LABEL.replace("label: a", "label: b"))),
    # A route with parents is a child of these alone.
    (TO_CHILD, child(spec="{parentRefs: [{name: stranger, kind: Service, group: ''}]}")),
)
def test_another_route_is_no_child(backend: str, text: str) -> None:
    found = render([WEB, parent(backend), text], HERE, settings=fleet(ROUTES))
    assert [name for name in objects(found) if name.startswith("HTTPRoute")] == [
        "HTTPRoute shop/parent"
    ]


def test_children_of_children_and_circles() -> None:
    to_grandchild = TO_CHILD.replace("name: child", "name: grandchild")
    back_to_parent = TO_CHILD.replace("name: child, namespace: team", "name: child")
    documents = [
        WEB,
        parent(TO_CHILD),
        child(spec=f"{{rules: [{{backendRefs: [{to_grandchild}]}}]}}"),
        child("grandchild", spec=f"{{rules: [{{backendRefs: [{back_to_parent}]}}]}}"),
    ]
    found = render(documents, HERE, settings=fleet(ROUTES))
    assert shipped(found, "HTTPRoute team/grandchild") == ["eu"]
    nowhere = render(documents, HERE.replace("[eu]", "[us]"), settings=fleet(ROUTES))
    assert shipped(nowhere, "HTTPRoute team/grandchild") == ["us"]


def test_a_policy_for_a_child_ships_with_it() -> None:
    policy = manifest(
        "TrafficPolicy team/p",
        f"targetRefs: [{{group: {GATEWAY_API}, kind: HTTPRoute, name: child}}]",
    )
    found = render([WEB, parent(TO_CHILD), child(), policy], MOVED, settings=fleet(ROUTES, TRAFFIC))
    assert told(found.results) == []
    assert shipped(found, "TrafficPolicy team/p") == ["eu"]


FILTERS = [
    ("gateway.kgateway.dev", "TrafficPolicy"),
    ("gateway.kgateway.dev", "DirectResponse"),
    ("gateway.envoyproxy.io", "HTTPRouteFilter"),
    ("gateway.nginx.org", "SnippetsFilter"),
    ("traefik.io", "Middleware"),
    ("gateway.k8s.aws", "ListenerRuleConfiguration"),
]


def crd(group: str, kind: str) -> str:
    """A kind that no row tells of."""
    plural = f"{kind.lower()}s"
    return manifest(
        f"CustomResourceDefinition {plural}.{group}",
        f"group: {group}, scope: Namespaced, names: {{kind: {kind}, plural: {plural}}}, "
        "versions: [{name: v1, served: true}]",
        api="apiextensions.k8s.io/v1",
    )


def filtering(group: str, kind: str, where: str = "rule") -> str:
    named = f"{{group: {group}, kind: {kind}, name: f}}"
    entry = f"filters: [{{type: ExtensionRef, extensionRef: {named}}}]"
    backend = f"name: svc, port: 80{f', {entry}' if where == 'backend' else ''}"
    rule = f"{f'{entry}, ' if where == 'rule' else ''}backendRefs: [{{{backend}}}]"
    return route("cart", SELF, spec=f"rules: [{{{rule}}}]")


def filter_of(group: str, kind: str, namespace: str = "shop", spec: str = "{}") -> str:
    return (
        f"apiVersion: {group}/v1\nkind: {kind}\n"
        f"metadata: {{name: f, namespace: {namespace}}}\nspec: {spec}\n"
    )


@cases(*FILTERS)
@each("rule", "backend")
def test_what_a_filter_names_ships_with_the_route(where: str, group: str, kind: str) -> None:
    documents = [WEB, crd(group, kind), filtering(group, kind, where), filter_of(group, kind)]
    found = render(documents, MOVED, settings=fleet(ROUTES, f"{group}/{kind}"))
    assert told(found.results) == []
    assert shipped(found, f"{kind} shop/f") == ["eu"]


def test_a_filter_of_another_namespace_is_another_one() -> None:
    documents = [WEB, filtering(*FILTERS[2]), filter_of(*FILTERS[2], "infra")]
    found = render(documents, HERE, settings=fleet(ROUTES, "gateway.envoyproxy.io/HTTPRouteFilter"))
    assert reason(found, "HTTPRouteFilter infra/f") == [
        "not shipped: it hangs on no gateway of the hub"
    ]


def test_a_filter_whose_route_does_not_ship_does_not_either() -> None:
    documents = [WEB, filtering(*FILTERS[2]), filter_of(*FILTERS[2])]
    found = render(documents, settings=fleet("gateway.envoyproxy.io/HTTPRouteFilter"))
    assert reason(found, "HTTPRouteFilter shop/f") == ["not shipped: nothing that names it ships"]


def test_a_security_policy_that_only_a_filter_names_is_missed_where_it_is_not_listed() -> None:
    documents = [WEB, filtering(*FILTERS[0]), filter_of(*FILTERS[0])]
    found = render(documents, HERE, settings=fleet(ROUTES))
    assert [line.partition(":")[0] for line in told(found.results)] == [
        "SR1502 TrafficPolicy shop/f"
    ]


def test_a_policy_for_a_gateway_that_moves_that_is_a_filter_of_a_route_that_stays() -> None:
    target = f"{{targetRefs: [{{group: {GATEWAY_API}, kind: Gateway, name: web}}]}}"
    documents = [
        WEB,
        filtering(*FILTERS[0]).replace("namespace: shop", "namespace: infra"),
        filter_of(*FILTERS[0], "infra", target),
    ]
    found = render(documents, MOVED, settings=fleet(ROUTES, TRAFFIC))
    assert told(found.results, "SR1505") == [
        (
            "SR1505 TrafficPolicy infra/f: a TrafficPolicy can only target what is in its own "
            "namespace, but on the spoke its targets are apart: Gateway web in gw, HTTPRoute cart "
            "in infra (write one policy per target) [eu]"
        )
    ]


def test_a_service_of_the_hub_ships_where_somebody_lists_its_kind() -> None:
    documents = [WEB, parent("{name: svc, port: 80}"), manifest("Service shop/svc", "")]
    assert shipped(render(documents, HERE, settings=fleet(ROUTES)), "Service shop/svc") == []
    found = render(documents, HERE, settings=fleet(ROUTES, "/Service"))
    assert shipped(found, "Service shop/svc") == ["eu"]
