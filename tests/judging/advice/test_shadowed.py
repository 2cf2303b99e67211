"""Two routes for the same requests: the older takes all, and what is in force hangs on it."""

from tests.judging.advice.spokes import GATEWAY, advised, auth, gateway, limits, listener, route
from tests.support import cases, each, manifest, rows_of

RULES = "rules: [{name: all, matches: [{path: {type: PathPrefix, value: /pay}}]}]"


def a_route(name: str, rules: str = RULES, hostnames: str = "[pay.example.com]") -> str:
    return route(name, f"hostnames: {hostnames}, {rules}")


ON_B = auth("closed", "HTTPRoute/b", namespace="shop")
BOTH: str = rows_of(__file__, "both")


def test_both_outcomes_are_told() -> None:
    told = advised("SR2231", GATEWAY, a_route("a"), a_route("b"), ON_B)
    assert told == [f"error SR2231 HTTPRoute shop/b spec.rules: {BOTH}"]


@each(
    # Defaults count as written: a prefix, of any method and header.
    a_route("b", RULES.replace("type: PathPrefix, ", "")),
    # One of several matches, and one of several hostnames.
    a_route("b", RULES.replace("matches: [", "matches: [{path: {value: /other}}, ")),
    a_route("b", hostnames="[other.example.com, pay.example.com]"),
)
def test_requests_are_equal_by_hostname_and_match(other: str) -> None:
    assert len(advised("SR2231", GATEWAY, a_route("a"), other, ON_B)) == 1


@each(*rows_of(__file__, "what_is_more_or_less_specific_is_another_request"))
def test_what_is_more_or_less_specific_is_another_request(other: str) -> None:
    assert advised("SR2231", GATEWAY, a_route("a"), other, ON_B) == []


COOKIE = manifest(
    "HTTPRouteFilter shop/choco",
    "matches: [{cookies: [{name: choco, value: chip}]}]",
    api="gateway.envoyproxy.io/v1alpha1",
)


@cases(((COOKIE,), 0), ((COOKIE.replace("spec: {matches", "spec: {other"),), 1), ((), 0))
def test_a_filter_may_ask_for_more(documents: tuple[str, ...], told: int) -> None:
    """Envoy Gateway's HTTPRouteFilter has matches; what no file has may ask for anything."""
    named = "{group: gateway.envoyproxy.io, kind: HTTPRouteFilter, name: choco}"
    filters = f"filters: [{{type: ExtensionRef, extensionRef: {named}}}], matches: ["
    other = a_route("b", RULES.replace("matches: [", filters))
    assert len(advised("SR2231", GATEWAY, a_route("a"), other, ON_B, *documents)) == told


def test_the_listener_has_the_hostname_of_routes_without_one() -> None:
    one = gateway(listener("http", "pay.example.com"))
    assert len(advised("SR2231", one, route("a", RULES), a_route("b"), ON_B)) == 1


def test_where_the_same_is_in_force_it_does_not_matter() -> None:
    routes = (a_route("a"), a_route("b"))
    assert advised("SR2231", GATEWAY, *routes) == []
    assert advised("SR2231", GATEWAY, *routes, auth("closed", "Gateway/web")) == []


def test_every_kind_that_differs_is_named() -> None:
    on_a = limits("slow", "HTTPRoute/a", namespace="shop")
    (told,) = advised("SR2231", GATEWAY, a_route("a"), a_route("b"), ON_B, on_a)
    assert "HTTPRoute shop/a, no AuthPolicy and RateLimitPolicy shop/slow are in force; if" in told


def to(name: str, more: str = "") -> str:
    return RULES.replace("}]}]", f"}}], backendRefs: [{{name: {name}, port: 80{more}}}]}}]")


@cases(*rows_of(__file__, "other_backends_are_decided_by_age_as_well"))
def test_other_backends_are_decided_by_age_as_well(mine: str, theirs: str, told: int) -> None:
    routes = [a_route(name, to(of)) for name, of in (("a", mine), ("b", theirs))]
    line = (
        "warning SR2231 HTTPRoute shop/b spec.rules: HTTPRoute shop/a [all] matches the same "
        "requests for pay.example.com on Gateway infra/web [http] as HTTPRoute shop/b [all], and "
        "the older route takes all of them. Which one that is, files can't tell (let one route "
        "have them, or let both do the same under the same policies)"
    )
    assert advised("SR2231", GATEWAY, *routes) == [line] * told


def test_what_the_same_route_says_twice_is_not_decided_by_age() -> None:
    twice = to("one").replace("rules: [", "rules: [{name: b, backendRefs: [{name: x, port: 80}]}, ")
    assert advised("SR2231", GATEWAY, a_route("a", twice)) == []
