"""A metapolicy in plain YAML: what it makes goes the way of all other objects."""

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

import pytest

from spokerender.explain import explain_named
from spokerender.explain.values import FleetSummary, ObjectExplanation
from spokerender.findings.codes.metapolicies import (
    BAD_EXPRESSION,
    CHECKED,
    CYCLE,
    FAILED,
    MADE_TWICE,
    NOT_CHANGED,
    WRITTEN_TWICE,
)
from spokerender.findings.codes.shipping import LEFT_ON_HUB, NOT_SHIPPED
from spokerender.findings.errors import InputError
from spokerender.model.plan import HEADER
from spokerender.pipeline import judge, render
from spokerender.report.explanations import explain_text
from spokerender.report.reports import ExplainReport, Look
from tests.support import cases, each, rows_of
from tests.support.metapolicies import (
    QUOTA,
    ROUTE,
    defined,
    definition,
    limits,
    rendered,
    with_definitions,
)
from tests.support.stages import auth, objects, told

MADE = "RateLimitPolicy shop/fair-limits"


def made(declarative: str, *documents: str, spoke: str = "eu", **more: str) -> dict[str, Any]:
    """The spec of what a definition makes."""
    found = rendered(definition(declarative), *documents, **more)
    assert told(found.results) == []
    spec: dict[str, Any] = objects(found, spoke)[MADE]["spec"]
    return spec


def refused(definitions: str | Mapping[str, str], *documents: str) -> list[tuple[str, str, str]]:
    """Code, place and message of what is wrong with definitions."""
    with pytest.raises(InputError) as caught:
        rendered(definitions, *documents)
    return [(each.code, str(each.origin), each.message) for each in caught.value.results]


def faulty(expression: str) -> str:
    ((code, _, message),) = refused(definition(f"make: []\nvariables: {{it: {expression!r}}}"))
    assert code == BAD_EXPRESSION.code
    return message


def limit(expression: str) -> Any:
    """What an expression comes to, in place of a limit."""
    return made(limits("${" + expression + "}"))["limits"]["fair"]["rates"][0]["limit"]


def test_what_it_makes_ships_and_it_stays_behind() -> None:
    found = rendered(definition(limits()))
    assert told(found.results) == []
    files = found.tree.files("eu")
    assert files["shop/ratelimitpolicy.kuadrant.io_fair-limits.yaml"] == HEADER + (
        b"apiVersion: kuadrant.io/v1\n"
        b"kind: RateLimitPolicy\n"
        b"metadata:\n"
        b"  name: fair-limits\n"
        b"  namespace: shop\n"
        b"spec:\n"
        b"  targetRef:\n"
        b"    group: gateway.networking.k8s.io\n"
        b"    kind: HTTPRoute\n"
        b"    name: cart\n"
        b"  limits:\n"
        b"    fair:\n"
        b"      rates:\n"
        b"      - limit: 3\n"
        b'        window: "1m"\n'
    )
    assert not any("quotapolicy" in path for path in files)
    left = (
        f"{NOT_SHIPPED.code} QuotaPolicy shop/fair: not shipped: quota renders it as other objects"
    )
    assert left in told(found.results, NOT_SHIPPED.code)


def test_it_ships_as_it_is_where_that_is_asked_for() -> None:
    files = rendered(definition(limits(), more="ships: true\n")).tree.files("eu")
    assert any("quotapolicy" in path for path in files)
    assert not any("ratelimitpolicy" in path for path in files)


def test_explain_leads_to_the_metapolicy_and_says_why() -> None:
    found = rendered(definition(limits()))
    answer = explain_named(found, "ratelimitpolicy/fair-limits", "eu")
    assert isinstance(answer, ObjectExplanation)
    text = explain_text(ExplainReport(explanation=answer), Look(verbose=True))
    line = next(m.origin.line for m in found.hub.manifests if m.ref.kind == "QuotaPolicy")
    assert f"(hub/hub.yaml:{line}, QuotaPolicy shop/fair: a fair share)" in text


