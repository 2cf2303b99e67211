"""Effective policies as Kuadrant, GEP-713 and the RFC give them: every case of the fixtures.

And the RFC's text, step by step.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy, PolicyOutcome, Programmed, Reason
from spokerender.kinds.merging import Merge, Process
from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.graph import Topology
from spokerender.topology.precedence import find_orders
from tests.judging.effective.policies import (
    GEP_713,
    KUADRANT,
    NONE,
    PATCH,
    SINGLE,
    TARGETS,
    ages,
    attached,
    by_rule,
    in_force,
    kind,
    one_path,
    policy,
    ref,
    sources,
)
from tests.support import each, manifest, rows_of, text_of
from tests.support.programmed import find_programmed
from tests.support.stages import graph, values

RULES = "rules."


@pytest.fixture(scope="module")
def cases(fixtures: Path) -> Path:
    return fixtures / "cases" / "effective"


def case(cases: Path, name: str) -> Any:
    """The one document of a file of cases."""
    return values((cases / name).read_text(encoding="utf-8"))[0]


def outcome(topology: Topology, policies: Iterable[AttachedPolicy], **more: Any) -> PolicyOutcome:
    """What is in force on the only path."""
    (found,) = compute_effective_policies(topology, policies, **more)
    return found.likely


def without_prefix(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key.removeprefix(RULES): value for key, value in data.items()}


def test_get_and_post_rules_of_an_auth_policy(cases: Path) -> None:
    data = case(cases, "effective_authpolicy_get_post_rules.yaml")
    expected = dict(data["expected"])
    documents = [item for item in data["objects"] if item["kind"] != "AuthPolicy"]
    policies = [attached(item) for item in data["objects"] if item["kind"] == "AuthPolicy"]
    topology = graph(*(f"{json.dumps(item)}\n" for item in documents))
    found = compute_effective_policies(topology, policies)
    assert len(found) == expected.pop("effective_policy_count")
    told = {
        name: sorted(rule.key for rule in likely.rules) for name, likely in by_rule(found).items()
    }
    assert told == {
        name: sorted(f"rules.{part}.{key}" for part, keys in parts.items() for key in keys)
        for name, parts in expected.items()
    }


def color_topology(data: Mapping[str, Any]) -> Topology:
    """Gateways and routes as the case of colours lists them."""
    gateways = [gateway(name, *item["listeners"]) for name, item in data["gateways"].items()]
    routes = [
        route(name, item["parents"], [f"{{name: {rule}}}" for rule in item["rules"]])
        for name, item in data["routes"].items()
    ]
    return graph(*gateways, *routes)


def gateway(name: str, *listeners: str) -> str:
    """A Gateway of class `class`."""
    entries = ", ".join(f"{{name: {item}, port: 80, protocol: HTTP}}" for item in listeners)
    return manifest(f"Gateway ns/{name}", f"gatewayClassName: class, listeners: [{entries}]")


def route(name: str, parents: Iterable[str], entries: Iterable[str]) -> str:
    """An HTTPRoute; the entries of its `rules` are YAML flow text."""
    refs = ", ".join(f"{{name: {parent}}}" for parent in parents)
    return manifest(f"HTTPRoute ns/{name}", f"parentRefs: [{refs}], rules: [{', '.join(entries)}]")


def colored(entry: Mapping[str, Any], of: Any) -> AttachedPolicy:
    spec = {key: value for key, value in entry.items() if key != "name"}
    return attached({"kind": of.kind, "metadata": {"name": entry["name"]}, "spec": spec}, of)


def test_the_color_topology_of_kuadrant(cases: Path) -> None:
    data = case(cases, "effective_color_topology.yaml")
    policies = [colored(entry, KUADRANT) for entry in data["policies"]]
    found = by_rule(compute_effective_policies(color_topology(data["topology"]), policies))
    assert {key: without_prefix(in_force(likely)) for key, likely in found.items()} == {
        path.rpartition(" > ")[2]: expected for path, expected in data["expected"].items()
    }


def test_the_color_topology_by_json_merge_patch(cases: Path) -> None:
    data = case(cases, "effective_color_topology.yaml")
    of = kind(Process.GEP_713, default=Merge.PATCH, rules=("rules.*",))
    entries = [
        {
            key: {**value, "strategy": "patch"} if key in ("defaults", "overrides") else value
            for key, value in entry.items()
        }
        for entry in data["policies"]
    ]
    policies = [colored(entry, of) for entry in entries]
    found = by_rule(compute_effective_policies(color_topology(data["topology"]), policies))
    assert {key: without_prefix(in_force(likely)) for key, likely in found.items()} == {
        path.rpartition(" > ")[2]: expected
        for path, expected in data["expected_json_patch_variant"].items()
    }


ON = ("gw", "route", "rule")
LEVELS = {"old": "gw", "new": "gw", "p1": "gw", "p2": "gw", **dict(zip(ON, ON, strict=True))}
"""Where the policies of the derived cases are; those of one level are told apart by age."""


def derived(cases: Path) -> list[Any]:
    found: list[Any] = case(cases, "effective_derived_edge_cases.yaml")["cases"]
    return found


def rules(names: Iterable[str], of: str) -> dict[str, Any]:
    """Rules of which each has its policy's name as its value."""
    return {"rules": dict.fromkeys(names, of)}


