"""Free texts that still have a name or hostname of the hub: warned about, never rewritten."""

from tests.support import cases, rows_of
from tests.support.stages import CLASS, GATEWAY, auth, everywhere, objects, render, route, told

CURE = " (change it with an override on these spokes, if it means this gateway) [eu us]"


def warned(text: str, as_: str, *documents: str) -> list[str]:
    policy = auth("p", "kind: Gateway, name: web", spec=f"rules: [{{cel: '{text}'}}]")
    found = render([CLASS, GATEWAY, policy, *documents], everywhere(as_))
    (made,) = (item for name, item in objects(found).items() if name.startswith("AuthPolicy"))
    assert made["spec"]["rules"] == [{"cel": text}]
    return told(found.results, "SR1509")


MAPPED = '{hostnames: {"*.shop.example": "*.new.example"}}'


@cases(*rows_of(__file__, "a_text_with_an_old_name_is_a_warning"))
def test_a_text_with_an_old_name_is_a_warning(text: str, as_: str, stale: str) -> None:
    assert warned(text, as_) == [
        (
            f'SR1509 AuthPolicy infra/p spec.rules[0].cel: still contains "{stale}" of the hub, '
            f"which has another name on the spoke; free texts are not rewritten{CURE}"
        )
    ]


@cases(*rows_of(__file__, "nothing_to_tell"))
def test_nothing_to_tell(text: str, as_: str) -> None:
    assert warned(text, as_) == []


def test_each_field_is_told_and_routes_are_looked_at_too() -> None:
    documents = route(
        "r",
        spec="hostnames: [a.shop.example], rules: [{filters: [{requestRedirect: "
        "{hostname: b.shop.example}}]}]",
    )
    lines = warned("x.shop.example", MAPPED, documents)
    assert [line.partition(":")[0] for line in lines] == [
        "SR1509 HTTPRoute shop/r spec.rules[0].filters[0].requestRedirect.hostname",
        "SR1509 AuthPolicy infra/p spec.rules[0].cel",
    ]


def test_hostnames_that_were_mapped_are_not_told_though_they_end_in_the_old_name() -> None:
    mapped = '{hostnames: {"*.shop.example": "*.eu.shop.example"}}'
    r = route("r", spec="hostnames: [a.shop.example]")
    assert warned("x", mapped, r) == []
    assert warned("x", mapped.replace("eu", "{{ spoke.name }}"), r) == []


def test_a_spoke_whose_hostnames_are_the_hubs_is_not_warned_of_them() -> None:
    policy = auth("p", "kind: Gateway, name: web", spec="cel: a.shop.example")
    rules = everywhere("{hostnames: {'*.shop.example': '*.{{ spoke.values.domain }}'}}")
    spokes = (
        "- {name: home, values: {domain: shop.example}}\n"
        "- {name: away, values: {domain: away.example}}\n"
    )
    found = render([CLASS, GATEWAY, policy], rules, spokes=spokes)
    assert [(r.code, r.spokes) for r in found.results if r.severity == "warning"] == [
        ("SR1509", ("away",))
    ]


def test_a_text_may_hold_the_new_name_of_one_spoke_only() -> None:
    """What the spokes have in common is no answer: the hub's name is in the one's own."""
    text = "a.x.shop.example"
    policy = auth("p", "kind: Gateway, name: web", spec=f"rules: [{{cel: '{text}'}}]")
    found = render(
        [CLASS, GATEWAY, policy],
        everywhere('{hostnames: {"*.shop.example": "*.{{ spoke.values.domain }}"}}'),
        spokes="- {name: eu, values: {domain: x.shop.example}}\n"
        "- {name: us, values: {domain: us.example}}\n",
    )
    assert [result.spokes for result in found.results if result.code == "SR1509"] == [("us",)]