def test_explain_tells_a_field_once_where_only_the_spoke_in_the_reason_differs() -> None:
    of_spoke = limits().replace("a fair share", "a fair share of ${spoke.name}")
    answer = explain_named(rendered(definition(of_spoke)), "ratelimitpolicy/fair-limits")
    assert isinstance(answer, ObjectExplanation)
    (destination,) = answer.destinations
    assert {(each.spokes, each.traced.source.how) for each in destination.fields} == {
        (("eu", "us"), "QuotaPolicy shop/fair: a fair share of {{ spoke.name }}")
    }


def test_explain_names_what_a_metapolicy_becomes_and_says_no_more_of_other_spokes() -> None:
    only_eu = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}\n"
    found = rendered(definition(limits()), rules=only_eu)
    answer = explain_named(found, "quotapolicy/fair", "eu")
    assert isinstance(answer, ObjectExplanation)
    reason = "quota renders it as other objects"
    assert [each.reason for each in answer.not_shipped] == [f"{reason}: {MADE}"]
    fleet = explain_named(found)
    assert isinstance(fleet, FleetSummary)
    assert {str(left.ref): left.reason for left in fleet.not_shipped}[
        "QuotaPolicy shop/fair"
    ] == reason


def test_what_it_makes_is_judged_like_all_else() -> None:
    findings = judge(rendered(definition(limits("'many'")))).results
    assert any(f"SR2301 {MADE}" in each for each in told(findings))
    alone = rendered(definition(limits()), QUOTA)
    assert any("QuotaPolicy shop/fair" in each for each in told(alone.results))


