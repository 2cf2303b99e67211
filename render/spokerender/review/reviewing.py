"""Make a review of two states of a fleet."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.results import ERROR, INFO, Result
from spokerender.model import Origin, Ref
from spokerender.review.changes.values import TreeDifferences
from spokerender.review.comparison.states import FleetState
from spokerender.review.guard.claims import Acknowledgement, Claim, Claims, spend
from spokerender.review.guard.losses import Loss, LostObject, Removal
from spokerender.review.guard.refusals import refuse_removals, report_weaknesses
from spokerender.review.meaning.consequences import accept, find_consequences, split_tightened
from spokerender.review.meaning.states import make_matrix
from spokerender.review.values import Consequence, Review, Topic


class GuardedChange(Struct, frozen=True):
    """The guard's view of a change: losses, acknowledgements, and those of its base.

    `results` are what it warns of without a loss.
    """

    removals: Sequence[Removal] = ()
    acknowledged: Sequence[Acknowledgement] = ()
    before: Sequence[Acknowledgement] = ()
    results: tuple[Result, ...] = ()


_UNGUARDED = GuardedChange()
_CURE = "acknowledge it under spec.deletions of fleet.yaml, as check --against says, if it is meant"


def make_review(
    before: FleetState,
    after: FleetState,
    differences: TreeDifferences,
    results: tuple[Result, ...] = (),
    guarded: GuardedChange = _UNGUARDED,
) -> Review:
    """Compare two states, and apply the suppressions of the later one's fleet file.

    What the guard refuses or warns of is told, be it by a consequence for requests or as it is.
    """
    settings, topology = after.rendered.settings, after.rendered.topology
    earlier = before.rendered.settings.suppressions if before.about.is_rendered else ()
    of_requests = find_consequences(before, after)
    every = (*of_requests, *_list_other_losses(guarded, of_requests))
    consequences, tightened = split_tightened(every)
    about = before.about
    names = {*before.rendered.bundles}, {*after.rendered.bundles}
    if all(names) and names[0].isdisjoint(names[1]):
        about = about.noted(f"{about.name} and {after.about.name} have no spoke in common")
    return Review(
        before=about,
        after=after.about,
        changes=differences.items,
        consequences=accept(consequences, settings.suppressions, earlier, topology.labels_of),
        tightened=tightened,
        matrix=make_matrix(before, after),
        results=results,
        left_out=differences.left_out,
    )


def _list_other_losses(
    guarded: GuardedChange, told: Iterable[Consequence]
) -> Iterator[Consequence]:
    """Yield each loss that no consequence on its spoke tells: as an error where it is refused.

    Of one that somebody has acknowledged any consequence tells that is about its object; each has
    the line of the change that a consequence about its object names.
    """
    lost_objects = {item.ref.whole for removal in guarded.removals for item in removal.lost}
    told_on: dict[Ref, set[str]] = {}
    errors_on: dict[Ref, set[str]] = {}
    lines: dict[Ref | None, Origin | None] = {}
    for consequence in told if lost_objects else ():
        for ref in lost_objects & consequence.objects:
            lines.setdefault(ref, consequence.result.origin)
            told_on.setdefault(ref, set()).update(consequence.result.spokes)
            if consequence.severity is ERROR:
                errors_on.setdefault(ref, set()).update(consequence.result.spokes)

    def is_other(item: LostObject, spoke: str, *, is_refused: bool) -> bool:
        spokes = errors_on if is_refused and not (item.weakened or item.opened) else told_on
        return not item.replaced and spoke not in spokes.get(item.ref.whole, ())

    spent = spend(guarded.before)
    claims = Claims(Claim.of_entry(entry).without(spent) for entry in guarded.acknowledged)
    unclaimed, claimed = list[Removal](), list[Removal]()
    for removal in guarded.removals:
        if removal.loss is Loss.SPOKE:  # one that goes has a consequence of its own
            if removal.left:
                (claimed if claims.names_spoke(removal.spoke) else unclaimed).append(removal)
            continue
        refused = claims.unclaimed(removal)
        accepted = tuple(item for item in removal.lost if item not in refused)
        if removal.loss is not Loss.EMPTIED:  # of which single objects do not tell
            spoke = removal.spoke
            refused = tuple(i for i in refused if is_other(i, spoke, is_refused=True))
            accepted = tuple(i for i in accepted if is_other(i, spoke, is_refused=False))
        unclaimed.append(replace(removal, lost=refused))
        claimed.append(replace(removal, lost=accepted))
    results = (
        *(replace(result, cure=_CURE) for result in refuse_removals(unclaimed, None)),
        *(replace(result, severity=INFO, cure="") for result in refuse_removals(claimed, None)),
        *report_weaknesses(unclaimed),
        *guarded.results,
    )
    for result in results:
        subject = f"{result.resource}: " if result.resource is not None else ""
        line = lines.get(result.resource) or result.origin
        named = replace(result, message=f"{subject}{result.message}", origin=line)
        yield Consequence(named, Topic.OBJECTS)
