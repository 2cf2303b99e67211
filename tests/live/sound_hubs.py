"""Hubs in which most of what is named is there, and most routes are served: as people have them."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

from tests.live.hub_routes import HOSTNAMES
from tests.live.hubs import PROTOCOLS

_Item = TypeVar("_Item")
_UNSOUND = (
    *("gone", "empty", "uncertified", "no-client", "no-credential", "unpinned", "untrusted"),
    *("untold", "unmatched", "pattern", "Same", "None", "Selector", 9999),
)
"""What is chosen only where there is nothing else."""
_RARE: Mapping[int, tuple[object, ...]] = {
    id(HOSTNAMES): ("*.example", "c.a.shop.example", "*.a.shop.example"),
    id(PROTOCOLS): ("UDP",),
}
"""What makes of a hub many small worlds, by what it is chosen from."""


class Sound(Random):
    """A source of randomness that chooses what is there."""

    def choice(self, seq: Sequence[_Item]) -> _Item:  # type: ignore[override]
        """Choose from what is sound, if anything is."""
        unsound = (*_UNSOUND, *_RARE.get(id(seq), ()))
        return super().choice([item for item in seq if item not in unsound] or seq)
