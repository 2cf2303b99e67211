"""Spokes that differ only in the numbers of rate limits, and are therefore compared once.

Overrides may give each spoke its own limits. A policy that a change does not touch has the same
consequences whatever its numbers are, unless they are compared with those of another policy.
"""

from collections.abc import Collection

from spokerender.formats.comparing import is_same_json
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.model.shapes import Json, map_children
from spokerender.rendering.values.aligning import BundlePair
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant
from spokerender.review.comparison.states import FleetState


class OwnLimits:
    """Rate limits that a change does not touch: spokes are equal even if the numbers differ."""

    def __init__(self, before: FleetState, after: FleetState) -> None:
        """Start with both states."""
        self._sides = before, after
        self._kind = after.rendered.hub.catalogue.kind
        self._keys: dict[object, object] = {}

    def key(self, pair: BundlePair) -> object:
        """Return a key that is equal for spokes whose rate limits differ only in their numbers.

        It depends on blueprints alone: spokes with equal keys are judged once.
        """
        blueprints = (bundle.blueprint for bundle in pair)
        return *(tuple(bundle.values) for bundle in pair), self._key_of(*blueprints)

    @memoised
    def _key_of(self, old: Blueprint, new: Blueprint) -> object:
        before, after = old.by_name()[0], new.by_name()[0]
        shapes = {
            ref: self._read_shape(before[ref], variant)
            for ref, variant in after.items()
            if ref in before
        }
        key = tuple(
            (side.placed, *(shapes.get(variant.ref) or variant for variant in side.variants))
            for side in (old, new)
        )
        return self._keys.setdefault(key, object())

    @memoised
    def _read_shape(self, old: Variant, new: Variant) -> object:
        """Return a key that unchanged rate limits share if they differ only in numbers.

        Return None for another object.
        """
        traits = self._kind(new.ref.group, new.ref.kind).traits
        if traits.counters is None or traits.guards or new.slots():
            return None
        if not is_same_json(old.object, new.object):
            return None
        names = old.manifest.ref, new.manifest.ref
        shape = *names, old.node, new.node, repr(_without_numbers(new.object))
        return self._keys.setdefault(shape, object())

    def are_alike(self, one: Bundle, other: Bundle, compared: Collection[Ref]) -> bool:
        """Return whether two spokes with equal keys have the same `compared` policies.

        Policies that are in conflict must be the same, too, as consequences may name them.
        """
        sides = (bundle.blueprint.variants for bundle in (one, other))
        differing = {a.ref for a, b in zip(*sides, strict=True) if a is not b}
        if not differing.isdisjoint(compared):
            return False
        judged = (side.fleet.judged[one.spoke.name].judgement for side in self._sides)
        return not any(each.attachments[ref].contentions for each in judged for ref in differing)


def _without_numbers(value: Json) -> Json:
    return 0 if type(value) is int else map_children(value, _without_numbers)
