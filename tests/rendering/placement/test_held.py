"""Values of a spoke that slots stand for."""

from typing import Any

from spokerender.model import JsonValue, PlacedGateway
from spokerender.model.slots import number_slot, text_slot
from spokerender.rendering.holding import Slots, SpokeSlots
from spokerender.rendering.placement.assign import Assigner, implied_texts
from tests.rendering.placement.rules import HUB, assigned, decided, ref
from tests.support import each

A, B = text_slot(0), text_slot(1)


def test_values_of_a_spoke_are_held_and_equal_ones_are_one() -> None:
    decision = decided(
        '{name: "{{ spoke.values.name }}", namespace: "{{ spoke.values.name }}", gatewayClassName: '
        '"{{ spoke.values.ns }}", hostnames: {"*.a": "*.{{ spoke.values.ns }}"}, listeners: '
        '[{name: http, hostname: "{{ spoke.values.name }}", port: "{{ spoke.values.number }}"}]}'
    )
    placed, values, _ = assigned(decision, frozenset({"http"}))
    assert values == {A: "edge-eu", B: "ingress"}
    assert placed[0] == PlacedGateway(
        hub=ref("web"),
        ref=ref(A, A),
        rule=0,
        gateway_class=B,
        hostnames=(("*.a", f"*.{B}"),),
        listeners=JsonValue.of([{"name": "http", "hostname": A, "port": 5}]),
    )


def test_a_known_value_stays_in_the_open() -> None:
    decision = decided('{name: "{{ spoke.values.name }}", namespace: "{{ spoke.values.ns }}"}')
    placed, values, _ = assigned(decision, frozenset({"ingress"}))
    assert values == {A: "edge-eu"}
    assert placed[0].ref == ref(A, "ingress")


def test_spokes_that_place_alike_come_out_equal() -> None:
    decision = decided('{name: "{{ spoke.values.name }}"}')
    assigner, fleet = Assigner(decision, HUB), Slots(frozenset({"infra"}))
    first, second = (SpokeSlots(fleet), SpokeSlots(fleet))
    placed = [
        assigner.assign(spoke, held)[0]
        for spoke, held in zip(decision.spokes, (first, second), strict=True)
    ]
    assert placed[0] == placed[1]
    assert (first.values, second.values) == ({A: "edge-eu"}, {A: "edge-us"})


def test_equal_values_share_a_slot_wherever_they_stand() -> None:
    held = SpokeSlots(Slots(frozenset({"known", 80, "443"})))
    assert (held.text("a"), held.text("b"), held.text("a")) == (A, B, A)
    assert held.scalar("a", "override") == A
    assert held.scalar("c", "override") == text_slot(2)
    assert held.scalar("c", "another") == text_slot(2)
    assert held.scalar(5, "a number") == held.scalar(5, "elsewhere") == number_slot(3)
    assert held.text("*.a") == f"*.{A}"
    assert held.values == {A: "a", B: "b", text_slot(2): "c", str(number_slot(3)): 5}


@each(
    *("", "*.", "known", "*.known", "two\nlines", "rule-1", "rules[0]"),
    *(0, 80, 443, 1.5, True, False, None, [], ["a"], {"a": "b"}),
    ids=repr,
)
def test_what_is_not_held(value: Any) -> None:
    """What something may be compared with, what is false, of no one line, or of another type."""
    held = SpokeSlots(Slots(frozenset({"known", 80, "443"})))
    made = held.scalar(value, "place")
    assert (type(made), made) == (type(value), value)
    assert held.values == {}


def test_a_place_has_one_slot_on_all_spokes() -> None:
    fleet = Slots(frozenset())
    one, other = SpokeSlots(fleet), SpokeSlots(fleet)
    assert one.scalar("a", "first") == A
    assert other.scalar("b", "second") == B
    assert other.scalar("c", "first") == A
    assert one.scalar("c", "second") == B


def test_nothing_is_held_in_the_open() -> None:
    held = SpokeSlots(Slots(None))
    assert (held.text("a"), held.scalar("a", "b"), held.scalar(5, "b")) == ("a", "a", 5)
    assert held.values == {}


@each(20_001, 70_000)
def test_there_are_as_many_slots_as_values(count: int) -> None:
    """Placement and overrides took numbers from two ranges once, which met at 20,000."""
    held = SpokeSlots(Slots(frozenset()))
    made = [held.text(f"value {n}") for n in range(count)]
    made.append(held.scalar("another", "override"))
    assert len(set(made)) == len(held.values) == count + 1
    assert [held.values[slot] for slot in (made[0], made[20_000], made[-1])] == [
        "value 0",
        "value 20000",
        "another",
    ]


def test_what_a_rule_writes_by_itself_is_known() -> None:
    assert implied_texts(["infra", "x"]) == {"true", "kuadrant-infra", "kuadrant-x"}
