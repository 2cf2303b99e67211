"""DNS records: a listener without a hostname gets none, and those of one hostname go together."""

from msgspec.structs import replace

from spokerender.judging.advice import advise
from spokerender.judging.advice.view import JudgedSpokeView
from tests.judging.advice.spokes import (
    CART,
    advised,
    advised_fleet,
    gateway,
    listener,
    policy,
    told,
    view,
)
from tests.support import case, cases, each, named_rows_of

NAMED, NAMELESS = listener("api", "api.example"), listener("http")
MESSAGE = (
    "SR2207 DNSPolicy infra/p: there will be no DNS record for Gateway infra/web [http]: a "
    "listener without a hostname is skipped (give the listener a hostname, or target only the "
    "listeners that have one)"
)


@cases(*named_rows_of(__file__, "a_listener_without_hostname"))
def test_a_listener_without_hostname(listeners: list[str], target: str, severity: str) -> None:
    documents = [gateway(*listeners), CART, policy("DNSPolicy", "p", target, "x: 1")]
    assert advised("SR2207", *documents) == [f"{severity} {MESSAGE}"]


@cases(*named_rows_of(__file__, "nothing_is_skipped"))
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


def asking(geo: str, kind: str = "DNSPolicy") -> JudgedSpokeView:
    web = gateway(listener("http", "a.example"), listener("more", "b.example"))
    return view(web, policy(kind, "p", "Gateway/web", f"loadBalancing: {{geo: {geo}}}"))


def found(geo: str, why: str, spokes: str = "eu") -> str:
    return (
        f"SR2218 DNSPolicy infra/p spec.loadBalancing.geo: geo {geo} is read as the code of a "
        f"country, {why} (write GEO-{geo} for the continent) [{spokes}]"
    )


@each("AN", "EU", "OC")
def test_a_continent_that_no_country_is_called(geo: str) -> None:
    expected = [f"warning {found(geo, 'and no country has it')}"]
    assert advised_fleet("SR2218", eu=asking(geo)) == expected


@each("AF", "AS", "NA", "SA")
def test_a_continent_that_is_called_as_a_country(geo: str) -> None:
    expected = [f"info {found(geo, 'not as the continent')}"]
    assert advised_fleet("SR2218", eu=asking(geo)) == expected


def test_each_geo_is_told_once() -> None:
    spokes = {"eu": asking("EU"), "ie": asking("IE"), "de": asking("EU"), "us": asking("NA")}
    assert advised_fleet("SR2218", **spokes) == [
        f"warning {found('EU', 'and no country has it', 'de eu')}",
        f"info {found('NA', 'not as the continent', 'us')}",
    ]


@each("GEO-EU", "IE", "US", "europe-west1", "7", "[EU]")
def test_other_geos(geo: str) -> None:
    assert advised_fleet("SR2218", eu=asking(geo)) == []


def test_a_kind_without_records() -> None:
    assert advised_fleet("SR2218", eu=asking("EU", "TLSPolicy")) == []


WEB = gateway(listener("http", "*.shop.example"))
BALANCED = "loadBalancing: {{geo: {geo}, weight: {weight}, defaultGeo: {default}}}"


def dns(spec: str = "x: 1", name: str = "p", hostname: str = "*.shop.example") -> JudgedSpokeView:
    """A spoke with a DNSPolicy for a hostname."""
    return view(gateway(listener("http", hostname)), policy("DNSPolicy", name, "Gateway/web", spec))


def balanced(geo: str, *, default: bool = False, weight: int = 120) -> JudgedSpokeView:
    return dns(BALANCED.format(geo=geo, weight=weight, default=str(default).lower()))


def test_load_balancing_on_some_spokes_only() -> None:
    eu, us, ap = balanced("GEO-EU", default=True), balanced("US"), dns()
    expected = (
        "warning SR2215 DNSPolicy infra/p spec.loadBalancing: *.shop.example: load balancing is "
        "set on eu, us and not on ap; one name can't be a load-balanced and a plain record, so "
        "whoever comes second gets a record type conflict (set spec.loadBalancing in every policy "
        "for the hostname, or in none; going from plain to load-balanced needs the policy deleted "
        "and made anew) [ap eu us]"
    )
    assert advised_fleet("SR2215", eu=eu, us=us, ap=ap) == [expected]


def test_the_first_of_those_without_is_told() -> None:
    spokes = {"b": dns(name="q"), "a": dns(name="r"), "c": balanced("US", default=True)}
    (line,) = advised_fleet("SR2215", **spokes)
    assert line.startswith("warning SR2215 DNSPolicy infra/r ")
    assert "is set on c and not on a, b; " in line


def test_on_one_spoke_the_policies_are_named() -> None:
    spec = BALANCED.format(geo="US", weight=1, default="true")
    both = view(
        gateway(listener("http", "*.shop.example")),
        policy("DNSPolicy", "p", "Gateway/web", spec),
        policy("DNSPolicy", "q", "Gateway/web", "x: 1"),
    )
    (line,) = advised_fleet("SR2215", eu=both)
    assert "load balancing is set by infra/p and not by infra/q; " in line


