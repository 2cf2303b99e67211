"""Slots: what stands for a spoke's own values, and what nothing from outside can be."""

import copy
import json
from itertools import combinations
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from spokerender.findings.results import Severity
from spokerender.model import Ref
from spokerender.model.shapes import strings_in
from spokerender.model.slots import (
    Record,
    consult,
    examples,
    fill,
    fill_text,
    has_slot,
    holds_slots,
    number_slot,
    recording,
    slot_of,
    slots_in,
    text_slot,
    without_slots,
)
from spokerender.wings.metapolicies.topology_view import TrackedValues
from tests.support import cases, each, profiles

A, B = text_slot(0), text_slot(1)


@each(0, 1021, 1022, 5000, 1 << 20, (1 << 20) + 1)
def test_the_slot_with_a_text(number: int) -> None:
    assert slot_of(text_slot(number), 7) == number_slot(number)
    assert slot_of(text_slot(number), "a") == text_slot(number)


def comes_first(one: str, other: str) -> bool:
    return one < other


def test_the_same_answer_is_given_whether_or_not_it_is_kept() -> None:
    assert consult(comes_first, "a", "b")
    with recording():
        assert not consult(comes_first, "b", "a")


@cases(("z", True), ("b", False))
def test_an_answer_of_slots_is_asked_again(value: str, same: bool) -> None:
    with recording() as record:
        assert consult(comes_first, "m", A)  # a slot is after every letter
    assert record.is_true_of({A: value}) is same


def test_texts_without_slots_have_one_answer() -> None:
    asked: list[str] = []

    def counted(text: str) -> bool:
        asked.append(text)
        return True

    with recording() as record:
        assert consult(counted, "plain")
        assert consult(counted, f"x{A}")
    assert record.is_true_of({A: "y", B: "z"})
    assert asked == ["plain", f"x{A}", "xy"]


def test_what_is_about_others_slots_is_not_asked() -> None:
    with recording() as record:
        assert consult(comes_first, A, B)
    assert record.is_true_of({A: "z"})
    assert not record.is_true_of({A: "z", B: "a"})


