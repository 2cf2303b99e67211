"""Refusals on the way of an object to a Gateway, of many spokes: equal ones are one."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec.structs import replace

from spokerender.explain.near_misses import Unattached, Unpermitted
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet

_Refusal = TypeVar("_Refusal", Unattached, Unpermitted)


def collect_refusals(
    fleet: JudgedFleet,
    spokes: Iterable[str],
    find: Callable[[JudgedBlueprint], Iterable[_Refusal]],
) -> tuple[_Refusal, ...]:
    """Return what `find` yields of spokes, with their values; equal ones are one."""
    names: dict[_Refusal, list[str]] = {}
    for spoke in spokes:
        if spoke in fleet.judged:
            for item in find(fleet.judged[spoke]):
                names.setdefault(fleet.bundles[spoke].filled(item), []).append(spoke)
    return tuple(replace(item, spokes=tuple(own)) for item, own in names.items())
