"""Spokes that are alike: an answer that they share up to their own values is reported once.

A report about a thousand spokes contains an answer once if it is equal on all of them. In the place
of a spoke's own value it has a placeholder with the value's name: `public-{{ spoke.name }}`, as the
placement is written.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model import Spoke, grouped
from spokerender.model.memo import memoised
from spokerender.model.shapes import match_words
from spokerender.model.slots import (
    NumberSlot,
    Values,
    fill,
    has_slot,
    holds_slots,
    slot_of,
    slots_in,
    text_slot,
)
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.own_texts import map_texts

Value = TypeVar("Value")
AlikeEntry = tuple[Value, Collection[Bundle]]
"""A value that may hold slots, and the spokes that have it."""
_FIRST = 1 << 20
"""The number of the first slot for an own value: slots of rendering have smaller ones."""
_SHORTEST = 2
"""A shorter value is in a text by chance."""
_ATTEMPTS = 4
"""How many common texts are tried on spokes that have no text in common, for one thing."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class AlikeSpokes(Struct, frozen=True, eq=False):
    """Spokes that share an answer; with a `fleet`, their own values are placeholders."""

    bundles: tuple[Bundle, ...]
    fleet: "AlikeFleet | None" = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the spokes."""
        return tuple(bundle.spoke.name for bundle in self.bundles)

    def select(self, bundles: Iterable[Bundle]) -> "AlikeSpokes":
        """Return some of these spokes."""
        return AlikeSpokes(tuple(bundles), self.fleet)

    def fill(self, data: Value) -> Iterator[tuple[Value, "AlikeSpokes"]]:
        """Yield the data as the spokes have it: each version with its spokes, or one of all."""
        slots = slots_in(data) if self.bundles else ()
        if not slots:
            yield data, self
        elif self.fleet is not None:
            yield fill(data, {slot: self.fleet.name_slot(slot) for slot in slots}), self
        else:
            columns = [[bundle.values[slot] for bundle in self.bundles] for slot in slots]
            alike = grouped(zip(zip(*columns, strict=True), self.bundles, strict=True))
            for values, bundles in alike.items():
                filled = fill(data, dict(zip(slots, values, strict=True)))
                yield filled, self.select(bundles)


class Alike(Struct, Generic[Value], frozen=True, eq=False):
    """An answer that spokes share up to their own values; `value` may hold slots for these.

    `finish` adds what belongs to the spokes, such as their names and the findings about them.
    """

    value: Value
    spokes: AlikeSpokes
    finish: Callable[[Value, AlikeSpokes], Value]

    @property
    def common(self) -> Value:
        """Return the answer for all the spokes, with placeholders for values of their own."""
        return self.finish(*next(self.spokes.fill(self.value)))

    @property
    def each(self) -> Iterator[Value]:
        """Yield the answer with the values of each spoke, once for spokes with equal values."""
        for value, spokes in AlikeSpokes(self.spokes.bundles).fill(self.value):
            yield self.finish(value, spokes)


def tell_apart(
    shared: Iterable[Alike[Value]], place: Callable[[Value], tuple[Any, ...]]
) -> Iterator[Value]:
    """Yield the answers of each spoke; memory holds the answers about one subject at a time.

    The answers are sorted by `place`, which has the spokes last.
    """
    for _, alike in groupby(shared, key=lambda item: place(item.common)[:-1]):
        yield from sorted((value for item in alike for value in item.each), key=place)


class AlikeFleet:
    """The spokes that a report is about, and which of them share something.

    Slots of rendering stand for one text of an expression, `public-spoke-1`. Here a slot stands for
    one value of a spoke by its name, `spoke.name`: the same one wherever it comes from.
    """

    def __init__(
        self, bundles: Iterable[Bundle], before: Mapping[str, Bundle] | None = None
    ) -> None:
        """Start with the spokes in their order; `before` are those before a change, by name.

        A value that a spoke had only before the change is an own value, too.
        """
        self._numbers: dict[str, int] = {}
        spokes = {bundle.spoke.name: bundle for bundle in bundles}
        earlier = before or {}
        self._own = {
            name: self._find_own(bundle.spoke, earlier[name].spoke if name in earlier else None)
            for name, bundle in spokes.items()
        }
        self._bundles = {
            name: replace(bundle, values={**bundle.values, **self._own[name]})
            for name, bundle in spokes.items()
        }
        self._names = {text_slot(_FIRST + number): name for name, number in self._numbers.items()}
        self._order = {name: number for number, name in enumerate(self._bundles)}

    def share(
        self,
        entries: Iterable[AlikeEntry[Value]],
        about: Callable[[Value], Hashable],
        finish: Callable[[Value, AlikeSpokes], Value],
    ) -> Iterator[Alike[Value]]:
        """Yield each value with its spokes, which have it exactly or up to their own values.

        Values may hold slots. Only values with the same `about` are compared; `finish` adds what
        belongs to the spokes.
        """
        groups = grouped((about(entry[0]), entry) for entry in entries)
        for group in groups.values():
            for value, bundles in self.join(group):
                ordered = sorted(bundles, key=lambda bundle: self._order[bundle.spoke.name])
                yield Alike(value, AlikeSpokes(tuple(ordered), self), finish)

    def join(self, entries: Iterable[AlikeEntry[Value]]) -> Iterator[AlikeEntry[Value]]:
        """Join entries that are equal once a spoke's own values are in the place of another's.

        Rendering has no slot for a value that something may be compared with, or that is spelled
        out elsewhere by chance: such a spoke is like the others all the same.
        """
        own = [(it, [self._bundles[each.spoke.name] for each in some]) for it, some in entries]
        left: list[AlikeEntry[Value]] = [(self._with_names(*entry), entry[1]) for entry in own]
        # What most spokes have is most likely what the others have, too.
        left.sort(key=lambda entry: -len(entry[1]))
        slotted: list[AlikeEntry[Value]] = []
        while left:
            value, bundles = left.pop(0)
            if left and holds_slots(value):
                alike, left = part_alike(value, left)
                bundles = [*bundles, *alike]
            slotted.append((value, bundles))
        yield from self._generalise(slotted) if len(slotted) > 1 else slotted

    def _generalise(self, entries: Sequence[AlikeEntry[Value]]) -> list[AlikeEntry[Value]]:
        """Join entries that are equal with slots for own values, by the form that most share.

        The entries of most spokes come first.
        """
        first, *left = entries
        of_first = self._list_generalised(*first)
        for template in of_first.values():  # nearly always it is that of all
            if all(_is_of(template, *entry) for entry in left):
                return [(template, [bundle for _, bundles in entries for bundle in bundles])]
        templates = [of_first, *(self._list_generalised(*entry) for entry in left)]
        spread: Counter[str] = Counter()
        for (_, bundles), own in zip(entries, templates, strict=True):
            spread.update(dict.fromkeys(own, len(bundles)))
        keys = (max(own, key=spread.__getitem__) for own in templates)
        joined = grouped((key, number) for number, key in enumerate(keys))
        alone = [entries[numbers[0]] for numbers in joined.values() if len(numbers) == 1]
        common: list[AlikeEntry[Value]] = []
        for key, numbers in joined.items():
            if len(numbers) > 1:
                template, alike = templates[numbers[0]][key], list[Bundle]()
                if len(common) < _ATTEMPTS:
                    # An own value may be in a text by chance: that spoke is like the others still.
                    alike, alone = part_alike(template, alone)
                alike += (bundle for number in numbers for bundle in entries[number][1])
                common.append((template, alike))
        return sorted([*alone, *common], key=lambda entry: -len(entry[1]))

    def _list_generalised(self, value: Value, bundles: Collection[Bundle]) -> dict[str, Value]:
        """Return a value and its forms with slots that are true of all its spokes, by text.

        A text that all spokes have may contain an own value of one spoke by chance.
        """
        own = {repr(value): value}
        if bundles:
            first, *others = bundles
            value = self._fill_unnamed(value, bundles)
            substitutions = self._list_substitutions(first.spoke.name)
            slotted = (map_texts(value, *substitution) for substitution in substitutions)
            templates = {repr(each): each for each in slotted}
            for text, template in templates.items():
                if text not in own and _is_of(template, value, others):
                    own[text] = template
        return own

    def _fill_unnamed(self, value: Value, bundles: Collection[Bundle]) -> Value:
        """Return a value without slots that no own value is named for, where spokes have one."""
        values: dict[str, str | int | NumberSlot] = {}
        for slot in slots_in(value):
            first, *others = {bundle.values[slot] for bundle in bundles}
            is_unnamed = slot not in self._names and not others
            values[slot] = first if is_unnamed else slot_of(slot, first)
        return fill(value, values) if values else value

    def has_own(self, text: str, spoke: str) -> bool:
        """Return whether one of a spoke's own values is in a text."""
        own = (str(value) for value in self._own[spoke].values())
        return any(len(value) >= _SHORTEST and value in text for value in own)

    @memoised
    def name_slot(self, slot: str) -> str:
        """Return the placeholder for a slot; the value where all spokes have the same."""
        values = {it.values[slot] for it in self._bundles.values() if slot in it.values}
        name = self._names.get(slot, "…")
        return str(*values) if len(values) == 1 else f"{{{{ {name} }}}}"

    def name_own(self, value: Value, bundles: Collection[Bundle]) -> Value:
        """Return a joined value of some spokes, with placeholders for their own values."""

        def name(slot: str) -> str | int:
            value, *others = {bundle.values[slot] for bundle in bundles}
            return self.name_slot(slot) if others else value

        # What is not made of own values on all spokes may be on these.
        templates = {slot: self._find_template(slot, [*bundles]) for slot in slots_in(value)}
        return fill(
            value,
            {
                slot: fill(template, {own: name(own) for own in slots_in(template)})
                for slot, template in templates.items()
            },
        )

    def _with_names(self, value: Value, bundles: Sequence[Bundle] = ()) -> Value:
        """Return a value of some spokes with slots for the names of own values, not rendering's."""
        names = {slot: self._template(slot) for slot in slots_in(value)}
        for slot in names.keys() - self._names.keys() if bundles else ():
            if slots_in(names[slot]) == (slot,):  # other spokes have it for something else
                names[slot] = self._find_template(slot, bundles)
        return fill(value, names)

    @memoised
    def _list_substitutions(
        self, spoke: str
    ) -> tuple[tuple[Callable[[str], str], Mapping[int, object]], ...]:
        """Return functions that put slots into texts, each with slots for numbers."""
        own = self._own[spoke]
        # Reversed, so that of equal values the first one counts: the name of a spoke, say.
        slots = {str(value): slot for slot, value in reversed([*own.items()])}
        texts = [text for text in slots if len(text) >= _SHORTEST]
        numbers = {
            value: slot_of(slot, value) for slot, value in own.items() if isinstance(value, int)
        }

        def slotted(some: Sequence[str]) -> Callable[[str], str]:
            return partial(match_words(some).sub, lambda match: slots[match[0]])

        every = slotted(texts) if texts else None
        all_texts = ((every, numbers), (every, {})) if every is not None else ()
        return (*all_texts, (slotted([spoke]), {}))

    def _find_own(self, spoke: Spoke, before: Spoke | None) -> Values:
        own = dict(_own_values(spoke))
        for name, value in _own_values(before) if before not in (None, spoke) else ():
            if own.get(name) != value:
                own[f"earlier {name}"] = value
        return {
            text_slot(_FIRST + self._numbers.setdefault(name, len(self._numbers))): value
            for name, value in own.items()
        }

    @memoised
    def _template(self, slot: str) -> str | NumberSlot:
        """Return the own values that a slot is made of, if that is true of all spokes that have it.

        A slot for an own value stands for itself, which of a number is so in a text as well.
        """
        owners = [bundle for bundle in self._bundles.values() if slot in bundle.values]
        return slot_of(slot, 0) if slot in self._names else self._find_template(slot, owners)

    def _find_template(self, slot: str, bundles: Sequence[Bundle]) -> str | NumberSlot:
        for example in (bundles[0], bundles[-1]):
            own = self._own[example.spoke.name]
            for template in _list_templates(example.values[slot], own):
                if all(_fill(template, item.values) == item.values[slot] for item in bundles):
                    return template
        return slot_of(slot, bundles[0].values[slot])


