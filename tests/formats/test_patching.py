"""Merge patches and JSON patches: the RFCs' own vectors, laws, and messages."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.formats.patching import DEEPEST, PatchProblem, apply_patch, difference, merge
from spokerender.model import slots
from tests.support import cases, each, rows_of
from tests.support.profiles import examples

# RFC 7386, appendix A: original, patch, result.
MERGES: list[tuple[Any, Any, Any]] = rows_of(__file__, "merges")

# RFC 6902, appendix A, where the patch applies: document, patch, result.
PATCHES: dict[str, tuple[Any, list[dict[str, Any]], Any]] = rows_of(__file__, "patches")
# RFC 6902, appendix A, where it must not; A.13 has one member twice, which no reader here takes.
REFUSED: dict[str, tuple[Any, dict[str, Any]]] = {
    "A.9 testing a value, error": ({"baz": "qux"}, {"op": "test", "path": "/baz", "value": "bar"}),
    "A.12 adding to a nonexistent target": (
        {"foo": "bar"},
        {"op": "add", "path": "/baz/bat", "value": "qux"},
    ),
    "A.15 comparing strings and numbers": (
        {"/": 9, "~1": 10},
        {"op": "test", "path": "/~01", "value": "10"},
    ),
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


@cases(*MERGES)
def test_rfc_7386_appendix_a(original: Any, patch: Any, result: Any) -> None:
    assert merge(original, patch) == result


@each(*PATCHES)
def test_rfc_6902_appendix_a(case: str) -> None:
    document, operations, result = PATCHES[case]
    assert apply_patch(document, operations) == result


@each(*REFUSED)
def test_rfc_6902_appendix_a_refusals(case: str) -> None:
    document, operation = REFUSED[case]
    with pytest.raises(PatchProblem):
        apply_patch(document, [operation])


def as_the_rfc_merges(target: Any, patch: Any) -> Any:
    """RFC 7386, section 2, its pseudo-code."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = as_the_rfc_merges(target.get(name), value)
    return target


@pytest.mark.property
@settings(max_examples=examples(150, house=30), deadline=None)
@given(target=JSON, patch=JSON)
def test_merge_is_the_rfcs_and_changes_no_argument(target: Any, patch: Any) -> None:
    before = deepcopy((target, patch))
    assert merge(target, patch) == as_the_rfc_merges(target, patch)
    assert (target, patch) == before


@pytest.mark.property
@settings(max_examples=examples(100, house=20), deadline=None)
@given(document=JSON, value=JSON)
def test_a_patch_changes_no_argument(document: Any, value: Any) -> None:
    operations = [
        {"op": "add", "path": "", "value": {"a": document}},
        {"op": "add", "path": "/b", "value": value},
        {"op": "copy", "from": "/b", "path": "/c"},
        {"op": "move", "from": "/a", "path": "/d"},
    ]
    before = deepcopy((document, operations))
    assert apply_patch(document, operations) == {"b": value, "c": value, "d": document}
    assert (document, operations) == before


def test_the_result_shares_nothing_with_its_sources() -> None:
    target, patch = {"kept": [1]}, {"new": {"list": [2]}}
    merged = merge(target, patch)
    merged["kept"].append(0)
    merged["new"]["list"].append(0)
    value = [3]
    patched = apply_patch(target, [{"op": "add", "path": "/x", "value": value}])
    patched["kept"].append(0)
    patched["x"].append(0)
    assert (target, patch, value) == ({"kept": [1]}, {"new": {"list": [2]}}, [3])


def test_merge_keeps_the_order_of_the_keys_and_appends_new_ones() -> None:
    merged = merge({"b": 1, "a": {"y": 1, "x": 2}}, {"c": 3, "a": {"x": 0, "z": 4}, "b": 5})
    assert list(merged) == ["b", "a", "c"]
    assert list(merged["a"]) == ["y", "x", "z"]


def test_true_is_not_one() -> None:
    with pytest.raises(PatchProblem, match="it is the number 1, not true"):
        apply_patch({"a": 1}, [{"op": "test", "path": "/a", "value": True}])


def test_slots_are_text() -> None:
    slot = slots.text_slot(3)
    operations = [{"op": "replace", "path": f"/{slot}/a", "value": f"x{slot}"}]
    assert merge({slot: {"a": 1}}, {slot: {"b": slot}}) == {slot: {"a": 1, "b": slot}}
    assert apply_patch({slot: {"a": slot}}, operations) == {slot: {"a": f"x{slot}"}}


def test_a_later_operation_works_on_what_an_earlier_one_made() -> None:
    operations: list[dict[str, Any]] = [
        {"op": "add", "path": "/a", "value": {}},
        {"op": "add", "path": "/a/b", "value": 1},
        {"op": "remove", "path": "/a/c"},
    ]
    assert apply_patch({}, operations[:2]) == {"a": {"b": 1}}
    with pytest.raises(PatchProblem) as raised:
        apply_patch({}, operations)
    assert str(raised.value) == 'operation [2] (remove /a/c): /a has no "c"; it has b'


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


NESTING: dict[str, Callable[[int], dict[str, Any]]] = {
    "add": lambda i: {"op": "add", "path": "/a" * (i * 3), "value": nested(4)},
    "replace": lambda i: {"op": "replace", "path": "/a" * (i * 3 + 1), "value": nested(4)},
    "copy": lambda _: {"op": "copy", "from": "/a", "path": "/a/a/a"},
}


@each(*NESTING)
def test_a_patch_that_nests_without_end_is_refused(op: str) -> None:
    operations = [NESTING[op](i) for i in range(3_000)]
    with pytest.raises(PatchProblem, match=rf"nested deeper than {DEEPEST} levels"):
        apply_patch(nested(3), operations)


def test_the_last_allowed_level_may_be_set() -> None:
    last = [{"op": "add", "path": "/a/b", "value": nested(DEEPEST - 2)}]
    assert apply_patch({"a": {}}, last)["a"]["b"] == nested(DEEPEST - 2)
    with pytest.raises(PatchProblem):
        apply_patch({"a": {}}, [{**last[0], "value": nested(DEEPEST - 1)}])


OBJECT: dict[str, Any] = {"spec": {"geo": "EU", "rules": [1, {"a": 2}], "none": None, "deep": {}}}


@cases(*rows_of(__file__, "a_patch_that_does_not_fit_says_what_is_there"))
def test_a_patch_that_does_not_fit_says_what_is_there(
    operation: dict[str, Any], reason: str
) -> None:
    with pytest.raises(PatchProblem) as raised:
        apply_patch(OBJECT, [operation])
    assert str(raised.value) == f"operation [0] {reason}"


@cases(*rows_of(__file__, "a_difference_is_the_merge_patch_that_makes_it"))
def test_a_difference_is_the_merge_patch_that_makes_it(
    old: dict[str, Any], new: dict[str, Any], patch: dict[str, Any]
) -> None:
    assert difference(old, new) == patch
    assert merge(old, patch) == new
