"""Slots: characters that stand for a spoke's own values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render.model.slots import FIRST, LAST, fill, fill_text, has_slot, slot, strings_in

A, B = slot(0), slot(1)


def test_slots_are_the_characters_of_one_plane_and_no_others() -> None:
    assert (slot(0), slot(LAST - FIRST)) == (chr(FIRST), chr(LAST))
    for number in (-1, LAST - FIRST + 1):
        with pytest.raises(ValueError, match=f"slot {number} is outside the plane"):
            slot(number)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("plain", False),
        ("é 🎈 \ue000 \U000f0000", False),
        (A, True),
        (f"*.{slot(20_000)}", True),
        (chr(FIRST - 1), False),
        (chr(LAST + 1), False),
    ],
)
def test_has_slot(text: str, expected: bool) -> None:
    assert has_slot(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        (A, "on"),
        (f"*.{A}", "*.on"),
        (f"{A}{B}{A}", "on5on"),
        (f"é{A}", "éon"),
        # What is no slot of this spoke stays as it is: it is the hub's own character.
        (slot(7), slot(7)),
        (f"{slot(7)}{A}", f"{slot(7)}on"),
    ],
)
def test_a_text_is_filled_wherever_a_slot_is(text: str, expected: str) -> None:
    assert fill_text(text, {A: "on", B: 5}) == expected


@pytest.mark.parametrize("value", ["", "on", 5, 0, 1.5, True, False])
def test_a_slot_alone_becomes_the_value_with_its_type(value: Any) -> None:
    filled = fill_text(A, {A: value})
    assert (type(filled), filled) == (type(value), value)


def test_a_value_is_not_filled_again() -> None:
    assert fill_text(f"{A}-", {A: B, B: "no"}) == f"{B}-"


def test_data_is_filled_with_its_keys_and_its_order() -> None:
    data = {"b": [A, {"c": f"x{B}"}], A: "d", "e": None, "f": 1}
    filled = fill(data, {A: "1", B: 2})
    assert filled == {"b": ["1", {"c": "x2"}], "1": "d", "e": None, "f": 1}
    assert list(filled) == ["b", "1", "e", "f"]
    assert fill({A: "key"}, {A: 5}) == {"5": "key"}


def test_what_has_no_slot_is_shared() -> None:
    plain = {"a": [1, "b", None], "c": {}}
    data = {"plain": plain, "slot": [A]}
    assert fill(plain, {A: "x"}) is plain
    assert fill(data, {A: "x"})["plain"] is plain


def test_strings_in_data_are_those_of_keys_and_values() -> None:
    data = {"a": ["b", {"c": "d"}], "e": ("f", 5, None, True)}
    assert list(strings_in(data)) == ["a", "b", "c", "d", "e", "f"]


texts = st.text(st.sampled_from(["a", "é", "*", ".", A, B, slot(9)]), max_size=5)
data = st.recursive(
    texts | st.integers() | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.property
@settings(max_examples=100, deadline=None)
@given(data)
def test_filling_with_the_slots_themselves_changes_nothing(value: Any) -> None:
    assert fill(value, {A: A, B: B}) == value


@pytest.mark.property
@settings(max_examples=100, deadline=None)
@given(data)
def test_no_slot_is_left_where_all_have_values(value: Any) -> None:
    filled = fill(value, {A: "x", B: "x", slot(9): "x"})
    assert not any(map(has_slot, strings_in(filled)))
