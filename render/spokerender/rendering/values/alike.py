"""Spokes that share an answer, except for values that differ between spokes, are reported once.

A report about a thousand spokes contains an answer once if it is equal on all of them, except for
the spokes' own values (names, labels, values). For each of these it has a placeholder: `public-{{
spoke.name }}`, as the placement is written.
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
"""A value that may have slots, and the spokes that have it."""
_FIRST = 1 << 20
"""The number of the first slot for an own value: slots of rendering have smaller numbers."""
_SHORTEST = 2
"""The least length of an own value in a text: a shorter one may occur by chance."""
_ATTEMPTS = 4
"""The number of common texts to try on spokes that share no text, per subject."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class AlikeSpokes(Struct, frozen=True, eq=False):
    """Spokes that share an answer; `fill` shows placeholders for their values if `fleet` is set."""

    bundles: tuple[Bundle, ...]
    fleet: "AlikeFleet | None" = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the spokes."""
        return tuple(bundle.spoke.name for bundle in self.bundles)

    def select(self, bundles: Iterable[Bundle]) -> "AlikeSpokes":
        """Return an `AlikeSpokes` like this one with the spokes `bundles` only."""
        return AlikeSpokes(tuple(bundles), self.fleet)

    def fill(self, data: Value) -> Iterator[tuple[Value, "AlikeSpokes"]]:
        """Yield `data` filled, and spokes: once with placeholders, or (no `fleet`) per value."""
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
    """An answer (`value`) that spokes share; slots in it stand for the spokes' own values.

    `finish` adds parts that depend on the spokes, such as their names and findings about them.
    """

    value: Value
    spokes: AlikeSpokes
    finish: Callable[[Value, AlikeSpokes], Value]

    @property
    def common(self) -> Value:
        """Return the answer for all the spokes, with placeholders for their own values."""
        return self.finish(*next(self.spokes.fill(self.value)))

    @property
    def each(self) -> Iterator[Value]:
        """Yield the answer with the values of each spoke, once for spokes with equal values."""
        for value, spokes in AlikeSpokes(self.spokes.bundles).fill(self.value):
            yield self.finish(value, spokes)


def tell_apart(
    shared: Iterable[Alike[Value]], place: Callable[[Value], tuple[Any, ...]]
) -> Iterator[Value]:
    """Yield the answers with the values of each spoke, sorted by the keys that `place` returns.

    The last item of a key is the spokes. To save memory, only answers for which the other items are
    equal are sorted at once.
    """
    for _, alike in groupby(shared, key=lambda item: place(item.common)[:-1]):
        yield from sorted((value for item in alike for value in item.each), key=place)


class AlikeFleet:
    """The spokes of a report, which can find out which of them share an answer.

    A slot of rendering stands for one text of an expression, such as `public-spoke-1`. A slot here
    stands for one own value of a spoke, such as `spoke.name`, wherever it is used.
    """

    def __init__(
        self, bundles: Iterable[Bundle], before: Mapping[str, Bundle] | None = None
    ) -> None:
        """Start with the spokes in order; `before` are the spokes before a change, by name.

        Values that a spoke had only before the change are own values, too.
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
        """Yield each distinct value with its spokes; own values of spokes make no difference.

        Values may have slots. Only values with equal `about(value)` are compared; `finish` adds
        parts that depend on the spokes.
        """
        groups = grouped((about(entry[0]), entry) for entry in entries)
        for group in groups.values():
            for value, bundles in self.join(group):
                ordered = sorted(bundles, key=lambda bundle: self._order[bundle.spoke.name])
                yield Alike(value, AlikeSpokes(tuple(ordered), self), finish)

    def join(self, entries: Iterable[AlikeEntry[Value]]) -> Iterator[AlikeEntry[Value]]:
        """Yield the entries; those that differ only in the spokes' own values are joined.

        Rendering leaves a value as it is, without a slot, if a comparison may use it, or if it
        also occurs elsewhere by chance. Spokes with such values are joined here as well.
        """
        own = [(it, [self._bundles[each.spoke.name] for each in some]) for it, some in entries]
        left: list[AlikeEntry[Value]] = [(self._with_names(*entry), entry[1]) for entry in own]
        # The value of most spokes is most likely that of the others, too.
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
        """Return the entries, joined if a form with slots for own values fits several.

        Of several such forms, the form of most spokes is used. Entries of most spokes come first.
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
                    # An own value may be in a text by chance: that spoke is joined nevertheless.
                    alike, alone = part_alike(template, alone)
                alike += (bundle for number in numbers for bundle in entries[number][1])
                common.append((template, alike))
        return sorted([*alone, *common], key=lambda entry: -len(entry[1]))

    def _list_generalised(self, value: Value, bundles: Collection[Bundle]) -> dict[str, Value]:
        """Return the value, and its forms with slots that are valid on all `bundles`, by text.

        Some forms are invalid: a text that all spokes share may contain an own value of one spoke
        by chance.
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
        """Return the value; rendering's slots that all `bundles` fill with one value are filled."""
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
        """Return the placeholder for a slot; if its value is the same on all spokes, the value."""
        values = {it.values[slot] for it in self._bundles.values() if slot in it.values}
        name = self._names.get(slot, "…")
        return str(*values) if len(values) == 1 else f"{{{{ {name} }}}}"

    def name_own(self, value: Value, bundles: Collection[Bundle]) -> Value:
        """Return a value that some spokes share, with placeholders in place of its slots."""

        def name(slot: str) -> str | int:
            value, *others = {bundle.values[slot] for bundle in bundles}
            return self.name_slot(slot) if others else value

        # A slot that does not consist of own values on all spokes may do so on these.
        templates = {slot: self._find_template(slot, [*bundles]) for slot in slots_in(value)}
        return fill(
            value,
            {
                slot: fill(template, {own: name(own) for own in slots_in(template)})
                for slot, template in templates.items()
            },
        )

    def _with_names(self, value: Value, bundles: Sequence[Bundle] = ()) -> Value:
        """Return `value` with slots for own values of `bundles` in place of slots of rendering."""
        names = {slot: self._template(slot) for slot in slots_in(value)}
        for slot in names.keys() - self._names.keys() if bundles else ():
            if slots_in(names[slot]) == (slot,):  # other spokes have it for something else
                names[slot] = self._find_template(slot, bundles)
        return fill(value, names)

    @memoised
    def _list_substitutions(
        self, spoke: str
    ) -> tuple[tuple[Callable[[str], str], Mapping[int, object]], ...]:
        """Return pairs of a function that replaces own values in a text, and slots for numbers."""
        own = self._own[spoke]
        # Reversed, so that of equal values the first one counts, such as the name of a spoke.
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
        """Return `slot` in terms of own values (`spoke.name`), if that is possible; else `slot`.

        A slot for an own value is returned as a number slot, which can also fill a part of a text.
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
    """Return the spokes whose value is the filled template, and entries without these spokes."""
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
    """Return whether `value` is equal to the filled `template` on all of `bundles`."""
    return not _differs(template, value) and all(
        _fill(template, bundle.values) == bundle.filled(value) for bundle in bundles
    )


def _differs(one: object, other: object) -> bool:
    """Return whether two values differ in a text without slots, a test much faster than filling."""
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
    """Return a template with a spoke's values; None if the spoke has no value for a slot."""
    try:
        return fill(template, values)
    except KeyError:
        return None


def _own_values(spoke: Spoke) -> Iterator[tuple[str, str | int]]:
    """Yield the name and value of everything that expressions can read of a spoke."""
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
    """Yield forms of `value`: one slot for all, slots for all own values in it, or for one."""
    # The simplest first: the search ends at the first that is valid for all spokes.
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
