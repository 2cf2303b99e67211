"""Policies that meet: of two on one target one holds, and one decides about the rules of another.

Where ages decide that no file has, or a kind that nobody knows, that is told.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.judging.advice import advise
from spokerender.judging.advice.view import JudgedSpokeView
from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.kinds.kind import Kind
from spokerender.model import GATEWAY_API, Ref
from tests.judging.advice.spokes import (
    CART,
    GATEWAY,
    advised,
    advised_fleet,
    auth,
    limits,
    policy,
    route,
    told,
    view,
)
from tests.support import case, each, manifest, rows_of

A, B = "limits: {a: {}}", "limits: {b: {}}"
MERGE = "defaults: {strategy: merge, limits: {a: {}}}"
OWN = limits("cart", "HTTPRoute/cart", "limits: {c: {}}", "shop")
OVERRIDES = "overrides: {limits: {a: {}}}"
LOST: str = rows_of(__file__, "lost")


@each(B, f"defaults: {{{B}}}", f"defaults: {{strategy: atomic, {B}}}")
def test_two_policies_that_do_not_merge(other: str) -> None:
    documents = [limits("p-2", "Gateway/web", A), limits("p-10", "Gateway/web", other)]
    assert advised("SR2205", GATEWAY, CART, OWN, *documents) == [
        LOST.format(first="p-10", number=2, names="infra/p-10, infra/p-2")
    ]


def test_where_it_changes_what_is_in_force_it_is_told_as_that() -> None:
    documents = [limits("p", "Gateway/web", A), limits("q", "Gateway/web", B)]
    assert len(advised("SR2201", GATEWAY, CART, *documents)) == 1
    assert advised("SR2205", GATEWAY, CART, *documents) == []


def test_policies_that_say_the_same_are_fine() -> None:
    documents = [limits("p", "Gateway/web", A), limits("q", "Gateway/web", f"defaults: {{{A}}}")]
    assert advised("SR2205", GATEWAY, CART, OWN, *documents) == []


def test_many_policies_are_told_once() -> None:
    documents = [limits(name, "Gateway/web", f"limits: {{{name}: {{}}}}") for name in "edcba"]
    names = "infra/a, infra/b, infra/c and 2 more"
    assert advised("SR2205", GATEWAY, CART, OWN, *documents) == [
        LOST.format(first="a", number=5, names=names)
    ]


@each(
    case("one merges", limits("q", "Gateway/web", MERGE)),
    case("one overrides", limits("q", "Gateway/web", OVERRIDES)),
    case("one is for a section", limits("q", "Gateway/web/http", B)),
    case("one is on a route", limits("q", "HTTPRoute/cart/all", B, "shop")),
    case("they are of two kinds", auth("q", "Gateway/web")),
    case("one has no target", limits("q", "Gateway/none", B)),
)
def test_policies_that_come_together(second: str) -> None:
    assert advised("SR2205", GATEWAY, CART, OWN, limits("p", "Gateway/web"), second) == []


@each("DNSPolicy", "TelemetryPolicy")
def test_kinds_that_do_not_come_together_so(kind: str) -> None:
    """Of the one, nothing is merged; of the other, nobody said how it is."""
    documents = [policy(kind, name, "Gateway/web", "x: 1") for name in "pq"]
    assert advised("SR2205", GATEWAY, CART, *documents) == []


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


JWT = "rules: {authentication: {jwt: {}}}"
WHEN = "when: [{predicate: 'false'}]"
X = "rules: {authorization: {x: {}}}"


def merging(block: str, more: str = "") -> str:
    """A block with the strategy `merge` and one rule."""
    return f"{block}: {{strategy: merge, {JWT}{more}}}"


ROUTE_OWNER = auth("cart", "HTTPRoute/cart", f"{X}, {WHEN}", "shop")
SWITCHED_OFF: str = rows_of(__file__, "switched_off")


def test_a_route_owner_switches_off_an_override() -> None:
    gateway = auth("gw", "Gateway/web", merging("overrides"))
    assert advised("SR2202", GATEWAY, CART, gateway, ROUTE_OWNER) == [SWITCHED_OFF]


def test_all_paths_of_a_condition_are_told_at_once() -> None:
    two = route("cart", "rules: [{name: all}, {name: some}, {name: few}]")
    gateway = auth("gw", "Gateway/web", merging("overrides"))
    (told,) = advised("SR2202", GATEWAY, two, gateway, ROUTE_OWNER)
    assert "on HTTPRoute shop/cart [all] on Gateway infra/web [http] and 2 more paths: " in told


@each(
    case("it has one of its own",
         [auth("gw", "Gateway/web", merging("overrides", f", {WHEN}")), ROUTE_OWNER]),
    case("defaults may be switched off",
         [auth("gw", "Gateway/web", merging("defaults")), ROUTE_OWNER]),
    case("atomic overrides take nothing of the route's",
         [auth("gw", "Gateway/web", f"overrides: {{{JWT}}}"), ROUTE_OWNER]),
    case("there is no condition",
         [auth("gw", "Gateway/web", merging("overrides")),
          auth("cart", "HTTPRoute/cart", X, "shop")]),
    case("its condition decides about its own rules only",
         [auth("cart", "HTTPRoute/cart", f"{X}, {WHEN}", "shop")]),
)  # fmt: skip
def test_an_override_that_nobody_switches_off(documents: list[str]) -> None:
    assert advised("SR2202", GATEWAY, CART, *documents) == []


def test_a_gateways_condition_decides_about_the_routes_limits() -> None:
    gateway = limits(
        "gw", "Gateway/web", f"defaults: {{strategy: merge, limits: {{g: {{}}}}, {WHEN}}}"
    )
    cart = limits("cart", "HTTPRoute/cart", "limits: {r: {}}", "shop")
    expected = (
        "info SR2203 RateLimitPolicy infra/gw spec.defaults.when: its `when` decides about the "
        "rules of RateLimitPolicy shop/cart as well, on HTTPRoute shop/cart [all] on Gateway "
        "infra/web [http]: shop/cart has none of its own there, or one that is overridden (write "
        "the condition into the single rules, or a `when` into RateLimitPolicy shop/cart)"
    )
    assert advised("SR2203", GATEWAY, CART, gateway, cart) == [expected]


def test_a_route_that_has_its_own_condition_is_not_gated() -> None:
    gateway = limits(
        "gw", "Gateway/web", f"defaults: {{strategy: merge, limits: {{g: {{}}}}, {WHEN}}}"
    )
    cart = limits("cart", "HTTPRoute/cart", f"limits: {{r: {{}}}}, {WHEN}", "shop")
    assert advised("SR2203", GATEWAY, CART, gateway, cart) == []


LATER = (
    "nothing is wrong if it is there for what comes later; `strategy: merge` lets its rules hold "
    "beside theirs"
)
NEVER = "remove it, or let the rules of both hold with `strategy: merge` in the one that overrides"
OVERRIDE = "overrides: {rules: {authentication: {g: {}}}}"


def overruled(ref: str, by: str, cure: str) -> str:
    return (
        f"info SR2212 {ref}: nothing of it is in force: it is overridden by {by} on every path "
        f"({cure})"
    )


def test_a_gateways_override_takes_the_place_of_a_routes_policy() -> None:
    gateway = auth("gw", "Gateway/web", OVERRIDE)
    cart = auth("cart", "HTTPRoute/cart", "", "shop")
    assert advised("SR2212", GATEWAY, CART, gateway, cart) == [
        overruled("AuthPolicy shop/cart", "infra/gw", NEVER)
    ]


def test_every_route_has_its_own() -> None:
    documents = [auth("gw", "Gateway/web"), auth("cart", "HTTPRoute/cart", "", "shop")]
    assert advised("SR2212", GATEWAY, CART, *documents) == [
        overruled("AuthPolicy infra/gw", "shop/cart", LATER)
    ]


def test_no_cure_shuts_everybody_out() -> None:
    """Authorization rules are all asked: beside a route's own, a default that denies denies all."""
    denies = "rules: {authorization: {deny: {opa: {rego: allow = false}}}}"
    documents = [auth("gw", "Gateway/web", denies), auth("cart", "HTTPRoute/cart", "", "shop")]
    (told,) = advised("SR2212", GATEWAY, CART, *documents)
    assert told == overruled(
        "AuthPolicy infra/gw", "shop/cart", "nothing is wrong if it is there for what comes later"
    )