def test_overrides_of_a_metapolicy_apply_before_it_and_of_what_it_makes_behind() -> None:
    overrides = """\
    - target: {kind: QuotaPolicy}
      spokes: {names: [eu]}
      merge: {spec: {perMinute: 8}}
    - target: {kind: RateLimitPolicy, name: fair-limits}
      spokes: {names: [eu]}
      merge: {spec: {when: [{predicate: "true"}]}}
    """
    assert made(limits(), overrides=overrides) == {
        "targetRef": {"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "name": "cart"},
        "limits": {"fair": {"rates": [{"limit": 8, "window": "1m"}]}},
        "when": [{"predicate": "true"}],
    }
    assert made(limits(), overrides=overrides, spoke="us")["limits"]["fair"]["rates"] == [
        {"limit": 3, "window": "1m"}
    ]


@cases(*rows_of(__file__, "expressions_see_the_spoke"))
def test_expressions_see_the_spoke(expression: str, value: object) -> None:
    assert limit(expression) == value


@cases(*rows_of(__file__, "rules_of_routes_have_types"))
def test_rules_of_routes_have_types(expression: str, value: object) -> None:
    rules = (
        "rules: [{name: pay, matches: [{path: {value: /pay}, method: GET, headers: [{name: x}]}], "
        "backendRefs: [{name: pay, port: 80, namespace: 5}, {name: b, port: 1e30}]}]"
    )
    pay = ROUTE.replace("cart", "pay").replace("hostnames: ", f"{rules}, hostnames: ")
    text = f"${{routes().filter(r, r.metadata.name == 'pay')[0].spec.rules[0].{expression}}}"
    fleet = rendered(definition(limits(text)), QUOTA, ROUTE, pay)
    assert objects(fleet)[MADE]["spec"]["limits"]["fair"]["rates"][0]["limit"] == value


def test_templates_have_loops_conditions_and_keys() -> None:
    spec = made("""\
    variables: {tiers: "[{'name': 'gold', 'limit': 5}, {'name': 'free', 'limit': 0}]"}
    make:
    - object:
        apiVersion: kuadrant.io/v1
        kind: RateLimitPolicy
        metadata: {name: fair-limits}
        spec:
          none: ${null}
          limits:
            $forEach: {tier: tiers}
            "tier-${tier.name}":
              cost: "$${tier}"
              rates:
              - {$when: tier.limit > 0, limit: "${tier.limit}"}
              - {$forEach: {number: "[1, 2]"}, $value: "${number}"}
              when: {$when: tier.limit > 0, a: 1}
    """)
    assert spec == {
        "limits": {
            "tier-gold": {"cost": "${tier}", "rates": [{"limit": 5}, 1, 2], "when": {"a": 1}},
            "tier-free": {"cost": "${tier}", "rates": [1, 2]},
        }
    }


def test_it_changes_and_takes_out_what_is_there() -> None:
    found = rendered(
        definition("""\
        change:
        - objects: self.findAuthPolicies()
          merge: {spec: {when: [{predicate: "${target.metadata.name == 'web'}"}]}}
          when: target.metadata.name == 'web'
        remove:
        - {objects: self.findAuthPolicies(), when: target.metadata.name == 'old', reason: it is old}
        """),
        ROUTE,
        QUOTA,
        auth("web", "kind: Gateway, name: web"),
        auth("old", "kind: Gateway, name: web"),
    )
    assert objects(found)["AuthPolicy edge-eu/web"]["spec"]["when"] == [{"predicate": True}]
    assert "AuthPolicy edge-eu/old" not in objects(found)
    assert any(
        "QuotaPolicy shop/fair: it is old" in each for each in told(found.results, NOT_SHIPPED.code)
    )


REMOVES = """\
remove: [{objects: self.findAuthPolicies(), reason: it is old}]
"""
MAKES = rows_of(__file__, "makes")


@cases(("", True), (MAKES, False), ids=["", "replaced"])
def test_protection_that_no_spoke_gets_is_told_on_the_first_build(more: str, is_told: bool) -> None:
    found = rendered(
        definition(REMOVES + more), ROUTE, QUOTA, auth("only", "kind: Gateway, name: web")
    )
    message = "AuthPolicy infra/only: not shipped: QuotaPolicy shop/fair: it is old, and what it "
    assert any(message in each for each in told(found.results, LEFT_ON_HUB.code)) is is_told


@each("kind: Gateway, name: web", "kind: HTTPRoute, name: cart")
def test_a_protected_gateway_that_is_removed_is_told_on_the_first_build(target: str) -> None:
    namespace = "infra" if "Gateway" in target else "shop"
    found = rendered(
        definition("remove: [{objects: self.findGateways(), reason: it is old}]\n"),
        ROUTE,
        QUOTA,
        auth("only", target, namespace),
    )
    message = "Gateway infra/web: not shipped: QuotaPolicy shop/fair: it is old, and what it "
    assert any(message in each for each in told(found.results, LEFT_ON_HUB.code))


def test_a_check_of_its_definition_is_told_at_the_metapolicy() -> None:
    found = rendered(
        definition("""\
        checks:
        - when: spec.perMinute < 5
          message: "${spec.perMinute} is too little"
          cure: "write 5"
          field: spec.perMinute
        """)
    )
    assert told(found.results) == [
        f"{CHECKED.code} QuotaPolicy shop/fair spec.perMinute: 3 is too little (write 5) [eu us]"
    ]


@cases(*rows_of(__file__, "type_errors_are_found_before_anything_runs"))
def test_type_errors_are_found_before_anything_runs(expression: str, message: str) -> None:
    assert message in faulty(expression)


@cases(*rows_of(__file__, "what_does_not_fit_its_place_is_told_with_its_line"))
def test_what_does_not_fit_its_place_is_told_with_its_line(
    declarative: str, line: int, message: str
) -> None:
    found = refused(definition(declarative))
    assert [(code, place) for code, place, _ in found] == [
        (BAD_EXPRESSION.code, f"quota.yaml:{line}")
    ]
    assert message in found[0][2]


@cases(*rows_of(__file__, "what_fails_while_it_runs_is_told_and_nothing_is_made"))
def test_what_fails_while_it_runs_is_told_and_nothing_is_made(
    expression: str, message: str
) -> None:
    numbers = "[" + ",".join(map(str, range(60))) + "]"
    text = definition(
        f"variables: {{range: '{numbers}', big: '\"{'x' * 9000}\"'}}\n"
        + dedent(limits("${" + expression + "}"))
    )
    (found,) = told(rendered(text).results, FAILED.code)
    assert message in found
    assert "quota.yaml:" in found


def test_what_fails_is_told_at_its_own_line_although_another_field_has_the_same_text() -> None:
    text = definition("""\
    checks:
    - when: spec.none > 1
      message: one
    - when: spec.none > 1
      message: two
    """)
    (found,) = told(rendered(text).results, FAILED.code)
    assert "quota.yaml:8" in found


def test_definitions_run_in_the_order_of_what_they_read_and_write() -> None:
    second = definition(
        """\
        change:
        - objects: self.findPolicies('RateLimitPolicy')
          merge: {spec: {late: true}}
        """,
        "a-late-one",
        "LatePolicy",
    )
    late = QUOTA.replace("QuotaPolicy", "LatePolicy")
    found = rendered({"1.yaml": second, "2.yaml": definition(limits())}, ROUTE, QUOTA, late)
    assert objects(found)[MADE]["spec"]["late"] is True


def test_a_circle_is_an_error_that_shows_it() -> None:
    def changing(name: str, kind: str) -> str:
        return definition("change: [{objects: self.findAuthPolicies(), merge: {a: 1}}]", name, kind)

    ((code, place, message),) = refused(
        {"1.yaml": changing("one", "QuotaPolicy"), "2.yaml": changing("two", "LatePolicy")}
    )
    assert (code, place) == (CYCLE.code, "1.yaml:4")
    assert message == (
        "one reads AuthPolicy, which two writes; two reads AuthPolicy, which one writes"
    )
    after = changing("two", "LatePolicy").replace("  for:", "  after: [one]\n  for:")
    assert rendered({"1.yaml": changing("one", "QuotaPolicy"), "2.yaml": after}).results


def test_two_that_write_one_field_are_refused_and_agreeing_ones_are_not() -> None:
    text = definition(
        "change: [{objects: self.findAuthPolicies(), merge: {spec: {limit: '${spec.perMinute}'}}}]"
    )
    other = QUOTA.replace("fair", "more")
    policy = auth("web", "kind: Gateway, name: web")
    same = rendered(text, ROUTE, QUOTA, other, policy)
    assert objects(same)["AuthPolicy edge-eu/web"]["spec"]["limit"] == 3
    differing = rendered(text, ROUTE, QUOTA, other.replace("Minute: 3", "Minute: 4"), policy)
    (found,) = told(differing.results, WRITTEN_TWICE.code)
    assert "AuthPolicy edge-eu/web" in found
    assert "QuotaPolicy shop/fair writes a different value into spec.limit" in found


def test_what_is_there_already_is_not_made_again() -> None:
    there = auth("fair-limits", "kind: HTTPRoute, name: cart", "shop", kind="RateLimitPolicy")
    settings = "policiesToSync: [{group: kuadrant.io, kind: RateLimitPolicy}]"
    found = rendered(definition(limits()), ROUTE, QUOTA, there, settings=settings)
    (one,) = told(found.results, MADE_TWICE.code)
    assert "which exists already: hub/hub.yaml:" in one


def test_what_a_spoke_has_of_its_own_can_not_be_changed() -> None:
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, mode: existing, "
        "as: {listeners: [{name: http, hostname: '*.shop.example'}]}}"
    )
    text = definition("change: [{objects: self.findGateways(), merge: {a: 1}}]")
    assert told(rendered(text, rules=rules).results, FAILED.code, NOT_CHANGED.code)


