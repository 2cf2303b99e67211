"""The policies of one kind on each path before a change, and where its requests go after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.model.refs import GroupKind
from spokerender.review.comparison.further import find_further, find_in_mesh
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.takeovers import Takeover, find_takeovers
from spokerender.review.comparison.views import InForce, Way
from spokerender.topology.paths import Levels


class PolicyPair(Struct, frozen=True, eq=False):
    """The policies of one kind on a path before a change, and on one that has its requests after.

    `earlier` are the levels of the first path, by their names before the change. With `takeover`
    the second path has some of the requests only.
    """

    earlier: Levels
    levels: Levels
    hostnames: tuple[str, ...]
    before: EffectivePolicy | None
    after: EffectivePolicy | None
    takeover: Takeover | None = None


class PolicyPairs:
    """The pairs of paths of two states, kind by kind."""

    def __init__(self, successors: Successors) -> None:
        """Pair the paths that `successors` pairs."""
        self._successors = successors
        self._old, self._new = successors.old, successors.new
        self._further = find_further(self._old), find_further(self._new)
        self._mesh = find_in_mesh(self._old), find_in_mesh(self._new)

    @property
    def kinds(self) -> list[GroupKind]:
        """The kinds of which policies are in force somewhere, before or after the change."""
        in_force = self._old.in_force, self._new.in_force, *self._further, *self._mesh
        return sorted({key for kinds in in_force for key in kinds})

    def list_earlier(self, policy_kind: GroupKind) -> InForce:
        """Return what was in force before the change: on paths, for further routes, in meshes."""
        sides = self._further[0], self._mesh[0], self._old.in_force
        return {levels: item for side in sides for levels, item in _of(side, policy_kind).items()}

    def on_paths(self, policy_kind: GroupKind) -> Iterator[PolicyPair]:
        """Yield the paths of requests that are there in both states."""
        is_below = any(view.is_below_listeners(policy_kind) for view in (self._old, self._new))
        pairs = self._successors.pairs if is_below else self._successors.listeners
        for old, new in pairs:
            if new is not None and not new.is_closed:
                yield from self._below(policy_kind, old, new)

    def _below(self, policy_kind: GroupKind, old: Way, new: Way) -> Iterator[PolicyPair]:
        before = {
            self._successors.levels(below): (below, item)
            for below, item in self._old.below(policy_kind, old)
        }
        after = {below: (below, item) for below, item in self._new.below(policy_kind, new)}
        every = {**before, **after}
        if len(every) > 1:
            every.pop((), None)  # the other side has paths to the backends of the rule
        for below in every:
            (own, one), (_, other) = (_pick(side, below) for side in (before, after))
            levels = (*old.levels, *own), (*new.levels, *below)
            yield PolicyPair(*levels, new.hostnames, one, other)

    def taken_over(self, policy_kind: GroupKind) -> Iterator[PolicyPair]:
        """Yield each path with another rule's that takes requests of it after the change."""
        for item in find_takeovers(self._successors):
            before, after = (
                dict(view.below(policy_kind, way)).get(())
                for view, way in ((self._old, item.old), (self._new, item.new))
            )
            levels = item.old.levels, item.new.levels
            yield PolicyPair(*levels, item.new.hostnames, before, after, item)

    def on_further_routes(self, policy_kind: GroupKind) -> Iterator[PolicyPair]:
        """Yield what a route without policies of its own would have on each listener."""
        before, after = (_of(items, policy_kind) for items in self._further)
        for old, new in self._successors.listeners:
            if new is not None and not new.is_closed:
                items = before.get(old.levels), after.get(new.levels)
                yield PolicyPair(old.levels, new.levels, new.hostnames, *items)

    def beside_paths(self, policy_kind: GroupKind) -> Iterator[PolicyPair]:
        """Yield what is in force beside the paths through gateways."""
        before, after = (
            {
                levels: item
                for side in (view.in_force, mesh)
                for levels, item in _of(side, policy_kind).items()
                if not item.path.listener
            }
            for view, mesh in zip((self._old, self._new), self._mesh, strict=True)
        )
        named = {self._successors.levels(levels): levels for levels in before}
        for levels in dict.fromkeys((*named, *after)):
            earlier = named.get(levels, levels)
            yield PolicyPair(earlier, levels, (), before.get(earlier), after.get(levels))


def _pick(
    items: Mapping[Levels, tuple[Levels, EffectivePolicy]], below: Levels
) -> tuple[Levels, EffectivePolicy | None]:
    """Return what is in force on a path to a backend, or else on all of its rule."""
    if below not in items and len(items) == 1:
        return items.get((), (below, None))
    return items.get(below, (below, None))


def _of(by_kind: Mapping[GroupKind, InForce], policy_kind: GroupKind) -> InForce:
    return by_kind.get(policy_kind, {})
