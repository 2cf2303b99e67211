"""Paths that requests take: what a route attaches to, and what hangs on the way."""

from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_backend_paths, find_listener_paths, find_rule_paths
from tests.support import cases, manifest, rows_of
from tests.support.stages import graph

ALL = "allowedRoutes: {namespaces: {from: All}}"


def gateway(listeners: str, name: str = "gw", more: str = "") -> str:
    return (
        "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n"
        f"metadata: {{name: {name}, namespace: infra}}\n"
        f"spec: {{gatewayClassName: class, listeners: [{listeners}]{more}}}\n"
    )


def listener(name: str = "http", more: str = ALL, protocol: str = "HTTP", port: int = 80) -> str:
    return f"{{name: {name}, port: {port}, protocol: {protocol}, {more}}}"


def route(
    name: str = "web",
    parents: str = "{name: gw, namespace: infra}",
    more: str = "",
    kind: str = "HTTPRoute",
) -> str:
    return (
        f"apiVersion: gateway.networking.k8s.io/v1\nkind: {kind}\n"
        f"metadata: {{name: {name}, namespace: shop}}\n"
        f"spec: {{parentRefs: [{parents}]{more}}}\n"
    )


def listener_set(
    listeners: str, parent: str = "{name: gw, namespace: infra}", namespace: str = "shop"
) -> str:
    return manifest(
        f"ListenerSet {namespace}/more", f"parentRef: {parent}, listeners: [{listeners}]"
    )


def told(paths: tuple[RequestPath, ...]) -> list[str]:
    """Paths on one line each: gateway, ListenerSet, listener, route, rule, backend."""
    return [" > ".join(_name(level) for level in path.levels[1:]) for path in paths]


def _name(level: Ref) -> str:
    return f"{level.name}#{level.section_name}" if level.section_name else level.name


def on(*documents: str) -> list[str]:
    """The listeners that routes of these documents are on, a route's with its name."""
    return [
        f"{path.listener} {path.route.name}"
        for path in find_rule_paths(graph(*documents))
        if path.route
    ]


def test_every_rule_on_every_listener() -> None:
    topology = graph(
        gateway(f"{listener('a')}, {listener('b', port=81)}"),
        route(more=", rules: [{name: first}, {}]"),
    )
    assert told(find_rule_paths(topology)) == [
        "gw > gw#a > web > web#first",
        "gw > gw#a > web > web#rule-2",
        "gw > gw#b > web > web#first",
        "gw > gw#b > web > web#rule-2",
    ]
    assert told(find_listener_paths(topology)) == ["gw > gw#a", "gw > gw#b"]


def test_a_rule_named_like_the_position_of_another_is_not_that_one() -> None:
    rules = "rules: [{name: rule-2, backendRefs: [{name: a}]}, {backendRefs: [{name: b}]}]"
    topology = graph(gateway(listener("http")), route(more=f", {rules}"))
    assert told(find_rule_paths(topology)) == [
        "gw > gw#http > web > web#rule-2",
        "gw > gw#http > web > web#rules[1]",
    ]
    assert told(find_backend_paths(topology)) == [
        "gw > gw#http > web > web#rule-2 > a",
        "gw > gw#http > web > web#rules[1] > b",
    ]


GRANT = manifest(
    "ReferenceGrant x/routes",
    f"from: [{{group: {GATEWAY_API}, kind: HTTPRoute, namespace: shop}}], "
    "to: [{group: '', kind: Service}]",
    api=f"{GATEWAY_API}/v1beta1",
)


def test_a_backend_that_may_not_be_named_is_on_no_path() -> None:
    far = route(more=", rules: [{backendRefs: [{name: far, namespace: x}]}]")
    assert find_backend_paths(graph(gateway(listener()), far)) == ()
    assert len(find_backend_paths(graph(gateway(listener()), far, GRANT))) == 1


