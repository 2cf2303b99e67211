"""The condition Programmed: whether what a policy says is in force, and who overrides it where."""

from typing import Any

from msgspec.structs import replace

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy, Programmed, Reason
from spokerender.judging.effective.programmed import find_programmed_by_gateway
from spokerender.kinds.merging import Process
from spokerender.model import GATEWAY_API, Ref
from tests.judging.effective.policies import (
    ALL,
    GATEWAY,
    KUADRANT,
    NONE,
    ROUTE,
    kind,
    one_path,
    policy,
    ref,
)
from tests.support import cases, manifest
from tests.support.controllers import ON, judged
from tests.support.programmed import find_programmed
from tests.support.stages import graph

TWO_GATEWAYS = "---\n".join(
    (
        GATEWAY,
        GATEWAY.replace("name: gw", "name: second"),
        ROUTE.replace("[{name: gw}]", "[{name: gw}, {name: second}]"),
    )
)
SECOND = Ref(GATEWAY_API, "Gateway", "ns", "second")
GW = Ref(GATEWAY_API, "Gateway", "ns", "gw")
FAKE = kind(Process.SINGLE, "FakePolicy")
LOOSE, STRICT = "{rules: {a: 1}}", "{overrides: {rules: {a: 2}}}"


def statuses(*policies: Any, of: str = "") -> dict[str, Programmed]:
    """Conditions by policy, on the one path or on a topology given as text."""
    topology = graph(of) if of else one_path()
    found = find_programmed(policies, compute_effective_policies(topology, policies))
    return {item.name: status for item, status in found.items()}


def test_all_of_it_is_in_force() -> None:
    found = statuses(policy(KUADRANT, "p", "gw", LOOSE))
    assert found == {"p": Programmed(True, Reason.PROGRAMMED, "ColorPolicy is programmed")}


def test_of_listeners_of_which_one_may_be_refused_it_is_not_known() -> None:
    """GEP-1713: of two ListenerSets with one listener, the older has it."""
    gateway = GATEWAY.replace("spec: {", "spec: {allowedListeners: {namespaces: {from: All}}, ")
    one, other = (
        manifest(
            f"ListenerSet ns/{name}",
            "parentRef: {name: gw}, listeners: [{name: x, port: 8080, protocol: HTTP}]",
        )
        for name in ("one", "other")
    )
    route = ROUTE.replace(
        "[{name: gw}]", f"[{{group: {GATEWAY_API}, kind: ListenerSet, name: one}}]"
    )
    on_route = policy(KUADRANT, "low", "route", LOOSE)
    alone = statuses(on_route, of=f"{gateway}---\n{route}---\n{one}")
    assert alone["low"].reason is Reason.PROGRAMMED
    found = statuses(on_route, of=f"{gateway}---\n{route}---\n{one}---\n{other}")
    why = "it depends on whether HTTPRoute ns/route [rule] is attached, which files can't tell"
    assert found == {"low": Programmed(None, Reason.NOT_KNOWN, why)}


def test_none_of_it_is_in_force() -> None:
    found = statuses(policy(KUADRANT, "gw", "gw", STRICT), policy(KUADRANT, "low", "route", LOOSE))
    assert found["gw"].reason is Reason.PROGRAMMED
    assert found["low"] == Programmed(
        False,
        Reason.OVERRIDDEN,
        "ColorPolicy is overridden by ColorPolicy ns/gw on HTTPRoute ns/route [rule]",
    )


def test_a_part_of_it_is_in_force() -> None:
    found = statuses(
        policy(KUADRANT, "gw", "gw", "{overrides: {strategy: merge, rules: {a: 1}}}"),
        policy(KUADRANT, "low", "route", "{rules: {a: 2, b: 2}}"),
    )
    assert found["low"] == Programmed(
        True,
        Reason.PARTIALLY,
        "ColorPolicy is partially programmed; overridden by ColorPolicy ns/gw "
        "on HTTPRoute ns/route [rule]",
    )


def test_all_of_it_on_some_paths() -> None:
    text = TWO_GATEWAYS.replace("rules: [{name: rule}]", "rules: [{name: rule}, {}]")
    found = statuses(
        policy(KUADRANT, "gw", "gw", LOOSE), policy(KUADRANT, "low", "rule", LOOSE), of=text
    )
    assert (found["gw"].status, found["gw"].reason) == (True, Reason.PARTIALLY)
    assert found["gw"].message.endswith("by ColorPolicy ns/low on HTTPRoute ns/route [rule]")


def test_the_whole_s_policy_is_partially_programmed_beside_a_section_s() -> None:
    """GEP-713; where all sections have their own, it is overridden."""
    text = TWO_GATEWAYS.replace("rules: [{name: rule}]", "rules: [{name: rule}, {name: other}]")
    whole, one = policy(NONE, "whole", "route", "{a: 1}"), policy(NONE, "one", "rule", "{a: 2}")
    other = Ref(GATEWAY_API, "HTTPRoute", "ns", "route", "other")
    assert statuses(whole, one, of=text)["whole"].reason is Reason.PARTIALLY
    both = statuses(whole, one, policy(NONE, "two", other, "{a: 3}"), of=text)
    assert both["whole"].reason is Reason.OVERRIDDEN
    assert both["whole"].message == (
        "ColorPolicy is overridden by ColorPolicy ns/one on HTTPRoute ns/route [rule]; "
        "by ColorPolicy ns/two on HTTPRoute ns/route [other]"
    )


