"""Law of order: shuffling input files and documents changes no output byte."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.property.fleets import Fleet, arranged, fleets
from tests.property.laws import law, told
from tests.support import end_to_end as e2e


@law
@given(fleets(mistakes=True), st.data())
def test_hub_files_and_documents_are_in_any_order(fleet: Fleet, data: st.DataObject) -> None:
    numbers = range(len(fleet.texts))
    order = data.draw(st.permutations(numbers))
    placed = data.draw(st.lists(st.integers(0, 3), min_size=len(numbers), max_size=len(numbers)))
    first = e2e.rendered(fleet.files)
    second = e2e.rendered(arranged(fleet, order, placed).files)
    assert told(first) == told(second)
    if not e2e.errors(first.results):
        assert e2e.tree(first) == e2e.tree(second)


@law
@given(fleets(), st.booleans())
def test_placements_are_in_any_order(fleet: Fleet, by_name: bool) -> None:
    """Documents count in the order of their names, whatever their files are called."""
    documents = [
        _placement("a", spokes=fleet.spokes[::2], rules=fleet.rules[:1]),
        _placement("b", overrides=fleet.overrides),
        _placement("c", rules=fleet.rules[1:], spokes=fleet.spokes[1::2]),
    ]
    whole = e2e.rendered(fleet.files)
    files = {path: text for path, text in fleet.files.items() if path != "placement.yaml"}
    if by_name:
        files |= {f"placement/{9 - number}.json": text for number, text in enumerate(documents)}
    else:
        files["placement.yaml"] = "---\n".join(f"{text}\n" for text in reversed(documents))
    parts = e2e.rendered(files)
    assert e2e.tree(whole) == e2e.tree(parts)


def _placement(name: str, **spec: object) -> str:
    header = {"apiVersion": "spokerender.io/v1alpha1", "kind": "Placement"}
    return json.dumps({**header, "metadata": {"name": name}, "spec": spec})
