"""What Istio says of routes and listeners otherwise: found by random hubs beside its controller."""

from tests.judging.routing.cluster import (
    ENVOY,
    ISTIO,
    NOTHING,
    OTHER,
    SERVICE,
    judged,
    listeners,
    parents,
    words,
)
from tests.support import cases, manifest, rows_of
from tests.support.stages import hub
from tests.topology.test_requests import ALL, gateway, listener, listener_set, route

GOOD = "Accepted, Programmed, ResolvedRefs"
OWN = "allowedRoutes: {namespaces: {from: Same}}"
CLOSED, OPEN = (f"{routes}, hostname: " for routes in (OWN, ALL))


@cases(*rows_of(__file__, "istio_compares_hostnames_before_it_asks_what_a_listener_allows"))
def test_istio_compares_hostnames_before_it_asks_what_a_listener_allows(
    doors: tuple[str, ...], of_istio: str, of_others: str
) -> None:
    """conversion.go, referenceAllowed."""
    web = gateway(", ".join(listener(f"l{i}", more) for i, more in enumerate(doors)))
    for gateway_class, reason in ((ISTIO, of_istio), (ENVOY, of_others), (OTHER, of_others)):
        (status,) = parents(
            judged(gateway_class, SERVICE, web, route(more=", hostnames: [b.example]"))
        )
        assert reason in status


def test_istio_says_of_each_listener_that_it_is_in_nobodys_way() -> None:
    routing = judged(ISTIO, gateway(listener()))
    (status,) = next(iter(routing.holders.values())).listeners
    assert words(status.conditions) == f"{GOOD}, not Conflicted (NoConflicts)"


@cases(
    ("", "not Accepted (UnsupportedAddress), ResolvedRefs"),
    (
        ", tls: {backend: {clientCertificateRef: {name: gone}}}",
        "not Accepted (UnsupportedAddress), not ResolvedRefs (InvalidClientCertificateRef)",
    ),
)
def test_istio_resolves_the_references_of_a_gateway_that_it_refuses(more: str, says: str) -> None:
    """gateway_collection.go, GatewayCollection (release-1.31); Envoy Gateway says no more."""
    own = gateway(listener(), more=f", addresses: [{{type: example.com/own, value: a}}]{more}")
    for gateway_class, expected in ((ISTIO, says), (ENVOY, "not Accepted (UnsupportedAddress)")):
        (holder,) = judged(gateway_class, own, unseen=NOTHING).holders.values()
        assert words(holder.conditions) == expected


REFUSED = "not Accepted ({0}), not Programmed ({0}), Conflicted ({0})"
FREE = "not Conflicted (NoConflicts)"
ALONE = f"{GOOD}, {FREE}"
PASSING = "tls: {mode: Passthrough}"


@cases(
    # The first one wins, of whatever protocol it is.
    ((listener("a"), listener("b", protocol="TCP")), {"b": "ProtocolConflict"}),
    ((listener("a", protocol="TCP"), listener("b")), {"b": "ProtocolConflict"}),
    ((listener("a"), listener("b")), {"b": "HostnameConflict"}),
    ((listener("a"), listener("b", PASSING, "TLS")), {"b": "ProtocolConflict"}),
    # What is refused is in nobody's way.
    (
        (listener("a"), listener("b", protocol="TCP"), listener("c", "hostname: c.example")),
        {"b": "ProtocolConflict"},
    ),
    # Hostnames tell HTTP from TLS as well.
    ((listener("a"), listener("b", f"{PASSING}, hostname: b.example", "TLS")), {}),
)
def test_of_listeners_that_conflict_istio_opens_the_first(
    doors: tuple[str, ...], lost: dict[str, str]
) -> None:
    """gatewaycommon/listener_conflict.go, ComputeGatewayListenerConflicts."""
    routing = judged(ISTIO, gateway(", ".join(doors)))
    names = [text.partition("name: ")[2].partition(",")[0] for text in doors]
    assert listeners(routing) == {
        name: REFUSED.format(lost[name]) if name in lost else ALONE for name in names
    }


SET = listener_set(listener("a"))
BOTH = ", allowedListeners: {namespaces: {from: All}}"


def test_a_route_on_listeners_that_istio_refuses_has_no_status() -> None:
    """gateway_collection.go: a listener that lost is no parent."""
    taken = gateway(listener(), more=BOTH)
    on_set = route(parents="{kind: ListenerSet, name: more, namespace: shop}")
    routing = judged(ISTIO, SERVICE, taken, SET, on_set)
    assert listeners(routing, "more") == {"a": REFUSED.format("HostnameConflict")}
    assert parents(routing) == ["none"]


def test_a_protocol_that_istio_does_not_support_is_opened_by_its_word() -> None:
    """conversion.go, buildListener: only Accepted says it."""
    routing = judged(ISTIO, gateway(listener(protocol="UDP")))
    unsupported = "not Accepted (UnsupportedProtocol), Programmed, ResolvedRefs"
    assert listeners(routing) == {"http": f"{unsupported}, {FREE}"}


CERTIFICATES = hub(
    manifest("Secret infra/cert", data="{cert: YQ==, key: YQ==}"),
    manifest(
        "Secret away/cert",
        type="kubernetes.io/tls",
        stringData="{tls.crt: a, tls.key: a}",
    ),
)


@cases(*rows_of(__file__, "certificates_as_istio_looks_for_them"))
def test_certificates_as_istio_looks_for_them(refs: str, expected: str) -> None:
    """conversion.go, buildTLS."""
    door = listener(more=f"tls: {{certificateRefs: [{refs}]}}", protocol="HTTPS")
    routing = judged(ISTIO, CERTIFICATES, gateway(door), unseen=NOTHING)
    assert listeners(routing) == {"http": f"{expected}, {FREE}"}


@cases(*rows_of(__file__, "istio_tells_of_the_last_backend_that_does_not_resolve"))
def test_istio_tells_of_the_last_backend_that_does_not_resolve(rules: str, expected: str) -> None:
    """conversion.go, buildDestination and convertHTTPRoute."""
    text = route(more=f", rules: [{rules}]")
    (status,) = parents(judged(ISTIO, SERVICE, gateway(listener()), text, unseen=NOTHING))
    assert status == (
        "Accepted, ResolvedRefs"
        if expected == "ResolvedRefs"
        else f"Accepted, not ResolvedRefs ({expected})"
    )


@cases(*rows_of(__file__, "istio_reads_grants_for_few_kinds_of_backend"))
def test_istio_reads_grants_for_few_kinds_of_backend(group: str, kind: str, of_istio: str) -> None:
    """Seed 71002 of the live test: gatewaycommon/references.go, ReferenceGrantsCollection."""
    grant = manifest(
        "ReferenceGrant team/all",
        "from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}], "
        f"to: [{{group: {group}, kind: {kind}}}]",
    )
    backend = f"{{group: {group}, kind: {kind}, namespace: team, name: b, port: 80}}"
    named = route(more=f", rules: [{{backendRefs: [{backend}]}}]")
    (status,) = parents(judged(ISTIO, gateway(listener()), grant, named))
    assert of_istio in status
