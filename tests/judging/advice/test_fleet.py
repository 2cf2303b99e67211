"""Spokes that share a view are looked at once, and told as if each had its own."""

from spokerender.findings.codes.advice import UNGUARDED
from spokerender.findings.results import Result
from spokerender.judging.advice import advise, advise_fleet
from spokerender.judging.advice.view import FleetView, JudgedSpokeView
from spokerender.judging.fleet.judge import SlottedFleetView
from spokerender.model import Ref, slots
from tests.judging.advice.spokes import auth, gateway, limits, listener, policy, view
from tests.support import cases, stages

DOMAIN, GEO, NAMESPACE = (slots.text_slot(number) for number in range(3))
WEIGHT = slots.number_slot(3)
VALUES = {
    "eu": {DOMAIN: "shop.example", GEO: "EU", NAMESPACE: "edge-eu", str(WEIGHT): 1},
    "uk": {DOMAIN: "shop.example", GEO: "GB", NAMESPACE: "edge-uk", str(WEIGHT): 1},
    "us": {DOMAIN: "us.example", GEO: "US", NAMESPACE: "edge-us", str(WEIGHT): 2},
    "ca": {DOMAIN: "us.example", GEO: "CA", NAMESPACE: "edge-us", str(WEIGHT): 2},
}


def of(domain: str, geo: str, namespace: str) -> JudgedSpokeView:
    """A spoke with its own values: a route that is open, records, and a limit."""
    balancing = f"loadBalancing: {{geo: {geo}, weight: 1, defaultGeo: true}}"
    return view(
        gateway(listener("http", f"*.{domain}"), namespace=namespace),
        gateway(listener("http"), name="own", namespace=namespace),
        *(
            stages.route(
                name,
                f"[{{name: {parent}, namespace: {namespace}}}]",
                spec="rules: [{backendRefs: [{name: a, port: 80}]}]",
            )
            for name, parent in (("cart", "web"), ("pay", "own"))
        ),
        auth("p", "Gateway/web", "", namespace),
        policy("DNSPolicy", "p", "Gateway/web", balancing, namespace),
        limits("p", "Gateway/web", "", namespace),
        hub={f"{namespace}/p": "infra/p"},
    )


def each_its_own() -> dict[str, JudgedSpokeView]:
    return {
        spoke: of(*(str(values[slot]) for slot in (DOMAIN, GEO, NAMESPACE)))
        for spoke, values in VALUES.items()
    }


def test_with_slots_the_same_is_told_as_without() -> None:
    held = of("slot-0", "slot-1", "slot-2")
    shared = advise_fleet(SlottedFleetView(dict.fromkeys(VALUES, held), VALUES))
    apart = advise_fleet(FleetView(each_its_own()))
    assert {result.code for result in apart} == {"SR2210", "SR2216", "SR2218", "SR2220"}
    assert [line for line in _lines(shared) if "SR2210" not in line] == [
        line for line in _lines(apart) if "SR2210" not in line
    ]
    # The gateways that are open have different names: of one view, all are told.
    (opened,) = (result for result in shared if result.code == "SR2210")
    assert str(opened.resource) == "Gateway edge-us/own"
    assert opened.spokes == ("ca", "eu", "uk", "us")
    assert "Gateway edge-us/own (elsewhere edge-eu/own, edge-uk/own) for HTTP" in opened.message


def _lines(found: tuple[Result, ...]) -> list[str]:
    return stages.told(found, *(result.code for result in found))


def test_the_order_of_spokes_changes_nothing() -> None:
    spokes = each_its_own()
    turned = dict(reversed(spokes.items()))
    assert _lines(advise_fleet(FleetView(turned))) == _lines(advise_fleet(FleetView(spokes)))


def test_a_view_is_looked_at_once() -> None:
    one, other = view(gateway(listener("http"))), view(gateway(listener("http")))
    fleet = FleetView({"c": one, "b": other, "a": one})
    assert fleet.cases == ((one, ("a", "c")), (other, ("b",)))


@cases(
    (("x", 1, None), [(("x", 1, None), ("ca", "eu"))]),
    ((f"a.{DOMAIN}",), [(("a.us.example",), ("ca",)), (("a.shop.example",), ("eu",))]),
    ((WEIGHT, "x"), [((2, "x"), ("ca",)), ((1, "x"), ("eu",))]),
    ids=ascii,
)
def test_values_are_filled_in(data: tuple[object, ...], expected: object) -> None:
    assert list(SlottedFleetView({}, VALUES).resolve(("ca", "eu"), data)) == expected


def test_references_are_filled_in() -> None:
    ref = Ref("", "Secret", NAMESPACE, f"tls-{GEO}", "x")
    found = list(
        SlottedFleetView({}, VALUES).resolve(("ca", "us"), (ref, Ref("", "Secret", "a", "b")))
    )
    assert [([str(each) for each in refs], spokes) for refs, spokes in found] == [
        (["Secret edge-us/tls-CA [x]", "Secret a/b"], ("ca",)),
        (["Secret edge-us/tls-US [x]", "Secret a/b"], ("us",)),
    ]


def test_a_finding_about_no_object() -> None:
    result = UNGUARDED.result(f"open on {DOMAIN}", cure=f"close {DOMAIN}")
    told = SlottedFleetView({}, VALUES).locate(result, ("us", "eu"))
    assert (told.message, told.cure) == (
        "open on us.example (elsewhere shop.example)",
        "close us.example",
    )
    assert (told.resource, told.spokes) == (None, ("eu", "us"))


def test_advice_about_a_spoke_is_told_once() -> None:
    found = advise(view(gateway(listener("http")), auth("p", "Gateway/web")))
    assert [(result.code, result.spokes, result.origin is not None) for result in found] == [
        ("SR2206", (), True)
    ]


def test_nothing_to_say() -> None:
    assert advise_fleet(FleetView({})) == ()
    assert advise(view()) == ()
