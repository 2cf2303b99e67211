"""Listeners of one Gateway and its ListenerSets that conflict (Gateway API, GEP-1713)."""

from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.conflicts import find_conflicts
from spokerender.topology.doors import explain_detachment, find_open_listeners, may_be_refused
from spokerender.topology.requests import find_rule_paths
from tests.support import cases, each, manifest, rows_of
from tests.support.stages import graph
from tests.topology.test_requests import ALL, gateway, listener, listener_set, route, told

ADMITTING = ", allowedListeners: {namespaces: {from: All}}"
ENVOY = manifest(
    "GatewayClass class", "controllerName: gateway.envoyproxy.io/gatewayclass-controller"
)
WEB = Ref(GATEWAY_API, "HTTPRoute", "shop", "web")


def sets(**listeners: str) -> list[str]:
    return [
        listener_set(text).replace("name: more", f"name: {name}", 1)
        for name, text in listeners.items()
    ]


def aged(*names: str) -> dict[Ref, int]:
    return {Ref(GATEWAY_API, "ListenerSet", "shop", name): age for age, name in enumerate(names)}


def conflicts(*documents: str, ages: tuple[str, ...] = ()) -> list[str]:
    """Each conflict as `set/listener reason: rivals`, with `?` where age decides."""
    return [
        f"{item.parent.name}/{item.listener} {item.reason}{'' if item.is_certain else '?'}: "
        + " ".join(f"{ref.name}/{ref.section_name}" for ref in item.by)
        for item in find_conflicts(graph(*documents, ages=aged(*ages)))
    ]


HTTP, TCP = listener("l", protocol="HTTP", port=81), listener("l", protocol="TCP", port=81)
OPEN = gateway(listener("own"), more=ADMITTING)


@cases(*rows_of(__file__, "the_older_of_two_sets_comes_first"))
def test_the_older_of_two_sets_comes_first(ages: tuple[str, ...], expected: list[str]) -> None:
    assert conflicts(OPEN, *sets(a=HTTP, b=HTTP), ages=ages) == expected


@cases(*rows_of(__file__, "a_refused_listener_refuses_none"))
def test_a_refused_listener_refuses_none(ages: tuple[str, ...], expected: list[str]) -> None:
    others = listener("m", "hostname: x.example", "TCP" if len(ages) == 1 else "HTTP", 81)
    if len(ages) > 1:
        others = listener("l", "hostname: x.example", port=81)
    assert conflicts(OPEN, *sets(a=HTTP, b=TCP, c=others), ages=ages) == expected


def test_a_gateway_comes_before_its_sets() -> None:
    same = listener("l", port=80)
    assert conflicts(OPEN, *sets(a=same, b=same)) == [
        "a/l HostnameConflict: gw/own",
        "b/l HostnameConflict: gw/own",
    ]


def test_none_wins_of_a_gateways_own() -> None:
    """Those of its ListenerSets are refused with them."""
    own = gateway(f"{listener('a')}, {listener('b', protocol='TCP')}", more=ADMITTING)
    assert conflicts(own, *sets(s=listener("l", "hostname: x.example"))) == [
        "gw/a ProtocolConflict: gw/b",
        "gw/b ProtocolConflict: gw/a",
        "s/l ProtocolConflict: gw/b",
    ]


@each(*rows_of(__file__, "what_does_not_conflict"))
def test_what_does_not_conflict(listeners: str) -> None:
    assert conflicts(gateway(listeners)) == []


def test_a_set_that_is_not_admitted_conflicts_with_nothing() -> None:
    assert conflicts(gateway(listener("own")), *sets(a=listener("l"), b=listener("l"))) == []


def test_many_sets_on_one_port_are_compared_in_one_go() -> None:
    """As many as there may be, of one age: no order of them is tried."""
    same = {f"s{n:03}": listener("l", port=81) for n in range(300)}
    found = conflicts(OPEN, *sets(**same))
    assert len(found) == 300
    assert found[0] == "s000/l HostnameConflict?: s001/l s002/l s003/l s004/l"


