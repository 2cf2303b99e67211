"""What `check` tells of an object, for whoever asks about that object: all tell one truth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from spokerender.findings.results import Result, Severity
from spokerender.model import Ref

Told = Mapping[Ref, tuple[Result, ...]]
"""Errors and warnings by the hub object that they are about."""


def by_object(results: Iterable[Result]) -> Told:
    """The errors and warnings of each object, in their order."""
    results_of: dict[Ref, list[Result]] = {}
    for result in results:
        if result.resource is not None and result.severity is not Severity.INFO:
            for ref in dict.fromkeys((result.resource, *result.also)):
                results_of.setdefault(ref, []).append(result)
    return {ref: tuple(of) for ref, of in results_of.items()}


def about(results_of: Told, refs: Iterable[Ref], spokes: Collection[str]) -> tuple[Result, ...]:
    """What is told of these objects on one of the spokes, or wherever they are."""
    ours = (result for ref in dict.fromkeys(refs) for result in results_of.get(ref, ()))
    return tuple(
        result for result in ours if not result.spokes or not set(spokes).isdisjoint(result.spokes)
    )
