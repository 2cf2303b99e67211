"""`spec.policyKinds`, from the fleet file to the catalogue of kinds."""

from typing import Any

from spokerender.explain.values import PathQuestion
from spokerender.findings.codes import advice
from spokerender.findings.codes.placement import UNUSED_POLICY_KIND
from spokerender.findings.results import Severity
from spokerender.judging.fleet.judged import Aspect, JudgedFleet
from spokerender.kinds.merging import Merge, Merging, Process, Several, Ties
from spokerender.model import GATEWAY_API, Origin
from spokerender.pipeline import Project, judge, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.combined import read_fleet
from tests.support import case, cases, manifest, named_rows_of, rows_of
from tests.support.answers import in_force, statuses
from tests.support.project import FLEET, rendered
from tests.support.stages import CLASS, EVERYWHERE, GATEWAY, auth, hub, placement, route

QUOTA = manifest(
    "QuotaPolicy infra/quota",
    "targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}",
    api="example.com/v1",
)
RULES = EVERYWHERE


def with_kinds(kinds: str, *more: str) -> Rendered:
    settings = FLEET + "  policyKinds:\n" + kinds
    return rendered(hub(CLASS, GATEWAY, *more), placement(RULES), settings)


def test_what_is_left_out_is_as_gep_713_has_it() -> None:
    found = with_kinds("  - {group: example.com, kind: QuotaPolicy}\n", QUOTA)
    kind = found.hub.catalogue.kind("example.com", "QuotaPolicy")
    assert kind.merging == Merging(Process.GEP_713, source="policyKinds")
    assert not [r for r in found.results if r.code == UNUSED_POLICY_KIND.code]


def test_everything_reaches_the_catalogue() -> None:
    found = with_kinds(
        "  - {group: example.com, kind: QuotaPolicy, process: single-policy-per-route, "
        "strategy: patch, rules: [a.*, when], substance: a, condition: when, oneEach: true, "
        "ties: unbroken, security: true, targets: [HTTPRoute]}\n",
        QUOTA,
    )
    kind = found.hub.catalogue.kind("example.com", "QuotaPolicy")
    assert kind.merging == Merging(
        process=Process.SINGLE,
        rules=("a.*", "when"),
        substance="a",
        condition="when",
        default=Merge.PATCH,
        ties=Ties.UNBROKEN,
        several=Several.ONE,
        source="policyKinds",
    )
    assert (kind.security, kind.targets) == (True, ("HTTPRoute",))


def test_a_kind_that_is_nowhere_is_told_with_its_line() -> None:
    settings = FLEET + (
        "  policyKinds:\n"
        "  - {group: kuadrant.io, kind: DNSPolicy}\n"
        "  - {group: kuadrant.io, kind: AuthPolcy}\n"
        "  - {group: example.com, kind: BudgetPolicy}\n"
    )
    fleet = read_fleet(("fleet.yaml", settings.encode()))
    project = Project(fleet.model, [], [], {}, fleet_at=fleet.at)
    told = [r for r in render(project).results if r.code == UNUSED_POLICY_KIND.code]
    assert [(r.field, r.origin, r.message, r.cure) for r in told] == [
        (
            "spec.policyKinds[1]",
            Origin("fleet.yaml", 0, 7),
            "nobody knows AuthPolcy.kuadrant.io, and the hub has no object of that kind",
            'did you mean "AuthPolicy.kuadrant.io"?',
        ),
        (
            "spec.policyKinds[2]",
            Origin("fleet.yaml", 0, 8),
            "nobody knows BudgetPolicy.example.com, and the hub has no object of that kind",
            "take the entry out",
        ),
    ]


def test_without_a_place_the_file_is_named() -> None:
    found = with_kinds("  - {group: example.com, kind: QuotaPolicy}\n")
    (told,) = [r for r in found.results if r.code == UNUSED_POLICY_KIND.code]
    assert told.origin == Origin("fleet.yaml")


ROUTE = route("cart", "[{name: web}]", namespace="infra", spec="rules: [{name: a}, {name: b}]")


def quota(name: str, target: str, spec: str, kind: str = "QuotaPolicy") -> str:
    """A policy; `target` is as kubectl would name it: `Gateway/web/http`."""
    what, named, *section = target.split("/")
    more = f", sectionName: {section[0]}" if section else ""
    return manifest(
        f"{kind} infra/{name}",
        f"targetRef: {{group: {GATEWAY_API}, kind: {what}, name: {named}{more}}}, {spec}",
        api="example.com/v1",
    )