def test_routes_on_listeners_that_age_decides_about_are_in_both_outcomes() -> None:
    parent = "{group: gateway.networking.k8s.io, kind: ListenerSet, name: NAME}"
    routes = [route(f"r{n}", parent.replace("NAME", n)) for n in "ab"]
    documents = (OPEN, *sets(a=HTTP, b=HTTP), *routes)
    assert [path.is_certain for path in find_rule_paths(graph(*documents))] == [False, False]
    old = graph(*documents, ages=aged("a"))
    assert [(path.listener_set, path.is_certain) for path in find_rule_paths(old)] == [
        (Ref(GATEWAY_API, "ListenerSet", "shop", "a"), True)
    ]


NAMED = "hostname: a.example, allowedRoutes: {namespaces: {from: All}}"
BOTH = gateway(f"{listener('all')}, {listener('one', NAMED)}")


@cases(
    ((BOTH, route(more=", hostnames: [a.example]")), ["one"]),
    ((BOTH, route(more=", hostnames: [a.example, b.example]")), ["all", "one"]),
    # It has no hostname of its own, so that it is for those of each listener.
    ((BOTH, route()), ["all", "one"]),
    ((gateway(f"{listener('all')}, {listener('one', NAMED, port=81)}"),
      route(more=", hostnames: [a.example]")), ["all", "one"]),
    # What a wildcard and a listener have in common is the listener's own hostname.
    ((BOTH, route(more=', hostnames: ["*.example"]')), ["all", "one"]),
)  # fmt: skip
def test_a_hostname_is_for_the_listener_that_is_exactly_for_it(
    documents: tuple[str, ...], paths: list[str]
) -> None:
    """Envoy Gateway, helpers.go, computeHosts; others are not known to do so."""
    isolated = find_rule_paths(graph(ENVOY, *documents))
    assert [path.listener for path in isolated] == paths
    assert {path.listener for path in find_rule_paths(graph(*documents))} == {"all", "one"}


def test_a_route_that_another_listener_takes_is_on_none_that_it_names() -> None:
    named = route(
        parents="{name: gw, namespace: infra, sectionName: all}", more=", hostnames: [a.example]"
    )
    topology = graph(ENVOY, BOTH, named)
    assert told(find_rule_paths(topology)) == []
    ((_, why),) = explain_detachment(topology, topology.nodes[WEB])
    assert why == (
        "no listener of Gateway infra/gw is for a.example: another one of its port is for exactly "
        "that"
    )


def test_a_set_that_conflicts_with_itself_has_no_winner_even_if_it_loses_to_another() -> None:
    """Envoy Gateway, validateConflictedProtocolsListeners; a Gateway's listener decides alone."""
    both = (
        f"{listener('h', 'hostname: x.example', port=81)}, {listener('t', protocol='TCP', port=81)}"
    )
    assert conflicts(OPEN, *sets(a=HTTP, b=both), ages=("a", "b")) == [
        "b/h ProtocolConflict: b/t",
        "b/t ProtocolConflict: a/l",
    ]
    own = gateway(listener("own", port=81), more=ADMITTING)
    assert conflicts(own, *sets(b=both)) == ["b/t ProtocolConflict: gw/own"]


MERGING = manifest("EnvoyProxy infra/merged", "mergeGateways: true")
MERGED = manifest(
    "GatewayClass class",
    "controllerName: gateway.envoyproxy.io/gatewayclass-controller, "
    "parametersRef: {group: gateway.envoyproxy.io, kind: EnvoyProxy, namespace: infra, "
    "name: merged}",
)


def test_of_a_gateway_that_is_merged_alone_a_double_is_for_its_hostname() -> None:
    """Envoy Gateway, validateConflictedMergedListeners: it says this last, of one Gateway too."""
    own = gateway(listener("own", protocol="TCP", port=81), more=ADMITTING)
    (conflict,) = find_conflicts(graph(MERGED, MERGING, own, *sets(a=TCP)))
    assert (conflict.parent.name, conflict.is_between, conflict.earlier) == ("a", True, "")


