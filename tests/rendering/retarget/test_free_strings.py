"""Free texts that still have a name or hostname of the hub: warned about, never rewritten."""

from tests.support import cases
from tests.support.stages import CLASS, GATEWAY, auth, everywhere, objects, render, route, told

CURE = " (change it with an override on these spokes, if it means this gateway) [eu us]"


def warned(text: str, as_: str, *documents: str) -> list[str]:
    policy = auth("p", "kind: Gateway, name: web", spec=f"rules: [{{cel: '{text}'}}]")
    found = render([CLASS, GATEWAY, policy, *documents], everywhere(as_))
    (made,) = (item for name, item in objects(found).items() if name.startswith("AuthPolicy"))
    assert made["spec"]["rules"] == [{"cel": text}]
    return told(found.results, "SR1509")


RENAMED = "{name: edge}"
MOVED = "{namespace: gw}"
MAPPED = '{hostnames: {"*.shop.example": "*.new.example"}}'


@cases(
    ('request.host == "a.shop.example"', MAPPED, "shop.example"),
    ('request.host.endsWith(".shop.example")', MAPPED, "shop.example"),
    ("shop.example", MAPPED, "shop.example"),
    ("listener infra/web/http", RENAMED, "infra/web"),
    ("listener infra/web/http", MOVED, "infra/web"),
    ("spiffe://cluster.local/ns/infra/sa/web-hub", RENAMED, "web-hub"),
    # The old name stands in the new one here, and alone there.
    ("a.shop.example b.eu.shop.example", '{hostnames: {"*.shop.example": "*.eu.shop.example"}}',
     "shop.example"),
    ("x.int.shop.example", '{hostnames: {"*.int.shop.example": "*.shop.example"}}',
     "int.shop.example"),
)  # fmt: skip
def test_a_text_with_an_old_name_is_a_warning(text: str, as_: str, stale: str) -> None:
    assert warned(text, as_) == [
        (
            f'SR1509 AuthPolicy infra/p spec.rules[0].cel: still contains "{stale}" of the hub, '
            f"which has another name on the spoke; free texts are not rewritten{CURE}"
        )
    ]


@cases(
    ("a.shop.example infra/web web-hub", "{}"),
    ("a.shop.example", RENAMED),
    ("infra/web", MAPPED),
    ("myshop.example", MAPPED),
    ("shop.example-x shop.examples", MAPPED),
    ("xinfra/web infra/website infra/web-2", RENAMED),
    ("a.shop.example", '{hostnames: {"*.shop.example": "*.shop.example"}}'),
    # What ends in the old name is the new one.
    ("a.eu.shop.example", '{hostnames: {"*.shop.example": "*.eu.shop.example"}}'),
    ("web", RENAMED),
)
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
