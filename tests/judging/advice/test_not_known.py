"""Kinds of which nobody can tell what is in force."""

from tests.judging.advice.spokes import CART, GATEWAY, advised_fleet, auth, policy, view
from tests.support import each, manifest

AZURE = manifest(
    "RoutePolicy shop/NAME",
    "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}, "
    "default: {timeouts: {routeTimeout: 1s}}",
    api="alb.networking.azure.io/v1",
)
OWN = manifest(
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
    (line,) = advised_fleet("SR2222", eu=view(GATEWAY, CART, OWN.replace("NAME", "a")))
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
    cilium = CLASS.replace("CONTROLLER", "io.cilium/gateway-controller")
    (line,) = advised_fleet("SR2222", eu=view(GATEWAY, cilium, *routes, *written))
    assert line == (
        "warning SR2222 SecurityPolicy infra/a: what is in force of policies of kind "
        "SecurityPolicy.gateway.envoyproxy.io is not known: GatewayClass hub is of the controller "
        "io.cilium/gateway-controller, and whether that carries out policies of Envoy Gateway is "
        "not known (place the gateway with a class of the policy's controller, or protect it "
        "otherwise; nothing is concluded from them until then) [eu]"
    )
    own = CLASS.replace("CONTROLLER", "gateway.envoyproxy.io/gatewayclass-controller")
    assert advised_fleet("SR2222", eu=view(GATEWAY, own, *routes, *written)) == []
    assert (
        advised_fleet("SR2222", eu=view(GATEWAY, cilium, *routes, auth("p", "Gateway/web"))) == []
    )
