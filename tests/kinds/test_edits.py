"""Persistent edits: the examples first, then the laws."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.kinds.fields import REMOVE, apply_edits, read_value
from spokerender.model import FieldPath
from tests.support import cases, each
from tests.support.profiles import examples


def test_set_create_and_remove() -> None:
    data = {"metadata": {"name": "web", "labels": {"a": "1"}}, "spec": {"x": 1}}
    result = apply_edits(
        data,
        {
            ("metadata", "name"): "site",
            ("metadata", "namespace"): "infra",
            ("metadata", "annotations", "kuadrant.io/policy-synced"): "true",
            ("metadata", "labels", "a"): REMOVE,
        },
    )
    assert result == {
        "metadata": {
            "name": "site",
            "namespace": "infra",
            "labels": {},
            "annotations": {"kuadrant.io/policy-synced": "true"},
        },
        "spec": {"x": 1},
    }
    assert list(result["metadata"]) == ["name", "namespace", "labels", "annotations"]
    assert result["spec"] is data["spec"]


def test_namespace_comes_last_where_there_is_no_name() -> None:
    assert list(apply_edits({"kind": "K"}, {("namespace",): "n"})) == ["kind", "namespace"]


def test_a_key_that_is_there_keeps_its_place() -> None:
    data = {"namespace": "a", "name": "web"}
    assert list(apply_edits(data, {("namespace",): "b"}).items()) == [
        ("namespace", "b"),
        ("name", "web"),
    ]


def test_indices_are_those_of_the_original() -> None:
    data = {"refs": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}
    result = apply_edits(
        data, {("refs", 0): REMOVE, ("refs", 1, "name"): "B", ("refs", 2, "name"): REMOVE}
    )
    assert result == {"refs": [{"name": "B"}, {}]}


def test_null_on_the_way_is_as_absent() -> None:
    data = {"metadata": {"annotations": None}}
    assert apply_edits(data, {("metadata", "annotations", "a"): "1"}) == {
        "metadata": {"annotations": {"a": "1"}}
    }


def test_a_removal_makes_no_mappings() -> None:
    data: dict[str, Any] = {"spec": {}, "status": None}
    edits: dict[FieldPath, Any] = {
        ("metadata", "labels", "a"): REMOVE,
        ("status", "x"): REMOVE,
        ("spec", "y"): REMOVE,
    }
    assert apply_edits(data, edits) is data


def test_null_can_be_set() -> None:
    assert apply_edits({}, {("a", "b"): None}) == {"a": {"b": None}}


@each(False, True)
def test_the_outer_edit_is_made_first(swap: bool) -> None:
    edits: list[tuple[FieldPath, Any]] = [(("a",), {"x": 1, "y": 2}), (("a", "y"), 3)]
    given_value = edits[0][1]
    assert apply_edits({"a": 0}, dict(reversed(edits) if swap else edits)) == {
        "a": {"x": 1, "y": 3}
    }
    assert given_value == {"x": 1, "y": 2}


def test_nothing_is_put_into_what_is_removed() -> None:
    assert apply_edits({"a": [{"b": 1}]}, {("a", 0): REMOVE, ("a", 0, "b"): 2}) == {"a": []}


def test_the_root() -> None:
    assert apply_edits({"a": 1}, {(): {"b": 2}}) == {"b": 2}
    with pytest.raises(ValueError, match="can't be removed"):
        apply_edits({"a": 1}, {(): REMOVE})


@cases(
    (("list", 2), LookupError),
    (("list", -1), LookupError),
    (("list", "x"), LookupError),
    (("text", "x"), TypeError),
    (("map", 0), TypeError),
    (("absent", 0), TypeError),
)
def test_paths_that_lead_nowhere(path: FieldPath, error: type[Exception]) -> None:
    data = {"list": [1, 2], "text": "t", "map": {}}
    with pytest.raises(error):
        apply_edits(data, {path: 1})


def test_read() -> None:
    data = {"a": [{"b": None}], "c": "text"}
    assert read_value(data, ("a", 0)) == {"b": None}
    assert read_value(data, ("a", 0, "b"), "default") is None
    assert read_value(data, ()) is data
    for path in (("a", 1), ("a", -1), ("a", "b"), ("c", "x"), ("c", 0), ("d",), ("a", 0, "b", "x")):
        assert read_value(data, path, "default") == "default"


KEYS = st.sampled_from(["name", "namespace", "a", "b", "c"])
LEAVES = st.none() | st.booleans() | st.integers(0, 3) | st.text("xy", max_size=2)
DATA: Any = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, DATA, max_size=4)


def places(data: Any, path: FieldPath = ()) -> list[FieldPath]:
    """Every path in the data but the root's, outer ones first."""
    items = (
        list(data.items())
        if isinstance(data, dict)
        else list(enumerate(data))
        if isinstance(data, list)
        else []
    )
    return [place for key, value in items for place in ((*path, key), *places(value, (*path, key)))]


