"""What becomes of what a policy protected: still protected, there and open, or gone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from spokerender.model import Ref
from spokerender.review.guard.ends import End, Fate
from spokerender.review.guard.protection import Identity, Levels, Protections
from spokerender.review.guard.targets import Target


class Fates:
    """Compares what is protected on a spoke before and after a change."""

    def __init__(
        self,
        old: Protections,
        new: Protections,
        *,
        renamed: Callable[[Target], Target],
        added: Collection[Ref],
        named: Callable[[Ref], tuple[Target, ...]],
    ) -> None:
        """Compare two spokes.

        Args:
            old: before the change.
            new: after it.
            renamed: what a target is called after the change.
            added: the objects that were not there before.
            named: what a policy names that is attached to nothing.

        """
        self._old = old
        self._new = new
        self._renamed = renamed
        self._added = added
        self._named = named
        self._open: dict[Identity, dict[str, tuple[Levels, ...]]] = {}

    @property
    def policies(self) -> Iterator[Ref]:
        """The policies that protected something before."""
        return (ref for held in self._old.policies.values() for ref in held)

    def of(self, policy: Ref) -> tuple[End, ...]:
        """What becomes of everything that a policy protected."""
        identity = policy.group, policy.kind
        held = self._old.policies.get(identity, {}).get(policy)
        return tuple(
            end
            for target in (self._named(policy) if held is None else held)
            for end in self._ends(policy, identity, target)
        )

    def _ends(self, policy: Ref, identity: Identity, target: Target) -> Iterator[End]:
        ways = self._old.of(identity).ways_of(policy, target)
        for way in ways:
            is_rule = way in self._old.ground.rules
            yield End(target, way, self._of_way(policy, identity, way), is_rule)
        if not ways:
            yield End(target, None, self._of_target(policy, identity, target))

    def _of_way(self, policy: Ref, identity: Identity, way: Levels) -> Fate:
        now = tuple(self._called(ref) for ref in way)
        ground = self._new.ground
        ways = (now,) if ground.has(now) else self._old.ground.successors(way, now, ground)
        if not ways:
            return Fate.GONE
        is_kept = any(self._covers(policy, identity, way, other) for other in ways)
        return Fate.KEPT if is_kept else Fate.LOST

    def _called(self, ref: Ref) -> Ref:
        return self._renamed(Target(ref)).ref

    def _covers(self, policy: Ref, identity: Identity, old: Levels, new: Levels) -> bool:
        """Whether a policy covers a way as this one covered the old one.

        One that was there before is no replacement for one with a more specific target: it was
        the weaker of the two. And where a rule was in force that guards, one has to be.
        """
        before, after = self._old.of(identity), self._new.of(identity)
        place = before.ways[old][policy]
        holds = any(
            other in self._added or other == policy or at >= place
            for other, at in after.ways.get(new, {}).items()
        )
        return holds and (old not in before.guarded or new in after.guarded)

    def _of_target(self, policy: Ref, identity: Identity, target: Target) -> Fate:
        """What becomes of a target that is on no way: nobody but the spoke may have it."""
        now = self._renamed(target)
        for other, held in self._new.policies.get(identity, {}).items():
            succeeds = other == policy or other in self._added
            if now in held or target in held or (succeeds and now.whole in held):
                return Fate.KEPT
        return Fate.GONE if self._is_gone(target.ref, now.ref) else Fate.LOST

    def _is_gone(self, ref: Ref, now: Ref) -> bool:
        """Whether it was among the objects, or what they name, and is not any more."""
        old, new = self._old.ground.topology, self._new.ground.topology
        node = new.nodes.get(now.whole)
        if node is not None:
            return bool(now.section_name) and now.section_name not in (
                node.sections or (now.section_name,)
            )
        was_there = ref.whole in old.nodes or bool(old.carriers(ref))
        return was_there and not new.carriers(now)

    def hostnames(self, policy: Ref, ends: Iterable[End]) -> Iterator[str]:
        """The hostnames that a policy protected everywhere, and that only open ways serve now."""
        lost = {end.way for end in ends if end.fate is Fate.LOST}
        for name, ways in self._open_hostnames((policy.group, policy.kind)).items():
            on = self._old.of((policy.group, policy.kind)).ways
            if lost.isdisjoint(ways) and any(policy in on[way] for way in ways):
                yield f"hostname {name}"

    def _open_hostnames(self, identity: Identity) -> dict[str, tuple[Levels, ...]]:
        """By hostname that is open now: the ways that it had, all of them protected."""
        if identity not in self._open:
            old, new = self._old.of(identity).ways, self._new.of(identity).ways
            now = self._new.ground.hostnames
            self._open[identity] = {
                name: ways
                for name, ways in self._old.ground.hostnames.items()
                if name in now
                if all(way in old for way in ways) and not any(way in new for way in now[name])
            }
        return self._open[identity]
