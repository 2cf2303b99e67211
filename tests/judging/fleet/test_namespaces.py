"""Labels of namespaces that a placement tells: of all spokes once, of each what is its own."""

from collections import ChainMap
from collections.abc import Mapping

from spokerender.model.spokes import make_labels_key

Labels = Mapping[str, str]


def test_what_is_told_of_all_spokes_is_not_gone_through_for_each() -> None:
    everywhere: dict[str, Labels] = {f"n{i}": {"a": "b"} for i in range(1_000)}
    spokes = [ChainMap[str, Labels]({"own": {"team": team}}, everywhere) for team in "abba"]
    keys = list(map(make_labels_key, spokes))
    assert len(set(keys)) == 2
    assert max(len(str(key)) for key in keys) < 100


def test_labels_of_a_spoke_are_the_same_in_any_order() -> None:
    assert make_labels_key({"a": {"x": "1"}, "b": {}}) == make_labels_key(
        {"b": {}, "a": {"x": "1"}}
    )
    assert make_labels_key({"a": {"x": "1"}}) != make_labels_key({"a": {"x": "2"}})
