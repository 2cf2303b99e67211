"""Finds the fields in which the later of two specs restricts requests more or less.

The columns `guarding`, `besides` and `scales` of a kind's row say which values are stricter
(`kinds.columns`). A change of a value that no column covers is `CHANGED`, neither way.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from spokerender.formats.comparing import ABSENT, is_same_json
from spokerender.judging.effective import entries
from spokerender.judging.effective.conditions import compare_conditions
from spokerender.judging.effective.guarding import ANY_RULE, are_fulfilled, drop_idle, measure_spec
from spokerender.judging.effective.rates import (
    compare_averages,
    compare_numbers,
    compare_rates,
    is_same_amount,
)
from spokerender.judging.effective.scales import (
    is_opening,
    leads_to,
    list_scales,
    refuses_every_request,
    select_parts,
)
from spokerender.judging.effective.shifts import Direction, Shift
from spokerender.kinds.columns import FieldCondition, Scale, Traits
from spokerender.kinds.fields import find_values, read_value, split_pattern
from spokerender.model import FieldPath, shown
from spokerender.model.shapes import Json, as_list, as_mapping

_NOTHING: tuple[Any, ...] = (ABSENT, None, [], {})
_OPPOSITE = {Direction.STRICTER: Direction.WEAKENED, Direction.WEAKENED: Direction.STRICTER}


_Found = Iterator[tuple[FieldPath, Direction, Any, Any]]


def compare_specs(
    traits: Traits, before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Shift, ...]:
    """Return the changes of restrictions between two specs of one kind."""
    before, after = drop_idle(traits, before), drop_idle(traits, after)
    if is_same_json(before, after) and not any(p.several == "first" for p in traits.guarding):
        return ()
    return tuple(_SpecComparison(traits, before, after).run())


class _SpecComparison:
    """The comparison of two specs of one kind, before and after a change."""

    def __init__(self, traits: Traits, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        self._before, self._after = before, after
        self._traits = traits
        self._parts = (*traits.guarding, *traits.besides)
        self._scales = list_scales(traits)
        by_about = {part.about: select_parts(traits, part.about) for part in self._parts}
        self._strengths = {
            about: (measure_spec(part, before), measure_spec(part, after))
            for about, part in by_about.items()
        }

    def run(self) -> Iterator[Shift]:
        """Yield the changes; for a subject, like access, that becomes unrestricted: `REMOVED`."""
        if self._traits.records is not None and not (self._before and self._after):
            yield Shift("", Direction.CHANGED if self._after else Direction.REMOVED, ())
            return
        removed = {
            about for about, (old, new) in self._strengths.items() if old.parts and not new.parts
        }
        yield from (Shift(about, Direction.REMOVED, ()) for about in sorted(removed))
        new_parts = [about for about, (_, new) in self._strengths.items() if new.parts]
        if not self._before and new_parts:
            # Of a kind without guarding columns, a new policy may open access as well as close it.
            is_known = not any(part is ANY_RULE for part in self._traits.guarding)
            direction = Direction.STRICTER if is_known else Direction.CHANGED
            yield from (Shift(about, direction, ()) for about in new_parts)
            yield from (s for s in self._list_shifts() if self._is_beside(s, new_parts))
            return
        if removed and not self._after:
            return
        sides = (self._before, self._after)
        # Where every request is refused, no other field of the policy matters.
        was_closed, is_closed = (refuses_every_request(self._traits, side) for side in sides)
        if is_closed or was_closed:
            if was_closed != is_closed:
                way = Direction.STRICTER if is_closed else Direction.WEAKENED
                yield Shift("access", way, ())
            return
        coming = [about for about in new_parts if not self._strengths[about][0].parts]
        yield from (Shift(about, Direction.STRICTER, ()) for about in coming)
        shifts = [
            shift
            for shift in self._list_shifts()
            if shift.about not in removed and not self._is_inside(shift, coming)
        ]
        yield from shifts
        for about, (old, new) in self._strengths.items():
            is_weaker = about not in removed and not new.covers(old)
            weakened = (Direction.WEAKENED, Direction.CHANGED)
            if is_weaker and not any(s.about == about and s.direction in weakened for s in shifts):
                yield Shift(about, Direction.WEAKENED, ())

    def _is_inside(self, shift: Shift, abouts: Sequence[str]) -> bool:
        """Return whether a change is in a field that restricts a new subject (one of `abouts`)."""
        ways = (split_pattern(part.field) for part in self._parts if part.about in abouts)
        return shift.about in abouts and any(leads_to(w, shift.place[: len(w)]) for w in ways)

    def _is_beside(self, shift: Shift, abouts: Sequence[str]) -> bool:
        """Return whether a change is outside of fields by which a new policy restricts `abouts`."""
        patterns = [part.field for part in self._parts if part.about in abouts]
        own = [split_pattern(name.removesuffix("[]")) for name in self._traits.conditions]
        if any(leads_to(pattern, shift.place[: len(pattern)]) for pattern in own):
            return False
        if shift.direction is Direction.WEAKENED:
            ways = (split_pattern(name) for name in patterns)
            return not any(leads_to(way, shift.place[: len(way)]) for way in ways)
        tops = {split_pattern(name)[0] for name in patterns}
        return shift.direction is Direction.CHANGED and not tops & {"*", *shift.place[:1]}

    def _list_shifts(self) -> Iterator[Shift]:
        voided = set[str]()
        for part in self._parts:
            if part.several == "first" and self._is_first_another(part.rules.rpartition(".")[0]):
                yield Shift(part.about, Direction.CHANGED, tuple(split_pattern(part.field)))
        for about, (old, new) in self._strengths.items():
            for name in sorted(old.rules.keys() & new.rules.keys()):
                was, now = old.rules[name], new.rules[name]
                if (was is None) != (now is None):
                    direction = Direction.WEAKENED if now is None else Direction.STRICTER
                    voided.add(name)
                    parts = (part.rules or part.field for part in self._parts)
                    places = (p for name_ in parts for p, _ in find_values(self._after, name_))
                    place = next((p for p in places if shown(p) == name), ())
                    yield Shift(about, direction, place or (name,))
        for place, direction, was, now in self._walk(self._before, self._after, ()):
            if not any(shown(place).startswith(name) for name in voided):
                yield Shift(self._about(place), direction, place, was, now)

    def _is_first_another(self, field: str) -> bool:
        """Return whether rules of the list `field` changed other than at the end of the list."""
        rules = (find_values(side, field) for side in (self._before, self._after))
        before, after = ([*items[0][1]] if items else [] for items in rules)
        return after[: len(before)] != before and before[: len(after)] != after

    def _walk(self, old: Json, new: Json, path: FieldPath) -> _Found:
        if old is not ABSENT and new is not ABSENT and is_same_json(old, new):
            return
        scale = self._find_scale(path)
        if scale is not None and scale.average:
            yield from self._rank_average(scale, as_mapping(old), as_mapping(new), path)
        elif scale is not None:
            yield from self._rank(scale, old, new, path)
        elif isinstance(old, Mapping) and isinstance(new, Mapping):
            for key in dict.fromkeys((*old, *new)):
                yield from self._walk(old.get(key, ABSENT), new.get(key, ABSENT), (*path, key))
        elif isinstance(old, list) and isinstance(new, list):
            yield from self._walk_items(old, new, path)
        elif self._has_ranked_below(old, new, path):
            yield from self._walk({} if old is ABSENT else old, {} if new is ABSENT else new, path)
        elif not (is_same_amount(path, old, new) or self._is_off(path, old, new)):
            yield path, self._judge_presence(old, new, path), old, new

    def _has_ranked_below(self, old: Json, new: Json, path: FieldPath) -> bool:
        """Return whether an added or removed mapping matters only for inner fields with scales."""
        sides = [side for side in (old, new) if side is not ABSENT]
        if not all(isinstance(side, Mapping) for side in sides):
            return False
        own = [part for part in self._parts if leads_to(split_pattern(part.field), path)]
        traits = [replace(self._traits, guarding=(part,)) for part in own]
        specs = (self._before, self._after)
        if any(measure_spec(alone, spec).parts for alone in traits for spec in specs):
            return False
        return any(leads_to(pattern[: len(path)], path) for pattern, _ in self._scales)

    def _is_off(self, path: FieldPath, *sides: Json) -> bool:
        """Return whether each side is False or absent, and False means the same as absent."""
        return path[-1] in self._traits.off and all(side in (ABSENT, False) for side in sides)

    def _walk_items(self, old: list[Any], new: list[Any], path: FieldPath) -> _Found:
        gone, added = entries.list_unpaired(old, new)
        if not gone and not added:  # their order alone is another one
            if any(leads_to(split_pattern(name), path) for name in self._traits.ordered):
                yield path, Direction.CHANGED, old, new
            return
        if len(gone) == len(added):
            for was, (index, now) in zip(gone.values(), added.items(), strict=True):
                yield from self._walk(was, now, (*path, index))
            return
        yield path, Direction.CHANGED, old, new

    def _find_unset(self, scale: Scale, spec: Mapping[str, Any], path: FieldPath) -> Json:
        """Return the value that an absent field stands for."""
        if len(path) == 1 or read_value(spec, path[:-1]) is not None:
            return scale.unset
        # Without its block, the field can't restrict anybody, so it counts as its open value.
        conditions = (each for part in self._parts for item in part.unless for each in item)
        opening = [v for name, values in conditions if split_pattern(name) == path for v in values]
        return opening[0] if opening and scale.unset not in opening else scale.unset

    def _rank(self, scale: Scale, old: Json, new: Json, path: FieldPath) -> _Found:
        if scale.is_name or (scale.entries_of and self._has_one_entry(scale, path)):
            return
        if scale.entries:
            by_parts = _rank_conditions(scale, old, new, path) if scale.conditions else None
            yield from self._rank_entries(scale, old, new, path) if by_parts is None else by_parts
            return
        if scale.order:
            was, now = (
                self._find_unset(scale, spec, path) if side is ABSENT else side
                for side, spec in ((old, self._before), (new, self._after))
            )
            places = [scale.order.index(side) for side in (was, now) if side in scale.order]
            difference = places[1] - places[0] if len(places) > 1 else None
        elif scale.refusing is not None:
            difference = _compare_first_match(as_list(old), as_list(new), scale.refusing)
        elif scale.rate is not None:
            if not is_same_json(_without(old, scale.rate), _without(new, scale.rate)):
                yield path, Direction.CHANGED, old, new
                return
            difference = compare_rates(old, new, scale.rate)
        else:
            difference = compare_numbers(old, new, scale.unset, scale.unlimited)
            if difference is not None and scale.number == "weaker":
                difference = -difference
        if difference is None:
            yield path, Direction.CHANGED, old, new
        elif difference:
            direction = Direction.STRICTER if difference > 0 else Direction.WEAKENED
            yield path, direction, old, new

    def _has_one_entry(self, scale: Scale, path: FieldPath) -> bool:
        place = (*path[:-1], scale.entries_of)
        sides = (as_list(read_value(side, place)) for side in (self._before, self._after))
        return all(len(side) == 1 for side in sides)

    def _rank_average(
        self, scale: Scale, old: Mapping[str, Any], new: Mapping[str, Any], path: FieldPath
    ) -> _Found:
        own = dict(scale.average)
        differing = [key for key in own if old.get(key) != new.get(key)]
        difference = compare_averages({**own, **old}, {**own, **new}, tuple(own))
        if differing and difference != 0:
            direction = Direction.STRICTER if (difference or 0) > 0 else Direction.WEAKENED
            key = differing[0]
            sides = old.get(key, ABSENT), new.get(key, ABSENT)
            yield (*path, key), direction if difference else Direction.CHANGED, *sides
        for key in dict.fromkeys((*old, *new)):
            if key not in own:
                yield from self._walk(old.get(key, ABSENT), new.get(key, ABSENT), (*path, key))

    def _rank_entries(self, scale: Scale, old: Json, new: Json, path: FieldPath) -> _Found:
        more = Direction.STRICTER if scale.entries == "stricter" else Direction.WEAKENED
        sides = (old, new)
        if scale.unset and any(side in _NOTHING for side in sides):
            # An empty list means every request: all are let in, or all are kept out.
            is_weaker = (new in _NOTHING) is (scale.entries == "weaker")
            direction = Direction.WEAKENED if is_weaker else Direction.STRICTER
            yield path, direction if scale.unset == "open" else Direction.CHANGED, old, new
            return
        all_gone, all_added, both = entries.pair_entries(*({} if s is ABSENT else s for s in sides))
        all_old, all_new = (side if isinstance(side, list) else [side] for side in sides)
        gone = entries.drop_covered(all_gone, all_new, wildcards=scale.wildcards)
        added = entries.drop_covered(all_added, all_old, wildcards=scale.wildcards)
        if not any(isinstance(side, list | Mapping) for side in sides):
            if gone or added:
                one_way = more if added else _OPPOSITE[more]
                is_unranked = gone and added and not scale.trusts
                yield path, Direction.CHANGED if is_unranked else one_way, old, new
            return
        for key, (was, now) in both.items():
            yield from self._walk(was, now, (*path, key))
        replaced = min(len(gone), len(added))
        for was, key in zip(gone.values(), added, strict=False):
            if scale.trusts:
                yield (*path, key), more, was, added[key]
            elif entries.is_one_sort(was, added[key]):
                yield from self._walk(was, added[key], (*path, key))
            else:
                yield (*path, key), Direction.CHANGED, was, added[key]
        for key in list(gone)[replaced:]:
            yield (*path, key), _OPPOSITE[more], gone[key], all_added.get(key, ABSENT)
        for key in list(added)[replaced:]:
            yield (*path, key), more, all_gone.get(key, ABSENT), added[key]

    def _judge_presence(self, old: Json, new: Json, path: FieldPath) -> Direction:
        """Return the direction of the change of a field without scale, by the policy's strength."""
        for part in self._parts:
            openings = {split_pattern(name) for item in part.unless for name, _ in item}
            before, after = self._strengths[part.about]
            if any(leads_to(opening, path) for opening in openings):
                if after.parts != before.parts:
                    weaker = after.parts < before.parts
                    return Direction.WEAKENED if weaker else Direction.STRICTER
            elif not part.rules and part.field != "*" and leads_to(split_pattern(part.field), path):
                if old is ABSENT and after.parts > before.parts:
                    return Direction.STRICTER
                if new is ABSENT:
                    is_less = after.parts < before.parts
                    return Direction.WEAKENED if is_less else Direction.CHANGED
        return Direction.CHANGED

    def _find_scale(self, path: FieldPath) -> Scale | None:
        for pattern, scale in self._scales:
            if leads_to(pattern, path) and self._applies(scale):
                return scale
        return None

    def _applies(self, scale: Scale) -> bool:
        for side in (self._before, self._after):
            is_excepted = any(are_fulfilled(side, item) for item in scale.unless)
            if is_excepted or not are_fulfilled(side, scale.given):
                return False
        return True

    def _about(self, path: FieldPath) -> str:
        for pattern, scale in self._scales:
            if leads_to(pattern, path[: len(pattern)]):
                return scale.about
        for part in self._parts:
            pattern = split_pattern(part.field)
            if part is not ANY_RULE and part.field != "*":
                if leads_to(pattern, path[: len(pattern)]) or is_opening(part, path):
                    return part.about
            else:
                return part.about
        return ""