def test_hostnames_with_the_same_policies_are_told_at_once() -> None:
    two = gateway(listener("http", "a.example"), listener("more", "b.example"))
    spec = BALANCED.format(geo="US", weight=1, default="true")
    eu = view(two, policy("DNSPolicy", "p", "Gateway/web", spec))
    us = view(two, policy("DNSPolicy", "p", "Gateway/web", "x: 1"))
    (line,) = advised_fleet("SR2215", eu=eu, us=us)
    assert "spec.loadBalancing: a.example, b.example: load balancing is set on eu and not" in line


@each(
    case("all are", balanced("US")),
    case("another hostname", dns(hostname="*.other.example")),
    case("no policy at all", view(WEB)),
    case("attached nowhere", view(WEB, policy("DNSPolicy", "p", "Gateway/none", "x: 1"))),
)
def test_all_or_none_are_load_balanced(other: JudgedSpokeView) -> None:
    assert advised_fleet("SR2215", eu=balanced("GEO-EU"), us=other) == []


def test_none_is_load_balanced() -> None:
    assert advised_fleet("SR2215", eu=dns(), us=dns()) == []


def test_two_default_geos() -> None:
    eu, us = balanced("GEO-EU", default=True), balanced("US", default=True)
    expected = (
        "warning SR2216 DNSPolicy infra/p spec.loadBalancing: *.shop.example: 2 geos are the "
        "default (GEO-EU on eu, US on us); the clusters' controllers will undo each other's "
        "record without end (set the default for the policies of one geo only) [eu uk us]"
    )
    assert advised_fleet("SR2216", eu=eu, us=us, uk=balanced("GB")) == [expected]


def test_no_default_geo() -> None:
    expected = (
        "warning SR2216 DNSPolicy infra/p spec.loadBalancing: *.shop.example: no geo is the "
        "default (GEO-EU, US): clients elsewhere get no answer (set the default for the policies "
        "of one geo) [eu us]"
    )
    assert advised_fleet("SR2216", eu=balanced("GEO-EU"), us=balanced("US")) == [expected]


@each(True, False)
def test_the_first_policy_is_told(default: bool) -> None:
    views = {
        spoke: dns(BALANCED.format(geo=geo, weight=1, default=str(default).lower()), name)
        for spoke, geo, name in (("b", "US", "q"), ("a", "GB", "r"))
    }
    (line,) = advised_fleet("SR2216", **views)
    assert line.startswith("warning SR2216 DNSPolicy infra/r ")


@each(
    case("one", {"eu": balanced("GEO-EU", default=True), "us": balanced("US")}),
    case(
        "one on two spokes", {"a": balanced("US", default=True), "b": balanced("US", default=True)}
    ),
    case("a single spoke", {"a": balanced("US")}),
    case("none is load-balanced", {"a": dns(), "b": dns()}),
)
def test_one_default_geo(spokes: dict[str, JudgedSpokeView]) -> None:
    assert advised_fleet("SR2216", **spokes) == []


def test_the_same_geo_everywhere() -> None:
    spokes = {name: balanced("US", default=True) for name in ("eu", "us")}
    expected = (
        "info SR2217 DNSPolicy infra/p spec.loadBalancing: *.shop.example: every spoke has geo US "
        "and weight 120: location decides nothing, and traffic is split evenly (nothing is wrong "
        "if that is meant; else give each spoke its own value by an override) [eu us]"
    )
    assert advised_fleet("SR2217", **spokes) == [expected]


@each(balanced("GB"), balanced("US", weight=60), dns(hostname="b.example"))
def test_geos_or_weights_that_differ(other: JudgedSpokeView) -> None:
    assert advised_fleet("SR2217", eu=balanced("US", default=True), us=other) == []


def test_delegation_on_some_spokes_only() -> None:
    expected = (
        "warning SR2219 DNSPolicy infra/p spec.delegate: *.shop.example: the record is delegated "
        "on eu and not on us; what is not delegated is published beside the primary's (delegate "
        "in every policy for the hostname, or in none) [eu us]"
    )
    assert advised_fleet("SR2219", eu=dns("delegate: true"), us=dns("delegate: false")) == [
        expected
    ]


def test_delegation_from_different_namespaces() -> None:
    edge = view(
        gateway(listener("http", "*.shop.example"), namespace="edge"),
        policy("DNSPolicy", "p", "Gateway/web", "delegate: true", "edge"),
        hub={"edge/p": "infra/p"},
    )
    expected = (
        "warning SR2219 DNSPolicy infra/p spec.delegate: *.shop.example: the record is delegated "
        "from different namespaces (edge, infra); a primary cluster looks for the others' records "
        "in one of the same name (place the gateway in the same namespace on every spoke) [eu us]"
    )
    assert advised_fleet("SR2219", eu=dns("delegate: true"), us=edge) == [expected]


@cases(
    (dns("delegate: true"), dns("delegate: true")),
    (dns("delegate: false"), dns()),
    (dns("delegate: true"), dns(hostname="b.example")),
)
def test_all_or_none_are_delegated(one: JudgedSpokeView, other: JudgedSpokeView) -> None:
    assert advised_fleet("SR2219", eu=one, us=other) == []
