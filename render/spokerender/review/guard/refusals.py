"""Refusals: one error for each loss that nobody has acknowledged, with the suggested entry."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from spokerender.findings.codes.shipping import REDIRECTED
from spokerender.findings.occurrences import Occurrence, join_alike, merge_occurrences
from spokerender.findings.phrasing import joined
from spokerender.findings.results import Result
from spokerender.model import GATEWAY, Origin, Ref
from spokerender.rendering.values.placement import Decision
from spokerender.review.guard.acknowledging import Flag, refuse_flags
from spokerender.review.guard.claims import (
    NOTHING_SPENT,
    Acknowledgement,
    Claim,
    Claims,
    Loss,
    Losses,
    Removal,
    Spent,
)
from spokerender.review.guard.filtering import refuse_consequences, warn_of_consequences
from spokerender.review.guard.messages import (
    LARGE_PERCENTAGE,
    make_refusal,
)
from spokerender.review.values import LostObject

_LISTED = 10
_FEWEST = 2
"""The fewest deleted objects that can be a large part: who deletes a single one knows it."""


def refuse_removals(
    losses: Losses,
    flags: Sequence[Flag] | None = (),
    acknowledged: Sequence[Acknowledgement] = (),
    *,
    spent: Spent = NOTHING_SPENT,
    output: str = "",
) -> tuple[Result, ...]:
    """Return errors for unacknowledged losses, and for flags that name nothing that is lost.

    The removal of a spoke must be acknowledged by the spoke's name. A deleted object must be
    acknowledged if its loss is `guarded`, or if a large part of the spoke is deleted: by its own
    name, or by the names of all topmost objects that it depends on.

    `flags` are options of the command line, for this change only; None if the change is written
    already and only fleet.yaml can allow it. `spent` are claims that the base of the change has
    already; they do not count again. `output` is the folder that the change is written to.
    """
    entries = (Claim.of_entry(entry).without(spent) for entry in acknowledged)
    claims = Claims((*(Claim.of_flag(*flag) for flag in flags or ()), *entries))
    groups: dict[object, list[Removal]] = {}
    going = find_acknowledged(losses.removals, claims)
    for removal in losses.removals:
        for key, part in _split(removal, claims):
            groups.setdefault(key, []).append(part)
            if removal.loss is not Loss.SPOKE:  # also one that lasts, and is lost elsewhere
                going.update((removal.spoke, item.ref) for item in part.lost)
    is_built = flags is None
    refusals = (make_refusal(parts, is_built=is_built) for parts in groups.values())
    of_requests = refuse_consequences(losses, claims, going, is_built=is_built, output=output)
    return (*refusals, *of_requests, *refuse_flags(flags or (), losses))


def find_acknowledged(removals: Iterable[Removal], claims: Claims) -> set[tuple[str, Ref]]:
    """Return the spoke and identity of each deleted object whose deletion is acknowledged."""
    return {
        (removal.spoke, item.ref)
        for removal in removals
        if removal.loss is not Loss.SPOKE
        for item in {*removal.lost}.difference(claims.unclaimed(removal))
        if not item.replaced
    }


def report_weaknesses(losses: Losses) -> tuple[Result, ...]:
    """Return warnings about weaker protection and new open paths that are not refused."""
    weakened = (
        Occurrence(
            REDIRECTED.result(
                joined(item.weakened, _LISTED),
                cure="check spec.delivery in fleet.yaml, and the templates",
                resource=item.ref,
                origin=removal.origin,
            ),
            (),
        )
        for removal in losses.removals
        for item in removal.lost
        if item.weakened
    )
    return join_alike((*merge_occurrences(weakened), *warn_of_consequences(losses)))


def _split(removal: Removal, claims: Claims) -> Iterator[tuple[object, Removal]]:
    """Yield the unacknowledged losses of a spoke, each with a key that equal losses share."""
    if removal.loss is Loss.SPOKE:
        if not claims.names_spoke(removal.spoke):
            yield (removal.loss, removal.renamed_to, removal.left), removal
        return
    unclaimed = claims.unclaimed(removal)
    number, total = len(unclaimed), removal.total
    is_large = number == total or (number >= _FEWEST and 100 * number > LARGE_PERCENTAGE * total)
    if removal.loss is Loss.PART and is_large:
        refs = tuple(item.ref for item in unclaimed)
        yield (refs, total), replace(removal, lost=unclaimed)
        return
    for item in unclaimed:
        if item.guarded:
            yield (removal.loss, item.guarded), replace(removal, lost=(item,), total=0)


def place_losses(losses: Losses, decision: Decision, delivery: Origin) -> Losses:
    """Return the losses; removals of delivery get the origin `delivery`, some Gateways a mark.

    A deleted Gateway is marked if its placement rule selects no spoke, as that may be a mistake. A
    Gateway that such a rule may have renamed counts as placed by that rule.
    """
    removals = tuple(
        replace(removal, origin=delivery) if removal.loss is Loss.DELIVERY else removal
        for removal in losses.removals
    )
    reasons: dict[Ref | None, str] = {}
    for rule in decision.idle_rules:
        changes = rule.placed_as
        is_renamed = changes.is_mgc or changes.name is not None or changes.namespace is not None
        refs = (None,) if is_renamed else decision.gateways_of_rule[rule.number]
        reason = f"the rule at {rule.origin}, which places it, selects no spoke"
        reasons.update(dict.fromkeys(refs, reason))
    marked = (
        replace(removal, lost=tuple(_mark(item, reasons) for item in removal.lost))
        for removal in (removals if reasons else ())
    )
    return replace(losses, removals=tuple(marked) or removals)


def is_unselected(item: LostObject) -> bool:
    """Return whether an object is a Gateway marked by `place_losses`."""
    return bool(item.guarded) and (item.ref.group, item.ref.kind) == GATEWAY


def _mark(item: LostObject, reasons: dict[Ref | None, str]) -> LostObject:
    is_lost = not (item.stays or item.replaced or item.guarded)
    if not is_lost or (item.ref.group, item.ref.kind) != GATEWAY:
        return item
    return replace(item, guarded=reasons.get(item.ref, reasons.get(None, "")))
