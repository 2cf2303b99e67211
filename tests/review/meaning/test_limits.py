"""Spokes with numbers of their own in rate limits are compared once, as far as none counts."""

import pytest

from spokerender.review.comparison.asked import AskedComparison
from spokerender.review.comparison.states import FleetState
from spokerender.review.values import Consequence
from tests.review.meaning.scenes import compare, gateway, hub, policy, route, state
from tests.review.meaning.test_slots import only
from tests.support import cases
from tests.support.counting import calls_of
from tests.support.project import PLACEMENT

OWN = (3000, 5000, 8000)
RATES = "{orders: {rates: [{limit: 5000, window: 1s}]}}"
WIDE = policy("RateLimitPolicy", f"limits: {RATES}", "gateway", "wide")
NEAR = policy("RateLimitPolicy", f"limits: {RATES}", "route", "near")
BESIDE = policy("RateLimitPolicy", f"limits: {RATES}", "rule", "beside")
PLACES = f"""{PLACEMENT}  spokes: [{{name: a}}, {{name: b}}, {{name: c}}]
  rules:
  - gateways: {{names: [infra/web]}}
    spokes: {{all: true}}
  overrides:
""" + "".join(
    "  - target: {kind: RateLimitPolicy, name: wide}\n"
    f"    spokes: {{names: [{name}]}}\n"
    f"    merge: {{spec: {{limits: {{orders: {{rates: [{{limit: {number}, window: 1s}}]}}}}}}}}\n"
    for name, number in zip("abc", OWN, strict=True)
)


def fleet(*documents: str) -> FleetState:
    return state(hub("istio", gateway("istio"), *documents), PLACES)


def on(spoke: str, before: FleetState, after: FleetState) -> list[tuple[str, ...]]:
    """What is told of one spoke, of all of them and of itself alone."""
    together = compare(before, after)
    alone = compare(*(only(side, spoke) for side in (before, after)))
    listed = (
        [_show(one) for one in (*side.consequences, *side.tightened) if spoke in one.result.spokes]
        for side in (together, alone)
    )
    shown, own = map(sorted, listed)
    assert shown == own
    return shown


def _show(item: Consequence) -> tuple[str, ...]:
    return item.result.code, str(item.severity), item.was, item.now, *item.paths


@cases(
    ((route(), WIDE, NEAR), (route(), WIDE)),
    ((route(), WIDE), (route(), WIDE, NEAR)),
    ids=["a nearer one goes", "a nearer one comes"],
)
def test_numbers_that_come_in_the_place_of_others_are_compared_spoke_by_spoke(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    sides = fleet(*before), fleet(*after)
    for spoke, number in zip("abc", OWN, strict=True):
        numbers = {text for texts in on(spoke, *sides) for text in texts if " in " in text}
        assert numbers == ({f"{number} in 1s", "5000 in 1s"} if number != 5000 else set())


def test_spokes_whose_numbers_do_not_count_are_compared_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = fleet(route(), WIDE, BESIDE)
    after = fleet(route(hosts="b.shop.example"), WIDE, BESIDE)
    compared = calls_of(monkeypatch, AskedComparison, "__init__")
    consequences = compare(before, after).consequences
    assert {item.result.spokes for item in consequences} == {("a", "b", "c")}
    assert len(compared) == 1
