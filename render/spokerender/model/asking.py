"""Comparisons that slots can't answer (`spokerender.model.slots`), and a record of what was asked.

Whether two things are equal, slots answer as their values would. Which text comes first, whether
one is below another or in it, may come out otherwise. So who compares in such a way asks here; and
who worked with slots asks the record again with a spoke's values. Nobody has to know by heart what
the stages compare.
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
    """What was asked of slots, and what they answered; equal questions are one."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._asked: dict[tuple[Callable[..., Any], tuple[Operand, ...]], Any] = {}
        self._slots: dict[tuple[Operand, ...], tuple[str, ...]] = {}

    def note(
        self, question: Callable[..., Any], operands: tuple[Operand, ...], answer: object
    ) -> None:
        """Keep a question with its answer, if there are slots in what it is about."""
        if any(map(_has_slot, operands)):
            self._asked[question, operands] = answer
            self._slots[operands] = slots_in(list(operands))

    def is_true_of(self, values: Values) -> bool:
        """Whether all that was asked of these slots has the same answers with the values."""
        return all(
            question(*(_filled(operand, values) for operand in operands)) == answer
            for (question, operands), answer in self._asked.items()
            if all(slot in values for slot in self._slots[operands])
        )


_RECORD: ContextVar[Record | None] = ContextVar("record", default=None)


@contextmanager
def recording(record: Record | None = None) -> Iterator[Record]:
    """Keep all that is asked inside, in a record of its own or in one that there is."""
    kept = Record() if record is None else record
    token = _RECORD.set(kept)
    try:
        yield kept
    finally:
        _RECORD.reset(token)


def ask(question: Callable[..., Answer], *operands: Operand) -> Answer:
    """The answer to a question about texts; the same texts always get the same one."""
    return answered(question(*operands), question, *operands)


def answered(answer: Answer, question: Callable[..., Answer], *operands: Operand) -> Answer:
    """An answer that is known already, put on record."""
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
