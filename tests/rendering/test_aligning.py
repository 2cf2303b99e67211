"""Spokes that are compared at once, with slots for their values."""

from spokerender.model import slots
from spokerender.rendering.values.aligning import SharedWithSlots


def test_an_answer_that_is_used_again_asks_its_questions_again() -> None:
    slot, calls = slots.text_slot(1), list[str]()

    def work_out() -> bool:
        calls.append("worked out")
        return slots.consult(str.startswith, slot, "a")

    shared = SharedWithSlots()
    for _ in range(2):
        with slots.recording() as record:
            assert not shared.answer("key", work_out)
        assert record.is_true_of({slot: "b"})
        assert not record.is_true_of({slot: "ab"})
    assert calls == ["worked out"]
    shared.answer("another", work_out)
    assert len(calls) == 2
