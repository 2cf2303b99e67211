"""All consequences of a change of a fleet; equal ones of several spokes are joined."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.results import INFO, WARNING, Result, Severity
from spokerender.findings.suppressions import Accepted, LabelsOf, suppress
from spokerender.model import Ref
from spokerender.rendering.values import aligning
from spokerender.rendering.values.bundles import Bundle, sharing
from spokerender.review.comparison.asked import AskedComparison
from spokerender.review.comparison.states import FleetState
from spokerender.review.comparison.successors import Successors
from spokerender.review.meaning.asked import AskedDrafts
from spokerender.review.meaning.deleting import DeletionComparison
from spokerender.review.meaning.drafts import CURE_OF_OPEN, Draft
from spokerender.review.meaning.exposure import ExposureComparison
from spokerender.review.meaning.joining import SpokeDrafts
from spokerender.review.meaning.labels import find_labelled
from spokerender.review.meaning.limits import OwnLimits
from spokerender.review.meaning.listening import ListenerComparison
from spokerender.review.meaning.needed import NeededComparison
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.meaning.relations import find_relations
from spokerender.review.meaning.states import StandingComparison
from spokerender.review.meaning.traffic import TrafficComparison
from spokerender.review.values import GOES, OPENS, UNSERVED, Consequence, LostObject, Topic

_ORDER, _TOPICS = tuple(Severity), tuple(Topic)
_OF_REQUESTS = (Topic.ACCESS, Topic.LIMITS, Topic.EXPOSURE, Topic.TRAFFIC, Topic.POLICY)


class ComparedSpokes(Struct, frozen=True, eq=False):
    """The comparison of the spokes that both states of a fleet have.

    `consequences` are sorted, errors first, and include stricter restrictions. `deleted` has the
    deleted objects of each spoke, `old` the bundles before the change.
    """

    consequences: tuple[Consequence, ...] = ()
    deleted: Mapping[str, tuple[LostObject, ...]] = {}
    old: Mapping[str, Bundle] = {}


def compare_states(before: FleetState, after: FleetState) -> ComparedSpokes:
    """Return the comparison of two states of a fleet."""
    finder = _Finder(before, after)
    return ComparedSpokes(_sorted(finder.run()), finder.deleted, before.bundles)


_SPENT = "its suppression is of an earlier change, or names no object: give one for this object"


def accept(
    consequences: Iterable[Consequence],
    accepted: Sequence[Accepted],
    earlier: Collection[Accepted],
    labels_of: LabelsOf,
) -> tuple[Consequence, ...]:
    """Return the consequences; those that fleet.yaml suppresses become infos.

    An error is suppressed only by an entry that names the object, and only in the change that adds
    the entry. A consequence that a new entry suppresses becomes a warning in that change.
    """
    # Earlier entries are spent: they accepted an earlier change.
    new = [entry for entry in accepted if entry not in earlier]
    named = [entry for entry in new if entry.resource is not None]

    def suppressed(result: Result) -> Iterator[Result]:
        is_error = result.severity is Severity.ERROR
        for part in suppress((result,), named if is_error else accepted, labels_of):
            matching = [entry for entry in accepted if entry.matches(part, labels_of)]
            if part.severity is Severity.ERROR and matching:
                yield replace(part, cure=_SPENT)
            elif part.severity is INFO is not result.severity and any(it in new for it in matching):
                yield replace(part, severity=WARNING)
            else:
                yield part

    return _sorted(
        replace(item, result=result) for item in consequences for result in suppressed(item.result)
    )


def _sorted(consequences: Iterable[Consequence]) -> tuple[Consequence, ...]:
    def order(item: Consequence) -> tuple[object, ...]:
        # The consequence with more paths and spokes comes first.
        spread = len(item.places or ("",)) * len(item.result.spokes)
        return (
            _ORDER.index(item.severity),
            _TOPICS.index(item.topic),
            -spread,
            item.result.code,
            item.result.message,
            item.paths,
            item.result.spokes,
        )

    return tuple(sorted(consequences, key=order))


class _Finder:
    """The search for consequences, for each group of equal spokes."""

    def __init__(self, before: FleetState, after: FleetState) -> None:
        self._before, self._after = before, after
        self.deleted: dict[str, tuple[LostObject, ...]] = {}
        self._drafts = SpokeDrafts()
        self._limits = OwnLimits(before, after)

    @cached_property
    def _old_routes(self) -> frozenset[Ref]:
        """The routes that any spoke had before, by their names on the hub."""
        return frozenset(
            variant.manifest.ref
            for blueprint, _ in sharing(self._before.bundles.values())
            for variant in blueprint.variants
            if variant.node.is_route
        )

    def run(self) -> Iterator[Consequence]:
        """Yield every consequence."""
        old, new = self._before.bundles, self._after.bundles
        both = [(old[name], new[name]) for name in new if name in old]
        with_values, left = dict(new), list[aligning.BundlePair]()
        # First with slots, where one comparison may do for many spokes; the rest one by one.
        for aligned in aligning.align_bundles(both, with_slots=True, read_key=self._limits.key):
            names = [bundle.spoke.name for bundle in aligned.spokes]
            with_values.update(zip(names, aligned.spokes, strict=True))
            others = self._compare_slotted(aligned)
            left += [(old[bundle.spoke.name], new[bundle.spoke.name]) for bundle in others]
        for aligned in aligning.align_bundles(left, with_slots=False, read_key=self._limits.key):
            rest: Sequence[Bundle] = aligned.spokes
            # Each round compares the first spoke, and settles all that are like it.
            while rest:
                rest = self._add_alike(rest, *self._compare(aligned, rest[0]))
        for name in new:
            if name not in old:
                self._add_new_spoke(new[name])
        yield from self._drafts.join(with_values.values(), old)

    def _compare_slotted(self, aligned: aligning.AlignedSpokes) -> Sequence[Bundle]:
        """Compare spokes with slots for values; return the spokes for which the result is wrong."""
        rest = aligned.list_distinct()
        left = _without(aligned.spokes, rest)
        while rest:
            compare = partial(self._compare, aligned, rest[0])
            answer, alike = aligning.answer_with_slots(compare, rest)
            left += _without(rest, alike)
            rest = self._add_alike(alike, *answer) if rest[0] in alike else alike
        return left

    def _add_alike(
        self,
        spokes: Sequence[Bundle],
        drafts: Sequence[Draft],
        deleted: tuple[LostObject, ...],
        is_alike: Callable[[Bundle], bool],
    ) -> list[Bundle]:
        """Add the drafts for the first spoke and all equal ones; return the other spokes."""
        alike = [spoke for spoke in spokes if spoke is spokes[0] or is_alike(spoke)]
        self._drafts.add(drafts, alike)
        self.deleted.update((spoke.spoke.name, spoke.share(deleted)) for spoke in alike)
        return _without(spokes, alike)

    def _compare(
        self, aligned: aligning.AlignedSpokes, first: Bundle
    ) -> tuple[Sequence[Draft], tuple[LostObject, ...], Callable[[Bundle], bool]]:
        """Compare aligned spokes, and rank values as the spoke `first` has them.

        Return the drafts, the deleted objects, and a function that returns whether both results are
        true of another spoke as well.
        """

        def is_alike(spoke: Bundle) -> bool:
            is_true = asked.is_true_of(spoke)
            return is_true and self._limits.are_alike(first, spoke, asked.compared)

        name = first.spoke.name
        before = self._before.view(aligned.old, name)
        after = self._after.view(aligned.new, name)
        successors = Successors(before, after)
        objects = ObjectChanges(successors, self._after.rendered)
        # It records the comparisons that tell whether the result is true of other spokes.
        asked = AskedComparison(successors, first)
        exposure = ExposureComparison(successors, objects, self._old_routes)
        needed = NeededComparison(successors, objects)
        drafts = [
            *AskedDrafts(successors, asked, objects).drafts(),
            *exposure.drafts(),
            *TrafficComparison(successors, objects).drafts(),
            *ListenerComparison(successors, objects).drafts(),
            *StandingComparison(successors, objects).drafts(),
            *needed.drafts(),
            *find_relations(successors, objects),
            *objects.drafts(needed.list_changed()),
            *find_labelled(successors, objects),
        ]
        drafts = [_finish(draft, successors) for draft in _leave_out_told(drafts)]
        deletions = DeletionComparison(successors, objects)
        # Deletions come last, as a loss that a draft has is not reported again.
        return (*drafts, *deletions.drafts(drafts)), deletions.list_deleted(), is_alike

    def _add_new_spoke(self, bundle: Bundle) -> None:
        """Compare a new spoke with the most similar one; only weaker protection is added."""
        name = bundle.spoke.name
        like = self._find_like(bundle)
        # The same blueprint: nothing on the new spoke is weaker.
        if like is None or like.blueprint is bundle.blueprint:
            return
        other = self._after.view(like, like.spoke.name)
        successors = Successors(other, self._after.view(bundle, name))
        objects = ObjectChanges(successors, self._after.rendered)
        asked = AskedComparison(successors, bundle)
        drafts = [
            *AskedDrafts(successors, asked, objects).drafts(),
            *_find_open(successors, objects),
        ]
        weaker = (draft for draft in drafts if draft.kind is not codes.ASKS_MORE)
        self._drafts.add(weaker, [bundle])

    def _find_like(self, bundle: Bundle) -> Bundle | None:
        """Return the earlier spoke with most objects in common; None without earlier spokes."""
        own = {*bundle.blueprint.variants}
        sources = {variant.manifest.ref for variant in own}

        def measure(other: Bundle) -> tuple[int, int]:
            variants = other.blueprint.variants
            common = sources.intersection(variant.manifest.ref for variant in variants)
            return len(own.intersection(variants)), len(common)

        old, new = self._before.bundles, self._after.bundles
        candidates = {id(bundle.blueprint): bundle for name, bundle in new.items() if name in old}
        return max(candidates.values(), key=measure, default=None)


def _without(spokes: Iterable[Bundle], others: Iterable[Bundle]) -> list[Bundle]:
    left_out = {*others}
    return [spoke for spoke in spokes if spoke not in left_out]


def _leave_out_told(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Yield the drafts; changed routing is left out if an error of access reports it already."""
    access = (it for it in drafts if it.taken is not None and it.topic is Topic.ACCESS)
    opened = {(it.levels, it.taken) for it in access if it.is_error}
    for draft in drafts:
        is_told = draft.kind in (codes.ROUTED_ELSEWHERE, codes.NOT_RANKED) and not draft.is_error
        if not (is_told and (draft.levels, draft.taken) in opened):
            yield draft


