"""Values of a spoke that slots stand for."""

from __future__ import annotations

from render.model import PlacedGateway, slots
from render.rendering.placement import Assigner, implied_texts
from render.rendering.placement.assign import Held
from tests.rendering.placement.rules import HUB, assigned, decided, ref


def test_values_of_a_spoke_are_held_and_equal_ones_are_one() -> None:
    decision = decided(
        '{name: "{{ spoke.values.name }}", namespace: "{{ spoke.values.name }}", '
        'gatewayClassName: "{{ spoke.values.ns }}", hostnames: {"*.a": "*.{{ spoke.values.ns }}"}, '
        'listeners: [{name: http, hostname: "{{ spoke.values.name }}", port: "{{ '
        'spoke.values.number }}"}]}'
    )
    placed, values, _ = assigned(decision, frozenset({"http"}))
    name, ns = slots.slot(0), slots.slot(1)
    assert values == {name: "edge-eu", ns: "ingress"}
    assert placed[0] == PlacedGateway(
        hub=ref("web"),
        ref=ref(name, name),
        rule=0,
        gateway_class=ns,
        hostnames=(("*.a", f"*.{ns}"),),
        listeners=f'[{{"name": "http", "hostname": "{name}", "port": 5}}]',
    )


def test_a_known_value_stays_in_the_open() -> None:
    decision = decided('{name: "{{ spoke.values.name }}", namespace: "{{ spoke.values.ns }}"}')
    placed, values, _ = assigned(decision, frozenset({"ingress"}))
    assert values == {slots.slot(0): "edge-eu"}
    assert placed[0].ref == ref(slots.slot(0), "ingress")


def test_spokes_that_place_alike_come_out_equal() -> None:
    decision = decided('{name: "{{ spoke.values.name }}"}')
    assigner = Assigner(decision, HUB, frozenset({"infra"}))
    (eu, us) = decision.spokes
    first, second = assigner.assign(eu), assigner.assign(us)
    assert first[0] == second[0]
    assert (dict(first[1]), dict(second[1])) == (
        {slots.slot(0): "edge-eu"},
        {slots.slot(0): "edge-us"},
    )


def test_held() -> None:
    held = Held(frozenset({"known"}))
    first, second = held.hold("a"), held.hold("b")
    assert (held.hold("a"), held.hold("known")) == (first, "known")
    assert held.values == {first: "a", second: "b"}
    assert Held(None).hold("a") == "a"


def test_what_a_rule_writes_by_itself_is_known() -> None:
    assert implied_texts(["infra", "x"]) == {"true", "kuadrant-infra", "kuadrant-x"}
