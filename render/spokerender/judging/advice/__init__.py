"""Advice: what is valid, attaches and merges, and still does what its author did not mean.

One file a piece of advice. To add one, write one module beside these, with a function that takes
a spoke's view (or the fleet) and yields results, and add its row to the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from spokerender.findings.once import Occurrence, once
from spokerender.findings.results import Result
from spokerender.judging.advice import (
    bare,
    certificates,
    counters,
    dns,
    gating,
    nameless,
    namespaces,
    not_known,
    overruled,
    positional,
    refused,
    routeless,
    shadowed,
    undetermined,
    uneven,
    unguarded,
    unheard,
    unseen,
    unserved,
    within,
)
from spokerender.judging.advice.context import Shipped, SpokeView
from spokerender.judging.advice.fleet import FleetView
from spokerender.model.slots import Values

Advice = Callable[[SpokeView], Iterable[Result]]
FleetAdvice = Callable[[FleetView], Iterable[Result]]

_NO_VALUES: Mapping[str, Values] = MappingProxyType({})

ADVICE: tuple[Advice, ...] = (
    undetermined.check,
    gating.check,
    unheard.check,
    bare.check,
    routeless.check,
    namespaces.check,
    nameless.check,
    positional.check,
    within.check,
    unseen.check,
    refused.check,
    shadowed.check,
    unserved.check,
    certificates.check,
    overruled.check,
)

FLEET_ADVICE: tuple[FleetAdvice, ...] = (
    not_known.check,
    unguarded.check,
    uneven.check,
    dns.check,
    counters.check,
)


def advise(view: SpokeView) -> tuple[Result, ...]:
    """What there is to say of one spoke, or of all that share the view; results name no spoke."""
    return tuple(dict.fromkeys(result for check in ADVICE for result in check(view)))


def advise_fleet(
    views: Mapping[str, SpokeView], values: Mapping[str, Values] = _NO_VALUES
) -> tuple[Result, ...]:
    """What shows only beside other spokes; each result names those that it concerns.

    Spokes that share a view are looked at once. `values` are what stands on each spoke for the
    slots in its view; with none of them, views have their texts filled in.
    """
    fleet = FleetView(views, values)
    return once(
        Occurrence(result, result.spokes) for check in FLEET_ADVICE for result in check(fleet)
    )


__all__ = [
    "ADVICE",
    "FLEET_ADVICE",
    "Advice",
    "FleetAdvice",
    "FleetView",
    "Shipped",
    "SpokeView",
    "advise",
    "advise_fleet",
]
