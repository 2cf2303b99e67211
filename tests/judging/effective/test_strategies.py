"""Strategies: what stands after a step, who wrote which part of it, and what fell."""

from typing import Any

from hypothesis import given, settings, strategies as st

from spokerender.formats.patching import merge
from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import PolicyOutcome
from spokerender.kinds.merging import Merge, Process
from spokerender.model import shown
from tests.judging.effective.policies import PATCH, in_force, kind, one_path, policy
from tests.support import cases, named_rows_of, rows_of
from tests.support.profiles import examples

KINDS = {
    "patch": PATCH,
    "whole": kind(Process.GEP_713),
    "limits atomic": kind(Process.GEP_713, rules=("limits.*",)),
    "limits merge": kind(Process.GEP_713, default=Merge.MERGE, rules=("limits.*",)),
    "limits patch": kind(Process.GEP_713, default=Merge.PATCH, rules=("limits.*",)),
    "kuadrant": kind(Process.KUADRANT, rules=("limits.*",)),
    "kuadrant with conditions": kind(
        Process.KUADRANT, rules=("when", "limits.*"), substance="limits"
    ),
}


def of_two(upper: Any, lower: Any) -> PolicyOutcome:
    """What is in force with one policy on the gateway and one on the route."""
    policies = [policy(PATCH, "up", "gw", upper), policy(PATCH, "low", "route", lower)]
    (found,) = compute_effective_policies(one_path(), policies)
    return found.likely


@cases(*named_rows_of(__file__, "outcomes"))
def test_outcomes(
    of: str, policies: dict[str, Any], rules: dict[str, Any], overruled: list[str]
) -> None:
    levels = {tuple(at.split(" on ")): spec for at, spec in policies.items()}
    written = [policy(KINDS[of], name, level, spec) for (name, level), spec in levels.items()]
    (found,) = compute_effective_policies(one_path(), written)
    assert {
        rule.key: [rule.value, rule.policy.name, shown(rule.field)] for rule in found.likely.rules
    } == rules
    assert [
        f"{item.policy.name} {item.key}, by {item.by.name}: {item.why}"
        for item in found.likely.overruled
    ] == overruled


@cases(*rows_of(__file__, "json_merge_patch"))
def test_json_merge_patch(upper: str, lower: str, expected: dict[str, Any]) -> None:
    assert in_force(of_two(upper, lower)) == expected


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
