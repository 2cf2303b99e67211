"""Gateways that share a proxy: connections to it are given to the rules of all of them."""

from spokerender.findings.codes import review as codes
from tests.review.meaning.scenes import (
    PLACE,
    PROXY_CLASS,
    SYNC,
    compare,
    gateway,
    loud,
    policy,
    route,
    state,
)
from tests.support import each, manifest

OWN_CLASS = manifest(
    "GatewayClass own", "controllerName: gateway.envoyproxy.io/gatewayclass-controller"
)
PROXY = manifest("EnvoyProxy infra/proxy", "mergeGateways: true")
HTTP = "{name: http, port: 80, protocol: HTTP, hostname: %s}"
BOTH = PLACE.replace("[infra/web]", "[infra/web, infra/other]")
WIDE = route(hosts="'*.shop.example'")
RULE = "{name: own, matches: [{path: {value: /own}}], backendRefs: [{name: app, port: 80}]}"
NEAR = route("near", "'*.a.shop.example'", RULE, parent="other")
EVERY = RULE.replace("/own", "/")
READ = "Gateway infra/web [http] > HTTPRoute infra/cart [read]"


@each("gatewayClassName: own", "")
def test_requests_that_a_gateway_of_the_same_proxy_took_are_told_on_the_rules_that_get_them(
    to_own: str,
) -> None:
    """Envoy Gateway, translator.go, getIRKey: a merged proxy has the routes of all Gateways.

    One that goes to another class, or away, leaves its port and address to the others.
    """
    wide, near = (HTTP % name for name in ("'*.shop.example'", "'*.a.shop.example'"))
    other = gateway("eg", "other", near)
    rest = PROXY_CLASS, OWN_CLASS, PROXY, gateway("eg", listeners=wide), WIDE
    gone = (other.replace("gatewayClassName: eg", to_own), NEAR) if to_own else ()
    sides = ("---\n".join((*rest, *each)) for each in ((other, NEAR), gone))
    place = (BOTH, BOTH if to_own else PLACE)
    before, after = (state(text, where, SYNC) for text, where in zip(sides, place, strict=True))
    told = [item for item in compare(before, after).consequences if READ in item.paths]
    assert [(item.result.code, item.hostnames) for item in told] == [
        ("SR2511", ("*.a.shop.example",))
    ]


def test_what_a_gateway_of_the_same_proxy_asked_of_requests_is_told_where_it_goes() -> None:
    wide, near = (HTTP % name for name in ("'*.shop.example'", "a.shop.example"))
    login = policy("SecurityPolicy", "basicAuth: {users: {name: users}}", name="login")
    guarded = (
        gateway("eg", "other", near),
        route("near", "a.shop.example", EVERY, parent="other"),
        login.replace("name: cart", "name: near"),
    )
    rest = (
        PROXY_CLASS,
        OWN_CLASS,
        PROXY,
        gateway("eg", listeners=wide),
        route(rules=EVERY.replace("own", "all")),
    )
    sides = state("---\n".join((*rest, *guarded)), BOTH, SYNC), state("---\n".join(rest))
    told = {item.result.code: item.paths for item in loud(compare(*sides))}
    path = "Gateway infra/web [http] > HTTPRoute infra/cart [all]"
    assert told[codes.ACCESS_REMOVED.code] == (path,)
