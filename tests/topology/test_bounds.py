"""What comes about between objects has a bound: small files can't make more than anybody reads."""

from collections import deque
from typing import Any

import pytest

from spokerender.findings.errors import InputBudget, InputError
from spokerender.judging.attachment.attach import find_reach
from spokerender.model import Ref
from spokerender.topology import graph as graphs, hostnames, requests
from spokerender.topology.guards import find_attachments
from spokerender.topology.requests import find_backend_paths, find_listener_paths, find_rule_paths
from tests.support.counting import calls_of
from tests.support.stages import graph
from tests.topology.test_requests import ALL, gateway, listener, route

LISTENERS = ", ".join(listener(f"l{i}", port=i + 1) for i in range(64))
GATEWAYS = [gateway(LISTENERS, f"g{i}") for i in range(8)]
PARENTS = ", ".join(f"{{name: g{i}, namespace: infra}}" for i in range(8))
NAMES = ", ".join(f"h{i}.example" for i in range(16))


def refused(error: pytest.ExceptionInfo[InputError]) -> str:
    (result,) = error.value.results
    assert result.code == "SR1017"
    return result.message


def test_routes_on_all_listeners_of_all_gateways() -> None:
    routes = [route(f"r{i}", PARENTS) for i in range(100)]
    with pytest.raises(InputError) as error:
        find_rule_paths(graph(*GATEWAYS, *routes))
    assert refused(error) == (
        "finding listeners of routes takes more than the limit of 21,620 steps"
    )


def test_routes_of_many_rules_on_several_gateways(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are: each brings what it needs."""
    limits: list[int] = []

    def without_constant(limit: int, *more: Any) -> InputBudget:
        limits.append(limit - 20_000)
        return InputBudget(limits[-1], *more)

    monkeypatch.setattr(graphs, "InputBudget", without_constant)
    rules = ", ".join(["{}"] * 16)
    parents = ", ".join(f"{{name: g{i}, namespace: infra}}" for i in range(4))
    routes = [route(f"r{i}", parents, f", rules: [{rules}]") for i in range(50)]
    gateways = [gateway(listener(), f"g{i}") for i in range(4)]
    assert len(find_rule_paths(graph(*gateways, *routes))) == 50 * 4 * 16 < min(limits)


def test_hostnames_of_such_routes() -> None:
    routes = [route(f"r{i}", PARENTS, f", hostnames: [{NAMES}]") for i in range(10)]
    topology = graph(*GATEWAYS, *routes)
    assert len(find_rule_paths(topology)) == 10 * 512
    with pytest.raises(InputError) as error:
        deque(find_attachments(topology, ref) for ref in topology.nodes)
    assert "attachments" in refused(error)


def test_routes_that_delegate_twice_to_routes_that_delegate_twice() -> None:
    """2^40 paths."""
    to = "backendRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: r%d}]"
    rules = ", ".join([f"{{{to}}}"] * 2)
    routes = [
        route(f"r{i}", "", ", rules: [" + rules.replace("%d", str(i + 1)) + "]") for i in range(40)
    ]
    first = routes[0].replace("parentRefs: []", "parentRefs: [{name: gw, namespace: infra}]")
    above = gateway(listener()).replace("gatewayClassName: class", "gatewayClassName: kgateway")
    with pytest.raises(InputError) as error:
        find_rule_paths(graph(above, first, *routes[1:]))
    assert "paths for requests" in refused(error)


def test_routes_that_delegate_to_all_of_a_namespace() -> None:
    to = "backendRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: '*'}]"
    parents = [route(f"p{i}", more=f", rules: [{{{to}}}]") for i in range(150)]
    children = [route(f"c{i}", "") for i in range(150)]
    with pytest.raises(InputError) as error:
        graph(gateway(listener()), *parents, *children).carriers(Ref("", "Service", "a", "a"))
    assert "finding routes to delegate to" in refused(error)


def test_backends_of_such_paths() -> None:
    backends = ", ".join(f"{{name: b{i}, port: 80}}" for i in range(16))
    rules = ", ".join([f"{{backendRefs: [{backends}]}}"] * 16)
    routes = [route(f"r{i}", more=f", rules: [{rules}]") for i in range(4)]
    with pytest.raises(InputError) as error:
        find_backend_paths(graph(gateway(LISTENERS), *routes))
    assert "paths to backends" in refused(error)


def test_what_rules_name_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    backends = ", ".join(f"{{name: b{i}, port: 80}}" for i in range(8))
    rules = ", ".join([f"{{backendRefs: [{backends}]}}"] * 16)
    topology = graph(gateway(LISTENERS), route("r", more=f", rules: [{rules}]"))
    looked = calls_of(monkeypatch, requests, "_is_route")
    assert len(find_backend_paths(topology)) == 64 * 16 * 8
    assert len(looked) == 2 * 16 * 8


def test_paths_are_found_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Routes are sorted, and not what they come to on every listener."""
    routes = [route(f"r{i}", "{name: gw, namespace: infra}") for i in range(100)]
    topology = graph(gateway(LISTENERS), *routes)
    compared = calls_of(monkeypatch, Ref, "__lt__")
    paths = find_rule_paths(topology)
    assert len(paths) == 64 * 100
    assert len(compared) < 64 * 100 / 2
    assert list(paths) == sorted(set(paths), key=lambda path: path.order)


def test_levels_of_paths_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands of paths through a Gateway, its listeners, routes and rules."""
    routes = [route(f"r{i}", "{name: gw, namespace: infra}") for i in range(100)]
    topology = graph(gateway(LISTENERS), *routes)
    assert len(find_rule_paths(topology)) == 64 * 100
    find_listener_paths(topology), find_backend_paths(topology)
    hashed = calls_of(monkeypatch, Ref, "__hash__")
    assert len(find_reach(topology)) == 64 + 2 * 100 + 4
    assert len(hashed) < 2 * 64 * 100


def test_hostnames_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not compared with those of all listeners."""
    named = [listener(f"l{i}", f'hostname: "*.l{i}.example", {ALL}', port=i + 1) for i in range(64)]
    names = ", ".join(f"h.l{i}.example" for i in range(16))
    routes = [route(f"r{i}", more=f", hostnames: [{names}]") for i in range(10)]
    topology = graph(gateway(", ".join(named)), *routes)
    compared = calls_of(monkeypatch, hostnames, "_intersects")
    assert len(find_rule_paths(topology)) == 16 * 10
    assert all(
        len(find_attachments(topology, node.ref)) == 16
        for node in topology.nodes.values()
        if node.hostnames
    )
    assert compared == []


def test_what_honest_fleets_have_is_far_below() -> None:
    routes = [
        route(f"r{i}", "{name: gw, namespace: infra}", ", rules: [{}, {}]") for i in range(150)
    ]
    assert len(find_rule_paths(graph(gateway(LISTENERS), *routes))) == 150 * 64 * 2
