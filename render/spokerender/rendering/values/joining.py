"""Blueprints joined where overrides differ in whole numbers alone: a limit of each spoke, say.

Slots stand for these numbers, as they do for the values of spokes (docs/slots.md). It is of use to
those who judge a fleet without asking which override wrote a number.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from spokerender.model import grouped
from spokerender.model.memo import memoised
from spokerender.model.shapes import Json, scalars_in
from spokerender.model.slots import Values, number_slot
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant, sharing
from spokerender.rendering.values.own_texts import map_texts
from spokerender.rendering.values.rendered import Rendered

_FIRST = 1 << 19
"""The number of the first slot for an overridden number: slots of rendering have smaller ones."""


def join_overridden(rendered: Rendered) -> Rendered:
    """Return a fleet whose spokes share blueprints that differ in overridden numbers alone.

    A number that a spoke has elsewhere stays, as a slot is equal to no number. Joined objects have
    no overrides any more, and their blueprints no findings.
    """
    shared = sharing(rendered.bundles.values())
    every = (it for blueprint, _ in shared for it in blueprint.variants if it.overrides)
    joined = dict(_join_variants(dict.fromkeys(every)))
    blueprints: dict[object, Blueprint] = {}
    bundles = dict(rendered.bundles)
    for blueprint, alike in shared:
        pairs = [joined.get(it, (it, {})) for it in blueprint.variants]
        variants = tuple(it for it, _ in pairs)
        values = {slot: value for _, own in pairs for slot, value in own.items()}
        texts = {*map(str, values.values())}
        spelled = frozenset[str]().union(*map(_spell, variants))
        # Equal numbers would share a slot, and a number that is spelled out is compared with it.
        if not values or len(texts) < len(values) or not spelled.isdisjoint(texts):
            continue
        key = blueprint.placed, variants
        common = blueprints.setdefault(key, replace(blueprint, variants=variants, results=()))
        for bundle in alike:
            if texts.isdisjoint(map(str, bundle.values.values())):
                name, filled = bundle.spoke.name, {**bundle.values, **values}
                bundles[name] = Bundle(bundle.spoke, common, filled, bundle.results)
    return replace(rendered, bundles=bundles)


def _join_variants(variants: Iterable[Variant]) -> Iterator[tuple[Variant, tuple[Variant, Values]]]:
    """Yield variants with slots, each with its values, by the variants that they stand for."""
    first = _FIRST
    by_shape = grouped(
        ((variant.manifest, repr(_with_slots(variant.object, numbers))), (variant, numbers))
        for variant in variants
        for numbers in (_list_numbers(variant.object),)
    )
    for alike in by_shape.values():
        example, own = alike[0]
        columns = [{numbers[place] for _, numbers in alike} for place in range(len(own))]
        places = [place for place, column in enumerate(columns) if len(column) > 1]
        data = _with_slots(example.object, [own[place] for place in places], first)
        slotted = Variant(example.manifest, replace(example.shipped, object=data), example.node)
        for variant, numbers in alike if places else ():
            if variant.node == example.node:
                slots = (str(number_slot(first + n)) for n in range(len(places)))
                own_numbers = (numbers[place] for place in places)
                yield variant, (slotted, dict(zip(slots, own_numbers, strict=True)))
        first += len(places)


def _list_numbers(data: Json) -> list[int]:
    # Zero gets no slot, as in rendering: a slot would be true in its place.
    return list(dict.fromkeys(it for it in scalars_in(data) if type(it) is int and it))


def _with_slots(data: dict[str, Any], numbers: Sequence[int], first: int = _FIRST) -> Any:  # noqa: ANN401  (an object)
    """Return an object with slots for numbers, the first of which has this number."""
    return map_texts(data, str, {it: number_slot(first + n) for n, it in enumerate(numbers)})


@memoised
def _spell(variant: Variant) -> frozenset[str]:
    return frozenset(map(str, scalars_in(variant.object)))
