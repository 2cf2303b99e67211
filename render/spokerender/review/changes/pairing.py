"""Pairs of what goes and what comes by what is alike in them: files do not say what was renamed."""

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from spokerender.model import grouped

_Named = TypeVar("_Named", bound=Hashable)


class Pairing(Generic[_Named]):
    """A pairing: the pairs so far, and what has no partner yet; nothing has two partners."""

    def __init__(self, gone: Iterable[_Named], added: Iterable[_Named]) -> None:
        self.pairs: dict[_Named, _Named] = {}
        self._gone = dict.fromkeys(gone)
        self._added = dict.fromkeys(added)

    def pair(self, old: _Named, new: _Named) -> None:
        """Pair the two, unless one of them has a partner or is neither gone nor added."""
        if old in self._gone and new in self._added:
            self.pairs[old] = new
            del self._gone[old], self._added[new]

    def pair_unique(self, likeness: Callable[[_Named], Hashable]) -> None:
        """Pair what goes and what comes where there is one of each that is alike."""
        gone, added = (
            grouped((likeness(item), item) for item in side) for side in (self._gone, self._added)
        )
        for key, old in gone.items():
            new = added.get(key, ())
            if len(old) == len(new) == 1:
                self.pair(old[0], new[0])
