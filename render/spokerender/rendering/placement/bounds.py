"""How often rules may place gateways on spokes: half a file of each is a product."""

from __future__ import annotations

from collections.abc import Sequence

from spokerender.findings.codes.placement import TOO_MUCH_PLACED
from spokerender.findings.errors import InputError
from spokerender.model import Ref

MOST_TWICE = 10_000
"""So often a gateway may be placed where another rule has placed it: each time is told."""
MOST_PLACED, MOST_FOR_EACH = 500_000, 50
"""Gateways times spokes, and as many more for each of both: five thousand spokes with a hundred."""


def expect_few(
    spokes: int, gateways: Sequence[Sequence[Ref]], chosen: Sequence[Sequence[str]]
) -> None:
    """Refuse rules that place more than there is to place, or more than anybody has.

    Args:
        spokes: how many there are.
        gateways: those of each rule.
        chosen: the spokes of each rule.

    Raises:
        InputError: they do.

    """
    every = {ref for of_rule in gateways for ref in of_rule}
    placed = sum(len(refs) * len(names) for refs, names in zip(gateways, chosen, strict=True))
    once = len(every) * spokes
    most = min(once + MOST_TWICE, MOST_PLACED + MOST_FOR_EACH * (len(every) + spokes))
    if placed > most:
        message = (
            f"the rules place {len(every):,} gateways on {spokes:,} spokes {placed:,} times, and "
            f"may {most:,} times"
        )
        cure = "place each gateway on a spoke by one rule, or split the placement"
        raise InputError((TOO_MUCH_PLACED.result(message, cure=cure),))