def judged(entry: str, *documents: str, kind: str = "QuotaPolicy") -> tuple[Rendered, JudgedFleet]:
    """A fleet with a kind that is configured so, and what becomes of its policies."""
    settings = (
        f"{FLEET}  policiesToSync: [{{group: example.com, kind: {kind}}}]\n"
        f"  policyKinds: [{{group: example.com, kind: {kind}, {entry}}}]\n"
    )
    fleet = rendered(hub(CLASS, GATEWAY, *documents), placement(RULES), settings)
    assert [result for result in fleet.results if result.severity is Severity.ERROR] == []
    return fleet, judge(fleet, (), Aspect.POLICIES)


def in_force_on(entry: str, *documents: str, kind: str = "QuotaPolicy") -> dict[str, Any]:
    """What is in force on each rule: values by their keys, with the policy of each."""
    answers = in_force(*judged(entry, *documents, kind=kind), PathQuestion(kind=kind))
    assert {answer.spokes for answer in answers} <= {("eu", "us")}, "told once for both spokes"
    return {
        f"{answer.path.route.name}#{answer.path.rule}": {
            f"{each.rule.key} of {each.rule.policy.name}": each.rule.value for each in answer.rules
        }
        for answer in answers
        if answer.path.route is not None
    }


def conditions(entry: str, *documents: str) -> dict[str, dict[str, str]]:
    """The reasons of each policy's conditions, by their types."""
    return {
        status.policy.name: {each.type: each.reason for each in ancestor.conditions}
        for status in statuses(judged(entry, *documents)[1])
        for ancestor in status.ancestors
    }


ON_ROUTE = quota("mine", "HTTPRoute/cart", "limits: {burst: 9}")
"""A policy without a strategy of its own; what it has are defaults."""


@cases(*named_rows_of(__file__, "gep_713"))
def test_gep_713(strategy: str, above: str, expected: dict[str, Any]) -> None:
    found = in_force_on(
        f"process: gep-713, strategy: {strategy}",
        ROUTE,
        quota("theirs", "Gateway/web", above),
        ON_ROUTE,
    )
    assert found == {"cart#a": expected, "cart#b": expected}


LIKE_LIMITS = "process: kuadrant, rules: [when, limits.*], substance: limits, condition: when"


def test_rules_by_patterns_are_merged_and_never_split() -> None:
    theirs = "defaults: {strategy: merge, limits: {day: {rate: 1, unit: d}, hour: {rate: 2}}}"
    own = "limits: {day: {rate: 9}}"
    found = in_force_on(
        LIKE_LIMITS,
        ROUTE,
        quota("theirs", "Gateway/web", theirs),
        quota("own", "HTTPRoute/cart/a", own),
    )
    assert found == {
        "cart#a": {"limits.day of own": {"rate": 9}, "limits.hour of theirs": {"rate": 2}},
        "cart#b": {
            "limits.day of theirs": {"rate": 1, "unit": "d"},
            "limits.hour of theirs": {"rate": 2},
        },
    }


def test_a_policy_without_substance_gives_way() -> None:
    theirs = quota("theirs", "Gateway/web", "defaults: {limits: {day: {rate: 1}}}")
    empty = quota("empty", "HTTPRoute/cart", "when: [{predicate: 'true'}]")
    found = in_force_on(LIKE_LIMITS, ROUTE, theirs, empty)
    assert found["cart#a"] == {"limits.day of theirs": {"rate": 1}}
    every = in_force_on("process: kuadrant", ROUTE, theirs, empty)
    assert every["cart#a"] == {"when of empty": [{"predicate": "true"}]}


def test_what_gates_an_override_is_warned_of() -> None:
    theirs = "overrides: {strategy: merge, limits: {day: {rate: 1}}}"
    gate = "when: [{predicate: 'false'}], limits: {own: {rate: 2}}"
    given = (ROUTE, quota("theirs", "Gateway/web", theirs), quota("gate", "HTTPRoute/cart", gate))
    told = {result.code for result in judged(LIKE_LIMITS, *given)[1].results}
    assert advice.GATED_OVERRIDE.code in told
    without = LIKE_LIMITS.replace(", condition: when", "")
    told = {result.code for result in judged(without, *given)[1].results}
    assert advice.GATED_OVERRIDE.code not in told


