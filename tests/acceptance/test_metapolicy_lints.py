"""Faults of PlanPolicies and OIDCPolicies are told: a case that has each, one that has not."""

from pathlib import Path
from typing import Any

from spokerender.formats.cel.environment import UnevaluableError, computed
from tests.acceptance.test_metapolicies import (
    RULES,
    auth_policy,
    codes,
    documents,
    gateway,
    made,
    plan_policy,
    route,
)
from tests.support import cases, rows_of
from tests.support.stages import objects

Object = dict[str, Any]
PLANS: list[Object] = [
    {"tier": "gold", "predicate": 'has(auth.identity) && auth.identity.plan == "gold"'},
    {"tier": "rest", "predicate": "true", "limits": {"daily": 5}},
]
PROVIDER: Object = {"clientID": "me", "issuerURL": "https://gitlab.example"}


def below(above: Object, name: str = "shop") -> Object:
    """A route on a Gateway."""
    return {**route(plan_policy("x", above, "x"), above, name), "kind": "HTTPRoute"}


def planned(
    *plans: Object, guard: Object | None = RULES, more: tuple[Object, ...] = (), settings: str = ""
) -> Any:
    """What is made of a PlanPolicy on a route whose gateway has an AuthPolicy."""
    above = gateway()
    policy = plan_policy("plan", below(above), "x")
    policy["spec"]["plans"] = list(plans)
    guards = [auth_policy("auth", above, {"rules": guard})] if guard is not None else []
    return made(above, below(above), *guards, policy, *more, settings=settings)


def predicate(text: str) -> list[Object]:
    """Plans, the first of which has this predicate."""
    return [{**PLANS[0], "predicate": text}, PLANS[1]]


FILTERED = {**RULES, "response": {"success": {"filters": {"kuadrant": {}}}}}


@cases(*rows_of(__file__, "faults_of_plans_are_told"))
def test_faults_of_plans_are_told(plans: list[Object], found: list[str]) -> None:
    assert codes(planned(*plans)) == found


def test_what_is_lost_is_told_where_the_error_that_loses_it_is_accepted() -> None:
    entry = "{code: SR2821, resource: PlanPolicy/gateway-system/plan, reason: known}"
    assert codes(planned(settings=f"suppressions: [{entry}]")) == ["SR1513"]


def test_a_plan_needs_somebody_who_is_authenticated_and_its_filter() -> None:
    assert codes(planned(*PLANS, guard=None)) == ["SR2827"]
    assert codes(planned(*PLANS, guard=FILTERED)) == ["SR2828"]


def test_a_plan_on_a_route_and_on_its_gateway_is_told() -> None:
    above = plan_policy("above", gateway(), "x")
    assert codes(planned(*PLANS, more=(above,))) == ["SR2829"]


def signed_in(
    provider: Object | None = None, auth: Object | None = None, *more: Object, **gateways: Any
) -> list[str]:
    """What is told of an OIDCPolicy on a route; `listener` changes the gateway's listener."""
    above = gateway()
    above["spec"]["listeners"][0].update(gateways.get("listener", {}))
    above["spec"]["listeners"] += gateways.get("listeners", [])
    policy = auth_policy("login", below(above), {"provider": PROVIDER | (provider or {})})
    policy.update(apiVersion="extensions.kuadrant.io/v1alpha1", kind="OIDCPolicy")
    policy["spec"].update({"auth": auth} if auth else {})
    policy["spec"]["targetRef"].update(gateways.get("target", {}))
    on = below(above)
    on["spec"]["parentRefs"][0].update(gateways.get("parent", {}))
    on["spec"]["parentRefs"] += gateways.get("parents", [])
    return [code for code in codes(made(above, on, policy, *more)) if code.startswith("SR28")]


SLASH: Object = {"issuerURL": "https://gitlab.example/"}
SECOND = {
    **gateway()["spec"]["listeners"][0],
    "name": "other",
    "port": 8080,
    "hostname": "other.example.com",
}


@cases(*rows_of(__file__, "faults_of_logins_are_told"))
def test_faults_of_logins_are_told(provider: Object, auth: Object, found: list[str]) -> None:
    assert signed_in(provider, auth) == found


def test_the_first_listener_has_to_have_a_hostname_of_its_own() -> None:
    assert signed_in(listener={"hostname": ""}) == ["SR2833"]
    assert signed_in(listener={"hostname": "*.example.com"}) == ["SR2834"]


def test_the_first_listener_has_to_be_the_targets() -> None:
    assert signed_in(listeners=[SECOND]) == []
    assert signed_in(listeners=[SECOND], parent={"sectionName": "other"}) == ["SR2835"]


def test_a_login_is_for_one_gateway() -> None:
    other = gateway("second")
    parents = [{"name": "second", "namespace": "gateway-system"}]
    assert signed_in({}, {}, other, parents=parents) == ["SR2812"]


def test_a_login_beside_another_policy_is_told() -> None:
    above = gateway()
    merged = auth_policy("auth", above, {"defaults": {"rules": RULES, "strategy": "merge"}})
    assert signed_in({}, {}, merged) == ["SR2841"]
    assert signed_in({}, {}, auth_policy("auth", above, {"rules": RULES})) == []
    assert "SR2842" in signed_in({}, {}, auth_policy("auth", below(above), {"rules": RULES}))


def library(fixtures: Path) -> Object:
    path = fixtures / "extensions" / "cel" / "kuadrant-library-expressions.yaml"
    found: Object = documents(path)[0]
    return found


def outcome(expression: str, auth: Object) -> Any:
    """What an expression comes to for a request; an error without what is quoted in it."""
    try:
        return computed(expression, {"auth": auth})
    except UnevaluableError as error:
        return str(error)


def test_the_plan_of_a_request_is_what_authorino_finds(fixtures: Path) -> None:
    folder = fixtures / "extensions" / "planpolicy" / "01-sample-httproute"
    (policy,) = documents(folder / "input.yaml")
    above = gateway()
    guard = auth_policy("auth", above, {"rules": RULES})
    rendered = objects(made(above, route(policy, above), guard, policy))
    success = rendered["AuthPolicy gateway-system/auth"]["spec"]["rules"]["response"]["success"]
    said = success["filters"]["kuadrant"]["json"]["properties"]["plan"]["expression"]
    for case in library(fixtures)["plan_expression_cases"]:
        found = outcome(said, case["auth"])
        if "result" in case:
            assert found == case["result"]
        else:
            reason = case["eval_error"].partition(":")[0]
            words = {"no such key": "Key not found in map", "index out of bounds": "Index error"}
            assert words[reason] in found, case


def test_claims_are_asked_for_as_the_operator_does(fixtures: Path) -> None:
    cases = library(fixtures)["claim_predicate_cases"]
    for case in cases:
        above = gateway()
        policy = auth_policy("login", below(above), {"provider": PROVIDER})
        policy.update(apiVersion="extensions.kuadrant.io/v1alpha1", kind="OIDCPolicy")
        policy["spec"]["auth"] = {"claims": {case["claim"]: case["value"]}}
        rendered = objects(made(above, below(above), policy))
        rules = rendered["AuthPolicy gateway-system/login"]["spec"]["overrides"]["rules"]
        (pattern,) = rules["authorization"]["oidc"]["patternMatching"]["patterns"]
        assert outcome(pattern["predicate"], {"identity": case["identity"]}) is case["want"], case
    assert len(cases) >= 6
