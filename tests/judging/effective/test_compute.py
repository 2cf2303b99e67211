"""Effective policies of a whole topology: which paths, which order, which other outcomes."""

from collections.abc import Sequence
from itertools import permutations

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy, EffectivePolicy
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Process
from spokerender.topology.precedence import NO_AGES, Ages
from tests.judging.effective.policies import (
    ALL,
    KUADRANT,
    NONE,
    ONE_PATH,
    UNBROKEN,
    ages,
    in_force,
    kind,
    one_path,
    policy,
    ref,
)
from tests.support import cases, each, manifest
from tests.support.stages import graph

TWO_RULES = ONE_PATH.replace("rules: [{name: rule}]", "rules: [{name: rule}, {name: other}]")


def on_path(policies: Sequence[AttachedPolicy], known: Ages = NO_AGES) -> EffectivePolicy:
    """The one effective policy that there is on the one path."""
    (found,) = compute_effective_policies(one_path(), policies, known)
    return found


def test_a_path_without_any_policy_is_not_told() -> None:
    found = compute_effective_policies(
        graph(TWO_RULES), [policy(KUADRANT, "p", "rule", "{rules: {a: 1}}")]
    )
    assert [item.path.rule for item in found] == ["rule"]
    assert compute_effective_policies(one_path(), []) == ()


def test_sorted_by_path_then_by_kind() -> None:
    second = kind(Process.ALL, "AnotherPolicy")
    policies = [policy(of, "p", "gw", "{rules: {a: 1}}") for of in (KUADRANT, second)]
    found = compute_effective_policies(graph(TWO_RULES), policies)
    assert [(item.path.rule, item.group, item.kind) for item in found] == [
        ("other", "example.com", "AnotherPolicy"),
        ("other", "example.com", "ColorPolicy"),
        ("rule", "example.com", "AnotherPolicy"),
        ("rule", "example.com", "ColorPolicy"),
    ]


def test_a_stack_has_the_least_specific_first() -> None:
    policies = [policy(KUADRANT, name, name, "{rules: {a: 1}}") for name in ("rule", "lis", "gw")]
    policies += [policy(KUADRANT, name, "route", "{rules: {a: 1}}") for name in ("young", "old")]
    known = ages("old", "young", of=KUADRANT)
    found = on_path(policies, known)
    assert [item.name for item in found.stack] == ["gw", "lis", "old", "young", "rule"]


def test_a_rule_says_where_it_is_written() -> None:
    spec = "{defaults: {strategy: merge, rules: {a: {b: 1}}}}"
    found = on_path([policy(KUADRANT, "p", "gw", spec)])
    (rule,) = found.likely.rules
    assert (rule.key, rule.value, rule.policy) == ("rules.a", {"b": 1}, ref(KUADRANT, "p"))
    assert rule.field == ("spec", "defaults", "rules", "a")
    assert found.likely.policies == (ref(KUADRANT, "p"),)


def two(of: Kind, left: str, right: str, target: str = "gw") -> list[AttachedPolicy]:
    return [policy(of, "a", target, left), policy(of, "b", target, right)]


def test_of_equals_both_outcomes_are_told() -> None:
    """Bare rules are defaults, so the last by the alphabet is likely to hold."""
    policies = two(KUADRANT, "{rules: {x: 1}}", "{rules: {x: 2}}")
    found = on_path(policies)
    assert in_force(found.likely) == {"rules.x": 2}
    assert [in_force(other) for other in found.others] == [{"rules.x": 1}]


def test_whose_age_is_known_has_one_outcome() -> None:
    policies = two(KUADRANT, "{rules: {x: 1}}", "{rules: {x: 2}}")
    found = on_path(policies, ages("b", "a", of=KUADRANT))
    assert in_force(found.likely) == {"rules.x": 1}
    assert found.others == ()


@cases(
    ("{rules: {x: 1}}", "{rules: {x: 1}}"),
    (
        "{defaults: {strategy: merge, rules: {x: 1}}}",
        "{defaults: {strategy: merge, rules: {y: 2}}}",
    ),
    ids=["the same values", "no rule in common"],
)
def test_equals_that_come_to_the_same_have_one_outcome(left: str, right: str) -> None:
    assert on_path(two(KUADRANT, left, right)).others == ()


