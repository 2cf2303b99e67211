"""What Traefik says of routes and listeners otherwise: held against its provider by `make live`."""

from tests.judging.routing.cluster import ISTIO, NOTHING, SERVICE, judged, listeners, parents
from tests.support import cases, manifest, rows_of
from tests.topology.test_requests import ALL, gateway, listener, listener_set, route

TRAEFIK = ISTIO.replace("istio.io/gateway-controller", "traefik.io/gateway-controller")
NO_CERTIFICATE = f"{ALL}, tls: {{certificateRefs: [{{name: gone}}]}}"


@cases(*rows_of(__file__, "a_listener_of_traefik"))
def test_a_listener_of_traefik(door: str, expected: str) -> None:
    """kubernetes.go, loadGatewayListeners and makeGatewayStatus."""
    (words,) = listeners(judged(TRAEFIK, gateway(door), unseen=NOTHING)).values()
    assert words.removesuffix(" (InvalidRouteKinds)") == expected


@cases(*rows_of(__file__, "a_route_that_traefik_refuses"))
def test_a_route_that_traefik_refuses(doors: tuple[str, ...], expected: str) -> None:
    """httproute.go, loadHTTPRoutes."""
    web = gateway(", ".join(listener(f"l{i}", more) for i, more in enumerate(doors)))
    (status,) = parents(judged(TRAEFIK, SERVICE, web, route(more=", hostnames: [b.example]")))
    reasons = {"Hostname": "NoMatchingListenerHostname", "NotAllowed": "NotAllowedByListeners"}
    accepted = f"not Accepted ({reasons[expected]})" if expected else "Accepted"
    assert status == f"{accepted}, ResolvedRefs"


def test_a_route_on_a_listener_that_traefik_does_not_open_is_counted_and_not_accepted() -> None:
    routing = judged(
        TRAEFIK,
        SERVICE,
        gateway(listener(more=NO_CERTIFICATE, protocol="HTTPS")),
        route(),
        unseen=NOTHING,
    )
    assert parents(routing) == ["not Accepted (NoMatchingParent), ResolvedRefs"]
    (holder,) = routing.holders.values()
    assert [each.attached for each in holder.listeners] == [1]


def test_traefik_does_not_look_at_listener_sets() -> None:
    web = gateway(listener(), more=", allowedListeners: {namespaces: {from: All}}")
    on_set = route(parents="{kind: ListenerSet, name: more, namespace: shop}")
    routing = judged(TRAEFIK, SERVICE, web, listener_set(listener("a", port=81)), on_set)
    assert parents(routing) == ["none"]


CORS = "{type: CORS, cors: {allowOrigins: ['*']}}"


@cases(*rows_of(__file__, "backends_as_traefik_looks_for_them"))
def test_backends_as_traefik_looks_for_them(kind: str, rule: str, expected: str) -> None:
    """httproute.go and grpcroute.go, loadService and loadGRPCService."""
    text = route(more=f", rules: [{{{rule}}}]", kind=kind)
    (status,) = parents(judged(TRAEFIK, SERVICE, gateway(listener()), text, unseen=NOTHING))
    assert status == (
        f"Accepted, not ResolvedRefs ({expected})" if expected else "Accepted, ResolvedRefs"
    )


UNTRUSTED = manifest(
    "BackendTLSPolicy shop/tls",
    "targetRefs: [{group: '', kind: Service, name: s}], validation: {hostname: a.example, "
    "caCertificateRefs: [{group: '', kind: ConfigMap, name: gone}]}",
)


@cases(("HTTPRoute", "not ResolvedRefs (RefNotPermitted)"), ("GRPCRoute", "ResolvedRefs"))
def test_traefik_looks_for_backend_tls_policies_on_http_routes_alone(
    kind: str, expected: str
) -> None:
    text = route(more=", rules: [{backendRefs: [{name: s, port: 80}]}]", kind=kind)
    routing = judged(TRAEFIK, SERVICE, gateway(listener()), text, UNTRUSTED, unseen=NOTHING)
    assert parents(routing) == [f"Accepted, {expected}"]
