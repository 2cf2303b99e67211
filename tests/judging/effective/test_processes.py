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
from tests.support import cases, each, rows_of
from tests.support.stages import values


def on_path(of: Kind, *entries: tuple[str, str, Any], aged: bool = True) -> PolicyOutcome:
    """What is in force with policies given as name, level and spec, the oldest first."""
    policies: list[AttachedPolicy] = [policy(of, *entry) for entry in entries]
    known = ages(*(name for name, _, _ in entries), of=of) if aged else {}
    (found,) = compute_effective_policies(one_path(), policies, known)
    return found.likely


ESTABLISHED = "the oldest, and of those made at once the first by name"
SAME = "have a rule of the same name"


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


def test_who_overruled_in_kuadrant_s_process() -> None:
    """From the bottom up: what was overruled below stays so."""
    found = on_path(
        KUADRANT,
        ("gw", "gw", "{overrides: {strategy: merge, rules: {a: 1, x: 1}}}"),
        ("route", "route", "{overrides: {strategy: atomic, rules: {b: 2, x: 2}}}"),
        ("rule", "rule", "{rules: {c: 3, x: 3}}"),
    )
    assert sources(found) == {"rules.a": "gw", "rules.b": "route", "rules.x": "gw"}
    assert lost(found) == {
        ("rule", "rules.c"): ("route", "atomic overrides on HTTPRoute ns/route"),
        ("rule", "rules.x"): ("route", "atomic overrides on HTTPRoute ns/route"),
        ("route", "rules.x"): (
            "gw",
            "merge overrides on Gateway ns/gw have a rule of the same name",
        ),
    }


def test_who_overruled_in_gep_713_s_process() -> None:
    """What stands takes the strategy of the policy that came last."""
    found = on_path(
        GEP_713,
        ("gw", "gw", "{overrides: {rules: {a: 1}}}"),
        ("route", "route", "{overrides: {strategy: merge, rules: {b: 2}}}"),
        ("rule", "rule", "{rules: {a: 3, c: 3}}"),
    )
    assert sources(found) == {"rules.a": "gw", "rules.c": "rule"}
    assert lost(found) == {
        ("route", "rules.b"): ("gw", "atomic overrides on Gateway ns/gw"),
        ("rule", "rules.a"): ("gw", f"merge overrides on HTTPRoute ns/route {SAME}"),
    }


def test_a_younger_default_on_one_target_replaces_the_older_one() -> None:
    found = on_path(KUADRANT, ("old", "gw", "{rules: {a: 1}}"), ("new", "gw", "{rules: {b: 2}}"))
    assert sources(found) == {"rules.b": "new"}
    assert lost(found) == {
        ("old", "rules.a"): (
            "new",
            "atomic defaults on Gateway ns/gw give way to a later policy there",
        )
    }


def test_what_stands_beside_defaults_does_not_count() -> None:
    of = CATALOGUE.kind("kuadrant.io", "RateLimitPolicy")
    found = on_path(of, ("p", "gw", "{defaults: {limits: {a: {}}}, when: [{predicate: x}]}"))
    assert sources(found) == {"limits.a": "p"}
    assert lost(found) == {
        ("p", "when"): ("p", "it stands beside defaults, and only what is in there counts")
    }


def test_a_route_s_when_gates_a_gateway_s_override() -> None:
    of = CATALOGUE.kind("kuadrant.io", "AuthPolicy")
    found = on_path(
        of,
        ("gw", "gw", "{overrides: {strategy: merge, rules: {authentication: {jwt: {}}}}}"),
        ("route", "route", "{when: [{predicate: 'false'}], rules: {authorization: {x: {}}}}"),
    )
    assert sources(found) == {
        "rules.authentication.jwt": "gw",
        "rules.authorization.x": "route",
        "when": "route",
    }


def test_none_the_most_specific_holds_whole() -> None:
    found = on_path(NONE, ("all", "gw", "{a: 1, b: 2}"), ("one", "lis", "{a: 3}"))
    assert in_force(found) == {"a": 3}
    assert lost(found) == {
        ("all", ""): ("one", "section lis of Gateway ns/gw has a policy of its own")
    }
    found = on_path(NONE, ("up", "gw", "{a: 1}"), ("low", "route", "{a: 3}"))
    assert lost(found) == {("up", ""): ("low", "HTTPRoute ns/route has a policy of its own")}


def test_none_the_established_one_holds_on_one_target() -> None:
    found = on_path(NONE, ("z", "gw", "{a: 1}"), ("a", "gw", "{b: 2}"))
    assert in_force(found) == {"a": 1}
    assert lost(found) == {
        ("a", ""): ("z", f"only one policy holds on Gateway ns/gw: {ESTABLISHED}")
    }


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


def test_unbroken_ties_leave_all_in_force() -> None:
    found = on_path(
        UNBROKEN, ("up", "gw", "{a: 0}"), ("b", "lis", "{a: 2}"), ("a", "lis", "{a: 1}"), aged=False
    )
    assert [(rule.key, rule.policy.name, rule.value) for rule in found.rules] == [
        ("a", "a", 1),
        ("a", "b", 2),
    ]
    assert [item.policy.name for item in found.overruled] == ["up"]


def test_all_are_in_force_side_by_side() -> None:
    found = on_path(ALL, ("up", "gw", "{a: 1}"), ("low", "route", "{a: 2}"))
    assert [(rule.key, rule.policy.name) for rule in found.rules] == [("a", "up"), ("a", "low")]
    assert found.overruled == ()


def test_single_overrides_from_above_then_defaults_from_below() -> None:
    found = on_path(
        SINGLE,
        ("gw", "gw", "{override: {a: 1}, default: {a: 2, b: 2, c: 2}}"),
        ("route", "route", "{override: {a: 3, b: 3}, default: {c: 3, d: 3}}"),
        ("rule", "rule", "{default: {d: 4}}"),
    )
    assert in_force(found) == {"a": 1, "b": 3, "c": 3, "d": 4}
    assert sources(found) == {"a": "gw", "b": "route", "c": "route", "d": "rule"}
    assert [(item.policy.name, item.key, item.by.name, item.why) for item in found.overruled] == [
        ("route", "a", "gw", "override on Gateway ns/gw has the same field"),
        ("route", "d", "rule", "default on HTTPRoute ns/route [rule] has the same field"),
        ("gw", "a", "gw", "override on Gateway ns/gw has the same field"),
        ("gw", "b", "route", "override on HTTPRoute ns/route has the same field"),
        ("gw", "c", "route", "default on HTTPRoute ns/route has the same field"),
    ]


def test_single_the_established_one_holds_on_one_target() -> None:
    found = on_path(
        SINGLE,
        ("z", "gw", "{override: {a: 1}, default: {b: 1}}"),
        ("a", "gw", "{override: {a: 2}, default: {b: 2}}"),
    )
    assert in_force(found) == {"a": 1, "b": 1}


def test_a_field_is_taken_whole() -> None:
    found = on_path(
        SINGLE, ("gw", "gw", "{default: {a: {x: 1}}}"), ("route", "route", "{default: {a: {q: 2}}}")
    )
    assert in_force(found) == {"a": {"q": 2}}


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
