"""Questions that slots can't answer, and a record of the answers (docs/slots.md).

Slots answer correctly whether two values are equal. Which text sorts first, or whether one
contains another, may be different for the real values. So code that compares in such a way calls
`ask`, which records the question. The caller that works with slots then checks the record with the
values of each spoke (`Record.is_true_of`), and does the work again without slots for spokes with a
different answer. No stage has to know what the others compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from spokerender.model.slots import Values, fill_text, has_slot, slots_in

Operand = str | tuple[str, ...]
Answer = TypeVar("Answer")


class Record:
    """The questions about slots and the answers that slots gave, without repeats."""

    def __init__(self) -> None:
        """Start empty."""
        self._asked: dict[tuple[Callable[..., Any], tuple[Operand, ...]], Any] = {}
        self._slots: dict[tuple[Operand, ...], tuple[str, ...]] = {}

    def note(
        self, question: Callable[..., Any], operands: tuple[Operand, ...], answer: object
    ) -> None:
        """Keep a question with its answer if an operand contains slots."""
        if any(map(_has_slot, operands)):
            self._asked[question, operands] = answer
            self._slots[operands] = slots_in(list(operands))

    def is_true_of(self, values: Values) -> bool:
        """Tell whether all questions about these slots have the same answers for the values."""
        return all(
            question(*(_filled(operand, values) for operand in operands)) == answer
            for (question, operands), answer in self._asked.items()
            if all(slot in values for slot in self._slots[operands])
        )


_RECORD: ContextVar[Record | None] = ContextVar("record", default=None)


@contextmanager
def recording(record: Record | None = None) -> Iterator[Record]:
    """Record all questions that are asked inside, in a new record or in the one that is given."""
    active = Record() if record is None else record
    token = _RECORD.set(active)
    try:
        yield active
    finally:
        _RECORD.reset(token)


def ask(question: Callable[..., Answer], *operands: Operand) -> Answer:
    """Answer a question about texts and record it; `question` must be a pure function."""
    return answered(question(*operands), question, *operands)


def answered(answer: Answer, question: Callable[..., Answer], *operands: Operand) -> Answer:
    """Record an answer that is known already, and return it."""
    record = _RECORD.get()
    if record is not None:
        record.note(question, operands, answer)
    return answer


def _has_slot(operand: Operand) -> bool:
    return has_slot(operand) if isinstance(operand, str) else any(map(has_slot, operand))


def _filled(operand: Operand, values: Values) -> Operand:
    if isinstance(operand, str):
        return fill_text(operand, values)
    return tuple(fill_text(text, values) for text in operand)