@cases((4, ", HTTPRoute ns/route [r3]"), (5, " and 2 more"), (6, " and 3 more"))
def test_a_few_places_are_named(count: int, last: str) -> None:
    rules = ", ".join(f"{{name: r{number}}}" for number in range(count))
    text = TWO_GATEWAYS.replace("{name: rule}", rules)
    strict, loose = policy(KUADRANT, "gw", "gw", STRICT), policy(KUADRANT, "low", "route", LOOSE)
    found = statuses(strict, policy(KUADRANT, "gw2", SECOND, STRICT), loose, of=text)
    first = ", ".join(f"HTTPRoute ns/route [r{number}]" for number in range(3))
    places = first + last
    assert found["low"].message == (
        f"ColorPolicy is overridden by ColorPolicy ns/gw on {places}; "
        f"by ColorPolicy ns/gw2 on {places}"
    )


def test_a_policy_on_no_path() -> None:
    text = TWO_GATEWAYS.replace("{name: second}]", "]").replace("{name: gw}, ]", "{name: gw}]")
    found = statuses(policy(KUADRANT, "p", SECOND, LOOSE), of=text)
    assert found["p"] == Programmed(
        False, Reason.UNKNOWN, "ColorPolicy is not in the path to any existing routes"
    )


def test_a_policy_without_a_target_has_no_condition() -> None:
    """What it applies to (Istio: a whole namespace) is not computed."""
    one = policy(ALL, "p", "gw", "{a: 1}")
    assert statuses(AttachedPolicy(one.ref, one.kind, one.spec, ())) == {}


def test_what_a_policy_does_to_itself_does_not_count() -> None:
    found = statuses(
        policy(KUADRANT, "p", "gw", "{defaults: {rules: {a: 1}}, when: x}"),
        policy(
            kind(Process.SINGLE, "FakePolicy"),
            "q",
            "gw",
            "{default: {a: 1, b: 1}, override: {a: 2}}",
        ),
    )
    assert {status.reason for status in found.values()} == {Reason.PROGRAMMED}


def test_a_policy_of_no_rules_is_not_overridden() -> None:
    assert statuses(policy(KUADRANT, "p", "gw", "{}"))["p"].reason is Reason.PROGRAMMED


def test_by_gateway() -> None:
    policies = [policy(KUADRANT, "gw", "gw", STRICT), policy(KUADRANT, "low", "route", LOOSE)]
    found = find_programmed_by_gateway(
        policies, compute_effective_policies(graph(TWO_GATEWAYS), policies)
    )
    upper, lower = ref(KUADRANT, "gw"), ref(KUADRANT, "low")
    assert {pair: status.reason for pair, status in found.items()} == {
        (upper, GW): Reason.PROGRAMMED,
        (lower, GW): Reason.OVERRIDDEN,
        (lower, SECOND): Reason.PROGRAMMED,
    }
    over_all = find_programmed(policies, compute_effective_policies(graph(TWO_GATEWAYS), policies))
    assert over_all[lower].reason is Reason.PARTIALLY


def test_by_gateway_on_no_path() -> None:
    """GEP-713: what is accepted is programmed, or said not to be."""
    text = TWO_GATEWAYS.replace(", {name: second}]", "]")
    gw = policy(KUADRANT, "p", "gw", LOOSE)
    both = AttachedPolicy(gw.ref, gw.kind, gw.spec, (GW, SECOND))
    astray = policy(KUADRANT, "q", Ref(GATEWAY_API, "HTTPRoute", "ns", "astray", "rule"), LOOSE)
    policies = [both, astray]
    found = find_programmed_by_gateway(policies, compute_effective_policies(graph(text), policies))
    assert {pair: status.reason for pair, status in found.items()} == {
        (gw.ref, GW): Reason.PROGRAMMED,
        (gw.ref, SECOND): Reason.UNKNOWN,
        (astray.ref, Ref(GATEWAY_API, "HTTPRoute", "ns", "astray")): Reason.UNKNOWN,
    }
    assert not found[gw.ref, SECOND].status


def test_answers_may_be_made_one_at_a_time() -> None:
    """Outcomes are told apart though the one before is gone already."""
    policies = [policy(KUADRANT, "gw", "gw", STRICT), policy(KUADRANT, "low", "route", LOOSE)]
    found = compute_effective_policies(graph(TWO_GATEWAYS), policies)
    lazy = (replace(item, likely=replace(item.likely)) for _ in range(5) for item in found)
    assert find_programmed_by_gateway(policies, lazy) == find_programmed_by_gateway(
        policies, found * 5
    )


def test_kuadrant_does_not_enforce_token_limits_that_are_partly_overridden() -> None:
    """Its own code says Unknown, of a RateLimitPolicy that it is enforced (operator 1.5.2)."""
    for name, expected in (("TokenRateLimitPolicy", "Unknown"), ("RateLimitPolicy", "Enforced")):
        above = {"overrides": {"strategy": "merge", "limits": {"a": {}}}}
        below = {"limits": {"a": 1, "b": 2}}
        policies = [
            {"kind": name, "name": "gw", ON: "Gateway/gw", "spec": above},
            {"kind": name, "name": "low", ON: "HTTPRoute/r", "spec": below},
        ]
        judgement = judged({"impl": "kuadrant", "given": {"policies": policies}})
        reasons = {ref.name: found for (ref, _), found in judgement.reported.items()}
        assert [(item.type, item.reason) for item in reasons["low"]] == [("Enforced", expected)]
