"""What a Gateway does not take: routes on none of its listeners, and listeners that clash."""

from tests.judging.advice.spokes import CART, GATEWAY, advised, gateway, listener, route
from tests.support import cases, manifest

SET = manifest("ListenerSet infra/more", "parentRef: {name: web}, listeners: [LISTENER]")
OPEN = manifest(
    "Gateway infra/web",
    "gatewayClassName: istio, allowedListeners: {namespaces: {from: Same}}, "
    f"listeners: [{listener('http', '*.example.com')}]",
)


@cases(
    ('{name: again, hostname: "*.example.com", port: 80, protocol: HTTP}', "HostnameConflict"),
    ("{name: again, port: 80, protocol: TCP}", "ProtocolConflict"),
    ("{name: again, hostname: a.example.com, port: 80, protocol: HTTP}", ""),
    ('{name: again, hostname: "*.example.com", port: 81, protocol: HTTP}', ""),
)
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


def test_an_httproute_and_a_grpcroute_with_a_hostname_in_common() -> None:
    calls = CART.replace("HTTPRoute", "GRPCRoute").replace("name: cart", "name: calls")
    assert advised("SR2232", GATEWAY, CART, calls) == [
        f"warning SR2232 {one} spec.hostnames: {two} is for * on Gateway infra/web [http] as well. "
        "Of an HTTPRoute and a GRPCRoute the Gateway API lets the older in alone: it may get no "
        "requests there, and no policy on it may be in force (give them different hostnames, or "
        "listeners of their own)"
        for one, two in (
            ("GRPCRoute shop/calls", "HTTPRoute shop/cart"),
            ("HTTPRoute shop/cart", "GRPCRoute shop/calls"),
        )
    ]
    apart = [
        route("cart", "hostnames: [a.example.com]"),
        route("calls", "hostnames: [b.example.com]").replace("HTTPRoute", "GRPCRoute"),
    ]
    assert advised("SR2232", GATEWAY, *apart) == []


@cases(
    ("port: 443, protocol: TLS, tls: {mode: Passthrough}", "HTTPRoute", "takes routes of kind"),
    ("port: 80, protocol: HTTP", "TCPRoute", "takes routes of kind TCPRoute"),
    ("port: 81, protocol: HTTP", "HTTPRoute", ""),
)
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


@cases(
    ("protocol: HTTP, allowedRoutes: {kinds: [{kind: TCPRoute}]}", "error"),
    ("protocol: HTTP, allowedRoutes: {kinds: [{kind: TCPRoute}, {kind: HTTPRoute}]}", "warning"),
    ("protocol: UDP", "error"),
    ("protocol: HTTPS", "error"),
    ("protocol: HTTPS, tls: {certificateRefs: [{kind: ConfigMap, name: c}]}", "error"),
    ("protocol: HTTPS, tls: {certificateRefs: [{name: c}]}", ""),
    ("protocol: TCP", ""),
)
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
