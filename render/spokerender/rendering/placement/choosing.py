"""Which spokes a selection means: each distinct one is looked up once, by an index of labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spokerender.model import Spoke
from spokerender.model.selectors import SpokeSelection


class Choosing:
    """The spokes there are; `names` are theirs, `labels` the values that each label has."""

    def __init__(self, spokes: Iterable[Spoke]) -> None:
        """Index them by what selectors ask for."""
        self._spokes = tuple(spokes)
        self.names = frozenset(spoke.name for spoke in self._spokes)
        self._having: dict[tuple[str, str], list[Spoke]] = {}
        labels: dict[str, set[str]] = {}
        for spoke in self._spokes:
            for key, value in spoke.labels.items():
                self._having.setdefault((key, value), []).append(spoke)
                labels.setdefault(key, set()).add(value)
        self.labels: Mapping[str, frozenset[str]] = {
            key: frozenset(values) for key, values in labels.items()
        }
        self._known: dict[SpokeSelection, tuple[str, ...]] = {}

    def of(self, wanted: SpokeSelection) -> tuple[str, ...]:
        """The names of those that are meant: as they are named, else in the spokes' order."""
        if wanted not in self._known:
            self._known[wanted] = self._of(wanted)
        return self._known[wanted]

    def _of(self, wanted: SpokeSelection) -> tuple[str, ...]:
        if wanted.names is not None:
            return tuple(dict.fromkeys(name for name in wanted.names if name in self.names))
        but = frozenset(wanted.but)
        candidates = min(
            (self._having.get(label, []) for label in wanted.selector.labels),
            key=len,
            default=self._spokes,
        )
        return tuple(
            spoke.name
            for spoke in candidates
            if spoke.name not in but and wanted.selector.matches(spoke.labels)
        )
