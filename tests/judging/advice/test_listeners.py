"""Listeners and the routes on them: routes that none takes, hostnames that none serves.

And policies with no route beneath them.
"""

from tests.judging.advice.spokes import (
    CART,
    GATEWAY,
    advised,
    auth,
    gateway,
    listener,
    policy,
    route,
)
from tests.support import case, cases, each, manifest, rows_of, stages, text_of
from tests.support.end_to_end import built, everywhere, fleet
from tests.support.judging import judged

SET = manifest("ListenerSet infra/more", "parentRef: {name: web}, listeners: [LISTENER]")
OPEN = manifest(
    "Gateway infra/web",
    "gatewayClassName: istio, allowedListeners: {namespaces: {from: Same}}, "
    f"listeners: [{listener('http', '*.example.com')}]",
)


@cases(*rows_of(__file__, "a_listener_of_a_set_that_is_not_distinct"))
def test_a_listener_of_a_set_that_is_not_distinct(more: str, reason: str) -> None:
    told = advised("SR2233", OPEN, SET.replace("LISTENER", more))
    same = {
        "HostnameConflict": "its port, protocol and hostname",
        "ProtocolConflict": "its port with another protocol",
    }
    expected = (
        "error SR2233 ListenerSet infra/more spec.listeners[name=again]: listener again is refused "
        f"({reason}): Gateway infra/web [http] has {same.get(reason)}, and comes first. No route "
        "is on it, nor any policy in force (give it another port or hostname, or remove it)"
    )
    assert told == ([expected] if reason else [])


def test_listeners_of_two_sets_that_conflict_are_decided_by_age() -> None:
    """The names of the sets decide nothing: files can't tell which one is created first."""
    more = SET.replace("LISTENER", "{name: mine, hostname: x.example, port: 80, protocol: HTTP}")
    told = advised("SR2233", OPEN, more, more.replace("name: more", "name: other"))
    assert told == [
        f"warning SR2233 ListenerSet infra/{one} spec.listeners[name=mine]: listener mine may be "
        f"refused (HostnameConflict): ListenerSet infra/{two} [mine] has its port, protocol and "
        "hostname, and the older one is opened. Then no route is on it, nor any policy in force "
        "(give it another port or hostname, or remove it)"
        for one, two in (("more", "other"), ("other", "more"))
    ]


def test_of_listeners_of_one_gateway_that_conflict_none_is_opened() -> None:
    """Gateway API, `listeners`: an implementation must not choose one of them."""
    own = OPEN.replace("]}\n", ", {name: raw, port: 80, protocol: TCP}]}\n")
    told = advised("SR2233", own.replace("gatewayClassName: istio", "gatewayClassName: other"))
    assert told == [
        f"error SR2233 Gateway infra/web spec.listeners[name={one}]: listener {one} is refused "
        f"(ProtocolConflict): Gateway infra/web [{two}] has its port with another protocol, and "
        "neither of the two is opened. No route is on it, nor any policy in force (give it another "
        "port or hostname, or remove it)"
        for one, two in (("http", "raw"), ("raw", "http"))
    ]


def test_of_listeners_of_one_gateway_that_conflict_istio_opens_the_first() -> None:
    """gatewaycommon/listener_conflict.go, ComputeGatewayListenerConflicts."""
    told = advised("SR2233", OPEN.replace("]}\n", ", {name: raw, port: 80, protocol: TCP}]}\n"))
    expected = (
        "error SR2233 Gateway infra/web spec.listeners[name=raw]: listener raw is refused "
        "(ProtocolConflict): Gateway infra/web [http] has its port with another protocol, and "
        "comes first. No route is on it, nor any policy in force (give it another port or "
        "hostname, or remove it)"
    )
    assert told == [expected]


@cases(*rows_of(__file__, "a_route_that_no_listener_takes"))
def test_a_route_that_no_listener_takes(listeners: str, kind: str, why: str) -> None:
    own = gateway(listener("own", more=listeners))
    told = advised("SR2234", own, CART.replace("HTTPRoute", kind))
    assert [why in each for each in told] == ([True] if why else [])
    if why:
        assert told[0].startswith(f"error SR2234 {kind} shop/cart spec.parentRefs: it is on no ")


