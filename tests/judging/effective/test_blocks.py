"""What a policy declares: strategy, side, and its rules with their places."""

from typing import Any

from spokerender.judging.effective.blocks import PolicyBlock, Side, read_blocks
from spokerender.kinds.kind import Kind, ReferencePath, Role
from spokerender.kinds.merging import Merge, Process
from spokerender.model import shown
from tests.judging.effective.policies import (
    ALL,
    CATALOGUE,
    GEP_713,
    KUADRANT,
    PATCH,
    SINGLE,
    kind,
    policy,
)
from tests.support import cases, each, rows_of


def one(of: Kind, spec: str) -> PolicyBlock:
    (found,) = read_blocks(policy(of, "p", "gw", spec))
    return found


def values(found: PolicyBlock) -> dict[str, Any]:
    return {shown(path): item.value for path, item in found.rules.items()}


def fields(found: PolicyBlock) -> dict[str, str]:
    """Where each rule is written."""
    return {
        shown(path): shown(field)
        for path, item in found.rules.items()
        for _, field in item.leaves.values()
    }


@cases(*rows_of(__file__, "where_the_strategy_is_said"))
@each(KUADRANT, GEP_713, ids=["kuadrant", "gep-713"])
def test_where_the_strategy_is_said(of: Kind, spec: str, side: str, merge: str, field: str) -> None:
    found = one(of, spec)
    assert (found.side.name, found.strategy.name) == (side, merge)
    assert fields(found) == {"rules.a": field}


def test_a_kind_s_own_default_strategy() -> None:
    assert one(PATCH, "{a: 1}").strategy is Merge.PATCH
    assert one(PATCH, "{strategy: atomic, a: 1}").strategy is Merge.ATOMIC


@each("roundRobin", "[merge]", "1")
def test_a_strategy_that_is_none_is_a_field(name: str) -> None:
    found = one(PATCH, f"{{strategy: {name}, a: 1}}")
    assert found.strategy is Merge.PATCH
    assert set(values(found)) == {"strategy", "a"}


def test_kinds_that_merge_nothing_have_no_strategy() -> None:
    found = one(ALL, "{strategy: merge, defaults: {a: 1}, overrides: 2, rules: [3]}")
    assert values(found) == {
        "strategy": "merge",
        "defaults": {"a": 1},
        "overrides": 2,
        "rules": [3],
    }


def test_rules_of_an_auth_policy() -> None:
    of = CATALOGUE.kind("kuadrant.io", "AuthPolicy")
    spec = """\
    targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: gw}
    overrides:
      strategy: merge
      when: [{predicate: a}, {predicate: b}]
      patterns: {internal: {allOf: []}}
      rules:
        authentication: {jwt: {jwt: {issuerUrl: x}}, key: {apiKey: {}}}
        response:
          unauthorized: {code: 403}
          success: {filters: {id: {json: {}}}, headers: null, cookies: {a: 1}}
        caching: {ttl: 1}
    """
    found = one(of, spec)
    assert set(values(found)) == {
        "when",
        "patterns.internal",
        "rules.authentication.jwt",
        "rules.authentication.key",
        "rules.response.unauthorized",
        "rules.response.success.filters.id",
        "rules.response.success.headers",
        # No pattern leads there: told all the same, from where none leads any further.
        "rules.response.success.cookies",
        "rules.caching",
    }
    assert not found.is_empty
    assert fields(found)["rules.authentication.jwt"] == "spec.overrides.rules.authentication.jwt"
    assert values(found)["when"] == [{"predicate": "a"}, {"predicate": "b"}]


def test_limits_and_what_stands_beside_defaults() -> None:
    of = CATALOGUE.kind("kuadrant.io", "RateLimitPolicy")
    found = one(of, "{defaults: {limits: {per.user: {}}}, when: [{predicate: a}], targetRef: {}}")
    assert set(values(found)) == {"limits[per.user]"}
    assert found.ignored == ("when",)
    assert found.beside == "defaults"


@cases(*rows_of(__file__, "empty_is_what_has_no_substance"))
def test_empty_is_what_has_no_substance(spec: str, is_empty: bool) -> None:
    of = CATALOGUE.kind("kuadrant.io", "RateLimitPolicy")
    assert one(of, spec).is_empty is is_empty


def test_a_policy_without_rules_gives_way_only_where_that_is_said() -> None:
    bare = "{targetRef: {name: x}, targetRefs: [], targetSelectors: []}"
    assert one(PATCH, bare).rules == {}
    assert not one(PATCH, bare).is_empty
    assert one(kind(Process.NONE, substance="a"), bare).is_empty


def test_what_a_row_takes_for_a_target_is_no_rule() -> None:
    references = (
        ReferencePath("spec.gatewayRef", Role.TARGET),
        ReferencePath("spec.to[].ref", Role.TARGET),
        ReferencePath("spec.selector.matchLabels", Role.LABEL),
        ReferencePath("spec.backends[]", Role.BACKEND),
    )
    of = kind(Process.ALL, references=references)
    found = one(of, "{gatewayRef: {}, to: [], selector: {}, backends: [], a: 1}")
    assert set(values(found)) == {"backends", "a"}


def test_a_pattern_that_leads_through_something_else_ends_there() -> None:
    of = kind(Process.GEP_713, rules=("limits.*", "list[].a"))
    assert values(one(of, "{limits: 3, list: {a: 1}}")) == {"limits": 3, "list": {"a": 1}}


def test_a_pattern_may_lead_into_a_list() -> None:
    """By place, or by the value at a key of each entry, which is then the rule's name."""
    of = kind(Process.FIELDS, rules=("list[].*", "ports[port].*"))
    found = one(of, "{list: [{a: 1}, 2], ports: [{port: '80', b: 3}, {c: 4}]}")
    assert values(found) == {"list[0].a": 1, "list[1]": 2, "ports.80.b": 3, "ports[1].c": 4}
    assert fields(found)["ports.80.b"] == "spec.ports[0].b"


def test_default_and_override_in_one_policy() -> None:
    override, default = read_blocks(
        policy(SINGLE, "p", "gw", "{default: {a: 1}, override: {a: 2, b: 3}}")
    )
    assert (override.side, values(override)) == (Side.OVERRIDES, {"a": 2, "b": 3})
    assert (default.side, values(default)) == (Side.DEFAULTS, {"a": 1})
    assert fields(default) == {"a": "spec.default.a"}


def test_a_bare_spec_is_a_default() -> None:
    found = one(SINGLE, "{a: 1, targetRef: {}}")
    assert (found.side, values(found), found.beside) == (Side.DEFAULTS, {"a": 1}, "")


def test_matches_are_the_scope_and_no_rule() -> None:
    found = one(SINGLE, "{default: {a: 1, rules: [{matches: [{method: GET}]}, {matches: []}]}}")
    assert found.scope == ([{"method": "GET"}], [])
    assert values(found) == {"a": 1}


@each("[{name: x}]", "[]", "{a: {}}", "[1]")
def test_rules_without_matches_are_a_field(rules: str) -> None:
    found = one(SINGLE, f"{{default: {{rules: {rules}}}}}")
    assert found.scope is None
    assert set(values(found)) == {"rules"}


def test_entries_with_more_than_matches_are_told() -> None:
    found = one(SINGLE, "{default: {rules: [{matches: [], rps: 5}]}}")
    assert found.scope == ([],)
    assert values(found) == {"rules": [{"matches": [], "rps": 5}]}