def part_alike(
    template: Value, entries: Iterable[AlikeEntry[Value]]
) -> tuple[list[Bundle], list[AlikeEntry[Value]]]:
    """Return the spokes that have a template's value, and the entries without these."""
    alike: list[Bundle] = []
    others: list[AlikeEntry[Value]] = []
    for value, bundles in entries:
        if _differs(template, value):
            others.append((value, bundles))
            continue
        unlike: list[Bundle] = []
        for bundle in bundles:
            is_alike = _fill(template, bundle.values) == bundle.filled(value)
            (alike if is_alike else unlike).append(bundle)
        others += [(value, unlike)] if unlike else []
    return alike, others


def _is_of(template: Value, value: Value, bundles: Iterable[Bundle]) -> bool:
    """Return whether a value of some spokes is a template's on all of them."""
    return not _differs(template, value) and all(
        _fill(template, bundle.values) == bundle.filled(value) for bundle in bundles
    )


def _differs(one: object, other: object) -> bool:
    """Return whether two values differ in a text without slots, whatever the spokes have for these.

    It is far faster than to fill them for each spoke.
    """
    if isinstance(one, str) and isinstance(other, str):
        return one != other and not (has_slot(one) or has_slot(other))
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) != len(other) or any(map(_differs, one, other))
    if isinstance(one, Struct):
        names = one.__struct_fields__
        return any(_differs(getattr(one, name), getattr(other, name)) for name in names)
    return False


