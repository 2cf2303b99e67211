"""Processes: what is in force with several policies on one path."""

from typing import Any

from msgspec.structs import replace

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy, PolicyOutcome
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Asking, Merge, MergedList, Process, Several
from tests.judging.effective.policies import (
    ALL,
    CATALOGUE,
    GEP_713,
    KUADRANT,
    NONE,
    SINGLE,
    TARGETS,
    UNBROKEN,
    ages,
    in_force,
    kind,
    lost,
    one_path,
    policy,
    sources,
)
from tests.support import cases, each, named_rows_of, rows_of
from tests.support.stages import values


def on_path(of: Kind, *entries: tuple[str, str, Any]) -> PolicyOutcome:
    """What is in force with policies given as name, level and spec, the oldest first.

    Of policies whose ties nobody breaks there are no ages.
    """
    policies: list[AttachedPolicy] = [policy(of, *entry) for entry in entries]
    known = {} if of is UNBROKEN else ages(*(name for name, _, _ in entries), of=of)
    (found,) = compute_effective_policies(one_path(), policies, known)
    return found.likely


ESTABLISHED = "the oldest, and of those made at once the first by name"
KINDS = {
    "kuadrant": KUADRANT,
    "gep-713": GEP_713,
    "none": NONE,
    "unbroken": UNBROKEN,
    "all": ALL,
    "single": SINGLE,
}


@each(KUADRANT, GEP_713, ids=["kuadrant", "gep-713"])
def test_all_levels_from_the_class_down(of: Kind) -> None:
    """Each has the same merge defaults: the most specific wins, all are heard."""
    levels = ("rule", "class", "route", "gw", "lis")
    found = on_path(
        of,
        *(
            (name, name, {"defaults": {"strategy": "merge", "rules": {"all": name, name: name}}})
            for name in levels
        ),
    )
    assert sources(found) == {"rules.all": "rule", **{f"rules.{name}": name for name in levels}}
    assert {item.policy.name for item in found.overruled} == {"class", "gw", "lis", "route"}


@cases(*named_rows_of(__file__, "outcomes_of_processes"))
def test_outcomes_of_processes(
    of: str, policies: dict[str, Any], rules: list[Any], overruled: list[str]
) -> None:
    levels = {tuple(at.split(" on ")): spec for at, spec in policies.items()}
    row = KINDS[of] if of in KINDS else CATALOGUE.kind("kuadrant.io", of)
    found = on_path(row, *((name, level, spec) for (name, level), spec in levels.items()))
    assert [[rule.key, rule.value, rule.policy.name] for rule in found.rules] == rules
    assert [
        f"{item.policy.name} {item.key}".rstrip() + f", by {item.by.name}: {item.why}"
        for item in found.overruled
    ] == overruled


@each(Process.GEP_713, Process.SINGLE, Process.ALL)
def test_where_there_is_one_each_the_established_one_holds(process: Process) -> None:
    """Envoy Gateway, AWS: a second policy on one target is refused; levels come together."""
    of = kind(process, several=Several.ONE)
    blocks = "{default: {a: NAME}, override: {b: NAME}}"
    spec = blocks if process is Process.SINGLE else "{a: NAME, b: NAME}"
    given = [policy(of, name, "route", spec.replace("NAME", name)) for name in ("q", "p")]
    (found,) = compute_effective_policies(one_path(), given)
    assert in_force(found.likely) == {"a": "p", "b": "p"}
    assert lost(found.likely) == {
        ("q", ""): ("p", f"only one policy holds on HTTPRoute ns/route: {ESTABLISHED}")
    }
    assert [in_force(other) for other in found.others] == [{"a": "q", "b": "q"}]


ASKING = kind(
    Process.NONE,
    asking=Asking(
        "mergeType",
        (("JSONMerge", Merge.PATCH), ("StrategicMerge", Merge.STRATEGIC)),
        lists=(
            MergedList("list", "name"),
            MergedList("more"),
            MergedList("limits", selector="for"),
        ),
    ),
)


@cases(*rows_of(__file__, "a_policy_may_ask_to_be_merged_into_the_one_above"))
def test_a_policy_may_ask_to_be_merged_into_the_one_above(
    asked: str, expected: dict[str, Any]
) -> None:
    """Envoy Gateway, `mergeType`: the policy on the route is the patch."""
    found = on_path(
        ASKING,
        ("gw", "gw", "{a: {x: 1}, b: 0}"),
        ("lis", "lis", "{a: {x: 1}, b: 1}"),
        ("route", "route", f"{{{asked}a: {{q: 2}}}}"),
    )
    assert in_force(found) == expected


@each("[{max: 3}]", "[{for: b, max: 3}]", "[]")
def test_the_default_of_a_list_is_replaced_though_the_patch_has_none(below: str) -> None:
    found = on_path(
        ASKING,
        ("gw", "gw", "{limits: [{max: 1}, {for: a, max: 2}, {for: [], max: 4}]}"),
        ("route", "route", f"{{mergeType: StrategicMerge, limits: {below}}}"),
    )
    entries = [
        entry
        for rule in found.rules
        for entry in (rule.value if isinstance(rule.value, list) else [rule.value])
    ]
    assert entries == [{"for": "a", "max": 2}, *values(below)[0]]


def test_a_policy_on_two_levels_overrules_itself_in_nothing() -> None:
    one = policy(KUADRANT, "p", "gw", "{rules: {a: 1}}")
    both = AttachedPolicy(one.ref, one.kind, one.spec, (TARGETS["gw"], TARGETS["lis"]))
    (found,) = compute_effective_policies(one_path(), [both])
    assert found.stack == (one.ref,)
    assert sources(found.likely) == {"rules.a": "p"}
    assert found.likely.overruled == ()


def test_what_a_policy_on_two_levels_has_in_vain_is_told_once() -> None:
    one = policy(KUADRANT, "p", "gw", "{defaults: {rules: {a: 1}}, when: x}")
    both = AttachedPolicy(one.ref, one.kind, one.spec, (TARGETS["gw"], TARGETS["lis"]))
    (found,) = compute_effective_policies(one_path(), [both])
    assert [item.key for item in found.likely.overruled] == ["when"]


def test_what_fails_overrules_what_is_above_it() -> None:
    """Envoy Gateway reports it as Overridden, though requests are refused."""
    below = replace(
        policy(ASKING, "route", "route", "{a: 2}"), failures=((("spec", "a"), "a is wrong"),)
    )
    (found,) = compute_effective_policies(one_path(), [policy(ASKING, "gw", "gw", "{a: 1}"), below])
    assert (found.likely.rules, found.likely.failing) == ((), "a is wrong")
    assert [each.policy.name for each in found.likely.overruled] == ["gw"]
