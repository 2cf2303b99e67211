"""What judging does grows as its input does: what paths share is looked at once for all of them."""

import pytest

from spokerender.findings.codes import advice as codes
from spokerender.findings.errors import InputError
from spokerender.judging.advice import (
    advise,
    advise_fleet,
    combinations,
    counters,
    shadowed,
    view as advice_view,
)
from spokerender.judging.advice.view import FleetView, JudgedSpokeView
from spokerender.judging.attachment.case import Surroundings
from spokerender.judging.attachment.contentions import find_flips
from spokerender.judging.attachment.statuses import Contention
from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.model import GATEWAY_API, Ref
from tests.judging.advice.spokes import auth, gateway, limits, listener, route, view
from tests.judging.attachment.policies import attachments, policy
from tests.judging.effective.policies import KUADRANT, policy as attached
from tests.support import stages
from tests.support.counting import calls_of
from tests.support.stages import graph

LISTENERS = [listener(f"l{i}", more=f"port: {i + 1}, protocol: HTTP") for i in range(30)]
RULES = ", ".join(f"{{name: r{i}, backendRefs: [{{name: a, port: 80}}]}}" for i in range(10))
ROUTES = [route(f"r{i}", f"rules: [{RULES}]") for i in range(5)]
PATHS = 30 * 10 * 5


def test_limits_in_force_on_many_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    spoke = view(gateway(*LISTENERS), *ROUTES, limits("gw", "Gateway/web"))
    assert len(spoke.effective) == PATHS
    fleet = FleetView({"eu": spoke, "us": spoke})
    looked = calls_of(monkeypatch, JudgedSpokeView, "hub_ref")
    assert list(counters.check_counters(fleet)) == []
    assert len(looked) == 2 * len(ROUTES)


def test_conditions_in_force_on_many_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    spoke = view(
        gateway(*LISTENERS),
        *ROUTES,
        auth("gw", "Gateway/web", "overrides: {rules: {authentication: {a: {}}}}"),
        auth("r", "HTTPRoute/r0", "when: [{predicate: a}]", "shop"),
    )
    looked = calls_of(monkeypatch, combinations, "_find_gated")
    overrulers = calls_of(monkeypatch, combinations, "_can_merge")
    advise(spoke)
    assert len(looked) <= 4
    assert len(overrulers) <= 2


def test_redirects_of_rules_on_many_listeners(monkeypatch: pytest.MonkeyPatch) -> None:
    spoke = view(gateway(*LISTENERS), *ROUTES, auth("one", "HTTPRoute/r0", namespace="shop"))
    looked = calls_of(monkeypatch, advice_view, "rules_by_name")
    assert codes.UNGUARDED.code in {
        result.code for result in advise_fleet(FleetView({"eu": spoke}))
    }
    assert len(looked) == len(ROUTES)


def test_routes_for_the_same_requests_on_many_listeners(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in force on their paths is compared once, and not for each listener and rule."""
    spoke = view(gateway(*LISTENERS), *ROUTES, limits("gw", "Gateway/web"))
    compared = calls_of(monkeypatch, shadowed, "_list_rules")
    assert list(shadowed.check_shadowed_routes(spoke)) == []
    assert compared == []


def contending(count: int) -> list[str]:
    """As many routes as policies that select all of them."""
    selecting = "targetSelectors: [{group: gateway.networking.k8s.io, kind: HTTPRoute}]"
    kind = "gateway.envoyproxy.io/v1alpha1/SecurityPolicy"
    return [
        *(stages.route(f"r{i}", "[{name: web, namespace: infra}]", "infra") for i in range(count)),
        *(policy(kind, f"p{i}", f"{{{selecting}, says: {i}}}", "infra") for i in range(count)),
    ]


def test_policies_that_select_all_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each policy is asked of its own contentions, each of which is of one target."""
    asked = calls_of(monkeypatch, Contention, "takes")
    count = 30
    found = attachments(gateway(LISTENERS[0]), *contending(count))
    assert len([item for ref, item in found.items() if item.contentions]) == count
    assert len(asked) < 3 * count * count


def test_whose_a_target_is_is_asked_once_for_all_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls_of(monkeypatch, Surroundings, "looks_at")
    count = 30
    attachments(gateway(LISTENERS[0]), *contending(count))
    assert len(asked) < count * count


def test_losses_are_told_in_few_words() -> None:
    found = attachments(gateway(LISTENERS[0]), *contending(60))
    assert max(len(item.accepted.message) for item in found.values()) < 10_000


def test_contentions_that_turn_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those of the hub in which the same policies are, one alone is compared."""
    on_hub = attachments(gateway(LISTENERS[0]), *contending(20)).values()
    origins = {item.policy: item.policy for item in on_hub}
    compared = calls_of(monkeypatch, Ref, "__eq__")
    assert find_flips(on_hub, on_hub, origins) == ()
    assert len(compared) < 20 * 20 * 20


def merged(rules: str, count: int) -> list[AttachedPolicy]:
    """A gateway's policy with these rules, and policies of so many routes to merge it with."""
    web = Ref(GATEWAY_API, "Gateway", "infra", "web")
    above = f"{{defaults: {{strategy: merge, rules: {{{rules}}}}}}}"
    routes = [Ref(GATEWAY_API, "HTTPRoute", "shop", f"r{i}") for i in range(count)]
    below = (attached(KUADRANT, f"p-{to.name}", to, "{rules: {b: 1}}") for to in routes)
    return [attached(KUADRANT, "gw", web, above), *below]


def test_rules_of_a_gateway_in_those_of_all_routes() -> None:
    rules = ", ".join(f"a{i}: 1" for i in range(1_000))
    routes = [route(f"r{i}") for i in range(300)]
    policies = merged(rules, 300)
    with pytest.raises(InputError) as error:
        compute_effective_policies(graph(gateway(LISTENERS[0]), *routes), policies)
    (result,) = error.value.results
    assert result.code == "SR1019"
    assert result.message == (
        "merging the policies of this kind takes more than the limit of 260,200 steps"
    )
    assert result.resource in {item.ref for item in policies}


def test_rules_are_told_once_wherever_they_hold() -> None:
    rules = ", ".join(f"c{i}: 1" for i in range(100))
    routes = [route(f"r{i}") for i in range(50)]
    policies = merged(rules, 50)
    found = compute_effective_policies(graph(gateway(LISTENERS[0]), *routes), policies)
    assert len({id(rule) for item in found for rule in item.likely.rules}) == 100 + 50