def derived_policy(entry: Mapping[str, Any], of: Any) -> AttachedPolicy:
    name = entry["name"]
    block = next((key for key in ("defaults", "overrides") if key in entry), "")
    if block:
        spec: dict[str, Any] = {
            block: {"strategy": entry[block]["strategy"], **rules(entry[block]["rules"], name)}
        }
    else:
        spec = rules(entry["rules"], name)
    return policy(of, name, {**LEVELS, "lis": "lis"}[name], spec)


@each(*range(13))
def test_derived_edge_cases(index: int, cases: Path) -> None:
    """What `conditions#` is to AuthPolicies is a rule like any other here: they merge alike."""
    data = derived(cases)[index]
    names = [entry["name"] for entry in data["path"]]
    of_kuadrant = [derived_policy(entry, KUADRANT) for entry in data["path"]]
    likely = outcome(one_path(), of_kuadrant, ages=ages(*names, of=KUADRANT))
    assert without_prefix(sources(likely)) == data["expected"]
    of_gep = [derived_policy(entry, GEP_713) for entry in data["path"]]
    likely = outcome(one_path(), of_gep, ages=ages(*names, of=GEP_713))
    if "expected_gep713_process" in data:
        assert without_prefix(sources(likely)) == data["expected_gep713_process"]


def test_no_derived_case_is_left_out(cases: Path) -> None:
    assert len(derived(cases)) == 13


@each(*range(12))
@each(KUADRANT, GEP_713, ids=["kuadrant", "gep-713"])
def test_pairwise_merges(of: Any, index: int, cases: Path) -> None:
    """With two policies both processes agree."""
    data = case(cases, "merge_pairwise_color.yaml")["cases"]
    assert len(data) == 12
    policies = [
        policy(of, "source", "gw", data[index]["source"]),
        policy(of, "target", "route", data[index]["target"]),
    ]
    likely = outcome(one_path(), policies)
    assert without_prefix(in_force(likely)) == data[index]["expected"]


def test_order_on_one_target(cases: Path) -> None:
    for data in case(cases, "ordering_same_target.yaml")["cases"]:
        pods = {
            Ref("", "Pod", item.get("namespace", ""), item["name"]): item["created"]
            for item in data["objects"]
        }
        likely = find_orders(pods, pods).likely
        assert [
            f"{pod.namespace}/{pod.name}" if pod.namespace else pod.name for pod in likely
        ] == data["expected"]


def gep_topology(paths: Iterable[Iterable[str]]) -> Topology:
    """Gateways, routes with one rule each, and backends, from the GEP's drawings."""
    drawn = [tuple(path) for path in paths]
    names = sorted({name for name, _, _ in drawn})
    return graph(
        *(gateway(name, "http") for name in names),
        *(
            route(name, [parent], [f"{{backendRefs: [{{name: {backend}, port: 80}}]}}"])
            for parent, name, backend in drawn
        ),
    )


def gep_target(name: str) -> Ref:
    group, of = {
        "g": (GATEWAY_API, "Gateway"),
        "r": (GATEWAY_API, "HTTPRoute"),
        "b": ("", "Service"),
    }[name[0]]
    return Ref(group, of, "ns", name)


def gep_policy(entry: Mapping[str, Any], of: Any) -> AttachedPolicy:
    beside = ("name", "target", "created")
    spec = {key: value for key, value in entry.items() if key not in beside}
    return policy(of, entry["name"], gep_target(entry["target"]), spec)


def by_drawing(
    paths: Iterable[Iterable[str]], policies: Iterable[AttachedPolicy]
) -> tuple[dict[str, Any], dict[str, Programmed]]:
    """Values by `gateway>route>backend`, and statuses by policy."""
    drawn, given = [tuple(path) for path in paths], tuple(policies)
    found = compute_effective_policies(gep_topology(drawn), given)
    names = {route: f"{parent}>{route}>{backend}" for parent, route, backend in drawn}
    told = {
        names[item.path.route.name]: in_force(item.likely)
        for item in found
        if item.path.route is not None
    }
    return told, {item.name: status for item, status in find_programmed(given, found).items()}


