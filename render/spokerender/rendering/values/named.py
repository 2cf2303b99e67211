"""Values with placeholders for each spoke's own values, as in files that users own."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from spokerender.formats.yamlio.emit import settle_marks
from spokerender.model import grouped
from spokerender.model.slots import fill, slot_of, slots_in
from spokerender.rendering.values.alike import AlikeEntry, AlikeFleet, Value
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.own_texts import map_texts


class NamedFleet(AlikeFleet):
    """Spokes whose own values are shown as placeholders of the placement: `{{ spoke.name }}`."""

    def show(
        self, entries: Sequence[AlikeEntry[Value]]
    ) -> Iterator[tuple[int, Value, Collection[Bundle]]]:
        """Yield the values of entries as a report shows them: entry index, value, and its spokes.

        Own values of spokes are shown as placeholders, also where rendering has no slot; of several
        such forms, the one that most spokes have is used. Other values are shown as they are.
        """
        parts: list[tuple[int, dict[str, Value], Collection[Bundle]]] = []
        spread: Counter[str] = Counter()
        for number, (value, bundles) in enumerate(entries):
            # A slot may stand for a text that has to be quoted if it is a part of another.
            settled = map_texts(self._with_names(value), settle_marks)
            for named, spelled, some in self._spell_out(settled, bundles):
                own = {repr(named): named}
                first = next(iter(some)).spoke.name
                if entries[1:] or any(self.has_own(str(it), first) for it in spelled):
                    every = [self._bundles[it.spoke.name] for it in some]
                    own = self._list_generalised(named, every)
                spread.update(dict.fromkeys(own, len(some)))
                parts.append((number, own, some))
        for number, own, some in parts:
            shown = own[max(own, key=spread.__getitem__)]
            yield number, fill(shown, {it: self.name_slot(it) for it in slots_in(shown)}), some

    def _spell_out(
        self, named: Value, bundles: Collection[Bundle]
    ) -> Iterator[tuple[Value, tuple[object, ...], Collection[Bundle]]]:
        """Yield a value with unnamed slots filled, the values in the slots, and their spokes."""
        own = {slot: slot_of(slot, 0) for slot in slots_in(named)}
        others = [slot for slot in own if slot not in self._names]
        columns = [[it.values[slot] for it in bundles] for slot in others]
        alike = grouped(zip(zip(*columns, strict=True), bundles, strict=False))
        for values, some in (alike or {(): [*bundles]}).items():
            yield fill(named, {**own, **dict(zip(others, values, strict=True))}), values, some
