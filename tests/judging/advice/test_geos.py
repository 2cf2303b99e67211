"""A continent's code without its prefix."""

from spokerender.judging.advice.view import JudgedSpokeView
from tests.judging.advice.spokes import advised_fleet, gateway, listener, policy, view
from tests.support import each


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
