"""The objects that a change deletes from spokes: what they go with, and what needs them still."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from spokerender.findings.codes.review import LIMIT_SPLIT
from spokerender.findings.results import WARNING
from spokerender.judging.effective.blocks import read_blocks
from spokerender.judging.effective.guarding import measure_alone
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.kinds.reference import Reference
from spokerender.model import Origin, Ref, grouped
from spokerender.rendering.values.bundles import Variant
from spokerender.review.comparison.successors import Successors
from spokerender.review.guard.losses import LostObject
from spokerender.review.guard.targets import targets_of_policy
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.states import find_states
from spokerender.review.values import PolicyState, Topic
from spokerender.topology.paths import Levels

_PROTECTING = (Topic.ACCESS, Topic.LIMITS, Topic.ENCRYPTION)
_IDLE = (PolicyState.UNATTACHED, PolicyState.NO_EFFECT, PolicyState.OVERRIDDEN)


def list_deleted(successors: Successors, drafts: Sequence[Draft]) -> tuple[LostObject, ...]:
    """Return the objects that go from spokes that are alike; `drafts` tell what that means."""
    return tuple(_DeletedObjects(successors, drafts).list())


class _DeletedObjects:
    """The objects of one state that the next one does not have."""

    def __init__(self, successors: Successors, drafts: Sequence[Draft]) -> None:
        self._successors = successors
        self._old, self._new = successors.old, successors.new
        self._drafts = drafts
        self._roots: dict[Ref, frozenset[Ref]] = {}

    def list(self) -> Iterator[LostObject]:
        """Yield each, by name."""
        for ref in sorted(self._old.variants.keys() - self._new.variants.keys()):
            kind = self._new.kind((ref.group, ref.kind))
            yield self._policy(ref) if kind.security else self._object(ref)

    def _object(self, ref: Ref) -> LostObject:
        is_renamed = ref in self._successors.renamed
        needed_by = () if is_renamed else self._policies_by_target.get(ref, ())
        return LostObject(
            ref,
            goes_with=self._goes_with(ref),
            replaced=is_renamed,
            needed_by=needed_by,
            origin=self._find_origin(needed_by),
        )

    def _policy(self, ref: Ref) -> LostObject:
        """Return a policy of a security kind; what it protects may go with it, or be open."""
        variant = self._old.variants[ref]
        kind = self._new.kind((ref.group, ref.kind))
        targets = targets_of_policy(kind, self._old.object_of(ref), ref.namespace)
        is_told = ref in self._told
        is_replaced = not is_told and (ref in self._successors.renamed or self._is_kept(ref))
        links = (link.ref for link in _links(variant))
        return LostObject(
            ref,
            security=not (is_told or is_replaced) and self._restricts(ref),
            unprotected=targets,
            goes_with=self._goes_with(ref),
            replaced=is_replaced,
            origin=self._find_origin(map(self._successors.name, links)),
        )

    def _is_kept(self, ref: Ref) -> bool:
        """Tell whether paths are still there on which a policy was in force, as well protected."""
        paths = map(self._cut, self._old.find_paths(ref))
        places = [place for levels in paths for place in self._successors.places(levels)]
        return bool(places) and not any(
            levels[: len(place)] == place for levels in self._doubted for place in places
        )

    def _cut(self, levels: Levels) -> Levels:
        """Return the part of a path down to its rule, if it leads to one."""
        parts = (levels[:end] for end in range(len(levels), 0, -1))
        return next((part for part in parts if part in self._old.rules), levels)

    def _restricts(self, ref: Ref) -> bool:
        """Tell whether a policy may have restricted anything, as its row and its state say."""
        kind = self._new.kind((ref.group, ref.kind))
        if kind.merged.is_known and self._states.get(ref) in _IDLE:
            return False
        if not kind.traits.guarding:
            return True
        attached = AttachedPolicy(ref, kind, kind.read_spec(self._old.object_of(ref)), ())
        return measure_alone(attached, read_blocks(attached)).parts > 0

    @cached_property
    def _states(self) -> Mapping[Ref, PolicyState]:
        view = self._old
        return {view.fill(ref): it for ref, it in find_states(view.judgement).items()}

    @cached_property
    def _told(self) -> frozenset[Ref]:
        """The objects by which an error is acknowledged."""
        return frozenset(ref for item in self._drafts for ref, _ in item.lost)

    @cached_property
    def _doubted(self) -> frozenset[Levels]:
        """The paths on which less may be asked than before."""
        doubts = (it for it in self._drafts if (it.severity or it.kind.severity) is WARNING)
        return frozenset(
            item.levels
            for item in doubts
            if item.topic in _PROTECTING and item.kind is not LIMIT_SPLIT
        )

    def _find_origin(self, refs: Iterable[Ref]) -> Origin | None:
        """Return the line of the first of these objects that is there after the change."""
        variants = (self._new.variants.get(ref.whole) for ref in refs)
        origins = (variant.manifest.origin for variant in variants if variant is not None)
        return next((origin for origin in origins if origin.path), None)

    @cached_property
    def _policies_by_target(self) -> Mapping[Ref, tuple[Ref, ...]]:
        """The security policies after the change, by the objects that they are attached to."""
        policies = grouped(
            (self._new.fill(link.ref.whole), ref)
            for ref, variant in self._new.variants.items()
            if self._new.kind((ref.group, ref.kind)).security
            for link in _links(variant)
        )
        return {target: tuple(sorted({*refs})) for target, refs in policies.items()}

    @cached_property
    def _gone(self) -> frozenset[Ref]:
        """The objects that go and do not come back under another name."""
        gone = self._old.variants.keys() - self._new.variants.keys()
        return frozenset(gone - self._successors.renamed.keys())

    def _goes_with(self, ref: Ref) -> tuple[Ref, ...]:
        return tuple(sorted(self._topmost(ref) - {ref}))

    def _topmost(self, ref: Ref) -> frozenset[Ref]:
        """Return the topmost objects that go, if this one depends on them alone."""
        if ref not in self._roots:
            self._roots[ref] = frozenset([ref])  # where objects form a circle
            parents = self._parents(self._old.variants.get(ref))
            if parents and self._gone.issuperset(parents):
                self._roots[ref] = frozenset().union(*map(self._topmost, parents))
        return self._roots[ref]

    def _parents(self, variant: Variant | None) -> tuple[Ref, ...]:
        """Return the objects that one is attached to; none if it selects some by label."""
        links = _links(variant) if variant is not None else ()
        is_by_name = all(link.selector is None for link in links)
        return tuple(self._old.fill(link.ref.whole) for link in links) if is_by_name else ()


def _links(variant: Variant) -> tuple[Reference, ...]:
    """Return the references by which an object is attached to others."""
    return tuple(link for link in variant.node.references if link.row.role.guards)
