"""Policies that repeat a route rule's `matches`: for which rules they are."""

from typing import Any

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.model import Ref
from tests.judging.effective.policies import ONE_PATH, SINGLE, by_rule, in_force, policy
from tests.support import cases, each, rows_of
from tests.support.stages import graph, values

TWO_RULES = ONE_PATH.replace("rules: [{name: rule}]", "rules: [{name: rule}, {name: other}]")
MATCHES = TWO_RULES.replace(
    "rules: [{name: rule}, {name: other}]",
    "rules: [{name: rule, matches: [{method: GET}, {method: HEAD}]}, {matches: [{method: PUT}]}]",
)


def objects() -> dict[Ref, Any]:
    route = values(MATCHES)[1]
    return {Ref("gateway.networking.k8s.io", "HTTPRoute", "ns", "route"): route}


@cases(*rows_of(__file__, "matches_that_a_rule_has"))
@each("gw", "route")
def test_matches_that_a_rule_has(target: str, matches: str, rules: list[str]) -> None:
    spec = f"{{default: {{a: 1, rules: [{{matches: {matches}}}]}}}}"
    given = [policy(SINGLE, "p", target, spec)]
    found = by_rule(compute_effective_policies(graph(MATCHES), given, objects=objects()))
    assert list(found) == rules
    assert all(in_force(outcome) == {"a": 1} for outcome in found.values())


def test_what_stands_outside_of_the_block_with_matches_is_for_all() -> None:
    spec = "{override: {a: 1}, default: {b: 2, rules: [{matches: [{method: PUT}]}]}}"
    given = [policy(SINGLE, "p", "route", spec)]
    found = by_rule(compute_effective_policies(graph(MATCHES), given, objects=objects()))
    assert {name: in_force(outcome) for name, outcome in found.items()} == {
        "route#rule": {"a": 1},
        "route#rule-2": {"a": 1, "b": 2},
    }


def test_without_the_routes_nobody_knows_their_matches() -> None:
    spec = "{default: {a: 1, rules: [{matches: [{method: PUT}]}]}}"
    assert compute_effective_policies(graph(MATCHES), [policy(SINGLE, "p", "route", spec)]) == ()


@each("5", "{a: 1}", "[5]", "[{matches: 5}]")
def test_odd_rules_have_no_matches(rules: str) -> None:
    text = ONE_PATH.replace("[{name: rule}]", rules)
    assert text != ONE_PATH
    route = values(text)[1]
    spec = "{default: {a: 1, rules: [{matches: [{method: PUT}]}]}}"
    ref = Ref("gateway.networking.k8s.io", "HTTPRoute", "ns", "route")
    given = [policy(SINGLE, "p", "route", spec)]
    assert compute_effective_policies(graph(text), given, objects={ref: route}) == ()


def test_a_rule_named_like_the_position_of_another_has_its_own_matches() -> None:
    text = MATCHES.replace("{name: rule,", "{name: rule-2,")
    route = {Ref("gateway.networking.k8s.io", "HTTPRoute", "ns", "route"): values(text)[1]}
    spec = "{default: {a: 1, rules: [{matches: [{method: PUT}]}]}}"
    found = by_rule(
        compute_effective_policies(graph(text), [policy(SINGLE, "p", "route", spec)], objects=route)
    )
    assert set(found) == {"route#rules[1]"}