def _fill(template: Value, values: Values) -> Value | None:
    """Return a template with a spoke's values; None if the spoke has none for a slot."""
    try:
        return fill(template, values)
    except KeyError:
        return None


def _own_values(spoke: Spoke) -> Iterator[tuple[str, str | int]]:
    """Yield the names and values of what expressions can read of a spoke."""
    pending: list[tuple[str, Any]] = [("spoke", spoke.context)]
    while pending:
        path, value = pending.pop(0)
        if isinstance(value, Mapping):
            for key, item in value.items():
                step = f".{key}" if _PLAIN.fullmatch(key) else f"[{key!r}]"
                pending.append((path + step, item))
        elif isinstance(value, str | int) and not isinstance(value, bool) and value:
            yield path, value


def _list_templates(value: str | int, own: Values) -> Iterator[str | NumberSlot]:
    """Yield templates of a value: one own value, all own values in it, or a single one of them."""
    # The simplest first: the search ends at the first that is true of all spokes.
    yield from (slot_of(slot, each) for slot, each in own.items() if each == value)
    if not isinstance(value, str):
        return
    slots = {str(each): slot for slot, each in reversed([*own.items()])}
    texts = [text for text in slots if len(text) >= _SHORTEST and text in value]
    texts.sort(key=len, reverse=True)  # a cluster's name is rather meant than a region in it
    for some in (texts, *([text] for text in texts)):
        if some:
            pattern = "|".join(map(re.escape, some))
            yield re.sub(pattern, lambda match: slots[match[0]], value)
