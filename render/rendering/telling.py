"""What is told of a whole fleet: each finding once, with the spokes that it concerns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from render.findings.codes.placement import EMPTY_SPOKE
from render.findings.once import Occurrence, once
from render.findings.results import Result
from render.model import Spoke, slots
from render.rendering import overrides
from render.rendering.values.bundles import Bundle
from render.rendering.values.placement import Override


def of_fleet(
    bundles: Sequence[Bundle], declared: Sequence[Override], used: set[int]
) -> tuple[Result, ...]:
    """The findings about every spoke, each once, and those that only the whole fleet shows."""
    of_blueprints = in_blueprints((bundle, bundle.blueprint.results) for bundle in bundles)
    of_spokes = (
        Occurrence(result, (bundle.spoke.name,), values=bundle.values)
        for bundle in bundles
        for result in bundle.results
    )
    results = once((*of_blueprints, *of_spokes))
    return (
        *results,
        *(
            overrides.unused(override)
            for override in declared
            if override.number not in used and not override.optional
        ),
        *_empty_spokes(bundles),
    )


def in_blueprints(results_of: Iterable[tuple[Bundle, Iterable[Result]]]) -> Iterator[Occurrence]:
    """What was found of the bundles' blueprints; texts may hold slots."""
    for bundle, results in results_of:
        if bundle.blueprint.has_errors and not bundle.values:
            yield from with_values((bundle, result) for result in results)
        else:
            where = (bundle.spoke.name,)
            yield from (Occurrence(result, where, values=bundle.values) for result in results)


def with_values(results_of: Iterable[tuple[Bundle, Result]]) -> Iterator[Occurrence]:
    """What was found of spokes with their own values in it, which don't make it another."""
    for bundle, result in results_of:
        key = _without_values(result, bundle.spoke)
        yield Occurrence(result, (bundle.spoke.name,), key, bundle.values)


def _without_values(result: Result, spoke: Spoke) -> Result:
    """The finding with a blank for every value of the spoke, to tell what it shares with others."""
    values = {*slots.strings_in(dict(spoke.values)), spoke.name} - {""}
    longest_first = sorted(values, key=len, reverse=True)
    own = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9])")
    return replace(result, message=own.sub("\0", result.message), cure=own.sub("\0", result.cure))


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