def test_the_levels_of_a_path() -> None:
    topology = graph(
        gateway(listener()),
        route(more=", rules: [{backendRefs: [{name: cart, port: 80}, {name: far, namespace: x}]}]"),
        GRANT,
    )
    first, second = find_backend_paths(topology)
    shop = Ref(GATEWAY_API, "HTTPRoute", "shop", "web")
    infra = Ref(GATEWAY_API, "Gateway", "infra", "gw")
    assert first.levels == (
        Ref(GATEWAY_API, "GatewayClass", "", "class"),
        infra,
        Ref(GATEWAY_API, "Gateway", "infra", "gw", "http"),
        shop,
        Ref(GATEWAY_API, "HTTPRoute", "shop", "web", "rule-1"),
        Ref("", "Service", "shop", "cart"),
    )
    assert second.backend == Ref("", "Service", "x", "far")


def test_a_port_of_a_backend_is_below_the_backend() -> None:
    port = Ref("", "Service", "shop", "cart", "http")
    path = RequestPath("class", Ref(GATEWAY_API, "Gateway", "a", "b"), None, "http", backend=port)
    assert path.levels[-2:] == (port.whole, port)


def test_a_route_without_rules_has_one() -> None:
    """The API server fills in a rule that matches everything."""
    topology = graph(gateway(listener()), route())
    assert told(find_rule_paths(topology)) == ["gw > gw#http > web > web#rule-1"]
    assert find_backend_paths(topology) == ()


def test_backends_are_those_of_their_rule() -> None:
    rules = ", rules: [{backendRefs: [{name: a}]}, {}, {backendRefs: [{name: b}, {name: b}]}]"
    topology = graph(gateway(listener()), route(more=rules))
    assert told(find_backend_paths(topology)) == [
        "gw > gw#http > web > web#rule-1 > a",
        "gw > gw#http > web > web#rule-3 > b",
    ]


def test_a_parent_named_twice_makes_no_path_twice() -> None:
    parents = "{name: gw, namespace: infra}, {name: gw, namespace: infra, sectionName: http}"
    assert on(gateway(listener()), route(parents=parents)) == ["http web"]


@cases(*rows_of(__file__, "which_listeners_a_route_names"))
def test_which_listeners_a_route_names(parent: str, listeners: list[str]) -> None:
    two = f"{listener('a')}, {listener('b', port=81)}"
    assert on(gateway(two), route(parents=parent)) == listeners


NAMESPACE = manifest("Namespace shop", metadata="labels: {team: shop}")


@cases(*rows_of(__file__, "allowed_namespaces"))
def test_allowed_namespaces(admission: str, admitted: bool) -> None:
    text = gateway(listener(more=f"allowedRoutes: {{namespaces: {admission}}}"))
    assert bool(on(text, route(), NAMESPACE)) is admitted


def test_same_is_the_default() -> None:
    text = gateway(listener(more=""))
    assert on(text, route()) == []
    assert on(text.replace("namespace: infra", "namespace: shop"), route(parents="{name: gw}")) == [
        "http web"
    ]


def test_labels_of_namespaces_may_be_the_hub_s() -> None:
    selected = "{from: Selector, selector: {matchLabels: {team: shop}}}"
    objects = (gateway(listener(more=f"allowedRoutes: {{namespaces: {selected}}}")), route())
    hub = graph(NAMESPACE)
    assert find_rule_paths(graph(*objects, namespaces=hub.with_labels({"shop": {}}))) == ()
    assert len(find_rule_paths(graph(*objects, namespaces=hub))) == 1


def test_labels_of_namespaces_that_nobody_tells_keep_no_route_away() -> None:
    selected = "{from: Selector, selector: {matchLabels: {team: shop}}}"
    spoke = graph(gateway(listener(more=f"allowedRoutes: {{namespaces: {selected}}}")), route())
    assert len(find_rule_paths(spoke)) == 1