def test_a_routes_override_does_not_take_the_place_of_a_gateways() -> None:
    documents = [
        auth("gw", "Gateway/web", OVERRIDE),
        auth("cart", "HTTPRoute/cart", OVERRIDE, "shop"),
    ]
    assert advised("SR2212", GATEWAY, CART, *documents) == [
        overruled("AuthPolicy shop/cart", "infra/gw", NEVER)
    ]


@each(
    case("another route has none", [route("pay"), auth("gw", "Gateway/web")]),
    case(
        "it is merged",
        [limits("gw", "Gateway/web", "defaults: {strategy: merge, limits: {g: {}}}")],
    ),
    case("it is attached nowhere", [auth("gw", "Gateway/none")]),
)
def test_policies_with_something_in_force(documents: list[str]) -> None:
    both = [auth("c", "HTTPRoute/cart", "", "shop"), limits("c", "HTTPRoute/cart", "", "shop")]
    assert advised("SR2212", GATEWAY, CART, *documents, *both) == []


def test_a_merge_strategy_is_offered_where_there_is_one() -> None:
    client = manifest(
        "ClientTrafficPolicy infra/NAME",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}]",
    )
    whole = client.replace("NAME", "gw").replace("}]}", "}], a: 1}")
    section = client.replace("NAME", "listener").replace(
        "web}]}", "web, sectionName: http}], a: 2}"
    )
    assert advised("SR2212", GATEWAY, CART, whole, section) == [
        overruled("ClientTrafficPolicy infra/gw", "infra/listener", LATER.partition(";")[0])
    ]


