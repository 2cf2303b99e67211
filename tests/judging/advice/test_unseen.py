"""A route on a ListenerSet: kuadrant-operator computes no policy for it."""

from tests.judging.advice.spokes import (
    CART,
    HTTP,
    advised,
    advised_fleet,
    auth,
    limits,
    policy,
    route,
    view,
)
from tests.support import case, cases, each, manifest, stages

SETS = "allowedListeners: {namespaces: {from: All}}"
GATEWAY = stages.gateway("web", listeners=f"[{HTTP}]").replace(
    "listeners: [", f"{SETS}, listeners: ["
)
MORE = manifest(
    "ListenerSet infra/more",
    "parentRef: {name: web}, listeners: [{name: extra, port: 81, protocol: HTTP, "
    "allowedRoutes: {namespaces: {from: All}}}]",
)
BASKET = route("basket", parent="group: gateway.networking.k8s.io, kind: ListenerSet, name: more")


def found(lost: str) -> str:
    return (
        "warning SR2221 HTTPRoute shop/basket spec.parentRefs: requests are served on ListenerSet "
        f"infra/more [extra], and without {lost}: their controller finds listeners in Gateways "
        "only (move the listener into Gateway infra/web, or guard the route by other means)"
    )


@cases(
    (auth("p", "Gateway/web"), "AuthPolicy infra/p"),
    (limits("p", "HTTPRoute/basket", "", "shop"), "RateLimitPolicy shop/p"),
    (policy("DNSPolicy", "p", "Gateway/web", "x: 1"), "DNSPolicy infra/p"),
)
def test_a_route_on_a_listener_set(written: str, lost: str) -> None:
    assert advised("SR2221", GATEWAY, MORE, CART, BASKET, written) == [found(lost)]


OTHERS = manifest(
    "SecurityPolicy infra/p",
    "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], jwt: {}",
)


@each(
    case("it is on another listener", auth("p", "Gateway/web/http")),
    case("of another controller", OTHERS),
)
def test_policies_that_lose_nothing(written: str) -> None:
    assert advised("SR2221", GATEWAY, MORE, CART, BASKET, written) == []


def test_it_is_not_told_a_second_time_that_anyone_may_call() -> None:
    spoke = view(GATEWAY, MORE, CART, BASKET, auth("p", "Gateway/web"))
    assert advised_fleet("SR2210", one=spoke) == []