@cases(*rows_of(__file__, "protocols"))
def test_protocols(protocol: str, kind: str, taken: bool) -> None:
    assert bool(on(gateway(listener(protocol=protocol)), route(kind=kind))) is taken


@cases(*rows_of(__file__, "allowed_kinds"))
def test_allowed_kinds(kinds: str, taken: bool) -> None:
    more = f"allowedRoutes: {{namespaces: {{from: All}}, kinds: {kinds}}}"
    assert bool(on(gateway(listener(more=more)), route())) is taken


def test_a_kind_that_the_protocol_has_no_use_for_is_not_allowed() -> None:
    """Gateway API, `allowedRoutes.kinds`: they must be compatible with the protocol."""
    more = "allowedRoutes: {namespaces: {from: All}, kinds: [{kind: TCPRoute}]}"
    assert on(gateway(listener(more=more)), route(kind="TCPRoute")) == []


@cases(*rows_of(__file__, "hostnames"))
def test_hostnames(
    hostname: str, hostnames: list[str], served: list[str] | None, within: bool
) -> None:
    more = f"hostname: '{hostname}', {ALL}" if hostname else ALL
    names = ", ".join(f"'{name}'" for name in hostnames)
    found = find_rule_paths(
        graph(gateway(listener(more=more)), route(more=f", hostnames: [{names}]"))
    )
    assert [list(path.hostnames) for path in found] == ([] if served is None else [served])
    assert all((not path.beyond) is within for path in found)


SHOPS = "{from: Selector, selector: {matchLabels: {team: shop}}}"
ADMITTING = ", allowedListeners: {namespaces: {from: All}}"
IN_SET = "{kind: ListenerSet, name: more}"


@cases(
    ("", "shop", False),
    (ADMITTING, "shop", True),
    (", allowedListeners: {namespaces: {from: Same}}", "shop", False),
    (", allowedListeners: {namespaces: {from: Same}}", "infra", True),
    (f", allowedListeners: {{namespaces: {SHOPS}}}", "shop", True),
    ids=["none by default", "all", "same elsewhere", "same", "selector"],
)
def test_listener_sets_that_the_gateway_admits(
    allowed: str, namespace: str, admitted: bool
) -> None:
    documents = (
        gateway(listener(), more=allowed),
        listener_set(listener("extra", port=81), namespace=namespace),
        route(parents=f"{{kind: ListenerSet, name: more, namespace: {namespace}}}"),
        NAMESPACE,
    )
    assert on(*documents) == (["extra web"] if admitted else [])
    listeners = told(find_listener_paths(graph(*documents)))
    assert listeners == ["gw > gw#http", *(["gw > more > more#extra"] if admitted else [])]


def test_a_route_on_the_gateway_is_not_on_its_listener_sets() -> None:
    """GEP-1713: a ListenerSet's listeners are attached to by naming the ListenerSet."""
    documents = (gateway(listener(), more=ADMITTING), listener_set(listener("extra", port=81)))
    assert on(*documents, route()) == ["http web"]
    assert on(*documents, route(parents=IN_SET)) == ["extra web"]


def test_listeners_of_a_set_admit_by_the_set_s_namespace() -> None:
    documents = (
        gateway(listener(), more=ADMITTING),
        listener_set(listener("extra", more="", port=81)),
    )
    assert told(find_rule_paths(graph(*documents, route(parents=IN_SET)))) == [
        "gw > more > more#extra > web > web#rule-1"
    ]


def test_a_listener_set_without_its_gateway_leads_nowhere() -> None:
    documents = (listener_set(listener("extra", port=81)), route(parents=IN_SET))
    assert on(*documents) == []
    assert find_listener_paths(graph(*documents)) == ()


def test_a_route_below_a_service_is_on_no_listener() -> None:
    service = manifest("Service shop/cart")
    assert (
        on(gateway(listener()), service, route(parents="{group: '', kind: Service, name: cart}"))
        == []
    )
