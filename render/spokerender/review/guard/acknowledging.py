"""Acknowledgements compared with a change's losses: outdated, excessive or with wrong names."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import shipping
from spokerender.findings.phrasing import did_you_mean, joined
from spokerender.findings.results import INFO, WARNING, Result
from spokerender.model import ObjectName, Origin
from spokerender.review.guard.claims import (
    NO_SPOKE,
    NOTHING_SPENT,
    Acknowledgement,
    Claim,
    Claims,
    Loss,
    Losses,
    LossIndex,
    Spent,
)
from spokerender.review.guard.filtering import split_claimed
from spokerender.review.guard.messages import entry_of, find_option
from spokerender.review.values import OPENS, UNSERVED

Flag = tuple[str, str]
"""The kind of loss, and the value of `build`'s option that allows it (`messages.find_option`)."""

_LISTED, _SCHEMA = 10, "APIResourceSchema"


def refuse_flags(flags: Iterable[Flag], losses: Losses) -> Iterator[Result]:
    """Yield an error for each flag that names an object or spoke that this change does not lose."""
    index = LossIndex(losses)
    for lost, text in flags:
        claim = index.narrow(Claim.of_flag(lost, text))
        excess = [item for item in claim.losses if not index.has(item)]
        if excess or not claim.losses:
            is_part = 0 < len(excess) < len(claim.losses)
            missing = f" on {joined(item.spoke for item in excess)}" if is_part else ""
            yield shipping.UNKNOWN_DELETION.result(
                f"{find_option(lost)}={text} names nothing that would {_verb(lost)}{missing}",
                cure=_suggest_flag(excess[0] if excess else claim.at(NO_SPOKE), index)
                or "leave it out: nothing would go",
            )


def entries_for(
    flags: Iterable[Flag], losses: Losses, reason: str
) -> list[dict[str, str | list[str]]]:
    """Return entries of `spec.deletions` that acknowledge exactly what the flags allow."""
    index = LossIndex(losses)
    claims = (index.narrow(Claim.of_flag(*flag)) for flag in flags)
    return [entry_of(replace(claim, reason=reason)) for claim in claims]


class LossyChange(Struct, frozen=True):
    """A change whose losses are compared with the entries of `spec.deletions` in fleet.yaml.

    `spent` are the claims (acknowledgements) that the base of the change has already. If the output
    has a part of the change already, `losses` lacks that part; `is_kept` then returns whether a
    claimed object surely remains.
    """

    losses: Losses
    spent: Spent = NOTHING_SPENT
    is_kept: Callable[[Claim], bool] | None = None


def judge_entries(
    entries: Sequence[Acknowledgement], change: LossyChange, at: Callable[..., Origin]
) -> tuple[Result, ...]:
    """Return findings about outdated entries of fleet.yaml, and about excessive names in entries.

    `at` returns the file and line of a field of fleet.yaml.
    """
    claims = [Claim.of_entry(entry) for entry in entries]
    counting = Claims(claim.without(change.spent) for claim in claims)
    removals = (
        replace(removal, lost=counting.unclaimed(removal))
        for removal in change.losses.removals
        if removal.loss is not Loss.SPOKE or not counting.names_spoke(removal.spoke)
    )
    left = (
        replace(item, losses=split_claimed(item, counting)[0])
        for item in change.losses.consequences
    )
    unclaimed = LossIndex(Losses(tuple(removals), tuple(left)))
    index, results = LossIndex(change.losses), list[Result]()
    for number, claim in enumerate(claims):
        spent = [item for item in claim.losses if item in change.spent]
        fresh = [item for item in claim.losses if item not in change.spent]
        excess = [item for item in fresh if not index.has(item)]
        origin = at("spec", "deletions", number)
        results_of_claim = (
            _judge_spent(spent, bool(fresh), unclaimed, change, origin) if spent else None,
            _judge_excess(excess, unclaimed, change) if excess else None,
        )
        place = {"field": f"spec.deletions[{number}]", "origin": origin}
        results += (replace(result, **place) for result in results_of_claim if result is not None)
    return tuple(results)


def _judge_spent(
    spent: Sequence[Claim],
    is_partial: bool,
    unclaimed: LossIndex,
    change: LossyChange,
    origin: Origin,
) -> Result:
    """Return the finding that an earlier change has used an acknowledgement already."""
    is_lost_again = any(map(unclaimed.has, spent))
    part = f"the spokes {_places(spent)} from the entry" if is_partial else "the entry"
    hint = "; acknowledge the new loss by an entry of its own" if is_lost_again else ""
    return shipping.STALE_ACKNOWLEDGEMENT.result(
        f"{_describe(spent)} was acknowledged in an earlier change, and does not count again",
        cure=f"remove {part} at {origin}{hint}",
        # A build can't know whether the committed entry belongs to the change at hand.
        severity=None if change.is_kept is None or is_lost_again else INFO,
    )


def _judge_excess(
    excess: Sequence[Claim], unclaimed: LossIndex, change: LossyChange
) -> Result | None:
    """Return the finding that an entry acknowledges something that is certainly not lost."""
    suggestion = _suggest(excess[0], unclaimed)
    is_on_spokes = excess[0].name is None or excess[0].spoke != NO_SPOKE
    # Schemas of kcp are not in trees, so their losses are not known here.
    excess = [item for item in excess if _SCHEMA not in str(item.name)]
    if change.is_kept is not None and not suggestion:
        excess = list(filter(change.is_kept, excess))
    if not excess:
        return None
    return shipping.EXCESSIVE_ACKNOWLEDGEMENT.result(
        f"{_describe(excess)} is acknowledged, and does not {_verb(excess[0].lost)}",
        severity=None if suggestion or is_on_spokes else WARNING,
        cure=suggestion or "name exactly what is lost, or remove it: a review would pass it unseen",
    )


def _verb(lost: str) -> str:
    return {OPENS: "open", UNSERVED: "lose a hostname"}.get(lost, "go")


def _describe(items: Sequence[Claim]) -> str:
    if items[0].name is None:
        return f"the removal of {_places(items)}"
    return f"{items[0].name} on {_places(items)}" if items[0].spoke else str(items[0].name)


def _places(items: Sequence[Claim]) -> str:
    return joined((item.spoke for item in items), _LISTED)


def _suggest_flag(item: Claim, index: LossIndex) -> str:
    """Return a suggestion as `_suggest` does; it names spokes only if the claim `item` does."""
    with_place = item.name is None or bool(item.spoke)
    return _suggest(item, index, "what would be lost is", with_place=with_place)


def _suggest(item: Claim, index: LossIndex, listed_as: str = "", *, with_place: bool = True) -> str:
    """Return a suggestion: a lost object with a similar name, or else a list of all losses.

    The same object on another spoke, of another group or with another kind of loss is most similar.
    `listed_as` introduces the list.
    """
    candidates: dict[str, None] = {}
    for name in index.names:
        claim = str(ObjectName.of(name.ref, with_group=False))
        candidate = "@".join(filter(None, (claim, name.spoke if with_place else "")))
        candidates[candidate] = None
        if item.name is not None and replace(item.name, group=None).names(name.ref):
            way = f" with lost: {name.lost}" if name.lost != item.lost else ""
            return f'did you mean "{candidate}"{way}?'
    return did_you_mean(str(item), {**candidates, **dict.fromkeys(index.spokes)}, listed_as)