def _rank_conditions(
    scale: Scale, old: Json, new: Json, path: FieldPath
) -> Sequence[tuple[FieldPath, Direction, Any, Any]] | None:
    """Return a change (path, direction, old, new) of conditions, if any; None if it is unclear."""
    is_list = isinstance(old, list) and isinstance(new, list)
    gone, added, _ = (
        entries.pair_entries(old, new) if is_list or path[-1] == "predicate" else ({}, {}, {})
    )
    difference = compare_conditions(old, new, scale.conditions) if gone and added else None
    if not difference:
        return None if difference is None else ()
    is_stricter = (difference > 0) is (scale.conditions == "all")
    is_stricter = is_stricter is (scale.entries == "stricter")
    key, now = next(iter(added.items()))
    place = (*path, key) if is_list else path
    direction = Direction.STRICTER if is_stricter else Direction.WEAKENED
    return ((place, direction, next(iter(gone.values())), now),)


def _without(rates: Json, keys: Sequence[str]) -> list[Any]:
    """Return the fields of each rate but `keys`, which are the number of requests and the time."""
    items = rates if isinstance(rates, list) else [rates]
    fields = (item for item in items if isinstance(item, Mapping))
    others = ({key: item[key] for key in item if key not in keys} for item in fields)
    return [item for item in others if item]


def _compare_first_match(old: list[Any], new: list[Any], refusing: FieldCondition) -> int | None:
    """Return 1 if first-match rules are stricter after a change, -1 if weaker, None if unknown.

    Stricter is an added rule that refuses requests, or a removed rule that admits requests. If the
    order of the other rules changes as well, the result is unknown.
    """
    gone, added = entries.list_unpaired(old, new)
    was, now = [*enumerate(old)], [*enumerate(new)]
    stay = [item for i, item in was if i not in gone], [item for i, item in now if i not in added]
    if not is_same_json(*stay):
        return None
    signs = {1 if are_fulfilled(item, (refusing,)) else -1 for item in added.values()}
    signs |= {-1 if are_fulfilled(item, (refusing,)) else 1 for item in gone.values()}
    return signs.pop() if len(signs) == 1 else None
