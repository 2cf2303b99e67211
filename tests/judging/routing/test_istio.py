"""What Istio says of routes and listeners otherwise: found by random hubs beside its controller."""

from __future__ import annotations

import pytest

from tests.judging.routing.cluster import ENVOY, ISTIO, OTHER, SERVICE, judged, parents, words
from tests.topology.test_requests import ALL, gateway, listener, route

GOOD = "Accepted, Programmed, ResolvedRefs"
OWN = "allowedRoutes: {namespaces: {from: Same}}"
CLOSED, OPEN = (f"{routes}, hostname: " for routes in (OWN, ALL))


@pytest.mark.parametrize(
    ("listeners", "of_istio", "of_others"),
    [
        (
            (CLOSED + "b.example", OPEN + "a.example"),
            "NotAllowedByListeners",
            "NoMatchingListenerHostname",
        ),
        (
            (CLOSED + "a.example",),
            "NoMatchingListenerHostname",
            "NotAllowedByListeners",
        ),
        ((CLOSED + "b.example",), "NotAllowedByListeners", "NotAllowedByListeners"),
        (
            (OPEN + "a.example",),
            "NoMatchingListenerHostname",
            "NoMatchingListenerHostname",
        ),
    ],
)
def test_istio_compares_hostnames_before_it_asks_what_a_listener_allows(
    listeners: tuple[str, ...], of_istio: str, of_others: str
) -> None:
    """conversion.go, referenceAllowed."""
    web = gateway(", ".join(listener(f"l{i}", more) for i, more in enumerate(listeners)))
    for gateway_class, reason in ((ISTIO, of_istio), (ENVOY, of_others), (OTHER, of_others)):
        (status,) = parents(
            judged(gateway_class, SERVICE, web, route(more=", hostnames: [b.example]"))
        )
        assert reason in status


def test_istio_says_of_each_listener_that_it_is_in_nobodys_way() -> None:
    routing = judged(ISTIO, gateway(listener()))
    (status,) = next(iter(routing.holders.values())).listeners
    assert words(status.conditions) == f"{GOOD}, not Conflicted (NoConflicts)"