def _finish(draft: Draft, successors: Successors) -> Draft:
    """Return the draft with its rule's matches and, if it is about requests, an example request.

    For an error, the objects by which it is acknowledged are added.
    """
    way = successors.new.find_rule(draft.levels) or successors.old.find_rule(draft.levels)
    match = way.match if way is not None else ()
    # A route that is added later has no requests yet.
    is_about_some = draft.topic in _OF_REQUESTS and not (draft.example or draft.is_latent)
    example = successors.find_request(draft.levels) if is_about_some else draft.example
    lost = tuple(_list_lost(draft, successors)) if draft.is_error else ()
    return replace(draft, match=match, example=str(example or ""), lost=lost)


def _list_lost(draft: Draft, successors: Successors) -> Iterator[tuple[Ref, str]]:
    """Yield the objects by which an error is acknowledged, each with the kind of its loss."""
    old, new = successors.old.variants, successors.new.variants
    policies = (*draft.policies, *draft.others)
    gone = (ref for ref in policies if successors.name(ref.whole) not in new)
    placed = (draft.cause.placed,) if draft.cause.placed is not None else ()
    is_unanswered = draft.kind in codes.UNANSWERED
    near = (ref.whole for ref in reversed(draft.levels) if ref.whole in old or ref.whole in new)
    named = dict.fromkeys((*gone, *placed, *policies))
    for ref in dict.fromkeys((*named, *islice(near, int(is_unanswered or not named)))):
        if ref.whole in new:
            yield ref.whole, UNSERVED if is_unanswered else OPENS
        elif ref.whole in old:
            yield ref.whole, GOES


def _find_open(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield paths that are open to all on a new spoke, but guarded or absent on a similar one."""
    old_view, view = successors.old, successors.new
    guarded = {new.levels for old, new in successors.pairs if old_view.is_guarded(old)}
    paths = {new.levels for _, new in successors.pairs}
    for way in view.rules.values():
        if (way.levels in guarded or way.levels not in paths) and not view.is_guarded(way):
            message = f"anybody may call {way.levels[-2]} on this new spoke"
            about = codes.NEWLY_PUBLIC, Topic.EXPOSURE, message
            cause = objects.cause(reversed(way.levels))
            yield Draft.on(way, *about, cause, cure=CURE_OF_OPEN)