def assert_statuses(found: Mapping[str, Programmed], expected: Mapping[str, str]) -> None:
    """The GEP's words as the conditions that it gives them."""
    reasons = {
        "enforced": (True, Reason.PROGRAMMED),
        "partially enforced": (True, Reason.PARTIALLY),
        "not enforced": (False, Reason.OVERRIDDEN),
    }
    assert set(found) == set(expected)
    for name, words in expected.items():
        state, _, who = words.partition(" (")
        assert (found[name].status, found[name].reason) == reasons[state], name
        if who:
            assert f"ColorPolicy ns/{who.rstrip(')').split()[-1]}" in found[name].message


def test_gep_713_example_1(cases: Path) -> None:
    """The loser is Conflicted, which is told before; here it is given, and holds nowhere."""
    data = case(cases, "effective_gep713_examples.yaml")["example1_direct"]
    policies = [gep_policy(entry, NONE) for entry in data["policies"]]
    created = {item.ref: number for number, item in enumerate(policies)}
    found = compute_effective_policies(gep_topology(data["topology"]), policies, created)
    told = {item.path.backend.name: item.likely for item in found if item.path.backend}
    expected = data["expected"]
    assert {name: in_force(likely) for name, likely in told.items()} == {
        "b1": {"color": expected["b1"]}
    }
    assert expected["b2"] is None
    statuses = {item.name: status for item, status in find_programmed(policies, found).items()}
    assert statuses["p1"].reason is Reason.PROGRAMMED
    assert statuses["p2"].reason is Reason.OVERRIDDEN
    assert "ColorPolicy ns/p1" in statuses["p2"].message


def test_gep_713_example_2(cases: Path) -> None:
    data = case(cases, "effective_gep713_examples.yaml")["example2_defaults_overrides"]
    of = kind(Process.GEP_713)
    policies = [gep_policy(entry, of) for entry in data["policies"]]
    told, statuses = by_drawing(data["topology"], policies)
    assert told == {path: {"color": color} for path, color in data["expected"].items()}
    assert_statuses(statuses, data["status"])


@each("merge", "patch")
def test_gep_713_example_3(strategy: str, cases: Path) -> None:
    """With one level of keys, the GEP's patch and Kuadrant's merge are the same."""
    data = case(cases, "effective_gep713_examples.yaml")["example3_merged"]
    entries = [
        {
            key: {**value, "strategy": strategy} if key == "overrides" else value
            for key, value in entry.items()
        }
        for entry in data["policies"]
    ]
    policies = [gep_policy(entry, GEP_713) for entry in entries]
    told, statuses = by_drawing(data["topology"], policies)
    assert {path: without_prefix(found) for path, found in told.items()} == data["expected"]
    assert_statuses(statuses, data["status"])


@each(*range(3))
def test_the_fake_rate_limit_of_the_rfc(index: int, cases: Path) -> None:
    data = case(cases, "effective_rfc_fake_rate_limit.yaml")["cases"]
    assert len(data) == 3
    on = {"gateway": "gw", "route": "route"}
    policies = [
        policy(SINGLE, level, target, data[index][level])
        for level, target in on.items()
        if level in data[index]
    ]
    assert in_force(outcome(one_path(), policies)) == data[index]["expected"]


# The RFC "A single Policy scoped to the whole targeted HTTPRoute", guide-level explanation.
FAKE = kind(Process.SINGLE, "FakeRLPolicy")
MY_GW = manifest(
    "Gateway ns/my-gw",
    "gatewayClassName: class, listeners: [{name: http, port: 80, protocol: HTTP}]",
)
FOO_ROUTE = manifest(
    "HTTPRoute ns/foo-route",
    "parentRefs: [{name: my-gw}], hostnames: [example.com], "
    "rules: [{matches: [{path: {type: PathPrefix, value: /foo}}], "
    "backendRefs: [{name: foo, port: 8080}]}]",
    api="gateway.networking.k8s.io/v1beta1",
)
OTHER_ROUTE = FOO_ROUTE.replace("foo-route", "other-route")
BAR_ROUTE = text_of(__file__, "effective.yaml")


def fake(name: str) -> AttachedPolicy:
    of, target, spec = rows_of(__file__, "policies")[name]
    return policy(FAKE, name, Ref(GATEWAY_API, of, "ns", target), spec)


