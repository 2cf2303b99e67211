"""The review of two states of a fleet, with the findings of the guard."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.review import ASKS_MORE
from spokerender.findings.results import INFO, Result
from spokerender.model import grouped
from spokerender.review.changes.values import TreeDifferences
from spokerender.review.comparison.states import FleetState
from spokerender.review.guard.claims import Acknowledgement, Claim, Claims, Loss, Losses, spend
from spokerender.review.guard.filtering import split_claimed
from spokerender.review.guard.messages import write_entries
from spokerender.review.guard.refusals import (
    find_acknowledged,
    refuse_removals,
    report_weaknesses,
)
from spokerender.review.meaning.consequences import accept
from spokerender.review.meaning.states import make_matrix
from spokerender.review.values import Consequence, LossName, Review, Topic


class GuardedChange(Struct, frozen=True):
    """A change with its consequences, losses and acknowledgements.

    `before` are the acknowledgements before the change, `results` warnings that are about no loss.
    """

    consequences: Sequence[Consequence] = ()
    losses: Losses = Losses()
    acknowledged: Sequence[Acknowledgement] = ()
    before: Sequence[Acknowledgement] = ()
    results: tuple[Result, ...] = ()


def make_review(
    before: FleetState,
    after: FleetState,
    differences: TreeDifferences,
    guarded: GuardedChange,
    results: tuple[Result, ...] = (),
) -> Review:
    """Return the comparison of two states; suppressions are those of the later fleet.yaml.

    The consequences include the other errors of the guard: deleted objects, folders and
    destinations. An acknowledged loss becomes an info.
    """
    settings, topology = after.rendered.settings, after.rendered.topology
    earlier = before.rendered.settings.suppressions if before.about.is_rendered else ()
    by_asking = grouped((item.result.code == ASKS_MORE.code, item) for item in _list_all(guarded))
    consequences = by_asking.get(False, [])
    return Review(
        before=before.about,
        after=after.about,
        changes=differences.items,
        consequences=accept(consequences, settings.suppressions, earlier, topology.labels_of),
        tightened=tuple(by_asking.get(True, [])),
        matrix=make_matrix(before, after),
        results=results,
        left_out=differences.left_out,
    )


def _list_all(guarded: GuardedChange) -> Iterator[Consequence]:
    """Yield the consequences and the guard's other findings; acknowledged ones as infos."""
    spent = spend(guarded.before)
    claims = Claims(Claim.of_entry(entry).without(spent) for entry in guarded.acknowledged)
    removals = Losses(guarded.losses.removals)
    gone = find_acknowledged(removals.removals, claims)
    for item in guarded.consequences:
        unclaimed, claimed = split_claimed(item, claims, gone)
        if not item.losses:
            yield item
        if unclaimed:
            cure = "; ".join(filter(None, (item.result.cure, write_entries(unclaimed))))
            yield _on_spokes(item, unclaimed, cure=cure)
        if claimed:
            yield _on_spokes(item, claimed, severity=INFO)
    results = (
        *refuse_removals(removals, None, guarded.acknowledged, spent=spent),
        *(replace(result, severity=INFO, cure="") for result in _list_claimed(removals, claims)),
        *report_weaknesses(removals),
        *guarded.results,
    )
    for result in results:
        subject = f"{result.resource}: " if result.resource is not None else ""
        yield Consequence(replace(result, message=f"{subject}{result.message}"), Topic.OBJECTS)


def _on_spokes(item: Consequence, names: Sequence[LossName], **fields: object) -> Consequence:
    """Return a consequence on some of its spokes; `fields` replace fields of its result."""
    spokes = tuple(name.spoke for name in names)
    result: Result = replace(item.result, spokes=spokes, **fields)
    return replace(item, result=result, losses=tuple(names))


def _list_claimed(losses: Losses, claims: Claims) -> tuple[Result, ...]:
    """Return the errors that deleted objects would have without their acknowledgements."""
    claimed = [
        replace(removal, lost=tuple(it for it in removal.lost if it not in unclaimed))
        for removal in losses.removals
        for unclaimed in [claims.unclaimed(removal)]
        if removal.loss is not Loss.SPOKE or claims.names_spoke(removal.spoke)
    ]
    return refuse_removals(Losses(tuple(claimed)), None)
