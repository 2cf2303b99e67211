"""Law of isolation: one spoke's coming, going or changing changes no byte of another's tree."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from spokerender.rendering.values.rendered import Rendered
from tests.property.fleets import ODD, Fleet, fleets, spoke_entries
from tests.property.laws import law, told_of
from tests.support import end_to_end as e2e


def assert_same(first: Rendered, second: Rendered, but: str) -> None:
    """Every spoke but one has the same files, and the same is told of it."""
    others = {spoke for spoke in first.bundles if spoke != but}
    assert others == {spoke for spoke in second.bundles if spoke != but}
    for spoke in others:
        assert first.tree.files(spoke) == second.tree.files(spoke)
        assert told_of(first, spoke) == told_of(second, spoke)


@law
@given(fleets(), st.data())
def test_removing_a_spoke(fleet: Fleet, data: st.DataObject) -> None:
    assume(len(fleet.spokes) > 1)
    gone = data.draw(st.sampled_from([entry["name"] for entry in fleet.spokes]))
    before = e2e.rendered(fleet.files)
    after = e2e.rendered(fleet.without(gone).files)
    assert_same(before, after, gone)


@law
@given(fleets(), st.data())
def test_changing_a_spoke(fleet: Fleet, data: st.DataObject) -> None:
    assume(len(fleet.spokes) > 1)
    name = data.draw(st.sampled_from([entry["name"] for entry in fleet.spokes]))
    other = data.draw(spoke_entries(name))
    spokes = tuple(other if entry["name"] == name else entry for entry in fleet.spokes)
    before = e2e.rendered(fleet.files)
    after = e2e.rendered(replace(fleet, spokes=spokes).files)
    assert_same(before, after, name)


@law
@given(fleets(), spoke_entries("zz"), st.booleans())
def test_adding_a_spoke(fleet: Fleet, entry: dict[str, dict[str, str]], odd: bool) -> None:
    """Also one whose values have characters that stood for values elsewhere once."""
    if odd:
        entry["values"]["text"] = ODD[0]
    before = e2e.rendered(fleet.files)
    after = e2e.rendered(replace(fleet, spokes=(*fleet.spokes, entry)).files)
    assert_same(before, after, "zz")
