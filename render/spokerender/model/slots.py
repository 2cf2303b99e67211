"""Slots: placeholders for the values that differ between spokes (docs/slots.md).

An object that differs between a thousand spokes only in a few values is rendered once, with a slot
in place of each value, and filled a thousand times. A slot has the type of its value, so code that
compares, joins or cuts values works unchanged: a text slot is a text, alone or inside another text;
a number slot is a whole number of its own class.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from operator import is_
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model.refs import Ref
from spokerender.model.shapes import Json

# A text slot is made of lone surrogates, so no input can forge one: UTF-8 can't encode them, and
# YAML, JSON (`formats.yamlio`) and expressions (`formats.templating`) with such an escape are
# refused. For the same reason a slot that was not filled can't be written into a file.
_OPEN, _CLOSE = "\ud800", "\ud801"
_FIRST_DIGIT, _BASE = 0xD802, 0xDC00 - 0xD802
SLOT_START = _OPEN
"""The first character of every text slot: a quick test whether a text may contain a slot."""
_SLOT = re.compile(f"{_OPEN}[{chr(_FIRST_DIGIT)}-\udbff]+{_CLOSE}")
_BEYOND = 1 << 128
"""A number larger than Kubernetes accepts: the integers of number slots begin here."""

Values = Mapping[str, Any]
"""The values of one spoke, texts or whole numbers, by the text of the value's slot."""


_Value = TypeVar("_Value")