def test_overrides_hold_all_the_way_down_only_where_it_goes_from_the_bottom_up() -> None:
    given = (
        ROUTE,
        quota("top", "Gateway/web", "overrides: {strategy: merge, burst: 1}"),
        quota("middle", "HTTPRoute/cart", "defaults: {strategy: merge, rate: 2}"),
        quota("low", "HTTPRoute/cart/a", "defaults: {strategy: merge, burst: 3}"),
    )
    assert in_force_on("process: kuadrant", *given)["cart#a"]["burst of top"] == 1
    assert in_force_on("process: gep-713", *given)["cart#a"]["burst of low"] == 3


@cases(
    case("the most specific one holds", "none", {"burst of low": 2}),
    case("side by side", "all", {"burst of low": 2, "burst of top": 1}),
)
def test_what_is_not_merged(process: str, expected: dict[str, Any]) -> None:
    given = (quota("top", "Gateway/web", "burst: 1"), quota("low", "HTTPRoute/cart", "burst: 2"))
    found = in_force_on(f"process: {process}", ROUTE, *given)
    assert found == {"cart#a": expected, "cart#b": expected}


EQUALS = (ROUTE, quota("b", "Gateway/web", "burst: 2"), quota("a", "Gateway/web", "burst: 1"))


@cases(*rows_of(__file__, "two_on_one_target"))
def test_two_on_one_target(entry: str, reasons: list[str], values: dict[str, int]) -> None:
    found = conditions(entry, *EQUALS)
    assert [found[name]["Accepted"] for name in ("a", "b")] == reasons
    assert in_force_on(entry, *EQUALS)["cart#a"] == values


def test_who_wins_is_worse_to_leave_open_where_it_may_open_a_door() -> None:
    def worst(entry: str) -> set[Severity]:
        told = judged(entry, *EQUALS)[1].results
        return {
            each.severity for each in told if each.resource and each.resource.kind == "QuotaPolicy"
        }

    assert Severity.ERROR in worst("process: none, security: true")
    assert Severity.ERROR not in worst("process: none")


def test_targets_that_are_not_its_kinds_are_refused() -> None:
    found = conditions("process: none, targets: [HTTPRoute]", ROUTE, EQUALS[1], ON_ROUTE)
    assert found["b"]["Accepted"] == "Invalid"
    assert found["mine"]["Accepted"] == "Accepted"


def test_a_controller_s_view_of_listeners_stays_with_the_row() -> None:
    """What only others of the row's columns say is still in force, read from YAML."""
    settings = (
        f"{FLEET}  policyKinds: [{{group: kuadrant.io, kind: AuthPolicy, process: gep-713}}]\n"
    )
    spec = "hostnames: ['*.example'], rules: [{}]"
    beyond = route("cart", "[{name: web}]", namespace="infra", spec=spec)
    policy = auth("p", "kind: Gateway, name: web", spec="rules: {authentication: {a: {}}}")
    fleet = rendered(hub(CLASS, GATEWAY, beyond, policy), placement(RULES), settings)
    (found,) = in_force(fleet, judge(fleet, (), Aspect.POLICIES), PathQuestion())
    assert found.rules == (), "the route's hostname is not within the listener's"


@cases(("mergeType: JSONMerge, ", ["cors", "jwt"]), ("", ["cors"]))
def test_what_a_policy_asks_for_with_its_own_field_stays_with_the_row(
    asked: str, keys: list[str]
) -> None:
    """Envoy Gateway's `mergeType`, though `policyKinds` says something else of the kind."""
    settings = (
        f"{FLEET}  policyKinds:\n"
        "  - {group: gateway.envoyproxy.io, kind: SecurityPolicy, oneEach: true, security: false}\n"
    )
    head = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: SecurityPolicy\n"
    target = f"targetRefs: [{{group: {GATEWAY_API}, kind: "
    above = (
        f"{head}metadata: {{name: up, namespace: infra}}\nspec: {{{target}Gateway, name: web}}], "
    )
    below = (
        f"{head}metadata: {{name: low, namespace: infra}}\nspec: {{{target}HTTPRoute, name: cart}}]"
    )
    documents = (f"{above}jwt: {{providers: []}}}}\n", f"{below}, {asked}cors: {{maxAge: 1s}}}}\n")
    fleet = rendered(hub(CLASS, GATEWAY, ROUTE, *documents), placement(RULES), settings)
    answers = in_force(fleet, judge(fleet, (), Aspect.POLICIES), PathQuestion())
    assert {tuple(rule.rule.key for rule in answer.rules) for answer in answers} == {tuple(keys)}
