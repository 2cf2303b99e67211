"""Which objects of a tree were renamed or moved: an old and a new identity of the same object."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping

from spokerender.model import Ref
from spokerender.review.guard.targets import Target


def renames(
    gone: Iterable[Ref], added: Iterable[Ref], followers: Iterable[tuple[Target, Target]]
) -> dict[Ref, Ref]:
    """Pair objects that go with new ones of their kind, each with one at most.

    Files do not say what was renamed. An object is taken for renamed if the only new one of its
    name is in another namespace, if a policy that named it names a new one instead (`followers`),
    or if it is the only one of its kind that goes, and only one comes.
    """
    pairs = _Pairs(gone, added)
    pairs.pair_only_ones(lambda ref: (ref.group, ref.kind, ref.name))
    for old, new in followers:
        pairs.pair(old.ref.whole, new.ref.whole)
    pairs.pair_only_ones(lambda ref: (ref.group, ref.kind))
    return pairs.pairs


class _Pairs:
    """The pairs so far, and what has none yet."""

    def __init__(self, gone: Iterable[Ref], added: Iterable[Ref]) -> None:
        self.pairs: dict[Ref, Ref] = {}
        self._gone = dict.fromkeys(gone)
        self._added = dict.fromkeys(added)

    def pair(self, old: Ref, new: Ref) -> None:
        """Pair the two unless one of them has another, or neither went and came."""
        same_kind = (old.group, old.kind) == (new.group, new.kind)
        if same_kind and old in self._gone and new in self._added:
            self.pairs[old] = new
            del self._gone[old], self._added[new]

    def pair_only_ones(self, likeness: Callable[[Ref], Hashable]) -> None:
        """Pair what goes and what comes where there is one of each that is alike."""
        added = _grouped(self._added, likeness)
        for key, old in _grouped(self._gone, likeness).items():
            new = added.get(key, ())
            if len(old) == len(new) == 1:
                self.pair(old[0], new[0])


def _grouped(
    refs: Iterable[Ref], likeness: Callable[[Ref], Hashable]
) -> Mapping[Hashable, list[Ref]]:
    groups: dict[Hashable, list[Ref]] = {}
    for ref in refs:
        groups.setdefault(likeness(ref), []).append(ref)
    return groups