def test_a_metapolicy_on_a_target_that_is_not_there_is_an_error() -> None:
    found = rendered(definition(limits()), QUOTA, ROUTE.replace("name: cart", "name: kart"))
    assert any(each.severity == "error" for each in found.results)


def test_spokes_that_are_alike_but_for_values_share_what_is_made() -> None:
    held = rendered(definition(limits("${self.findHostnames()[0]}")))
    assert len({id(bundle.blueprint) for bundle in held.bundles.values()}) == 1
    host = objects(held, "us")[MADE]["spec"]["limits"]["fair"]["rates"][0]["limit"]
    assert host == "cart.us.example"


def test_the_metapolicy_of_a_project_without_definitions_ships() -> None:
    settings = "policiesToSync: [{group: acme.example, kind: QuotaPolicy}]"
    found = render(with_definitions(defined(definition(limits()), settings=settings), ()))
    assert any("quotapolicy" in path for path in found.tree.files("eu"))


ITSELF = """\
change:
- objects: "[self]"
  merge: {metadata: {labels: {gateway: "${self.findGateways()[0].metadata.name}"}}}
"""


@each("", "ships: true\n")
def test_it_may_change_itself_and_ship(more: str) -> None:
    found = rendered(definition(ITSELF, more=more))
    assert [each for each in told(found.results) if "QuotaPolicy" in each and "error" in each] == []
    for spoke in ("eu", "us"):
        quota = objects(found, spoke)["QuotaPolicy shop/fair"]
        assert quota["metadata"]["labels"] == {"gateway": "web"}
        assert quota["spec"]["perMinute"] == 3
    assert told(found.results, NOT_SHIPPED.code) == told(rendered({}).results, NOT_SHIPPED.code)


