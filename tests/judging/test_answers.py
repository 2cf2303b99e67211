"""The rule that takes a request: the Gateway API's conformance tests, and what its text says."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from spokerender.explain.requests import read_request
from spokerender.formats import yamlio
from spokerender.judging.answers import RequestWay, find_request_ways
from spokerender.kinds.catalogue import Catalogue
from spokerender.topology.graph import Topology
from spokerender.topology.matches import read_matches
from spokerender.topology.reading import read_node
from tests.conftest import DATA
from tests.judging.attachment.policies import ref_of
from tests.support import manifest, rows_of
from tests.support.cases import cases, each
from tests.support.stages import graph
from tests.topology.test_requests import ALL, gateway, listener, route

CONFORMANCE = DATA / "gateway-api"
NOT_FOUND = "404"
"""What the tests expect where no rule takes a request; an empty text stands for a redirect."""


@cache
def documents(path: Path) -> list[Any]:
    return [document.value for document in yamlio.read(path.read_bytes(), path.name)[0]]


def follow(topology: Topology, request: str, *headers: str) -> tuple[RequestWay, ...]:
    return find_request_ways(topology, read_request(request, headers), lambda value: value)


def backends(objects: list[Any], topology: Topology, way: RequestWay) -> list[str]:
    """The backends of the rule that takes the request, or that nothing does."""
    if not way.rules:
        return [NOT_FOUND]
    path = way.rules[0]
    own = next(item for item in objects if ref_of(item) == path.route)
    names = [*read_matches(topology.nodes[path.levels[-2]])]
    rule = own["spec"]["rules"][names.index(path.rule)]
    return [item["name"] for item in rule.get("backendRefs", ())] or [""]


def test_conformance() -> None:
    """The answers of `conformance/tests/httproute-*.go` at v1.4.0."""
    rows = json.loads((CONFORMANCE / "conformance-requests.json").read_text())
    wrong = []
    for name, gateway_name, request, headers, expected in rows:
        folder = CONFORMANCE / "conformance-manifests"
        objects = [*documents(folder / "_base-manifests.yaml"), *documents(folder / f"{name}.yaml")]
        catalogue = Catalogue.of([])
        topology = Topology(read_node(ref_of(item), item, catalogue) for item in objects)
        ways = follow(topology, request, *headers)
        (way,) = (way for way in ways if way.proxy.name == gateway_name)
        if expected not in backends(objects, topology, way):
            wrong.append((name, request, headers, expected, way))
    assert len(rows) > 120
    assert wrong == []


def answers(topology: Topology, request: str, *headers: str) -> list[str]:
    """The rules that may take a request, or the reason why none does."""
    ways = follow(topology, request, *headers)
    return [
        text
        for way in ways
        for text in ([f"{path.levels[-2].name} {path.rule}" for path in way.rules] or [way.refused])
    ]


def rules(*matches: str) -> str:
    return f", rules: [{', '.join(f'{{matches: [{match}]}}' for match in matches)}]"


OPEN = gateway(listener())
BY_HEADER = "{headers: [{name: X-Tier, value: gold}]}"
LONGEST = "{path: {value: /a/b}}"
EXACT = "{path: {type: Exact, value: /a}}"
BY_PARAMETER = "{queryParams: [{name: q, value: '1'}]}"
MATCHES = ("{}", BY_HEADER, BY_PARAMETER, "{method: GET}", LONGEST, EXACT)
PRECEDENCE = graph(OPEN, route(more=rules(*MATCHES)))


@cases(*rows_of(__file__, "the_most_specific_match_comes_first"))
def test_the_most_specific_match_comes_first(asked: str, headers: list[str], rule: str) -> None:
    assert answers(PRECEDENCE, asked, *headers) == [rule]


def test_age_decides_between_routes_with_equal_matches() -> None:
    topology = graph(OPEN, route("old"), route("new"), route("near", more=rules(EXACT)))
    assert answers(topology, "http://h.example/") == ["new rule-1", "old rule-1"]
    assert answers(topology, "http://h.example/a") == ["near rule-1"]


def test_within_a_route_the_first_of_equal_rules_comes_first() -> None:
    topology = graph(OPEN, route(more=", rules: [{name: z}, {name: a}]"))
    assert answers(topology, "http://h.example/") == ["web z"]


@cases(*rows_of(__file__, "an_expression_that_is_part_of_a_path_is_the_controllers_affair"))
def test_an_expression_that_is_part_of_a_path_is_the_controllers_affair(
    pattern: str, path: str, expected: list[str]
) -> None:
    match = f"{{path: {{type: RegularExpression, value: '{pattern}'}}}}"
    topology = graph(OPEN, route(more=rules(match, "{}")))
    assert answers(topology, f"http://h.example{path}") == expected


ENVOY_GATEWAY = (
    "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: class}\n"
    "spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}\n"
)


@cases(*rows_of(__file__, "envoy_gateway_has_an_order_of_its_own"))
def test_envoy_gateway_has_an_order_of_its_own(
    one: str, other: str, asked: str, expected: str
) -> None:
    """`internal/gatewayapi/sort.go`, held against its proxy: `tests/live/test_envoy.py`."""
    topology = graph(ENVOY_GATEWAY, OPEN, route(more=rules(one, other)))
    assert answers(topology, asked, "a: 1", "b: 1") == [expected]


def test_what_only_the_implementation_can_tell_may_be_no_rule_at_all() -> None:
    match = "{path: {type: RegularExpression, value: /v}}"
    (way,) = follow(graph(OPEN, route(more=rules(match))), "http://h.example/v1")
    assert [path.rule for path in way.rules] == ["rule-1"]
    assert way.refused == "no rule is for this request: it is answered with 404"


def test_a_filter_may_have_conditions_of_its_own() -> None:
    reference = "{group: gateway.envoyproxy.io, kind: HTTPRouteFilter, name: by-cookie}"
    by_cookie = f"{{filters: [{{type: ExtensionRef, extensionRef: {reference}}}]}}"
    conditions = manifest(
        "HTTPRouteFilter shop/by-cookie",
        "matches: [{cookies: [{name: c, value: a}]}]",
        api="gateway.envoyproxy.io/v1alpha1",
    )
    topology = graph(ENVOY_GATEWAY, OPEN, conditions, route(more=f", rules: [{by_cookie}, {{}}]"))
    assert answers(topology, "http://h.example/") == ["web rule-1", "web rule-2"]


def test_the_slash_at_the_end_of_a_prefix_is_a_character_of_it() -> None:
    topology = graph(OPEN, route(more=rules("{path: {value: /a}}", "{path: {value: /a/}}")))
    assert answers(topology, "http://h.example/a") == ["web rule-2"]


def test_a_call_of_grpc_is_as_specific_as_its_path() -> None:
    call = rules("{method: {service: shop.Cart}}")
    topology = graph(ENVOY_GATEWAY, OPEN, route(), route("call", kind="GRPCRoute", more=call))
    assert answers(topology, "POST http://h.example/shop.Cart/Add") == ["call rule-1"]


@each("http://h.example:80/", "https://h.example:80/", "tls://h.example:80", "tcp://h.example:80")
def test_a_listener_of_tcp_passes_on_what_it_gets(asked: str) -> None:
    topology = graph(gateway(listener(protocol="TCP")), route("db", kind="TCPRoute"))
    assert answers(topology, asked) == ["db rule-1"]


def test_a_connection_without_a_route_is_closed() -> None:
    through = listener("p", f"tls: {{mode: Passthrough}}, {ALL}", "TLS", 443)
    told = "no route is for h.example: the connection is closed"
    assert answers(graph(gateway(through)), "https://h.example/") == [told]


def test_a_listener_that_is_not_opened_takes_nothing() -> None:
    secure = listener("s", f"hostname: h.example, {ALL}", protocol="HTTPS", port=443)
    wider = listener("w", ALL, protocol="HTTPS", port=443)
    request = read_request("https://h.example/")

    def sections(*listeners: str) -> list[tuple[list[str], str]]:
        topology = graph(gateway(", ".join(listeners)), route())
        of = next(ref for ref in topology.nodes if ref.kind == "Gateway")
        closed = {of.section("s"): "no certificate"}
        found = find_request_ways(topology, request, lambda value: value, closed)
        return [([path.listener for path in way.rules], way.refused) for way in found]

    assert sections(secure, wider) == [(["w"], "")]
    assert sections(secure) == [([], "port 443 is not opened: no certificate")]


@cases(*rows_of(__file__, "a_askedis_refused_where_it_ends"))
def test_a_askedis_refused_where_it_ends(asked: str, refused: str | None) -> None:
    secure = listener("s", f"hostname: s.example, {ALL}", protocol="HTTPS", port=443)
    other = listener("o", f"hostname: '*.example', {ALL}", port=8080)
    topology = graph(
        gateway(f"{listener()}, {secure}, {other}"),
        route(parents="{name: gw, namespace: infra, sectionName: http}", more=rules(EXACT)),
    )
    request = asked.replace("https://h.example/", "https://h.example:80/")
    assert answers(topology, request) == ([] if refused is None else [refused])


@each("http://h.example:8080/", "https://h.example/")
def test_a_listener_of_a_gateway_of_the_spokes_own_may_be_on_any_port(asked: str) -> None:
    topology = graph(gateway("{name: http, allowedRoutes: {namespaces: {from: All}}}"), route())
    assert answers(topology, asked) == ["web rule-1"]


def test_near_misses_are_those_that_would_come_first() -> None:
    topology = graph(OPEN, route(more=rules("{}", "{method: POST}", EXACT, BY_HEADER)))
    (way,) = follow(topology, "http://h.example/a")
    assert [path.rule for path in way.rules] == ["rule-3"]
    assert [(path.rule, why) for path, why in way.passed] == [
        ("rule-1", "its match is less specific")
    ]
    (way,) = follow(topology, "http://h.example/")
    assert [(path.rule, lacking) for path, lacking in way.passed] == [
        ("rule-3", "it wants path /a"),
        ("rule-2", "it wants method POST"),
        ("rule-4", "it wants header x-tier: gold"),
    ]


@cases(*rows_of(__file__, "the_next_best_is_told_and_why"))
def test_the_next_best_is_told_and_why(asked: str, expected: str, passed: list[list[str]]) -> None:
    one, some = (
        listener(name, f"hostname: '{host}', {ALL}", "HTTPS", 443)
        for name, host in (("one", "s.example"), ("all", "*.example"))
    )
    topology = graph(
        gateway(f"{listener()}, {one}, {some}"),
        route("near", more=f", hostnames: [h.example]{rules(EXACT)}"),
        route("wide", more=f", hostnames: ['*.example']{rules('{}', '{}')}"),
    )
    (way,) = follow(topology, asked)
    (answer,) = answers(topology, asked)
    assert answer == expected
    assert [
        [f"{path.route.name} {path.rule}" if path.route else path.listener, why]
        for path, why in way.passed
    ] == passed


@cases(*rows_of(__file__, "a_method_of_grpc_is_a_path"))
def test_a_method_of_grpc_is_a_path(asked: str, expected: str) -> None:
    matches = rules("{method: {service: shop.Cart, method: Add}}", "{method: {service: shop.Cart}}")
    topology = graph(OPEN, route(kind="GRPCRoute", more=matches))
    assert answers(topology, asked) == [expected]


@each("tls://db.example:443", "https://db.example/any")
def test_a_connection_is_passed_through_by_its_name(asked: str) -> None:
    through = listener("p", f"hostname: '*.example', tls: {{mode: Passthrough}}, {ALL}", "TLS", 443)
    names = ", hostnames: [db.example]"
    topology = graph(gateway(through), route("db", more=names, kind="TLSRoute"), route("web"))
    assert answers(topology, asked) == ["db rule-1"]


CLASS = (
    "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: class}\n"
    "spec: {controllerName: %s}\n"
)


@cases(*rows_of(__file__, "routes_may_choose_between_listeners_of_tls"))
def test_routes_may_choose_between_listeners_of_tls(
    controller: str, asked: str, expected: str
) -> None:
    """Envoy Gateway: xds/translator/listener.go, addXdsTCPFilterChain."""
    doors = (
        listener("a", f"hostname: a.example, tls: {{mode: Passthrough}}, {ALL}", "TLS", 443),
        listener("wide", f"hostname: '*.example', tls: {{mode: Passthrough}}, {ALL}", "TLS", 443),
        listener("c", f"hostname: c.example, {ALL}", "HTTPS", 443),
    )
    parent = "{name: gw, namespace: infra, sectionName: wide}"
    topology = graph(
        CLASS % controller,
        gateway(", ".join(doors)),
        route("wide", parent, ", hostnames: ['*.example']", "TLSRoute"),
        route("near", parent, ", hostnames: [b.example]", "TLSRoute"),
        route("web"),
    )
    (answer,) = answers(topology, asked)
    assert answer.startswith(expected)


@cases(*rows_of(__file__, "a_listener_may_have_its_hostnames_alone"))
def test_a_listener_may_have_its_hostnames_alone(controller: str, asked: str, rule: str) -> None:
    """Istio, hostnameAllowedByIsolation; Envoy Gateway, computeHosts."""
    doors = listener("any", ALL), listener("near", f"hostname: '*.a.example', {ALL}")
    parent = "{name: gw, namespace: infra, sectionName: any}"
    names = ", hostnames: ['*.a.example', x.a.example, b.example]"
    topology = graph(CLASS % controller, gateway(", ".join(doors)), route("wide", parent, names))
    (answer,) = answers(topology, asked)
    assert answer.startswith(rule)


def test_a_hostname_may_have_a_value_of_the_spoke() -> None:
    topology = graph(OPEN, route(more=", hostnames: [api.SLOT]"))
    request = read_request("http://api.eu.example/")
    found = find_request_ways(topology, request, lambda value: _fill(value, "eu.example"))
    assert [len(way.rules) for way in found] == [1]
    other = find_request_ways(topology, request, lambda value: _fill(value, "us.example"))
    assert [len(way.rules) for way in other] == [0]


def _fill(value: Any, domain: str) -> Any:
    return value.replace("SLOT", domain) if isinstance(value, str) else value


TRAEFIK = CLASS % "traefik.io/gateway-controller"


@cases(*rows_of(__file__, "a_match_may_count_before_the_hostname"))
def test_a_match_may_count_before_the_hostname(asked: str, rule: str) -> None:
    """Traefik has one list of routers: a wider hostname is no reason to pass one over."""
    near = rules(LONGEST, "{path: {value: /c}}")
    wide = rules(EXACT, "{path: {value: /}}")
    topology = graph(
        TRAEFIK,
        OPEN,
        route("near", more=f", hostnames: [h.example]{near}"),
        route("wide", more=f", hostnames: ['*.example']{wide}"),
    )
    assert answers(topology, asked)[:1] == [rule]