def test_an_outcome_is_told_once() -> None:
    policies = [
        policy(KUADRANT, name, "gw", f"{{rules: {{x: {value}}}}}")
        for name, value in (("a", 1), ("b", 2), ("c", 1))
    ]
    found = on_path(policies)
    assert in_force(found.likely) == {"rules.x": 1}
    assert [in_force(other) for other in found.others] == [{"rules.x": 2}]


def test_equals_on_several_levels_change_places_on_all_of_them() -> None:
    merge = "{defaults: {strategy: merge, rules: {%s: %s}}}"
    policies = [
        policy(KUADRANT, f"{level}-{name}", level, merge % (level, name))
        for level in ("gw", "route")
        for name in ("one", "two")
    ]
    found = on_path(policies)
    every = [in_force(outcome) for outcome in (found.likely, *found.others)]
    assert every == [
        {"rules.gw": "two", "rules.route": "two"},
        {"rules.gw": "two", "rules.route": "one"},
        {"rules.gw": "one", "rules.route": "two"},
        {"rules.gw": "one", "rules.route": "one"},
    ]


def test_of_many_equals_whoever_may_hold_is_told() -> None:
    count = 30
    policies = [policy(KUADRANT, f"p{n:02}", "gw", f"{{rules: {{x: {n}}}}}") for n in range(count)]
    found = on_path(policies)
    held = [in_force(outcome)["rules.x"] for outcome in (found.likely, *found.others)]
    assert sorted(held) == list(range(count))


@each(ALL, UNBROKEN, ids=["all", "unbroken"])
def test_where_nobody_gives_way_the_order_changes_nothing(of: Kind) -> None:
    found = on_path(two(of, "{x: 1}", "{x: 2}"))
    assert [rule.value for rule in found.likely.rules] == [1, 2]
    assert found.others == ()


def test_none_with_the_loser_given_tells_what_else_may_hold() -> None:
    found = on_path(two(NONE, "{x: 1}", "{x: 2}"))
    assert in_force(found.likely) == {"x": 1}
    assert [in_force(other) for other in found.others] == [{"x": 2}]


def test_patched_alike_in_other_parts_is_the_same() -> None:
    """Who wrote a part does not matter, nor in which parts it is told."""
    of = kind(Process.GEP_713)
    patch = "{defaults: {strategy: patch, t: {x: 1, z: 2}}}"
    found = on_path(two(of, patch, "{defaults: {strategy: patch, t: {x: 1}}}"))
    assert in_force(found.likely) == {"t.x": 1, "t.z": 2}
    assert found.others == ()


def test_namespaces_of_the_hub_decide_what_attaches() -> None:
    selected = "{from: Selector, selector: {matchLabels: {team: a}}}"
    text = ONE_PATH.replace(
        "protocol: HTTP}", f"protocol: HTTP, allowedRoutes: {{namespaces: {selected}}}}}"
    )
    policies = [policy(KUADRANT, "p", "gw", "{rules: {a: 1}}")]
    hub = graph(manifest("Namespace ns", metadata="labels: {team: a}"))
    other = hub.with_labels({"ns": {"team": "b"}})
    assert compute_effective_policies(graph(text, namespaces=other), policies) == ()
    assert len(compute_effective_policies(graph(text, namespaces=hub), policies)) == 1


def test_the_order_in_which_policies_are_given_does_not_matter() -> None:
    policies = [
        *two(KUADRANT, "{rules: {x: 1}}", "{overrides: {rules: {x: 2}}}"),
        policy(KUADRANT, "c", "rule", "{rules: {x: 3}}"),
        policy(kind(Process.ALL, "AnotherPolicy"), "d", "gw", "{x: 4}"),
    ]
    every = [compute_effective_policies(one_path(), order) for order in permutations(policies)]
    assert all(found == every[0] for found in every)
