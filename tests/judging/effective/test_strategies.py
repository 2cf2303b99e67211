"""Strategies: what stands after a step, who wrote which part of it, and what fell."""

from typing import Any

from hypothesis import given, settings, strategies as st

from spokerender.formats.patching import merge
from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import PolicyOutcome
from spokerender.kinds.merging import Merge, Process
from spokerender.model import shown
from tests.judging.effective.policies import PATCH, in_force, kind, lost, one_path, policy, sources
from tests.support import cases, rows_of
from tests.support.profiles import examples

GW, ROUTE = "Gateway ns/gw", "HTTPRoute ns/route"


def of_two(upper: Any, lower: Any, of: Any = PATCH) -> PolicyOutcome:
    """What is in force with one policy on the gateway and one on the route."""
    policies = [policy(of, "up", "gw", upper), policy(of, "low", "route", lower)]
    (found,) = compute_effective_policies(one_path(), policies)
    return found.likely


def test_patch_defaults_field_by_field() -> None:
    found = of_two(
        "{timeout: {request: 1s, idle: 2s}, retry: {count: 3}, color: red}",
        "{timeout: {request: 5s}, color: blue}",
    )
    assert in_force(found) == {
        "timeout.request": "5s",
        "timeout.idle": "2s",
        "retry": {"count": 3},
        "color": "blue",
    }
    assert sources(found) == {
        "timeout.request": "low",
        "timeout.idle": "up",
        "retry": "up",
        "color": "low",
    }
    why = f"patch defaults on {GW} give way to the same field"
    assert lost(found) == {("up", "timeout.request"): ("low", why), ("up", "color"): ("low", why)}


def test_patch_overrides_field_by_field() -> None:
    found = of_two(
        "{overrides: {strategy: patch, timeout: {request: 1s}}}",
        "{timeout: {request: 5s, idle: 2s}}",
    )
    assert in_force(found) == {"timeout.request": "1s", "timeout.idle": "2s"}
    assert {rule.key: shown(rule.field) for rule in found.rules} == {
        "timeout.request": "spec.overrides.timeout.request",
        "timeout.idle": "spec.timeout.idle",
    }
    why = f"patch overrides on {GW} have the same field"
    assert lost(found) == {("low", "timeout.request"): ("up", why)}


def test_what_one_policy_wrote_is_told_in_one_piece() -> None:
    found = of_two("{a: {b: {c: 1, d: 2}}}", "{a: {b: {c: 3, d: 4}}}")
    assert in_force(found) == {"a": {"b": {"c": 3, "d": 4}}}
    assert [(item.key, item.policy.name) for item in found.overruled] == [("a", "up")]


@cases(*rows_of(__file__, "json_merge_patch"))
def test_json_merge_patch(upper: str, lower: str, expected: dict[str, Any]) -> None:
    assert in_force(of_two(upper, lower)) == expected


def test_who_removed_a_field_is_told() -> None:
    found = of_two("{a: 1, b: 2}", "{a: null}")
    why = f"patch defaults on {GW} give way to the same field"
    assert lost(found) == {("up", "a"): ("low", why)}


def test_a_null_where_rules_would_be_removes_all_of_them() -> None:
    of = kind(Process.GEP_713, default=Merge.PATCH, rules=("limits.*",))
    found = of_two("{limits: {a: 1, b: 2}, c: 3}", "{limits: null}", of)
    assert in_force(found) == {"c": 3}
    assert [(item.key, item.by.name) for item in found.overruled] == [
        ("limits.a", "low"),
        ("limits.b", "low"),
    ]


def test_rules_that_are_merged_are_never_split() -> None:
    of = kind(Process.GEP_713, default=Merge.MERGE, rules=("limits.*",))
    found = of_two("{limits: {a: {x: 1, y: 2}, b: {x: 3}}}", "{limits: {a: {x: 4}}}", of)
    assert in_force(found) == {"limits.a": {"x": 4}, "limits.b": {"x": 3}}
    why = f"merge defaults on {GW} give way to a rule of the same name"
    assert lost(found) == {("up", "limits.a"): ("low", why)}


def test_merge_overrides() -> None:
    of = kind(Process.GEP_713, rules=("limits.*",))
    found = of_two("{overrides: {strategy: merge, limits: {a: 1}}}", "{limits: {a: 2, b: 3}}", of)
    assert sources(found) == {"limits.a": "up", "limits.b": "low"}
    why = f"merge overrides on {GW} have a rule of the same name"
    assert lost(found) == {("low", "limits.a"): ("up", why)}


def test_atomic_defaults_and_overrides() -> None:
    of = kind(Process.GEP_713)
    found = of_two("{a: 1, b: 2}", "{b: 3}", of)
    assert in_force(found) == {"b": 3}
    why = f"atomic defaults on {GW} give way to a policy on {ROUTE}"
    assert lost(found) == {("up", "a"): ("low", why), ("up", "b"): ("low", why)}
    found = of_two("{overrides: {a: 1}}", "{a: 2, b: 3}", of)
    assert in_force(found) == {"a": 1}
    why = f"atomic overrides on {GW}"
    assert lost(found) == {("low", "a"): ("up", why), ("low", "b"): ("up", why)}


