"""Slots are only a way to be quick: spoke by spoke, without any, everything means the same."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from render.slots import slot
from tests import end_to_end as e2e
from tests.property.fleets import Fleet, fleets
from tests.property.hubs import made
from tests.property.laws import law, told
from tests.property.texts import Style, written


@law
@given(fleets())
def test_rendering_without_slots_means_the_same(fleet: Fleet) -> None:
    """A hub that has their characters itself is rendered without them."""
    one = {"app": "bystander"}
    plain, odd = (
        written(made("v1/ConfigMap", "infra", "odd", {"text": text}, labels=one), Style())
        for text in ("plain", slot(0))
    )
    with_slots, without = (
        e2e.rendered(replace(fleet, texts=(*fleet.texts, text), placed=(*fleet.placed, 0)).files)
        for text in (plain, odd)
    )
    assert told(with_slots) == told(without)
    for spoke, bundle in with_slots.bundles.items():
        if not e2e.errors(bundle.case.results):
            assert without.bundles[spoke].values == {}
            assert e2e.objects(with_slots, spoke) == e2e.objects(without, spoke)
