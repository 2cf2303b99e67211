"""What slots can't answer is recorded, and asked again with values."""

from __future__ import annotations

import pytest

from spokerender.model.asking import Record, ask, recording
from spokerender.model.slots import text_slot

A, B = text_slot(0), text_slot(1)


def comes_first(one: str, other: str) -> bool:
    return one < other


def test_the_same_answer_is_given_whether_or_not_it_is_kept() -> None:
    assert ask(comes_first, "a", "b")
    with recording():
        assert not ask(comes_first, "b", "a")


@pytest.mark.parametrize(("value", "same"), [("z", True), ("b", False)])
def test_an_answer_of_slots_is_asked_again(value: str, same: bool) -> None:
    with recording() as record:
        assert ask(comes_first, "m", A)  # a slot is after every letter
    assert record.is_true_of({A: value}) is same


def test_texts_without_slots_have_one_answer() -> None:
    asked: list[str] = []

    def counted(text: str) -> bool:
        asked.append(text)
        return True

    with recording() as record:
        assert ask(counted, "plain")
        assert ask(counted, f"x{A}")
    assert record.is_true_of({A: "y", B: "z"})
    assert asked == ["plain", f"x{A}", "xy"]


def test_what_is_about_others_slots_is_not_asked() -> None:
    with recording() as record:
        assert ask(comes_first, A, B)
    assert record.is_true_of({A: "z"})
    assert not record.is_true_of({A: "z", B: "a"})


def test_several_texts_at_once() -> None:
    def order(names: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(sorted(range(len(names)), key=names.__getitem__))

    with recording() as record:
        assert ask(order, ("b", A, "a")) == (2, 0, 1)
    assert record.is_true_of({A: "c"})
    assert not record.is_true_of({A: "0"})


def test_a_record_can_go_on_and_one_inside_of_another_is_apart() -> None:
    outer = Record()
    with recording(outer):
        with recording() as inner:
            ask(comes_first, "m", A)
        assert outer.is_true_of({A: "a"})
        ask(comes_first, "n", A)
    assert not inner.is_true_of({A: "a"})
    assert not outer.is_true_of({A: "a"})