def test_a_route_that_another_one_keeps_out_is_told_of_once() -> None:
    calls = CART.replace("HTTPRoute", "GRPCRoute").replace("name: cart", "name: calls")
    assert advised("SR2234", GATEWAY, CART, calls) == []


def test_a_route_of_a_mesh_is_on_no_listener_by_right() -> None:
    service = manifest("Service infra/s", "")
    on_service = route("mesh", parent='group: "", kind: Service, name: s')
    assert advised("SR2234", GATEWAY, service, on_service) == []


@cases(*rows_of(__file__, "a_listener_with_a_fault_of_its_own"))
def test_a_listener_with_a_fault_of_its_own(more: str, expected: str) -> None:
    """Istio, as for statuses: what it does not open gets no requests."""
    told = advised("SR2233", OPEN.replace("]}\n", f", {{name: own, port: 90, {more}}}]}}\n"))
    assert [line.partition(": listener own: ")[0] for line in told] == [
        f"{expected} SR2233 Gateway infra/web spec.listeners[name=own]"
    ] * bool(expected)


def test_a_listener_whose_certificates_only_its_controller_knows() -> None:
    """GKE finds them by an annotation, and needs no `tls`."""
    own = OPEN.replace("]}\n", ", {name: own, port: 443, protocol: HTTPS}]}\n")
    assert advised("SR2233", own.replace("Name: istio", "Name: gke-l7-global")) == []


TWO = gateway(listener("http", "*.shop.example"), listener("api", "api.example"))
TWO_LISTENERS = gateway(listener("http", "*.shop.example"), listener("rest"))


def unserved(hostnames: str, field: str) -> str:
    return (
        f"error SR2240 HTTPRoute shop/cart spec.hostnames{field}: no listener of Gateway "
        f"infra/web serves {hostnames} (they have *.shop.example, api.example) (add a "
        f"listener for it, map it in the rule's `as.hostnames`, or take it out of the route)"
    )


@cases(*rows_of(__file__, "a_hostname_that_nobody_serves"))
def test_a_hostname_that_nobody_serves(hostnames: str, expected: list[str]) -> None:
    found = advised("SR2240", TWO, route("cart", f"hostnames: {hostnames}"))
    assert sorted(found) == expected


def test_a_listener_without_a_hostname_serves_all() -> None:
    assert advised("SR2240", TWO_LISTENERS, route("cart", "hostnames: [b.else]")) == []


HUB = text_of(__file__, "namespaces.yaml")
FLEET = fleet(("kuadrant.io", "AuthPolicy"), ("gateway.networking.k8s.io", "HTTPRoute"))
PLACEMENT = everywhere("infra/web", spokes="[{name: eu}, {name: us}]")
NAMESPACE = text_of(__file__, "listeners_namespace.yaml")


def told(hub: str, placement: str) -> list[tuple[str, tuple[str, ...]]]:
    files = {"hub/a.yaml": hub, "fleet.yaml": FLEET, "placement.yaml": placement}
    results = judged(built(files)).results
    wanted = ("SR2206", "SR2223")
    return sorted((each.code, each.spokes) for each in results if each.code in wanted)


def test_unknown_labels_are_told_and_nothing_is_concluded_from_them() -> None:
    assert told(HUB, PLACEMENT) == [("SR2223", ("eu", "us"))]


