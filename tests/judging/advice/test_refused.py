"""What a Gateway does not take: routes on none of its listeners, and listeners that clash."""

from __future__ import annotations

import pytest

from tests.judging.advice.spokes import CART, GATEWAY, advised, gateway, listener, route

SET = """\
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: more, namespace: infra}
spec:
  parentRef: {name: web}
  listeners: [LISTENER]
"""
OPEN = f"""\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: web, namespace: infra}}
spec:
  gatewayClassName: istio
  allowedListeners: {{namespaces: {{from: Same}}}}
  listeners: [{listener("http", "*.example.com")}]
"""


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ('{name: again, hostname: "*.example.com", port: 80, protocol: HTTP}', "HostnameConflict"),
        ("{name: again, port: 80, protocol: TCP}", "ProtocolConflict"),
        ("{name: again, hostname: a.example.com, port: 80, protocol: HTTP}", ""),
        ('{name: again, hostname: "*.example.com", port: 81, protocol: HTTP}', ""),
    ],
)
def test_a_listener_of_a_set_that_is_not_distinct(more: str, reason: str) -> None:
    told = advised("SR2233", OPEN, SET.replace("LISTENER", more))
    same = "protocol and hostname" if reason == "HostnameConflict" else "port"
    expected = (
        f"warning SR2233 ListenerSet infra/more spec.listeners: listener again is refused ({reason}"
        f"): Gateway infra/web comes first and has one with its {same}. No route is on it, nor any "
        "policy in force (give it another port or hostname, or remove it)"
    )
    assert told == ([expected] if reason else [])


def test_an_httproute_and_a_grpcroute_with_a_hostname_in_common() -> None:
    calls = CART.replace("HTTPRoute", "GRPCRoute").replace("name: cart", "name: calls")
    (told,) = advised("SR2232", GATEWAY, CART, calls)
    assert told == (
        "warning SR2232 HTTPRoute shop/cart spec.hostnames: GRPCRoute shop/calls is for * on "
        "Gateway infra/web [http] as well, and of an HTTPRoute and a GRPCRoute the older is "
        "accepted there. Made in one apply that is GRPCRoute shop/calls, the first by name; files "
        "can't tell (give them different hostnames, or listeners of their own)"
    )
    apart = [
        route("cart", "hostnames: [a.example.com]"),
        route("calls", "hostnames: [b.example.com]").replace("HTTPRoute", "GRPCRoute"),
    ]
    assert advised("SR2232", GATEWAY, *apart) == []


@pytest.mark.parametrize(
    ("listeners", "kind", "why"),
    [
        ("port: 443, protocol: TLS, tls: {mode: Passthrough}", "HTTPRoute", "takes routes of kind"),
        ("port: 80, protocol: HTTP", "TCPRoute", "takes routes of kind TCPRoute"),
        ("port: 81, protocol: HTTP", "HTTPRoute", ""),
    ],
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
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: infra}\nspec: {}\n"
    on_service = route("mesh", parent='group: "", kind: Service, name: s')
    assert advised("SR2234", GATEWAY, service, on_service) == []