def test_atomic_defaults_give_way_to_no_empty_policy() -> None:
    of = kind(Process.KUADRANT, rules=("when", "limits.*"), substance="limits")
    found = of_two("{limits: {a: 1}}", "{when: [x]}", of)
    assert in_force(found) == {"limits.a": 1}
    why = f"atomic defaults on {GW} stay: this policy has no rules to take their place"
    assert lost(found) == {("low", "when"): ("up", why)}


def test_what_is_merged_is_empty_only_if_both_are() -> None:
    of = kind(Process.KUADRANT, rules=("when", "limits.*"), substance="limits")
    merged = "{defaults: {strategy: merge, when: [x]}}"
    policies = [
        policy(of, "top", "class", "{limits: {a: 1}}"),
        policy(of, "up", "gw", merged),
        policy(of, "low", "route", "{limits: {b: 1}}"),
    ]
    (found,) = compute_effective_policies(one_path(), policies)
    assert sources(found.likely) == {"when": "up", "limits.b": "low"}
    (found,) = compute_effective_policies(
        one_path(), [*policies[:2], policy(of, "low", "route", "{when: [y]}")]
    )
    assert sources(found.likely) == {"limits.a": "top"}


def test_atomic_defaults_give_way_to_whoever_has_rules_in_force() -> None:
    """Not to one in between whose rules are all overruled."""
    of = kind(Process.KUADRANT, rules=("limits.*",))
    policies = [
        policy(of, "top", "class", "{limits: {z: 1}}"),
        policy(of, "up", "gw", "{defaults: {strategy: merge, limits: {a: 1}}}"),
        policy(of, "low", "route", "{limits: {a: 2}}"),
    ]
    (found,) = compute_effective_policies(one_path(), policies)
    assert {(item.policy.name, item.by.name) for item in found.likely.overruled} == {
        ("up", "low"),
        ("top", "low"),
    }


def test_what_a_patch_has_removed_it_removes_no_more() -> None:
    """The result of a step is a document without the nulls of its patch (RFC 7386)."""
    policies = [
        policy(PATCH, "up", "gw", "{a: 1}"),
        policy(PATCH, "mid", "route", "{overrides: {strategy: patch, a: null, b: 2}}"),
        policy(PATCH, "low", "rule", "{a: 3}"),
    ]
    (found,) = compute_effective_policies(one_path(), policies)
    assert sources(found.likely) == {"a": "low", "b": "mid"}


@cases(("{a: {}}", "{a: {b: 1}}"), ("{a: {b: 1}}", "{a: {}}"))
def test_an_empty_mapping_neither_replaces_nor_is_replaced(upper: str, lower: str) -> None:
    assert of_two(upper, lower).overruled == ()


def test_nothing_absent_is_a_rule() -> None:
    of = kind(Process.GEP_713, default=Merge.MERGE, rules=("limits.*",))
    assert in_force(of_two("{limits: {a: 1, b: null}}", "{limits: {a: null}}", of)) == {
        "limits.a": 1
    }


leaf = st.none() | st.integers(0, 3) | st.lists(st.integers(0, 1), max_size=1)
documents = st.dictionaries(
    st.sampled_from("abc"),
    st.recursive(leaf, lambda inner: st.dictionaries(st.sampled_from("xyz"), inner), max_leaves=5),
    max_size=3,
)


def without_nulls(value: Any) -> Any:
    """What the API server keeps of a document: null is absent."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return value


def assembled(outcome: PolicyOutcome) -> dict[str, Any]:
    """The document that the rules in force add up to."""
    document: dict[str, Any] = {}
    for rule in outcome.rules:
        *above, last = rule.key.split(".")
        here = document
        for key in above:
            here = here.setdefault(key, {})
        here[last] = rule.value
    return document


@settings(max_examples=examples(200, house=15))
@given(documents, documents)
def test_patch_defaults_are_rfc_7386(upper: dict[str, Any], lower: dict[str, Any]) -> None:
    """The parts add up to what the library makes of the whole documents."""
    upper = without_nulls(upper) or {"z": 0}
    lower = lower or {"z": 1}
    assert assembled(of_two(upper, lower)) == merge(upper, lower)


@settings(max_examples=examples(200, house=15))
@given(documents, documents)
def test_patch_overrides_are_rfc_7386(upper: dict[str, Any], lower: dict[str, Any]) -> None:
    lower = without_nulls(lower) or {"z": 0}
    upper = upper or {"z": 1}
    found = of_two({"overrides": {"strategy": "patch", **upper}}, lower)
    assert assembled(found) == merge(lower, upper)


@settings(max_examples=examples(200, house=15))
@given(documents, documents)
def test_a_field_leads_to_the_value_that_is_in_force(
    upper: dict[str, Any], lower: dict[str, Any]
) -> None:
    """As far as the patch did not mix it: then it is told in parts."""
    upper, lower = without_nulls(upper) or {"z": 0}, without_nulls(lower) or {"z": 1}
    for rule in of_two(upper, lower).rules:
        written: Any = {"spec": upper if rule.policy.name == "up" else lower}
        for key in rule.field:
            written = written[key]
        assert written == rule.value