def test_several_texts_at_once() -> None:
    def order(names: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(sorted(range(len(names)), key=names.__getitem__))

    with recording() as record:
        assert consult(order, ("b", A, "a")) == (2, 0, 1)
    assert record.is_true_of({A: "c"})
    assert not record.is_true_of({A: "0"})


def test_a_record_can_go_on_and_one_inside_of_another_is_apart() -> None:
    outer = Record()
    with recording(outer):
        with recording() as inner:
            consult(comes_first, "m", A)
        assert outer.is_true_of({A: "a"})
        consult(comes_first, "n", A)
    assert not inner.is_true_of({A: "a"})
    assert not outer.is_true_of({A: "a"})


A, B = text_slot(0), text_slot(1)
REF = Ref("kuadrant.io", "AuthPolicy", A, f"x-{B}")


def test_a_repr_hides_slots() -> None:
    """So nobody may look for them in one: Python escapes what can't be printed."""
    assert not has_slot(repr(REF))
    assert holds_slots(REF)


@cases(
    (Severity.ERROR, False),
    (("a", (REF,)), True),
    (("a", (replace(REF, namespace="x", name="y"),)), False),
    ({"a": [A]}, True),
    ({"a": ["b"]}, False),
    (number_slot(0), True),
    (frozenset([("a", A)]), True),
    (5, False),
    (None, False),
    ids=["enum", "tuples", "plain", "json", "plain json", "number", "set", "five", "nothing"],
)
def test_slots_of_frozen_values(value: object, held: bool) -> None:
    assert holds_slots(value) is held


class Pair(NamedTuple):
    """A tuple that is not made of one iterable."""

    name: str
    number: int


def test_filling_frozen_values() -> None:
    plain = ("a", Severity.ERROR, None)
    assert fill((REF, plain), {A: "ns", B: "name"}) == (
        Ref("kuadrant.io", "AuthPolicy", "ns", "x-name"),
        plain,
    )
    assert fill(plain, {A: "ns"}) is plain
    pair = Pair("a", 1)
    assert fill([pair], {A: "ns"})[0] is pair
    assert fill(frozenset([(A, number_slot(1))]), {A: "a", B: 5}) == {("a", 5)}
    assert fill(REF, {}) is REF
    assert fill(Severity.ERROR, {A: "ns"}) is Severity.ERROR


A, B = text_slot(0), text_slot(1)
N = number_slot(2)


def test_there_are_as_many_slots_as_are_asked_for() -> None:
    numbers = [*range(1200), 20_000, 65_530, 70_000, 1022**2, 10**12]
    assert len({text_slot(number) for number in numbers}) == len(numbers)
    assert len({number_slot(number) for number in numbers}) == len(numbers)
    with pytest.raises(ValueError, match="slot -1 is below the first"):
        text_slot(-1)


def test_no_slot_is_a_part_of_another_or_of_two() -> None:
    slots = [text_slot(number) for number in (0, 1, 1021, 1022, 1023, 1022 * 1022, 10**9)]
    for one, other in combinations(slots, 2):
        assert one not in other
        assert other not in one
        assert all(each not in f"{one}{other}" for each in slots if each not in (one, other))


@each(text_slot(0), text_slot(70_000), str(number_slot(5)), ids=ascii)
def test_a_slot_has_no_bytes(slot: str) -> None:
    """So no file has one, whatever it is that reads it, and none is ever written."""
    for encoding in ("utf-8", "utf-16", "utf-32"):
        with pytest.raises(UnicodeEncodeError):
            slot.encode(encoding)


def test_a_slot_for_a_number_is_a_number_and_equal_to_no_other() -> None:
    assert isinstance(N, int)
    assert N == number_slot(2) != number_slot(3)
    others: list[object] = [2, 2.0, True, int(N), float(2**128)]
    assert N not in others
    assert not any(other == N for other in others)
    assert hash(N) != hash(int(N))
    assert copy.deepcopy([N]) == [N]
    assert (f"{N}", str(N)) == (text_slot(2), text_slot(2))
    assert f"{N!r} {A!r}".isascii()


@cases(
    ("", False),
    ("plain", False),
    ("é 🎈 \ue000 \U000f0000 \U00100000 \U0010ffff", False),
    ("\udc80", False),  # what Python makes of a byte in a file's name
    (A, True),
    (f"*.{text_slot(20_000)}", True),
    (N, True),
    (int(N), False),
    (None, False),
    (True, False),
    ids=ascii,
)
def test_has_slot(scalar: object, expected: bool) -> None:
    assert has_slot(scalar) is expected


@cases(
    ("plain", "plain"),
    (A, "on"),
    (f"*.{A}", "*.on"),
    (f"{A}{B}{A}", "on\U00100000on"),
    (f"é{A}", "éon"),
    (f"port {N}", "port 5"),
    ("\U00100000", "\U00100000"),
    ids=ascii,
)
def test_a_text_is_filled_wherever_a_slot_is(text: str, expected: str) -> None:
    assert fill_text(text, {A: "on", B: "\U00100000", str(N): 5}) == expected


@each("5", "true", "", 5, 0, -1, ids=repr)
def test_a_slot_becomes_a_value_of_its_type(value: Any) -> None:
    slot = N if isinstance(value, int) else A
    filled = fill([slot], {str(slot): value})
    assert (type(filled[0]), filled[0]) == (type(value), value)


def test_a_value_is_not_filled_again() -> None:
    assert fill_text(f"{A}-", {A: B, B: "no"}) == f"{B}-"


def test_a_slot_without_a_value_is_a_fault_of_ours() -> None:
    for data in (A, [N], {A: 1}):
        with pytest.raises(KeyError):
            fill(data, {B: "x"})


def test_data_is_filled_with_its_keys_and_its_order() -> None:
    data = {"b": [A, {"c": f"x{B}"}], A: "d", "e": None, "f": 1, "g": N}
    filled = fill(data, {A: "1", B: "2", str(N): 3})
    assert filled == {"b": ["1", {"c": "x2"}], "1": "d", "e": None, "f": 1, "g": 3}
    assert list(filled) == ["b", "1", "e", "f", "g"]


def test_what_has_no_slot_is_shared() -> None:
    plain = {"a": [1, "b", None], "c": {}}
    data = {"plain": plain, "slot": [A]}
    assert fill(plain, {A: "x"}) is plain
    assert fill(data, {A: "x"})["plain"] is plain


def test_slots_in_data() -> None:
    data = {"a": ["b", f"{B}{A}", {A: 1}], "n": N}
    assert slots_in(data) == (A, B, str(N))
    assert examples(data).keys() == {A, B, str(N)}
    assert [type(examples(data)[slot]) for slot in (A, str(N))] == [str, int]
    assert without_slots(f"x{A}y{B}") == "xy"


def test_strings_in_data_are_those_of_keys_and_values() -> None:
    data = {"a": ["b", {"c": "d"}], "e": ("f", 5, None, True)}
    assert list(strings_in(data)) == ["a", "b", "c", "d", "e", "f"]


texts = st.lists(st.sampled_from(["a", "é", "*", ".", A, B, text_slot(9)]), max_size=5).map("".join)
data = st.recursive(
    texts | st.integers() | st.none() | st.booleans() | st.just(N),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
foreign = st.text(st.characters(codec="utf-8"), max_size=8) | st.text(
    st.sampled_from("\U00100000\U0010fffd\U0010ffff\ue000\ufffd\udc00a"), max_size=4
)


@pytest.mark.property
@settings(max_examples=profiles.examples(100, house=20), deadline=None)
@given(data)
def test_filling_with_the_slots_themselves_changes_nothing(value: Any) -> None:
    assert fill(value, {A: A, B: B, text_slot(9): text_slot(9), str(N): N}) == value


@pytest.mark.property
@settings(max_examples=profiles.examples(100, house=20), deadline=None)
@given(data)
def test_no_slot_is_left_where_all_have_values(value: Any) -> None:
    assert slots_in(fill(value, {A: "x", B: "x", text_slot(9): "x", str(N): 1})) == ()


@pytest.mark.property
@settings(max_examples=profiles.examples(200, house=40), deadline=None)
@given(foreign, foreign, foreign)
def test_nothing_that_can_be_written_is_taken_for_a_slot(one: str, two: str, key: str) -> None:
    data = {key: [one, f"{one}{two}"]}
    assert slots_in(data) == ()
    assert fill(data, {A: "x"}) is data
    assert fill(f"{one}{A}{two}", {A: two}) == f"{one}{two}{two}"
    assert json.loads(json.dumps([one, A], ensure_ascii=False)) == [one, A]


@each("{}", "www.{}", "{}.example.com", "a-{}-b")
def test_filling_a_text_asks_for_its_slots_alone(text: str) -> None:
    """Answers about metapolicies are shared by the slots that were asked for."""
    slot = text_slot(7)
    values = TrackedValues({slot: "eu"})
    assert fill_text(text.format(slot), values) == text.format("eu")
    assert [*values.used] == [slot]