def test_it_may_change_itself_and_make_objects() -> None:
    found = rendered(definition(dedent(limits()) + ITSELF))
    assert {MADE, "QuotaPolicy shop/fair"} <= {*objects(found, "eu")}
    # Where it ships by its definition, what else it would make is left to a controller.
    found = rendered(definition(dedent(limits()) + ITSELF, more="ships: true\n"))
    assert MADE not in objects(found, "eu")
    assert objects(found, "eu")["QuotaPolicy shop/fair"]["metadata"]["labels"] == {"gateway": "web"}


def test_what_fails_in_it_is_told_also_where_it_ships() -> None:
    found = rendered(definition(ITSELF.replace("[0]", "[7]"), more="ships: true\n"))
    assert any(FAILED.code in each for each in told(found.results, FAILED.code))


def test_another_overriding_of_itself_is_seen_first() -> None:
    overrides = """\
    - target: {kind: QuotaPolicy}
      spokes: {names: [eu]}
      merge: {spec: {perMinute: 8}}
    """
    merge = ITSELF.replace("self.findGateways()[0].metadata.name", "string(spec.perMinute)")
    found = rendered(definition(merge), overrides=overrides)
    labels = [
        objects(found, spoke)["QuotaPolicy shop/fair"]["metadata"]["labels"]["gateway"]
        for spoke in ("eu", "us")
    ]
    assert labels == ["8", "3"]


NAMELESS = "kuadrant.v1.Gateway{}"
ITEMS = "[1,2,3,4,5,6,7,8,9,10]"
LOOPS = "a.map(v, a.map(w, a.map(x, a.map(y, a.map(z, 1)))))"


@cases(
    (limits("${self.findGateways()[5].metadata.name}"), "too few items", "size()"),
    (limits("${spec.nope}"), 'no field "nope"', "has()"),
    (limits("${" + NAMELESS + ".object().spec}"), "a Gateway without a name", ""),
    (f"change: [{{objects: '[{NAMELESS}]', merge: {{metadata: {{labels: {{a: b}}}}}}}}]",
     "a Gateway without a name", "findGateways()"),
    (f"remove: [{{objects: '[{NAMELESS}]', reason: x}}]", "a Gateway without a name",
     "findGateways()"),
    (f"variables: {{a: '{ITEMS}', b: '{LOOPS}'}}\n" + dedent(limits("${b.size()}")),
     "more than 10,000 items", "fewer"),
)  # fmt: skip
def test_what_fails_is_told_to_people(declarative: str, message: str, cure: str) -> None:
    found = rendered(definition(declarative))
    refusals = [each for each in found.results if each.severity == "error"]
    assert any(message in each.message and cure in each.cure for each in refusals), refusals
    assert all(each.cure and "  " not in each.message for each in refusals)
