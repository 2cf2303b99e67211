"""Each kind of policy made weaker at each place is told on the right paths; stricter is silent."""

from pathlib import Path
from typing import Any

from spokerender.review.comparison.states import FleetState
from spokerender.review.values import Review
from tests.review.meaning.scenes import (
    OWN_SYNC,
    SYNC,
    codes_of,
    compare,
    gateway,
    hub,
    loud,
    policy,
    route,
    state,
)
from tests.support import cases, cyaml, each, rows_of

READ = "Gateway infra/web [https] > HTTPRoute infra/cart [read]"
WRITE = "Gateway infra/web [https] > HTTPRoute infra/cart [write]"
LISTENER = "Gateway infra/web [https]"
CASES = cyaml.safe_load((Path(__file__).parent / "kinds.yaml").read_text(encoding="utf-8"))
EVERYWHERE = ("gateway", "listener", "route", "rule")
KUADRANT = ("AuthPolicy", "RateLimitPolicy", "TokenRateLimitPolicy")
CALLERS = "rules: {authentication: {keys: {apiKey: {selector: {matchLabels: {a: b}}}}}}"
Case = dict[str, Any]


def name(case: Case) -> str:
    return f"{case['kind']}: {case['old']} -> {case['new']}"


def places(case: Case) -> tuple[str, ...]:
    """Istio's own policies know Gateways alone."""
    is_istio = case["class"] == "istio" and case["kind"] not in KUADRANT
    return ("gateway",) if is_istio else EVERYWHERE


def change(case: Case, place: str) -> Review:
    def fleet(spec: str | None) -> str:
        own = [policy(case["kind"], spec, place)] if spec is not None else []
        # Limits by plan read what an AuthPolicy finds.
        beside = [policy("AuthPolicy", CALLERS, "gateway", "callers")] * (
            case["kind"] == "PlanPolicy"
        )
        return hub(case["class"], gateway(case["class"]), route(), *own, *beside)

    sync = OWN_SYNC if case["kind"] == "OwnPolicy" else SYNC
    old, new = (state(fleet(case[side]), fleet=sync) for side in ("old", "new"))
    return compare(old, new)


@each(*CASES["weaker"], ids=name)
def test_a_weaker_policy_is_told_at_every_place(case: Case) -> None:
    for place in places(case):
        review = change(case, place)
        reported = [item for item in loud(review) if item.result.code == case["code"]]
        assert reported, (place, review.consequences)
        paths = {path for item in reported for path in item.paths}
        expected = {READ} if place == "rule" else {READ, WRITE}
        assert paths in (expected, {LISTENER}), place
        assert {spoke for item in reported for spoke in item.result.spokes} == {"eu", "us"}
        assert all(item.result.origin is not None for item in reported)


@each(*CASES["stricter"], ids=name)
def test_a_stricter_policy_is_silent_on_all_and_on_the_least(case: Case) -> None:
    for place in {places(case)[0], places(case)[-1]}:
        review = change(case, place)
        assert codes_of(loud(review)) == set(), (place, review.consequences)


@each(*CASES["elsewhere"], ids=name)
def test_what_is_on_no_path_to_a_rule_or_unknown_is_told(case: Case) -> None:
    assert case["code"] in codes_of(loud(change(case, case["target"])))


def test_a_policy_that_decides_nothing_is_silent_beside_others() -> None:
    rule = "rules: [{from: [{source: {ipBlocks: [10.0.0.0/8]}}]}]"
    allowing = policy("AuthorizationPolicy", rule, "gateway")
    audit = policy("AuthorizationPolicy", f"action: AUDIT\n{rule}", "gateway", "audit")
    alone, both = (
        state(hub("istio", gateway("istio"), route(), *own))
        for own in ((allowing,), (allowing, audit))
    )
    assert loud(compare(alone, both)) == []
    assert loud(compare(both, alone)) == []


def source(*networks: str, action: str = "ALLOW") -> str:
    rules = ", ".join(f"{{from: [{{source: {{ipBlocks: [{each}]}}}}]}}" for each in networks)
    return f"action: {action}\nrules: [{rules}]"


ONE, OTHER = "10.0.0.0/16", "12.0.0.0/16"


@cases(*rows_of(__file__, "rules_that_another_policy_takes_over_are_silent"))
def test_rules_that_another_policy_takes_over_are_silent(
    before: dict[str, str], after: dict[str, str]
) -> None:
    sides = [_beside(side) for side in (before, after)]
    assert loud(compare(sides[0], sides[1])) == []
    assert loud(compare(sides[1], sides[0])) == []


def test_rules_that_a_policy_of_another_action_takes_over_are_told() -> None:
    before = _beside({"a": source(ONE, action="DENY"), "b": source(OTHER, action="DENY")})
    after = _beside({"a": source(ONE, action="DENY"), "b": source(OTHER)})
    assert codes_of(loud(compare(before, after)))


def _beside(specs: dict[str, str]) -> FleetState:
    own = (policy("AuthorizationPolicy", spec, "gateway", name) for name, spec in specs.items())
    return state(hub("istio", gateway("istio"), route(), *own))


OF_GATEWAY = "selector: {matchLabels: {gateway.networking.k8s.io/gateway-name: web}}\n"


@cases(
    (("STRICT", "STRICT"), ("STRICT", None), set()),
    (("STRICT", "STRICT"), ("STRICT", "UNSET"), set()),
    (("STRICT", "STRICT"), (None, "STRICT"), {"Namespace infra"}),
    (("STRICT", None), ("PERMISSIVE", None), {"Namespace infra", "Gateway infra/web"}),
    (("STRICT", None), ("STRICT", "PERMISSIVE"), {"Gateway infra/web"}),
    (("PERMISSIVE", None), ("STRICT", "PERMISSIVE"), set()),
)
def test_a_gateway_has_what_holds_for_its_namespace_unless_it_has_something_else(
    before: tuple[str | None, str | None], after: tuple[str | None, str | None], told: set[str]
) -> None:
    def fleet(*modes: str | None) -> FleetState:
        own = [
            policy(
                "PeerAuthentication", f"{selector}mtls: {{mode: {mode}}}", "-", f"p{selector}"[:2]
            )
            for selector, mode in zip(("", OF_GATEWAY), modes, strict=True)
            if mode is not None
        ]
        return state(hub("istio", gateway("istio"), route(), *own))

    found = loud(compare(fleet(*before), fleet(*after)))
    assert {path for item in found for path in item.paths} == told
