"""The losses that nobody has acknowledged: each refused once, with what would acknowledge it."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from spokerender.findings.codes.shipping import NARROWED, OPENED, REDIRECTED
from spokerender.findings.occurrences import Occurrence, join_alike, merge_occurrences
from spokerender.findings.phrasing import joined
from spokerender.findings.results import Result
from spokerender.model import ObjectName, Ref
from spokerender.rendering.values.placement import Decision
from spokerender.review.guard.acknowledging import Flag, WaveOf, in_no_wave, refuse_flags
from spokerender.review.guard.claims import (
    NOTHING_SPENT,
    Acknowledgement,
    Claim,
    Claims,
    Spent,
    place_of,
)
from spokerender.review.guard.losses import Loss, LostObject, Removal
from spokerender.review.guard.messages import (
    LARGE_PERCENTAGE,
    RefusalGroup,
    RefusalSubject,
    make_refusal,
)
from spokerender.topology.node import GATEWAY

_LISTED = 10
_FEWEST = 2
"""The fewest objects that count as a large part of a tree: who removes one object knows."""


def refuse_removals(
    removals: Sequence[Removal],
    flags: Sequence[Flag] | None = (),
    acknowledged: Sequence[Acknowledgement] = (),
    *,
    spent: Spent = NOTHING_SPENT,
    wave_of: WaveOf = in_no_wave,
) -> tuple[Result, ...]:
    """Return errors for the losses that nobody has acknowledged, and for what need not be allowed.

    A spoke that goes has to be named itself. Where only objects go it is enough to name them, or
    the topmost ones that they depend on; it is a large part that goes if what is left is one.

    `flags` are what the command line allows, in this change only; None if the change is on disk
    already, so that only the fleet file can allow it. `spent` is what the base of the change
    acknowledged, which does not count again; `wave_of` returns the wave that a loss waits for, if
    it comes later in a rollout.
    """
    entries = (Claim.of_entry(entry).without(spent) for entry in acknowledged)
    claims = Claims((*(Claim.of_flag(*flag) for flag in flags or ()), *entries))
    groups: dict[RefusalSubject, RefusalGroup] = {}
    for removal in removals:
        for subject, lost in _losses(removal, claims):
            groups.setdefault(subject, RefusalGroup()).add(removal, lost)
    namesakes = _namesakes(removals)
    refusals = (
        make_refusal(subject, group, namesakes, is_built=flags is None)
        for subject, group in groups.items()
    )
    return (*refusals, *refuse_flags(flags or (), removals, wave_of))


def report_weaknesses(removals: Iterable[Removal]) -> tuple[Result, ...]:
    """Warn of what protects less than before or is new and open, though nothing is refused."""
    lost = [(item, removal) for removal in removals for item in removal.lost]
    weakened = (
        Occurrence(_report_weakened(item, removal), tuple(filter(None, (place_of(removal),))))
        for item, removal in lost
        if item.weakened
    )
    opened = (Occurrence(_report_opened(item), (it.spoke,)) for item, it in lost if item.opened)
    return join_alike((*merge_occurrences(weakened), *merge_occurrences(opened)))


def _report_opened(item: LostObject) -> Result:
    return OPENED.result(
        f"a new route is open to everybody, under {joined(item.opened, _LISTED)}: no security "
        "policy in force asks who sends a request",
        cure="attach a security policy that does, or suppress this with a reason",
        resource=item.ref,
        origin=item.origin,
    )


def _report_weakened(item: LostObject, removal: Removal) -> Result:
    if removal.loss is Loss.DELIVERY:
        finding, cure = REDIRECTED, "check spec.delivery in fleet.yaml, and the templates"
    else:
        finding, cure = NARROWED, "correct the rule or its condition, unless less is meant"
    text = joined(item.weakened, _LISTED)
    origin = item.origin or removal.origin
    return finding.result(text, cure=cure, resource=item.ref, origin=origin)


def _losses(
    removal: Removal, claims: Claims
) -> Iterator[tuple[RefusalSubject, Iterable[LostObject]]]:
    """Yield what has to be acknowledged of one spoke, and is not."""
    if removal.loss is Loss.SPOKE:
        if not claims.names_spoke(removal.spoke):
            renamed_to, left = removal.renamed_to, removal.left
            yield RefusalSubject(Loss.SPOKE, renamed_to=renamed_to, left=left), removal.lost
        return
    unclaimed = claims.unclaimed(removal)
    if removal.loss is Loss.DELIVERY:
        for item in (item for item in unclaimed if item.guarded):
            yield RefusalSubject(Loss.DELIVERY, guarded=item.guarded), (item,)
    elif removal.loss is Loss.PART:
        yield from _partial_losses(removal, unclaimed)
    elif unclaimed:
        yield RefusalSubject(Loss.EMPTIED), unclaimed


def _partial_losses(
    removal: Removal, unclaimed: Iterable[LostObject]
) -> Iterator[tuple[RefusalSubject, Iterable[LostObject]]]:
    """Yield what has to be acknowledged of a spoke that keeps some of its objects."""
    going = tuple(item for item in unclaimed if not (item.stays or item.needed_by))
    is_large = len(going) >= _FEWEST and 100 * len(going) > LARGE_PERCENTAGE * removal.total
    if is_large:
        refs = tuple(item.ref for item in going)
        yield RefusalSubject(Loss.PART, refs, total=removal.total), going
    for item in unclaimed:
        if item.guarded and not is_large:
            yield RefusalSubject(Loss.PART, guarded=item.guarded), (item,)
        elif item.needed_by:
            yield RefusalSubject(Loss.PART, (item.ref,), needed_by=item.needed_by), (item,)
        elif item.security and (item.stays or not is_large):
            refs = item.goes_with or (item.ref,)
            goes_with = bool(item.goes_with)
            yield RefusalSubject(Loss.PART, refs, goes_with=goes_with, stays=item.stays), (item,)
        elif item.unserved and not is_large:
            yield RefusalSubject(Loss.PART, unserved=True), (item,)


def _namesakes(removals: Iterable[Removal]) -> frozenset[Ref]:
    """Return the objects that differ from another one that goes in their group only."""
    refs_by_claim: dict[str, set[Ref]] = {}
    for removal in removals:
        for item in removal.lost:
            claim = str(ObjectName.of(item.ref, with_group=False))
            refs_by_claim.setdefault(claim, set()).add(item.ref)
    return frozenset(ref for refs in refs_by_claim.values() if len(refs) > 1 for ref in refs)


def guard_unselected(removals: Iterable[Removal], decision: Decision) -> tuple[Removal, ...]:
    """Mark the Gateways of rules that select no spoke: nobody may have meant that they go.

    A Gateway that a rule may have given another name is taken for that rule's.
    """
    reasons: dict[Ref | None, str] = {}
    for rule in decision.idle_rules:
        changes = rule.placed_as
        is_renamed = changes.is_mgc or changes.name is not None or changes.namespace is not None
        refs = (None,) if is_renamed else decision.gateways_of_rule[rule.number]
        reason = f"the rule at {rule.origin}, which places it, selects no spoke"
        reasons.update(dict.fromkeys(refs, reason))
    if not reasons:
        return tuple(removals)
    return tuple(
        replace(removal, lost=tuple(_mark(item, reasons) for item in removal.lost))
        for removal in removals
    )


def is_unselected(item: LostObject) -> bool:
    """Tell whether it is a Gateway that was marked."""
    return bool(item.guarded) and (item.ref.group, item.ref.kind) == GATEWAY


def _mark(item: LostObject, reasons: dict[Ref | None, str]) -> LostObject:
    is_lost = not (item.stays or item.replaced or item.guarded)
    if not is_lost or (item.ref.group, item.ref.kind) != GATEWAY:
        return item
    return replace(item, guarded=reasons.get(item.ref, reasons.get(None, "")))
