"""Labels of namespaces that no file tells are unknown; the placement may tell them."""

from tests.support import cases, text_of
from tests.support.end_to_end import built, everywhere, fleet
from tests.support.judging import judged

HUB = text_of(__file__, "namespaces.yaml")
FLEET = fleet(("kuadrant.io", "AuthPolicy"), ("gateway.networking.k8s.io", "HTTPRoute"))
PLACEMENT = everywhere("infra/web", spokes="[{name: eu}, {name: us}]")
NAMESPACE = """\
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: shop}}
"""


def told(hub: str, placement: str) -> list[tuple[str, tuple[str, ...]]]:
    files = {"hub/a.yaml": hub, "fleet.yaml": FLEET, "placement.yaml": placement}
    results = judged(built(files)).results
    wanted = ("SR2206", "SR2223")
    return sorted((each.code, each.spokes) for each in results if each.code in wanted)


def test_unknown_labels_are_told_and_nothing_is_concluded_from_them() -> None:
    assert told(HUB, PLACEMENT) == [("SR2223", ("eu", "us"))]


@cases(
    ("{shop: {team: shop}}", []),
    ("{shop: {team: other}}", [("SR2206", ("eu", "us"))]),
    ("{other: {team: shop}}", [("SR2223", ("eu", "us"))]),
)
def test_what_the_placement_says_of_every_spoke(
    declared: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert told(HUB, PLACEMENT + f"  namespaces: {declared}\n") == expected


def test_what_the_placement_says_of_one_spoke() -> None:
    one = PLACEMENT.replace("{name: us}", "{name: us, namespaces: {shop: {team: other}}}")
    known = one + "  namespaces: {shop: {team: shop}}\n"
    assert told(HUB, known) == [("SR2206", ("us",))]
    assert told(HUB, one) == [("SR2206", ("us",)), ("SR2223", ("eu",))]


def test_a_namespace_of_the_hub_tells_its_labels() -> None:
    assert told(HUB + NAMESPACE, PLACEMENT) == []
