"""The objects that a change deletes from spokes: their protection, and objects that need them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import joined
from spokerender.findings.results import ERROR, INFO, WARNING
from spokerender.judging.effective.blocks import read_blocks
from spokerender.judging.effective.guarding import measure_alone
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.model import Ref
from spokerender.review.comparison.states import find_states
from spokerender.review.comparison.successors import Successors
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ObjectChanges, ViewComparison
from spokerender.review.values import GOES, LostObject, PolicyState, Topic
from spokerender.topology.paths import Levels

_PROTECTING = (Topic.ACCESS, Topic.LIMITS, Topic.ENCRYPTION)
_IDLE = (PolicyState.UNATTACHED, PolicyState.NO_EFFECT, PolicyState.OVERRIDDEN)


class DeletionComparison(ViewComparison):
    """The search for deleted objects."""

    def __init__(self, successors: Successors, objects: ObjectChanges) -> None:
        super().__init__(successors, objects)
        self._roots: dict[Ref, frozenset[Ref]] = {}

    def list_deleted(self) -> tuple[LostObject, ...]:
        """Return the deleted objects, each with the topmost deleted objects (see `_topmost`)."""
        gone = sorted(self._old.variants.keys() - self._new.variants.keys())
        renamed = self._successors.renamed
        return tuple(LostObject(ref, self._goes_with(ref), replaced=ref in renamed) for ref in gone)

    def drafts(self, others: Sequence[Draft]) -> Iterator[Draft]:
        """Yield the deletions that `others`, all other drafts, do not report already.

        It is an error to delete an object to which a security policy remains attached, or a
        security policy that protected something, if `others` do not report that loss.
        """
        reported = {ref for item in others for ref, _ in item.lost}
        doubted = {
            item.levels
            for item in others
            if (item.severity or item.kind.severity) is WARNING
            and item.topic in _PROTECTING
            and item.kind is not codes.LIMIT_SPLIT
        }
        for ref in self._objects.gone:
            kind = self._new.kind((ref.group, ref.kind))
            is_compared = self._objects.is_compared_by_path(ref)
            needed_by = self._objects.attached.get(ref, ())
            is_lost = kind.security and ref not in reported and self._restricts(ref)
            is_lost = is_lost and not self._is_kept(ref, doubted)
            is_error = is_lost or bool(needed_by)
            if not is_error and self._objects.is_deletion_told(ref):
                continue
            topmost = self._goes_with(ref)
            names = (*topmost[: len(topmost) == 1], ref) if is_error else ()
            yield Draft(
                kind=codes.PRUNED,
                topic=Topic.OBJECTS,
                message=f"{ref} is deleted{self._explain(ref, needed_by, is_lost=is_lost)}",
                cause=self._objects.of_gone(ref),
                cure=f"it goes with {joined(topmost)}"
                if topmost
                else "keep it if something on the spoke still needs it",
                policies=(ref,) if kind.is_policy else (),
                # The drafts of paths report its effects there.
                severity=ERROR if is_error else INFO if is_compared else None,
                lost=tuple((each, GOES) for each in names),
            )

    def _explain(self, ref: Ref, needed_by: Sequence[Ref], *, is_lost: bool) -> str:
        if needed_by:
            return f", and what stays is attached to it: {joined(needed_by)}"
        targets = self._old.targets(ref) if is_lost else ()
        if targets and self._goes_with(ref):
            return f" with {joined(targets)}, which it protected"
        return f", which protected {joined(targets)}" if targets else ""

    def _is_kept(self, ref: Ref, doubted: Iterable[Levels]) -> bool:
        """Return whether a policy's paths remain, and none is, or leads to, a `doubted` path."""
        rules = self._old.rules
        cut = (
            next((each for end in range(len(it), 0, -1) if (each := it[:end]) in rules), it)
            for it in self._old.find_paths(ref)
        )
        places = [place for levels in cut for place in self._successors.places(levels)]
        return bool(places) and not any(
            levels[: len(place)] == place for levels in doubted for place in places
        )

    def _restricts(self, ref: Ref) -> bool:
        """Return whether a policy may have restricted anything, by its kind and its state."""
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

    def _goes_with(self, ref: Ref) -> tuple[Ref, ...]:
        return tuple(sorted(self._topmost(ref) - {ref}))

    def _topmost(self, ref: Ref) -> frozenset[Ref]:
        """Return the topmost objects above `ref`; `ref` itself unless all above it are deleted."""
        if ref not in self._roots:
            self._roots[ref] = frozenset([ref])  # for cyclic references
            links = self._old.links(ref)
            parents = [link.ref.whole for link in links if link.selector is None]
            # An object that selects by label depends on none of them alone.
            is_all = bool(parents) and len(parents) == len(links)
            if is_all and all(parent in self._objects.gone for parent in parents):
                self._roots[ref] = frozenset().union(*map(self._topmost, parents))
        return self._roots[ref]