GATEWAY_POLICY, ROUTE_POLICY, MATCHING = fake("gw"), fake("route"), fake("login")


def test_rfc_1_without_a_route_there_is_no_traffic_to_police() -> None:
    found = compute_effective_policies(graph(MY_GW), [GATEWAY_POLICY])
    assert found == ()
    (status,) = find_programmed([GATEWAY_POLICY], found).values()
    assert (status.status, status.reason) == (False, Reason.UNKNOWN)
    assert status.message == "FakeRLPolicy is not in the path to any existing routes"


def test_rfc_2_with_a_route_the_policy_of_the_gateway_applies() -> None:
    """`default.enabled` is useless beside `override.enabled`."""
    likely = outcome(graph(MY_GW, FOO_ROUTE), [GATEWAY_POLICY])
    assert in_force(likely) == {"enabled": True, "rps": 42}
    assert [(item.key, item.by.name) for item in likely.overruled] == [("enabled", "gw")]
    (status,) = find_programmed(
        [GATEWAY_POLICY], compute_effective_policies(graph(MY_GW, FOO_ROUTE), [GATEWAY_POLICY])
    ).values()
    assert status.reason is Reason.PROGRAMMED


def test_rfc_3_the_route_cannot_override_but_its_default_takes_precedence() -> None:
    topology = graph(MY_GW, FOO_ROUTE, OTHER_ROUTE)
    found = by_rule(compute_effective_policies(topology, [GATEWAY_POLICY, ROUTE_POLICY]))
    assert in_force(found["foo-route#rule-1"]) == {"enabled": True, "rps": 500}
    assert sources(found["foo-route#rule-1"]) == {"enabled": "gw", "rps": "route"}
    # Any other HTTPRoute attached to the my-gw would still use the 42 rps limit.
    assert in_force(found["other-route#rule-1"]) == {"enabled": True, "rps": 42}


def test_rfc_4_without_the_policy_of_the_gateway_the_route_decides() -> None:
    likely = outcome(graph(MY_GW, FOO_ROUTE), [ROUTE_POLICY])
    assert in_force(likely) == {"enabled": False, "rps": 500}


def objects(*documents: str) -> dict[Ref, Any]:
    """Objects by identity."""
    found = [data for text in documents for data in values(text)]
    return {
        Ref(
            GATEWAY_API, data["kind"], data["metadata"]["namespace"], data["metadata"]["name"]
        ): data
        for data in found
    }


def test_rfc_5_matches_that_repeat_a_rule_s_make_the_policy_that_rule_s() -> None:
    topology = graph(MY_GW, BAR_ROUTE)
    found = by_rule(compute_effective_policies(topology, [MATCHING], objects=objects(BAR_ROUTE)))
    assert {name: in_force(likely) for name, likely in found.items()} == {
        "bar-route#rule-1": {"rps": 50}
    }
    # With a policy on the gateway the other rule has that one's.
    both = compute_effective_policies(
        topology, [MATCHING, GATEWAY_POLICY], objects=objects(BAR_ROUTE)
    )
    assert {name: in_force(likely) for name, likely in by_rule(both).items()} == {
        "bar-route#rule-1": {"enabled": True, "rps": 50},
        "bar-route#rule-2": {"enabled": True, "rps": 42},
    }


def test_rfc_6_matches_that_no_rule_has_are_not_enforced_yet() -> None:
    topology = graph(MY_GW, BAR_ROUTE)
    moved = BAR_ROUTE.replace("/login", "/signin")
    found = compute_effective_policies(topology, [MATCHING], objects=objects(moved))
    assert found == ()
    (status,) = find_programmed([MATCHING], found).values()
    assert (status.status, status.reason) == (False, Reason.UNKNOWN)
    assert status.message == (
        "FakeRLPolicy is not enforced yet: no rule of a route that it is attached to has the "
        "matches in spec.default.rules"
    )


def test_rfc_7_two_policies_for_one_rule_are_merged() -> None:
    topology = graph(MY_GW, BAR_ROUTE)
    found = by_rule(
        compute_effective_policies(
            topology,
            [MATCHING, fake("other")],
            {ref(FAKE, "login"): 1, ref(FAKE, "other"): 2},
            objects=objects(BAR_ROUTE),
        )
    )
    assert in_force(found["bar-route#rule-1"]) == {"rps": 50, "burst": 5}


def test_the_levels_of_the_one_path_are_those_of_gep_713() -> None:
    """What the derived cases rely on."""
    (found,) = compute_effective_policies(one_path(), [policy(PATCH, "p", "class", "{a: 1}")])
    assert found.path.levels == tuple(TARGETS.values())
