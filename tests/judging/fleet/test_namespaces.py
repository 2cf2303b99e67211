"""Labels of namespaces that a placement tells: of all spokes once, of each what is its own."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping

from spokerender.judging.fleet.blueprints import namespaces_key

Labels = Mapping[str, str]


def test_what_is_told_of_all_spokes_is_not_gone_through_for_each() -> None:
    everywhere: dict[str, Labels] = {f"n{i}": {"a": "b"} for i in range(1_000)}
    spokes = [ChainMap[str, Labels]({"own": {"team": team}}, everywhere) for team in "abba"]
    keys = list(map(namespaces_key, spokes))
    assert len(set(keys)) == 2
    assert max(len(str(key)) for key in keys) < 100


def test_labels_of_a_spoke_are_the_same_in_any_order() -> None:
    assert namespaces_key({"a": {"x": "1"}, "b": {}}) == namespaces_key({"b": {}, "a": {"x": "1"}})
    assert namespaces_key({"a": {"x": "1"}}) != namespaces_key({"a": {"x": "2"}})
