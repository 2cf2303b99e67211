"""What is told of a whole fleet: each finding once, with the spokes that it concerns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spokerender.findings.codes.placement import EMPTY_SPOKE
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Result
from spokerender.model import Manifest
from spokerender.rendering import overrides
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.occurrences import in_blueprints
from spokerender.rendering.values.placement import Override


def of_fleet(
    bundles: Sequence[Bundle],
    declared: Sequence[Override],
    used: set[int],
    hub: Sequence[Manifest],
) -> tuple[Result, ...]:
    """The findings about every spoke, each once, and those that only the whole fleet shows."""
    of_blueprints = in_blueprints((bundle, bundle.blueprint.results) for bundle in bundles)
    of_spokes = (
        Occurrence(result, (bundle.spoke.name,), values=bundle.values)
        for bundle in bundles
        for result in bundle.results
    )
    results = merge_occurrences((*of_blueprints, *of_spokes))
    return (
        *results,
        *(
            overrides.unused(override, hub)
            for override in declared
            if override.number not in used and not override.optional
        ),
        *_empty_spokes(bundles),
    )


def _empty_spokes(bundles: Iterable[Bundle]) -> tuple[Result, ...]:
    return tuple(
        EMPTY_SPOKE.result(
            f"spoke {bundle.spoke.name} gets nothing; its folder stays, with an empty list",
            cure="name the spoke in a rule, or take it out of the placement",
            origin=bundle.spoke.origin,
            spokes=(bundle.spoke.name,),
        )
        for bundle in bundles
        if not bundle.blueprint.variants
    )
