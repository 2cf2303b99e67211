"""Groups spokes that can be compared at once: they share blueprints before and after a change."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model import grouped, slots
from spokerender.rendering.values.bundles import Bundle

_Answer = TypeVar("_Answer")
BundlePair = tuple[Bundle, Bundle]
"""The bundles of one spoke in two states of its fleet, before and after a change."""
_FIRST = 1 << 19
"""The number of the first slot for an earlier value: slots of rendering have smaller numbers."""


class AlignedSpokes(Struct, frozen=True, eq=False):
    """Spokes that share one comparison of a bundle before a change with a bundle after it.

    Data with the values of `old` can be compared with data with the values of `new`. `spokes` are
    the bundles after the change, with values for all slots that remain in either data.
    """

    old: Bundle
    new: Bundle
    spokes: tuple[Bundle, ...]

    def list_distinct(self) -> list[Bundle]:
        """Return the spokes on which texts that differ still differ after filling their slots."""
        filled, plain = set[str](), set[str]()
        for bundle in (self.old, self.new):
            own, others = bundle.blueprint.texts()
            # Slots remain in some of these texts, as the bundle stands for several spokes.
            filled.update(map(bundle.text, own))
            plain |= others
        slotted = [*filter(slots.has_slot, filled)]
        plain |= filled.difference(slotted)

        def is_distinct(spoke: Bundle) -> bool:
            filled = {spoke.text(text) for text in slotted}
            return len(filled) == len(slotted) and plain.isdisjoint(filled)

        return [spoke for spoke in self.spokes if is_distinct(spoke)]


def align_bundles(
    pairs: Iterable[BundlePair],
    *,
    with_slots: bool,
    read_key: Callable[[BundlePair], object] = lambda pair: (pair[0].blueprint, pair[1].blueprint),
) -> Iterator[AlignedSpokes]:
    """Yield groups of spokes with equal keys (by default: blueprints), to be compared in one go.

    In a group, all slots are filled with the group's common values, except: (1) if an old and a new
    slot have equal values on every spoke, the new slot stands in both states; (2) if `with_slots`,
    slots whose values differ between spokes may remain. Then a result of the comparison holds only
    for spokes in `list_distinct`, and only if `answer_with_slots` returns them.
    """
    every, numbers = [*pairs], dict[str, int]()

    def list_varying(pairs: Sequence[BundlePair]) -> list[set[str]]:
        return [_list_varying(pair[n] for pair in pairs if with_slots) for n in (0, 1)]

    varying = list_varying(every)
    for alike in grouped((read_key(pair), pair) for pair in every).values():
        # Slots with equal values on every spoke stand for the same value, so they may remain slots.
        twins = _find_twins(alike)
        old, new = alike[0]
        # A group of one spoke has slots for values that differ among all spokes, so that answers
        # mention them.
        before, after = list_varying(alike) if len(alike) > 1 else varying
        earlier = {
            key: slots.text_slot(_FIRST + numbers.setdefault(key, len(numbers)))
            for key in old.values
            if key in before and key not in twins
        }
        own = {**twins, **earlier}
        # Slots that are equal to old ones remain slots in both states, as do slots that differ.
        names = {*map(str, twins.values()), *(new.values.keys() & after)}
        groups: dict[object, list[BundlePair]] = {}
        for old, new in alike:
            was = [(key, value) for key, value in old.values.items() if key not in own]
            now = [(key, value) for key, value in new.values.items() if key not in names]
            # By `repr`, which distinguishes 1 from True and from "1".
            groups.setdefault(repr((was, now)), []).append((old, new))
        for group in groups.values():
            old, new = group[0]
            same = {key: slots.slot_of(key, new.values[key]) for key in names}
            yield AlignedSpokes(
                replace(old, values={**old.values, **own}),
                replace(new, values={**new.values, **same}),
                tuple(_add_values(new, old, earlier) for old, new in group),
            )


def _add_values(new: Bundle, old: Bundle, earlier: Mapping[str, str]) -> Bundle:
    """Return `new`, with values for the slots in `earlier`, which stand for values of `old`."""
    before = {slot: old.values[key] for key, slot in earlier.items()}
    return replace(new, values={**new.values, **before}) if before else new


def _list_varying(bundles: Iterable[Bundle]) -> set[str]:
    """Return the slots for texts that are not equal on all of these spokes."""
    texts: dict[str, str] = {}
    items = (item for bundle in bundles for item in bundle.values.items())
    return {
        key
        for key, value in items
        if isinstance(value, str) and texts.setdefault(key, value) != value
    }


class SharedWithSlots:
    """Remembers answers by key, each with the comparisons of slots that the answer depends on."""

    def __init__(self) -> None:
        self._answers: dict[object, tuple[Any, slots.Record]] = {}

    def answer(self, key: object, work_out: Callable[[], _Answer]) -> _Answer:
        """Return the answer of `work_out`, called once per key; always record its comparisons."""
        if key not in self._answers:
            with slots.recording() as record:
                worked_out = work_out()
            # With its comparisons: an answer holds for a spoke only if they have the same results
            # there.
            self._answers[key] = worked_out, record
        answer: _Answer
        answer, record = self._answers[key]
        # An outer recording needs the comparisons, even if the answer was known already.
        slots.ask_again(record)
        return answer


def answer_with_slots(
    work_out: Callable[[], _Answer], spokes: Iterable[Bundle]
) -> tuple[_Answer, list[Bundle]]:
    """Return the answer of `work_out`, and the spokes for which its comparisons of slots hold."""
    with slots.recording() as record:
        answer = work_out()
    return answer, [spoke for spoke in spokes if record.is_true_of(spoke.values)]


def _find_twins(pairs: list[BundlePair]) -> Mapping[str, Any]:
    """Return, by old slot, a new slot that has the old slot's value on every spoke."""
    old, new = pairs[0]
    # All new slots are candidates, and each spoke removes those that differ.
    twins: dict[str, list[str]] = {key: list(new.values) for key in old.values}
    for old, new in pairs:
        for key, names in twins.items():
            value = old.values[key]
            # Not just `==`, by which True equals 1.
            twins[key] = [
                name
                for name in names
                if type(new.values[name]) is type(value) and new.values[name] == value
            ]
    return {
        key: slots.slot_of(names[0], new.values[names[0]]) for key, names in twins.items() if names
    }