def test_what_merged_gateways_refuse_for_its_protocol_has_no_hostname_to_lose() -> None:
    """Envoy Gateway, protocolConflicted: the Gateways have HTTP and TCP there, so all are out."""
    web = gateway(listener("own", port=81), more=ADMITTING)
    api = gateway(listener("own", protocol="TCP", port=81)).replace("name: gw", "name: api")
    items = find_conflicts(graph(MERGED, MERGING, web, api, *sets(a=HTTP)))
    assert [(item.parent.name, item.reason, item.earlier) for item in items] == [
        ("api", "ProtocolConflict", ""),
        ("gw", "ProtocolConflict", ""),
        ("a", "HostnameConflict", "ProtocolConflict"),
    ]


MIXED = f"{HTTP}, {listener('m', protocol='TCP', port=81)}"


@cases(
    ({"a": HTTP, "b": HTTP}, ["b/l HostnameConflict"]),
    ({"a": HTTP, "b": TCP}, ["b/l ProtocolConflict"]),
    ({"a": TCP, "b": HTTP}, ["b/l ProtocolConflict"]),
    # None of a set that has several; the first one of the others wins.
    ({"a": MIXED, "b": TCP},
     ["a/l ProtocolConflict", "a/m ProtocolConflict", "b/l HostnameConflict"]),
    # Those of one Gateway are compared before: "b" and "c" are of the second.
    ({"a": TCP, "b": HTTP, "c": TCP},
     ["b/l ProtocolConflict", "c/l HostnameConflict after ProtocolConflict"]),
)  # fmt: skip
def test_protocols_of_sets_of_merged_gateways(
    listeners: dict[str, str], expected: list[str]
) -> None:
    """Envoy Gateway, validateConflictedProtocolsListeners: no Gateway has the port."""
    gw, api = gateway(listener("own"), more=ADMITTING), gateway(listener("own", port=82))
    api = api.replace("name: gw", "name: api").replace("spec: {", f"spec: {{{ADMITTING[2:]}, ", 1)
    documents = [
        text if name == "a" else text.replace("name: gw", "name: api")
        for name, text in zip(listeners, sets(**listeners), strict=True)
    ]
    names = [("Gateway", "infra", "gw"), ("Gateway", "infra", "api")]
    names += [("ListenerSet", "shop", name) for name in listeners]
    ages = {Ref(GATEWAY_API, *name): age for age, name in enumerate(names)}
    items = find_conflicts(graph(MERGED, MERGING, gw, api, *documents, ages=ages))
    assert all(item.is_certain for item in items)
    reasons = [f"{item.reason} after {item.earlier}".removesuffix(" after ") for item in items]
    places = [f"{item.parent.name}/{item.listener}" for item in items]
    assert [f"{place} {reason}" for place, reason in zip(places, reasons, strict=True)] == expected


def test_a_listener_may_be_open_if_what_is_in_its_way_may_not_be() -> None:
    """Envoy Gateway, isSpecValidForConflictChecks: one whose Secret is not there is skipped."""
    there = manifest("Secret infra/there")
    for names, opened in (
        (("other", "there"), {"b": False}),
        (("other", "another"), {"a": False, "b": False}),
        (("there", "there"), {}),
    ):
        both = (
            listener(at, f"tls: {{certificateRefs: [{{name: {name}}}]}}, {ALL}", protocol, 443)
            for at, name, protocol in zip("ab", names, ("HTTPS", "TLS"), strict=True)
        )
        topology = graph(gateway(", ".join(both)), there)
        (own,) = topology.gateways
        listeners = {
            one.name: not may_be_refused(topology, own, one.name)
            for one in find_open_listeners(topology, topology.nodes[own])
        }
        assert listeners == opened
