"""Findings about bundles, each with its spoke, so that they can be told once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from render.findings.once import Occurrence
from render.findings.results import Result
from render.model import Spoke, slots
from render.rendering.values.bundles import Bundle


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
