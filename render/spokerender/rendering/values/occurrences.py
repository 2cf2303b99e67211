"""Findings about bundles, each with its spoke, so that they can be told once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from spokerender.findings.occurrences import Occurrence
from spokerender.findings.results import Result
from spokerender.model import Spoke, slots
from spokerender.rendering.values.bundles import Bundle


def in_blueprints(results_of: Iterable[tuple[Bundle, Iterable[Result]]]) -> Iterator[Occurrence]:
    """What was found of the bundles' blueprints; texts may hold slots."""
    for bundle, results in results_of:
        if bundle.blueprint.has_errors and not bundle.values:
            yield from with_values((bundle, result) for result in results)
        else:
            where = (bundle.spoke.name,)
            yield from (Occurrence(result, where, values=bundle.values) for result in results)


def with_values(results_of: Iterable[tuple[Bundle, Result]]) -> Iterator[Occurrence]:
    """What was found of spokes with their own values in it, which don't make it another.

    A finding that spokes share, the very same one, is looked at once for all of them in which
    none of their values is.
    """
    sharing: dict[int, tuple[Result, list[Bundle]]] = {}
    for bundle, result in results_of:
        sharing.setdefault(id(result), (result, []))[1].append(bundle)
    own = _OwnValues()
    for result, bundles in sharing.values():
        without: list[Bundle] = []
        for bundle in bundles:
            if not own.are_in(result, bundle.spoke):
                without.append(bundle)
                continue
            key = own.blanked(result, bundle.spoke)
            yield Occurrence(result, (bundle.spoke.name,), key, bundle.values)
        if without:
            names = tuple(bundle.spoke.name for bundle in without)
            yield Occurrence(result, names, None, without[0].values)


class _OwnValues:
    """The values that spokes have of their own, each looked for once."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[str, ...]] = {}

    def are_in(self, result: Result, spoke: Spoke) -> bool:
        """Whether one of them is in what is told."""
        message, cure = result.message, result.cure
        return any(value in message or value in cure for value in self._of(spoke))

    def blanked(self, result: Result, spoke: Spoke) -> Result:
        """The finding with a blank for every one, to tell what it shares with others."""
        values = "|".join(map(re.escape, self._of(spoke)))
        own = re.compile(rf"(?<![A-Za-z0-9])({values})(?![A-Za-z0-9])")
        message, cure = own.sub("\0", result.message), own.sub("\0", result.cure)
        return replace(result, message=message, cure=cure)

    def _of(self, spoke: Spoke) -> tuple[str, ...]:
        """All of a spoke's, the longest first."""
        if spoke.name not in self._values:
            values = {*slots.strings_in(dict(spoke.values)), spoke.name} - {""}
            self._values[spoke.name] = tuple(sorted(values, key=len, reverse=True))
        return self._values[spoke.name]