def test_which_of_two_is_overridden_is_not_known() -> None:
    two = [limits(name, "Gateway/web", f"limits: {{{name}: {{}}}}") for name in "pq"]
    assert advised("SR2212", GATEWAY, CART, *two) == []


AZURE = manifest(
    "RoutePolicy shop/NAME",
    "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}, "
    "default: {timeouts: {routeTimeout: 1s}}",
    api="alb.networking.azure.io/v1",
)
CACHE = manifest(
    "CachePolicy infra/NAME",
    "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], ttl: 1s",
    api="example.com/v1",
)


def threats(name: str, target: str = "Gateway/web", namespace: str = "infra") -> str:
    return policy("ThreatPolicy", name, target, f"threshold: {len(name)}", namespace)


def test_a_kind_is_told_once_however_many_policies_and_spokes_there_are() -> None:
    both = view(GATEWAY, CART, AZURE.replace("NAME", "a"), AZURE.replace("NAME", "b"))
    one = view(GATEWAY, CART, AZURE.replace("NAME", "b"))
    (line,) = advised_fleet("SR2222", eu=both, us=one)
    assert line.startswith(
        "warning SR2222 RoutePolicy shop/a: what is in force of policies of kind "
        "RoutePolicy.alb.networking.azure.io is not known: how policies of "
        "this kind come together is not known (closed; MicrosoftDocs"
    )
    assert line.endswith("until then) [eu us]")


def test_a_kind_that_nobody_has_read() -> None:
    (line,) = advised_fleet("SR2222", eu=view(GATEWAY, CART, CACHE.replace("NAME", "a")))
    assert "(nobody has read what its controller does)" in line


def test_one_that_is_alone_may_be_known() -> None:
    assert advised_fleet("SR2222", eu=view(GATEWAY, CART, threats("a"))) == []
    (line,) = advised_fleet("SR2222", eu=view(GATEWAY, CART, threats("a"), threats("b")))
    assert "what several policies on Gateway infra/web come to is not known" in line
    below = threats("b", "HTTPRoute/cart", "shop")
    (line,) = advised_fleet("SR2222", eu=view(GATEWAY, CART, threats("a"), below))
    assert "what policies on several levels come to is not known" in line


@each("RateLimitPolicy", "AuthPolicy")
def test_of_kinds_that_are_known_nothing_is_told(kind: str) -> None:
    written = [policy(kind, name, "Gateway/web", "rules: {}, limits: {}") for name in "ab"]
    assert advised_fleet("SR2222", eu=view(GATEWAY, CART, *written)) == []


GUARDS = manifest(
    "GCPAuthzPolicy infra/guard",
    "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], action: DENY",
    api="networking.gke.io/v1",
)


def test_nothing_is_concluded_from_what_is_not_known() -> None:
    """Not that anyone may call, and not that somebody is asked who they are."""
    guarded, unknown = view(GATEWAY, CART, auth("p", "Gateway/web")), view(GATEWAY, CART, GUARDS)
    assert advised_fleet("SR2210", eu=guarded, us=unknown) == []
    assert len(advised_fleet("SR2210", eu=guarded, us=view(GATEWAY, CART))) == 1
    assert advised_fleet("SR2210", eu=unknown, us=view(GATEWAY, CART)) == []


CLASS = manifest("GatewayClass hub", "controllerName: CONTROLLER")
TOKENS = manifest(
    "SecurityPolicy infra/NAME",
    "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], "
    "jwt: {providers: [{name: a}]}",
)


@each([CART], [])
def test_the_controller_of_a_class_that_nobody_knows(routes: list[str]) -> None:
    written = [TOKENS.replace("NAME", name) for name in "ab"]
    unheard = CLASS.replace("CONTROLLER", "gateway.example.com/controller")
    (line,) = advised_fleet("SR2222", eu=view(GATEWAY, unheard, *routes, *written))
    assert line == (
        "warning SR2222 SecurityPolicy infra/a: what is in force of policies of kind "
        "SecurityPolicy.gateway.envoyproxy.io is not known: GatewayClass hub is of the controller "
        "gateway.example.com/controller, and whether that carries out policies of Envoy Gateway is "
        "not known (place the gateway with a class of the policy's controller, or protect it "
        "otherwise; nothing is concluded from them until then) [eu]"
    )
    own = CLASS.replace("CONTROLLER", "gateway.envoyproxy.io/gatewayclass-controller")
    assert advised_fleet("SR2222", eu=view(GATEWAY, own, *routes, *written)) == []
    assert (
        advised_fleet("SR2222", eu=view(GATEWAY, unheard, *routes, auth("p", "Gateway/web"))) == []
    )