class NumberSlot(int):
    """A slot for a whole number, equal only to itself; in a text it becomes the slot's text."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Return whether `other` is the same slot; a slot never equals an ordinary number."""
        return isinstance(other, NumberSlot) and int(self) == int(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((NumberSlot, int(self)))

    def __str__(self) -> str:
        """Return the slot's text, which filling replaces with the digits of the number."""
        return text_slot(int(self) - _BEYOND)

    def __format__(self, _: str) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"NumberSlot({int(self) - _BEYOND})"


def text_slot(number: int) -> str:
    """Return the text slot with this number, from 0. No slot's text is contained in another's."""
    if number < 0:
        raise ValueError(f"slot {number} is below the first")
    digits = chr(_FIRST_DIGIT + number % _BASE)
    while number := number // _BASE:
        digits = chr(_FIRST_DIGIT + number % _BASE) + digits
    return _OPEN + digits + _CLOSE


def number_slot(number: int) -> NumberSlot:
    """Return the number slot with this number, from 0; it differs from the text slot `number`."""
    return NumberSlot(_BEYOND + number)


NAME = text_slot(1 << 17)
"""The slot for a spoke's name, used as a name; slots that rendering makes have lower numbers."""


def slot_of(text: str, value: object) -> str | NumberSlot:
    """Return the slot with this text: a number slot if `value` is a number, else a text slot."""
    if isinstance(value, str):
        return text
    digits = (ord(digit) - _FIRST_DIGIT for digit in text[1:-1])
    number = 0
    for digit in digits:
        number = number * _BASE + digit
    return number_slot(number)


def has_slot(scalar: object) -> bool:
    """Return whether `scalar` is a text that contains a slot, or is a number slot."""
    return _OPEN in scalar if isinstance(scalar, str) else isinstance(scalar, NumberSlot)


def without_slots(text: str) -> str:
    """Return a text without its slots."""
    return _SLOT.sub("", text) if _OPEN in text else text


def slots_in(data: object) -> tuple[str, ...]:
    """Return the slots in JSON or a frozen value, each once and sorted."""
    return tuple(sorted(set(map(str, _slots_in(data)))))


def holds_slots(data: object) -> bool:
    """Return whether JSON or a frozen value contains a slot."""
    return next(_slots_in(data), None) is not None


def examples(data: Json) -> Values:
    """Return example values for the slots in the data: numbers, or texts that need YAML quotes."""
    return {
        str(slot): number if isinstance(slot, NumberSlot) else f"{number}: #"
        for number, slot in enumerate(dict.fromkeys(_slots_in(data)))
    }


def _slots_in(data: object) -> Iterator[str | NumberSlot]:
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            if _OPEN in value:
                yield from _SLOT.findall(value)
        elif isinstance(value, dict):
            pending += value
            pending += value.values()
        elif isinstance(value, (list, tuple, frozenset)):
            pending += value
        elif isinstance(value, NumberSlot):
            yield value
        elif isinstance(value, Struct):
            pending += [getattr(value, name) for name in value.__struct_fields__]


def fill_text(text: str, values: Values) -> str:
    """Return a text with its slots replaced by values; slots inside the values are not replaced."""
    # `values` may record the slots that are looked up: only slots of the text are looked up.
    return _SLOT.sub(lambda match: str(values[match[0]]), text) if _OPEN in text else text


def fill_ref(ref: Ref, values: Values) -> Ref:
    """Return an identity with the slots in its namespace and name replaced by values."""
    namespace, name = fill_text(ref.namespace, values), fill_text(ref.name, values)
    return replace(ref, namespace=namespace, name=name)


def fill(value: _Value, values: Values) -> _Value:
    """Return JSON or a frozen value with its slots replaced; parts without a slot are shared."""
    filled: _Value = _fill(value, values) if values else value
    return filled


def _fill(data: Any, values: Values) -> Any:  # noqa: ANN401  (JSON and Structs of any shape)
    if isinstance(data, str):
        return fill_text(data, values) if _OPEN in data else data
    if isinstance(data, dict):
        filled = {fill_text(key, values): _fill(value, values) for key, value in data.items()}
        # Unchanged data stays the same object: `memo.remembered` keeps answers by identity.
        is_same = all(map(is_, filled.values(), data.values())) and filled.keys() == data.keys()
        return data if is_same else filled
    if isinstance(data, (list, tuple)):
        items = [_fill(item, values) for item in data]
        if not all(map(is_, items, data)):
            make = getattr(data, "_make", tuple)  # of a named tuple, such as a step of a path
            return make(items) if isinstance(data, tuple) else items
    elif isinstance(data, Struct):
        changed = {
            name: new
            for name in data.__struct_fields__
            if (new := _fill(old := getattr(data, name), values)) is not old
        }
        return replace(data, **changed) if changed else data
    elif isinstance(data, frozenset):
        return frozenset(_fill(item, values) for item in data)
    return values[str(data)] if isinstance(data, NumberSlot) else data


def unfilled(old: Json, new: Json, values: Values) -> Json:
    """Return `old`, with slots of `new` in place of parts that are equal for `values`."""
    if old == fill(new, values):
        return new
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = {str(fill_text(key, values)): key for key in new}
        return {
            keys.get(key, key): unfilled(item, new[keys[key]], values) if key in keys else item
            for key, item in old.items()
        }
    if isinstance(old, list) and isinstance(new, list):
        # Items are paired from the beginning, and equal items at the end from there.
        shorter = min(len(old), len(new))
        new_items = fill(new, values)
        tail = next((n for n in range(shorter) if old[-1 - n] != new_items[-1 - n]), shorter)
        head = [unfilled(*pair, values) for pair in zip(old[: len(old) - tail], new, strict=False)]
        rest = old[len(head) : len(old) - tail]
        return [*head, *rest, *new[len(new) - tail :]]
    return old


# Slots answer correctly whether two values are equal. Which text sorts first, or whether one
# contains another, may be different for the real values. So code that compares in such a way calls
# `consult`, which records the question; the caller that works with slots checks the record with the
# values of each spoke, and does the work again without slots for spokes with a different answer.
# No stage has to know what the others compare.
_Operand = str | tuple[str, ...] | Ref
_Answer = TypeVar("_Answer")


class Record:
    """The distinct comparisons of texts with slots that were made, and their answers."""

    def __init__(self) -> None:
        self._asked: dict[tuple[Callable[..., Any], tuple[_Operand, ...]], Any] = {}
        self._slots: dict[tuple[_Operand, ...], frozenset[str]] = {}

    def note(
        self, question: Callable[..., Any], operands: tuple[_Operand, ...], answer: object
    ) -> None:
        """Record a comparison with its answer if an operand contains slots."""
        slots = frozenset(map(str, _slots_in(operands)))
        if slots:
            self._asked[question, operands] = answer
            self._slots[operands] = slots

    def include(self, other: "Record") -> None:
        """Add the recorded comparisons of `other`, with their answers, to this record."""
        self._asked.update(other._asked)  # noqa: SLF001  (a record as well)
        self._slots.update(other._slots)  # noqa: SLF001

    def is_true_of(self, values: Values) -> bool:
        """Return whether all recorded comparisons have the same answers for a spoke's values."""
        return next(self._wrong_answers(values), None) is None

    def list_corrections(self, values: Values) -> tuple[tuple[int, str], ...]:
        """Return the number of each comparison with another answer for `values`, and that answer.

        The values themselves are cut from the answers, so that answers are equal for spokes that
        fail for the same reason.
        """
        corrections = []
        for number, operands, answer in self._wrong_answers(values):
            text = repr(answer)
            for operand in operands:
                text = text.replace(operand, "") if isinstance(operand, str) else text
            corrections.append((number, text))
        return tuple(corrections)

    def _wrong_answers(self, values: Values) -> Iterator[tuple[int, tuple[_Operand, ...], object]]:
        """Yield comparisons with another answer for `values`: number, filled operands, answer."""
        fill_one = cache(partial(fill, values=values))  # many questions are about the same texts
        names = values.keys()
        for number, ((question, operands), answer) in enumerate(self._asked.items()):
            # A spoke without a value for a slot is of another blueprint, which never asked this.
            if self._slots[operands] <= names:
                filled = tuple(map(fill_one, operands))
                real = question(*filled)
                if real != answer:
                    yield number, filled, real


# Not an argument: between the caller that records and the code that compares are all stages.
_RECORD: ContextVar[Record | None] = ContextVar("record", default=None)


@contextmanager
def recording(record: Record | None = None) -> Iterator[Record]:
    """Record all comparisons made inside the `with` block, in `record` or in a new record."""
    active = Record() if record is None else record
    token = _RECORD.set(active)
    try:
        yield active
    finally:
        _RECORD.reset(token)


def consult(question: Callable[..., _Answer], *operands: _Operand) -> _Answer:
    """Return the answer to a question about texts and record it; `question` has to be pure."""
    return answered(question(*operands), question, *operands)


def ask_again(record: Record) -> None:
    """Record the comparisons of `record` again, as a result that depends on them is used again."""
    active = _RECORD.get()
    if active is not None:
        active.include(record)


# Cached, so that equal questions are one function: a record knows them by identity.
@cache
def _unless_slotted(fault: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "" if has_slot(text) else fault(text)


def ask_fault(fault: Callable[[str], str], text: str) -> str:
    """Return what `fault` finds wrong with a text, and record that; empty if the text has slots."""
    return consult(_unless_slotted(fault), text)


def answered(answer: _Answer, question: Callable[..., _Answer], *operands: _Operand) -> _Answer:
    """Return `answer`, which is known already, and record it as the answer to `question`."""
    record = _RECORD.get()
    if record is not None:
        record.note(question, operands, answer)
    return answer
