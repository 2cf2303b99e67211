"""What is in force depends on ages that no file has: both outcomes are told."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.judging.advice import advise
from spokerender.judging.advice.view import JudgedSpokeView
from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.kinds.kind import Kind
from spokerender.model import GATEWAY_API, Ref
from tests.judging.advice.spokes import CART, GATEWAY, advised, limits, route, told, view
from tests.support import case, each, manifest

CURE = (
    "(make one policy of them, put them on different targets, or let none of their rules have the "
    "same name)"
)
WHOLE = "(make one policy of them, or put them on different targets)"
BARE = "(make one policy of them, or write `defaults: {strategy: merge}` in all of them)"
HINT = " (without a merge strategy only the newest one on a target holds)"
WHERE = "HTTPRoute shop/cart [all] on Gateway infra/web [http]"


def found(where: str, policies: str, one: str, other: str, cure: str = CURE) -> str:
    hint = HINT if cure == BARE else ""
    return (
        f"error SR2201 RateLimitPolicy infra/p: what is in force on {where} depends on which of "
        f"{policies} is older, and files can't tell{hint}: either {one}, or {other} {cure}"
    )


def test_two_bare_policies() -> None:
    documents = [limits(name, "Gateway/web", f"limits: {{of-{name}: {{}}}}") for name in "pq"]
    assert advised("SR2201", GATEWAY, CART, *documents) == [
        found(
            WHERE,
            "infra/p, infra/q",
            "infra/q gives limits.of-q",
            "infra/p gives limits.of-p",
            BARE,
        )
    ]


def test_all_paths_are_told_at_once() -> None:
    two = route("cart", "rules: [{name: all}, {name: some}]")
    documents = [limits(name, "Gateway/web", f"limits: {{of-{name}: {{}}}}") for name in "pq"]
    (line,) = advised("SR2201", GATEWAY, two, *documents)
    assert f"on {WHERE} and 1 more path depends" in line


@each("limits: {}", "limits: {all: {}}")
def test_a_path_that_may_not_be_there_makes_no_tie(spec: str) -> None:
    """Gateway API: of an HTTPRoute and a GRPCRoute with one hostname the older may hold alone."""
    grpc = CART.replace("HTTPRoute", "GRPCRoute").replace("name: cart", "name: calls")
    with_name = "spec: {hostnames: [a.example.com], "
    named = [item.replace("spec: {", with_name) for item in (CART, grpc)]
    assert not advised("SR2201", GATEWAY, *named, limits("p", "Gateway/web", spec))
    assert advised("SR2232", GATEWAY, *named)


def test_rules_that_do_not_depend_on_it_are_not_told() -> None:
    """kuadrant-operator 1052: what gives way to an override beside it depends on who is older."""
    bare = limits("p", "Gateway/web", "limits: {both: {of: p}, only: {}}")
    override = limits("q", "Gateway/web", "overrides: {strategy: merge, limits: {both: {of: q}}}")
    assert advised("SR2201", GATEWAY, CART, bare, override) == [
        found(
            WHERE,
            "infra/p, infra/q",
            "nothing gives limits.only",
            "infra/p gives limits.only",
            WHOLE,
        )
    ]


def test_policies_that_have_no_part_in_it_are_not_told() -> None:
    merging = "defaults: {{strategy: merge, limits: {{a: {{of: {name}}}}}}}"
    documents = [limits(name, "Gateway/web", merging.format(name=name)) for name in "pq"]
    cart = limits("cart", "HTTPRoute/cart", "limits: {b: {}}", "shop")
    assert advised("SR2201", GATEWAY, CART, *documents, cart) == [
        found(WHERE, "infra/p, infra/q", "infra/q gives limits.a", "infra/p gives limits.a")
    ]


def test_rules_of_several_policies() -> None:
    written = {"p": "a: {of: p}, b: {of: p}", "q": "b: {of: q}, c: {of: q}", "r": "c: {of: r}"}
    documents = [
        limits(name, "Gateway/web", f"defaults: {{strategy: merge, limits: {{{rules}}}}}")
        for name, rules in written.items()
    ]
    (line,) = advised("SR2201", GATEWAY, CART, *documents)
    assert "either infra/q gives limits.b and infra/r gives limits.c, or " in line


def test_many_ways() -> None:
    documents = [limits(name, "Gateway/web", f"limits: {{of-{name}: {{}}}}") for name in "pqrs"]
    assert advised("SR2201", GATEWAY, CART, *documents) == [
        found(
            WHERE,
            "infra/p, infra/q, infra/r and 1 more",
            "infra/s gives limits.of-s",
            "infra/r gives limits.of-r, or infra/q gives limits.of-q, or others",
            BARE,
        )
    ]


@each(
    case("they are the same", limits("q", "Gateway/web", "limits: {a: {x: 1}}")),
    case(
        "in either order the bare one holds",
        limits("q", "Gateway/web", "defaults: {strategy: merge, limits: {b: {}}}"),
    ),
    case("they are of two ranks", limits("q", "HTTPRoute/cart", "", "shop")),
)
def test_an_order_that_changes_nothing(second: str) -> None:
    first = limits("p", "Gateway/web", "limits: {a: {x: 1}}")
    if "strategy" in second:
        first = limits("p", "Gateway/web", "defaults: {strategy: merge, limits: {a: {}}}")
    assert advised("SR2201", GATEWAY, CART, first, second) == []


ONE_EACH = manifest(
    "SecurityPolicy infra/NAME",
    "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], "
    "cors: {allowOrigins: [NAME]}",
)


def test_which_policy_attaches_is_told_of_the_attachment() -> None:
    """Of kinds that are not merged one policy attaches: which one is told there."""
    documents = [ONE_EACH.replace("NAME", name) for name in "pq"]
    spoke = view(GATEWAY, CART, *documents)
    assert [bool(found.contentions) for found in spoke.attachments.values()] == [True, True]
    both = [AttachedPolicy(*_parts(spoke, ref)) for ref in spoke.attachments]
    asked = replace(spoke, effective=compute_effective_policies(spoke.topology, both))
    assert [bool(found.others) for found in asked.effective] == [True]
    assert told(advise(asked), "SR2201") == []


def test_a_kind_that_opens_no_door_is_a_warning() -> None:
    documents = [limits(name, "Gateway/web", f"limits: {{of-{name}: {{}}}}") for name in "pq"]
    spoke = view(GATEWAY, CART, *documents)
    harmless = {
        ref: replace(item, kind=replace(item.kind, security=False))
        for ref, item in spoke.objects.items()
    }
    (line,) = told(advise(replace(spoke, objects=harmless)), "SR2201")
    assert line.startswith("warning SR2201 RateLimitPolicy infra/p: ")


def _parts(
    spoke: JudgedSpokeView, ref: Ref
) -> tuple[Ref, Kind, Mapping[str, Any], tuple[Ref, ...]]:
    item = spoke.objects[ref]
    return ref, item.kind, item.spec, (Ref(GATEWAY_API, "Gateway", "infra", "web"),)


AGENT = manifest(
    "AgentgatewayPolicy infra/NAME",
    "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], "
    "traffic: {authorization: {policy: {matchExpressions: [NAME]}}, "
    "timeouts: {request: NAME}}",
    api="agentgateway.dev/v1alpha1",
)


def test_rules_that_hold_in_both_outcomes_are_not_told() -> None:
    """Agentgateway carries out the authorization of both; of timeouts it takes one."""
    documents = [AGENT.replace("NAME", name) for name in "pq"]
    (line,) = advised("SR2201", GATEWAY, CART, *documents)
    assert "infra/p gives traffic.timeouts, or infra/q gives traffic.timeouts " in line
