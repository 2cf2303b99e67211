"""A listener without a hostname gets no DNS record."""

from msgspec.structs import replace

from spokerender.judging.advice import advise
from tests.judging.advice.spokes import CART, advised, gateway, listener, policy, told, view
from tests.support import case, cases

NAMED, NAMELESS = listener("api", "api.example"), listener("http")
MESSAGE = (
    "SR2207 DNSPolicy infra/p: there will be no DNS record for Gateway infra/web [http]: a "
    "listener without a hostname is skipped (give the listener a hostname, or target only the "
    "listeners that have one)"
)


@cases(
    case("the only listener", [NAMELESS], "Gateway/web", "warning"),
    case("it has others", [NAMED, NAMELESS], "Gateway/web", "info"),
    case("it is named", [NAMED, NAMELESS], "Gateway/web/http", "warning"),
)
def test_a_listener_without_hostname(listeners: list[str], target: str, severity: str) -> None:
    documents = [gateway(*listeners), CART, policy("DNSPolicy", "p", target, "x: 1")]
    assert advised("SR2207", *documents) == [f"{severity} {MESSAGE}"]


@cases(
    case("the listener has a hostname", "DNSPolicy", "Gateway/web/api"),
    case("a kind without records", "TLSPolicy", "Gateway/web"),
)
def test_nothing_is_skipped(kind: str, target: str) -> None:
    documents = [gateway(NAMED, NAMELESS), CART, policy(kind, "p", target, "x: 1")]
    assert advised("SR2207", *documents) == []


def test_a_listeners_own_policy_is_told_and_not_the_gateways() -> None:
    documents = [
        gateway(NAMED, NAMELESS),
        CART,
        policy("DNSPolicy", "all", "Gateway/web", "x: 1"),
        policy("DNSPolicy", "p", "Gateway/web/http", "x: 1"),
    ]
    assert advised("SR2207", *documents) == [f"warning {MESSAGE}"]


def test_a_gateway_of_the_spokes_own_may_have_a_hostname_that_is_not_declared() -> None:
    spoke = view(gateway(NAMELESS), CART, policy("DNSPolicy", "p", "Gateway/web", "x: 1"))
    own = {
        ref: replace(item, object={}) if ref.kind == "Gateway" else item
        for ref, item in spoke.objects.items()
    }
    assert told(advise(spoke), "SR2207") == [f"warning {MESSAGE}"]
    assert told(advise(replace(spoke, objects=own)), "SR2207") == []
