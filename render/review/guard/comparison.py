"""One spoke's tree before and after a change: which objects go, and what they protected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from render.model import Ref
from render.review.guard.documents import Parsed, Reader, have_same_spec
from render.review.guard.losses import Lost
from render.review.guard.renames import renames
from render.review.guard.targets import Target
from render.review.guard.trees import Tree


class Comparison:
    """What a change takes from a spoke. In which files its objects are does not matter.

    A text that is the same in both trees is not looked at.
    """

    def __init__(self, old: Tree, new: Tree, reader: Reader) -> None:
        """Compare the trees before and after the change."""
        self._new = new
        self._reader = reader
        self._before = old.but_for(new)
        self._after = new.but_for(old)
        self._added = self._after.keys() - self._before
        self._roots: dict[Ref, frozenset[Ref]] = {}

    def lost(self) -> Iterator[Lost]:
        """Every object that goes, and every policy that turns away from what it protected."""
        for ref in sorted(self._before):
            is_policy = self._reader.is_security_policy(ref)
            if ref not in self._after:
                yield self._policy(ref) if is_policy else self._object(ref)
            elif is_policy and not have_same_spec(self._before[ref], self._after[ref]):
                yield from self._turned_away(ref)

    def _object(self, ref: Ref) -> Lost:
        return Lost(ref, goes_with=self._goes_with(ref), replaced=ref in self._renames)

    def _policy(self, ref: Ref) -> Lost:
        """A security policy that goes."""
        targets = self._parsed(ref).targets
        unprotected = [target for target in targets if not self._is_covered(ref, target)]
        leaves_none = all(target.ref.whole in self._gone for target in unprotected)
        return Lost(
            ref,
            security=True,
            unprotected=tuple(map(str, unprotected)),
            goes_with=self._goes_with(ref) if leaves_none else (),
            replaced=not unprotected if targets else ref in self._renames,
        )

    def _turned_away(self, ref: Ref) -> Iterator[Lost]:
        """A security policy that stays, if something that is still there loses its protection."""
        unprotected = tuple(
            str(target)
            for target in self._parsed(ref).targets
            if target.ref.whole not in self._gone
            and self._new.has_section(target.ref)
            and not self._is_covered(ref, target)
        )
        if unprotected:
            yield Lost(ref, security=True, unprotected=unprotected, stays=True)

    def _parsed(self, ref: Ref) -> Parsed:
        """The object before the change; if it can't be read, nothing but its name."""
        return self._reader.parse(self._before[ref]) or Parsed(ref)

    @cached_property
    def _renames(self) -> Mapping[Ref, Ref]:
        gone = self._before.keys() - self._after
        return renames(sorted(gone), sorted(self._added), self._followers())

    @cached_property
    def _gone(self) -> frozenset[Ref]:
        """What goes and comes back under no other name."""
        return frozenset(self._before.keys() - self._after - self._renames.keys())

    @cached_property
    def _moves(self) -> Mapping[tuple[str, str, str], str]:
        """Of group, kind and namespace, the namespace that such an object moved to."""
        return {
            (old.group, old.kind, old.namespace): new.namespace
            for old, new in self._renames.items()
        }

    def _followers(self) -> Iterator[tuple[Target, Target]]:
        """What a rewritten security policy, moved or not, named before and names now."""
        for ref in sorted(filter(self._reader.is_security_policy, self._before)):
            now = self._counterpart(ref)
            after = self._reader.parse(self._after[now]) if now is not None else None
            if after is not None and len(after.targets) == len(self._parsed(ref).targets):
                yield from zip(self._parsed(ref).targets, after.targets, strict=True)

    def _counterpart(self, ref: Ref) -> Ref | None:
        """The policy after the change; None if its targets have not changed with it."""
        if ref in self._after:
            return None if have_same_spec(self._before[ref], self._after[ref]) else ref
        name = (ref.group, ref.kind, ref.name)
        moved = [other for other in self._after if (other.group, other.kind, other.name) == name]
        return moved[0] if len(moved) == 1 else None

    def _is_covered(self, policy: Ref, target: Target) -> bool:
        """Whether a policy of this kind protects the target, or what has become of it, afterwards.

        A policy on the whole object stands in for one on its section only if it is new, or this
        policy itself: one that was there before was the weaker of the two.
        """
        places = {target, self._renamed(target)}
        wholes = {place.whole for place in places}
        names = {place.ref.name for place in places}
        for now in self._new.naming(policy.group, policy.kind, names):
            succeeds = now.ref == policy or now.ref in self._added
            if not (places | wholes if succeeds else places).isdisjoint(now.targets):
                return True
        return False

    def _renamed(self, target: Target) -> Target:
        """The target as it is called after the change; one without a name may have moved."""
        ref = target.ref
        if ref.name:
            now = self._renames.get(ref.whole, ref.whole)
            return replace(target, ref=replace(now, section_name=ref.section_name))
        namespace = self._moves.get((ref.group, ref.kind, ref.namespace), ref.namespace)
        return replace(target, ref=replace(ref, namespace=namespace))

    def _goes_with(self, ref: Ref) -> tuple[Ref, ...]:
        return tuple(sorted(self._topmost(ref) - {ref}))

    def _topmost(self, ref: Ref) -> frozenset[Ref]:
        """The topmost objects that go and that alone this one, which goes too, hangs on."""
        if ref not in self._roots:
            self._roots[ref] = frozenset([ref])  # the answer for what hangs on itself
            parents = self._parsed(ref).parents
            if parents and self._gone.issuperset(parents):
                self._roots[ref] = frozenset().union(*map(self._topmost, parents))
        return self._roots[ref]
