"""Values with placeholders for what is each spoke's own, as files have them that people own."""

from collections.abc import Iterable, Iterator, Sequence

from spokerender.model import grouped
from spokerender.model.slots import fill, holds_slots, slot_of, slots_in
from spokerender.rendering.values.alike import AlikeEntry, AlikeFleet, Value, part_alike
from spokerender.rendering.values.bundles import Bundle


class NamedFleet(AlikeFleet):
    """Spokes whose own values have the placeholders of the placement: `{{ spoke.name }}`."""

    form = "{{{{ {} }}}}"

    def show(self, value: Value) -> Value:
        """Return a joined value, all of whose slots are for own values, with placeholders."""
        return fill(value, {slot: self.name_slot(slot) for slot in slots_in(value)})

    def list_named(self, value: Value, bundles: Iterable[Bundle]) -> Iterator[AlikeEntry[Value]]:
        """Yield a value with slots for own values, and with those values that are made of none."""
        named = self._with_names(value)
        slots = slots_in(named)
        others = [slot for slot in slots if slot in self._templates]
        every = [self._bundles[bundle.spoke.name] for bundle in bundles]
        alike = grouped((tuple(it.values[slot] for slot in others), it) for it in every)
        for values, some in alike.items():
            own = {slot: slot_of(slot, 0) for slot in slots}
            yield fill(named, {**own, **dict(zip(others, values, strict=True))}), some

    def match(
        self, entries: Sequence[AlikeEntry[Value]]
    ) -> Iterator[tuple[int, Value, list[Bundle]]]:
        """Yield what `join` makes of entries, with the number of each and its spokes.

        Where all values have slots, there is nothing to join.
        """
        left = [*enumerate(entries)]
        is_plain = all(holds_slots(value) for value, _ in entries)
        for template, _ in () if is_plain else self.join(entries):
            parts = [(number, *part_alike(template, [entry])) for number, entry in left]
            yield from ((number, template, alike) for number, alike, _ in parts if alike)
            left = [(number, entry) for number, _, others in parts for entry in others]
        yield from ((number, value, [*bundles]) for number, (value, bundles) in left)
