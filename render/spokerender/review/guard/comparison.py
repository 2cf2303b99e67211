"""One spoke before and after a change: which objects go, and what is protected no longer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds import Catalogue, Reference
from spokerender.model import Ref
from spokerender.rendering.values.bundles import Variant
from spokerender.review.guard.ends import Fate, words
from spokerender.review.guard.fates import Fates
from spokerender.review.guard.losses import Lost
from spokerender.review.guard.protection import Protections
from spokerender.review.guard.renames import renames
from spokerender.review.guard.targets import Target, targets


class Side(Struct, frozen=True, eq=False):
    """A spoke before or after the change; texts may hold slots.

    `differing` are the objects that the other side has not, or not so; None where nobody can read
    one. `protections` are asked for only where protection may have changed.
    """

    differing: Mapping[Ref, Variant | None]
    objects: Mapping[Ref, Variant]
    protections: Callable[[], Protections]


class Comparison:
    """What a change takes from a spoke."""

    def __init__(self, old: Side, new: Side, catalogue: Catalogue, *, may_weaken: bool) -> None:
        """Compare; with `may_weaken` false everything that stays is protected as before."""
        self._old = old
        self._new = new
        self._catalogue = catalogue
        self._may_weaken = may_weaken
        self._roots: dict[Ref, frozenset[Ref]] = {}

    def lost(self) -> Iterator[Lost]:
        """Every object that goes, and every policy that protects less than before."""
        for ref in sorted(self._old.differing.keys() - self._new.differing):
            yield self._policy(ref) if self._is_security_policy(ref) else self._object(ref)
        if self._may_weaken:
            yield from self._weakened()

    def _is_security_policy(self, ref: Ref) -> bool:
        return self._catalogue.kind(ref.group, ref.kind).security

    def _object(self, ref: Ref) -> Lost:
        is_renamed = ref in self._renames
        return Lost(
            ref,
            goes_with=self._goes_with(ref),
            replaced=is_renamed,
            needed_by=() if is_renamed else self._policies_on.get(ref, ()),
        )

    def _policy(self, ref: Ref) -> Lost:
        """A security policy that goes."""
        ends = self._fates.of(ref)
        fates = {end.fate for end in ends}
        is_kept = Fate.KEPT in fates and Fate.LOST not in fates
        fate = Fate.LOST if Fate.LOST in fates else Fate.GONE
        return Lost(
            ref,
            security=True,
            unprotected=() if is_kept else words(ends, fate),
            goes_with=self._goes_with(ref) if fates <= {Fate.GONE} else (),
            replaced=is_kept if ends else ref in self._renames,
        )

    def _weakened(self) -> Iterator[Lost]:
        """Every security policy that stays while something that stays too loses its protection."""
        for ref in sorted(self._fates.policies):
            if ref in self._old.differing and ref not in self._new.differing:
                continue
            ends = self._fates.of(ref)
            losses = (*words(ends, Fate.LOST), *self._fates.hostnames(ref, ends))
            if losses:
                yield Lost(ref, security=True, unprotected=losses, stays=True)

    @cached_property
    def _fates(self) -> Fates:
        return Fates(
            self._old.protections(),
            self._new.protections(),
            renamed=self._renamed,
            added=self._new.differing.keys() - self._old.differing,
            named=self._named_before,
        )

    @cached_property
    def _policies_on(self) -> Mapping[Ref, tuple[Ref, ...]]:
        """By name of an object: the security policies that are on it after the change."""
        policies_of: dict[Ref, set[Ref]] = {}
        for ref, item in self._new.objects.items():
            for link in _links(item) if self._is_security_policy(ref) else ():
                policies_of.setdefault(link.ref.whole, set()).add(ref)
        return {name: tuple(sorted(policies)) for name, policies in policies_of.items()}

    def _named_before(self, ref: Ref) -> tuple[Target, ...]:
        """What a policy named before the change; nothing if it can't be read."""
        return self._named(self._old.differing.get(ref) or self._old.objects.get(ref))

    def _named(self, item: Variant | None) -> tuple[Target, ...]:
        if item is None:
            return ()
        kind = self._catalogue.kind(item.ref.group, item.ref.kind)
        return targets(kind, item.object, item.ref.namespace)

    @cached_property
    def _renames(self) -> Mapping[Ref, Ref]:
        gone = self._old.differing.keys() - self._new.differing
        added = self._new.differing.keys() - self._old.differing
        return renames(sorted(gone), sorted(added), self._followers())

    @cached_property
    def _gone(self) -> frozenset[Ref]:
        """What goes and comes back under no other name."""
        return frozenset(self._old.differing.keys() - self._new.differing - self._renames.keys())

    @cached_property
    def _moves(self) -> Mapping[tuple[str, str, str], str]:
        """Of group, kind and namespace, the namespace that such an object moved to."""
        return {
            (old.group, old.kind, old.namespace): new.namespace
            for old, new in self._renames.items()
        }

    def _followers(self) -> Iterator[tuple[Target, Target]]:
        """What a rewritten security policy, moved or not, named before and names now."""
        for ref in sorted(filter(self._is_security_policy, self._old.differing)):
            was = self._named(self._old.differing[ref])
            now = self._named(self._counterpart(ref))
            if len(was) == len(now):
                yield from zip(was, now, strict=True)

    def _counterpart(self, ref: Ref) -> Variant | None:
        """The policy after the change."""
        if ref in self._new.differing:
            return self._new.differing[ref]
        name = (ref.group, ref.kind, ref.name)
        alike = (
            item
            for other, item in self._new.differing.items()
            if (other.group, other.kind, other.name) == name
        )
        moved = list(alike)
        return moved[0] if len(moved) == 1 else None

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
            parents = _parents(self._old.differing.get(ref))
            if parents and self._gone.issuperset(parents):
                self._roots[ref] = frozenset().union(*map(self._topmost, parents))
        return self._roots[ref]


def _links(item: Variant) -> tuple[Reference, ...]:
    """What an object is on."""
    return tuple(link for link in item.node.references if link.row.role.guards)


def _parents(item: Variant | None) -> tuple[Ref, ...]:
    """The objects that it is on, by name; none if it is on others as well."""
    links = _links(item) if item is not None else ()
    is_by_name = all(link.selector is None for link in links)
    return tuple(link.ref.whole for link in links) if is_by_name else ()
