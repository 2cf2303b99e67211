"""Spokes that differ in the numbers of rate limits alone, which mostly change alike.

Each spoke may have limits of its own, by overrides. A policy that a change leaves as it is has the
same consequences whatever its numbers are, unless they are compared with those of another policy.
"""

from collections.abc import Collection

from spokerender.formats.comparing import is_same_json
from spokerender.judging.fleet.judged import JudgedBlueprint
from spokerender.model import Ref
from spokerender.model.memo import Remembering, memoised
from spokerender.model.shapes import Json, map_children
from spokerender.rendering.values.aligning import BundlePair
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.review.comparison.states import FleetState


class OwnLimits:
    """The rate limits of spokes that a change leaves as they are."""

    def __init__(self, before: FleetState, after: FleetState) -> None:
        """Compare the limits of two states."""
        self._sides = before, after
        self._kind = after.rendered.hub.catalogue.kind
        self._is_same = Remembering(is_same_json)
        self._keys: dict[object, object] = {}

    def key(self, pair: BundlePair) -> object:
        """Return a key that is equal for spokes that differ in numbers of such limits alone."""
        judged = (side.fleet.judged[pair[0].spoke.name] for side in self._sides)
        return *(tuple(bundle.values) for bundle in pair), self._key_of(*judged)

    @memoised
    def _key_of(self, old: JudgedBlueprint, new: JudgedBlueprint) -> object:
        lasting = {
            ref
            for ref, variant in new.variants.items()
            if ref in old.variants
            and self._has_limits(variant)
            and not any(side.judgement.attachments[ref].contentions for side in (old, new))
            and self._is_same(old.variants[ref].object, variant.object)
        }
        key = tuple(
            (
                side.judgement.topology,
                side.blueprint.placed,
                frozenset(side.judgement.programmed.items()),
                *(_read_shape(v) if v.ref in lasting else v for v in side.variants.values()),
            )
            for side in (old, new)
        )
        return self._keys.setdefault(key, object())

    def _has_limits(self, variant: Variant) -> bool:
        traits = self._kind(variant.ref.group, variant.ref.kind).traits
        return traits.counters is not None and not (traits.guards or variant.slots())

    def are_alike(self, one: Bundle, other: Bundle, compared: Collection[Ref]) -> bool:
        """Tell whether policies that were `compared` are the same on two spokes of one key."""
        judged = self._sides[1].fleet.judged
        sides = (judged[bundle.spoke.name].variants.values() for bundle in (one, other))
        return all(a is b or a.ref not in compared for a, b in zip(*sides, strict=True))


@memoised
def _read_shape(variant: Variant) -> tuple[object, ...]:
    """Return what forms of a policy of the hub have in common that differ in numbers alone."""
    return variant.manifest.ref, variant.node, repr(_without_numbers(variant.object))


def _without_numbers(value: Json) -> Json:
    return 0 if type(value) is int else map_children(value, _without_numbers)
