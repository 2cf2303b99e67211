"""Sets of spokes on a page: short words for each, and numbers for its filters."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from spokerender.findings.phrasing import count
from spokerender.model.memo import memoised

_FEW = 4


class SpokeSet(Struct, frozen=True):
    """Words for a set, the number of its entry in the list of sets (0 for none), and its members.

    `ranges` are places in the list of all spokes: `0-3 7`.
    """

    words: str
    number: int
    ranges: str
    is_spelled_out: bool = False
    """Set if the words are the names of all members."""


class SpokeSets:
    """All sets of spokes that a page names; a large one is listed once, and linked to."""

    def __init__(self, spokes: Sequence[str]) -> None:
        self.spokes = spokes
        self._places: Mapping[str, int] = {name: i for i, name in enumerate(self.spokes)}
        self.listed: list[tuple[str, ...]] = []
        """The sets that have an entry, in the order of their numbers."""

    def find(self, names: Sequence[str]) -> SpokeSet:
        """Return the words and numbers of a set; `_fleet` is no spoke."""
        return self._make(tuple(sorted(names)))

    @memoised
    def _make(self, names: tuple[str, ...]) -> SpokeSet:
        places = [self._places[name] for name in names if name in self._places]
        ranges = " ".join(_ranges(places))
        if not names:
            return SpokeSet("", 0, "")
        if len(places) == len(self.spokes) > 1:
            return SpokeSet(f"all {len(names):,} spokes", 0, ranges)
        if len(names) <= _FEW:
            return SpokeSet(", ".join(names), 0, ranges, is_spelled_out=True)
        self.listed.append(names)
        return SpokeSet(count(len(names), "spoke"), len(self.listed), ranges)


def _ranges(places: list[int]) -> Iterator[str]:
    start = None
    for here, after in zip(places, [*places[1:], -1], strict=False):
        start = here if start is None else start
        if after != here + 1:
            yield str(start) if start == here else f"{start}-{here}"
            start = None