def naive(data: Any, edits: dict[FieldPath, Any]) -> Any:
    """The same on a deep copy: set first, then remove from the back."""
    data = copy.deepcopy(data)
    for path, value in sorted(edits.items(), key=lambda edit: len(edit[0])):
        if value is not REMOVE:
            read_value(data, path[:-1])[path[-1]] = copy.deepcopy(value)
    removed = [path for path, value in edits.items() if value is REMOVE]
    for path in sorted(removed, key=lambda path: [str(key) for key in path], reverse=True):
        del read_value(data, path[:-1])[path[-1]]
    return data


@st.composite
def objects_and_edits(draw: st.DrawFn) -> tuple[Any, dict[FieldPath, Any]]:
    data = draw(OBJECTS)
    paths = places(data)
    chosen = draw(st.lists(st.sampled_from(paths), max_size=4, unique=True)) if paths else []
    apart = [a for a in chosen if not any(a != b and a[: len(b)] == b for b in chosen)]
    return data, {path: draw(DATA | st.just(REMOVE)) for path in apart}


@pytest.mark.property
@settings(max_examples=examples(500, house=20))
@given(objects_and_edits())
def test_it_does_what_a_deep_copy_would(case: tuple[Any, dict[FieldPath, Any]]) -> None:
    data, edits = case
    before, given_values = copy.deepcopy(data), copy.deepcopy(list(edits.values()))
    result = apply_edits(data, edits)
    expected = naive(data, edits)
    assert (result, order(result)) == (expected, order(expected))
    assert data == before, "the original was changed"
    assert list(edits.values()) == given_values, "a new value was changed"


def order(data: Any) -> list[FieldPath]:
    return places(data)


@pytest.mark.property
@settings(max_examples=examples(200, house=10))
@given(objects_and_edits())
def test_what_is_not_on_a_path_is_shared(case: tuple[Any, dict[FieldPath, Any]]) -> None:
    data, edits = case
    result = apply_edits(data, edits)
    for key, value in data.items():
        if not any(path[0] == key for path in edits):
            assert result[key] is value
    if not edits:
        assert result is data


@pytest.mark.property
@settings(max_examples=examples(200, house=10))
@given(data=OBJECTS, path=st.lists(KEYS, min_size=1, max_size=4), value=DATA)
def test_what_is_set_is_read(data: Any, path: list[str], value: Any) -> None:
    place: FieldPath = tuple(path)
    if all(isinstance(read_value(data, place[:n]), dict | None) for n in range(len(place))):
        assert read_value(apply_edits(data, {place: value}), place) == value


@pytest.mark.property
@settings(max_examples=examples(200, house=10))
@given(objects_and_edits())
def test_the_order_of_edits_is_of_no_account(case: tuple[Any, dict[FieldPath, Any]]) -> None:
    data, edits = case
    assert apply_edits(data, dict(reversed(edits.items()))) == apply_edits(data, edits)