@cases(
    ("{shop: {team: shop}}", []),
    ("{shop: {team: other}}", [("SR2206", ("eu", "us"))]),
    ("{other: {team: shop}}", [("SR2223", ("eu", "us"))]),
)
def test_what_the_placement_says_of_every_spoke(
    declared: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert told(HUB, PLACEMENT + f"  namespaces: {declared}\n") == expected


def test_what_the_placement_says_of_one_spoke() -> None:
    one = PLACEMENT.replace("{name: us}", "{name: us, namespaces: {shop: {team: other}}}")
    known = one + "  namespaces: {shop: {team: shop}}\n"
    assert told(HUB, known) == [("SR2206", ("us",))]
    assert told(HUB, one) == [("SR2206", ("us",)), ("SR2223", ("eu",))]


def test_a_namespace_of_the_hub_tells_its_labels() -> None:
    assert told(HUB + NAMESPACE, PLACEMENT) == []


OTHER = gateway(listener("http"), name="other")
CURE = (
    "(attach a route, or correct the target; nothing is wrong if the spoke has routes of its own "
    "there)"
)


def found(severity: str, ref: str, target: str) -> str:
    return (
        f"{severity} SR2206 {ref} spec.targetRef: {target} is not in the path to any route of the "
        f"spoke's tree: the policy is accepted and enforced nowhere {CURE}"
    )


@each("AuthPolicy", "RateLimitPolicy", "TokenRateLimitPolicy", "DNSPolicy", "OIDCPolicy")
def test_a_gateway_without_routes_beside_one_with(kind: str) -> None:
    documents = [GATEWAY, CART, OTHER, policy(kind, "p", "Gateway/other", "x: 1")]
    assert advised("SR2206", *documents) == [
        found("warning", f"{kind} infra/p", "Gateway infra/other")
    ]


def test_routes_that_the_kind_is_not_for_do_not_count() -> None:
    """kuadrant-operator's TokenRateLimitPolicy leaves GRPCRoutes out."""
    calls = CART.replace("HTTPRoute", "GRPCRoute")
    tokens = policy("TokenRateLimitPolicy", "p", "Gateway/web", "limits: {a: {}}")
    assert advised("SR2206", GATEWAY, calls, tokens) == [
        found("warning", "TokenRateLimitPolicy infra/p", "Gateway infra/web")
    ]
    assert advised("SR2206", GATEWAY, calls, auth("p", "Gateway/web")) == []


def test_a_listener_without_routes() -> None:
    cart = route("cart", "hostnames: [a.shop.example]")
    assert advised("SR2206", TWO, cart, auth("p", "Gateway/web/api")) == [
        found("warning", "AuthPolicy infra/p", "Gateway infra/web [api]")
    ]


MEND = "(let the listener take the route, or correct the target)"
CLOSED = stages.gateway("web", listeners="[{name: http, port: 80, protocol: HTTP}]")
REFUSED = (
    "HTTPRoute shop/cart: no listener of Gateway infra/web admits routes of namespace shop "
    "(allowedRoutes.namespaces)"
)


def test_a_route_that_no_gateway_of_the_spoke_serves() -> None:
    astray = route("astray", parent="name: none")
    policy_of_route = auth("p", "HTTPRoute/astray", "", "shop")
    assert advised("SR2206", GATEWAY, CART, astray, policy_of_route) == [
        (
            "warning SR2206 AuthPolicy shop/p spec.targetRef: HTTPRoute shop/astray is not in the "
            "path to any route of the spoke's tree (HTTPRoute shop/astray: Gateway infra/none is "
            f"not there): the policy is accepted and enforced nowhere {MEND}"
        )
    ]


def test_why_a_route_that_names_the_gateway_is_not_on_it() -> None:
    """It is no affair of the spoke's: the route is among the files."""
    assert advised("SR2206", CLOSED, CART, auth("p", "Gateway/web")) == [
        (
            "warning SR2206 AuthPolicy infra/p spec.targetRef: Gateway infra/web is not in the "
            "path to any route "
            f"of the spoke's tree ({REFUSED}): the policy is accepted and enforced nowhere {MEND}"
        )
    ]


def test_two_reasons_are_told_of_many() -> None:
    routes = (CART.replace("cart", name) for name in ("cart", "dice", "eggs"))
    (line,) = advised("SR2206", CLOSED, *routes, auth("p", "Gateway/web"))
    assert (REFUSED in line, "shop/dice: " in line, "shop/eggs: " in line) == (True, True, False)


def test_where_no_route_is_rendered_it_is_the_spokes_affair() -> None:
    assert advised("SR2206", GATEWAY, auth("p", "Gateway/web")) == [
        found("info", "AuthPolicy infra/p", "Gateway infra/web")
    ]


@each(
    case("a gateway with a route", auth("p", "Gateway/web")),
    case("a listener with a route", auth("p", "Gateway/web/http")),
    case("a rule", auth("p", "HTTPRoute/cart/all", "", "shop")),
    case("needs no route", policy("TLSPolicy", "p", "Gateway/other", "x: 1")),
    case("has no target at all", auth("p", "Gateway/none")),
)
def test_policies_that_are_in_the_path(written: str) -> None:
    assert advised("SR2206", GATEWAY, CART, OTHER, written) == []
