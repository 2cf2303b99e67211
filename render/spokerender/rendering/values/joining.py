"""Joins spokes that differ only in limits: overrides may give each spoke its own limits.

Rendering has no slots for numbers that overrides write, as a slot does not record which override
wrote its number. The exposure of a fleet never needs that.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec.structs import replace

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import apply_edits, find_values, read_value
from spokerender.model import grouped
from spokerender.model.refs import FieldPath
from spokerender.model.slots import NumberSlot, Values, holds_slots, number_slot
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant, sharing
from spokerender.rendering.values.rendered import Rendered

_FIRST = 1 << 19
"""The number of the first slot for a limit: slots of rendering have smaller numbers."""


def join_limits(rendered: Rendered) -> Rendered:
    """Return the fleet; spokes whose blueprints differ only in rate limits share one with slots.

    The joined objects have no overrides any more, and the shared blueprints no findings.
    """
    shared = sharing(rendered.bundles.values())
    variants = dict.fromkeys(it for blueprint, _ in shared for it in blueprint.variants)
    joined = dict(_join_variants(rendered.hub.catalogue, variants))
    blueprints: dict[object, Blueprint] = {}
    bundles = dict(rendered.bundles)
    for blueprint, alike in shared if joined else ():
        pairs = [joined.get(it, (it, {})) for it in blueprint.variants]
        own = {slot: limit for _, limits_of in pairs for slot, limit in limits_of.items()}
        has_own = holds_slots(list(own.values()))
        slotted = tuple(variant for variant, _ in pairs)
        common = replace(blueprint, variants=slotted, results=())
        common = blueprints.setdefault((blueprint.placed, slotted), common)
        for bundle in alike:
            # On some spokes, rendering has a slot for the number.
            limits = dict(zip(own, bundle.filled([*own.values()]), strict=True)) if has_own else own
            values = {**bundle.values, **limits}
            bundles[bundle.spoke.name] = Bundle(bundle.spoke, common, values, bundle.results)
    return replace(rendered, bundles=bundles)


def _join_variants(
    catalogue: Catalogue, variants: Iterable[Variant]
) -> Iterator[tuple[Variant, tuple[Variant, Values]]]:
    """Yield variants that differ only in rate limits, each with (common variant, own limits)."""
    by_manifest = grouped((variant.manifest, variant) for variant in variants)
    rivals = [alike for alike in by_manifest.values() if any(it.overrides for it in alike)]
    first = _FIRST
    for alike in rivals:
        # Controllers use limits as they are: none is compared with another number.
        places = _list_limits(catalogue, alike[0])
        by_shape = grouped(
            (repr(apply_edits(it.object, dict.fromkeys(places, ""))), it)
            for it in alike
            if _list_limits(catalogue, it) == places and it.node == alike[0].node
        )
        for same in by_shape.values() if places else ():
            slots = {place: number_slot(first + n) for n, place in enumerate(places)}
            first += len(places)
            data = apply_edits(same[0].object, slots)
            common = Variant(same[0].manifest, replace(same[0].shipped, object=data), same[0].node)
            for variant in same[1:] and same:
                limits = {str(it): read_value(variant.object, at) for at, it in slots.items()}
                yield variant, (common, limits)


def _list_limits(catalogue: Catalogue, variant: Variant) -> list[FieldPath]:
    """Return the paths of numbers in rate limits, except 0: only 0 is false, unlike a slot."""
    traits = catalogue.kind(variant.ref.group, variant.ref.kind).traits
    patterns = [
        f"{spec}.{scale.field}{items}.{scale.rate[0]}"
        for scale in traits.scales
        if scale.rate
        # The spec proper is `spec`, or one of its fields, such as `defaults`.
        for spec in ("spec", "spec.*")
        for items in ("", "[]")
    ]
    numbers = chain.from_iterable(find_values(variant.object, each) for each in patterns)
    return [place for place, value in numbers if type(value) in (int, NumberSlot) and value]
