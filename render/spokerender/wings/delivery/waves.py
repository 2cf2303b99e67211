"""Waves: spokes that an engine serves one group after the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from spokerender.findings.phrasing import did_you_mean
from spokerender.model import Spoke
from spokerender.model.selectors import SpokeSelection
from spokerender.wings.delivery.problem import DeliveryProblem


def waves_of(selections: Sequence[SpokeSelection], spokes: Sequence[Spoke]) -> dict[str, int]:
    """The wave of each spoke by name, from 1: the first that means it. Without waves, nobody's.

    Raises:
        DeliveryProblem: a wave names a spoke that there is not, or a spoke is in none.

    """
    if not selections:
        return {}
    names = {spoke.name for spoke in spokes}
    for selection in selections:
        refuse_unknown((*(selection.names or ()), *selection.but), names)
    found: dict[str, int] = {}
    for spoke in spokes:
        meant = (n for n, each in enumerate(selections, 1) if each.means(spoke.name, spoke.labels))
        number = next(meant, None)
        if number is None:
            cure = "add a last wave with `spokes: {all: true}`"
            message = f'spoke "{spoke.name}" is in no wave: nothing would apply it'
            raise DeliveryProblem(message, cure)
        found[spoke.name] = number
    return found


def refuse_unknown(named: Sequence[str], names: Collection[str]) -> None:
    """Refuse names that no spoke has; raises `DeliveryProblem`."""
    for name in named:
        if name not in names:
            cure = did_you_mean(name, names) or "name a spoke of the placement"
            message = f'there is no spoke "{name}"'
            raise DeliveryProblem(message, cure)
