"""Acknowledgements held against what is lost: left over, too wide, or wrong names."""

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
"""What is lost, and the text of the option that allows it (`messages.find_option`)."""

_LISTED, _SCHEMA = 10, "APIResourceSchema"


def refuse_flags(flags: Iterable[Flag], losses: Losses) -> Iterator[Result]:
    """Refuse flags that name an object or a spoke that this change does not lose."""
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
    """Return the entries of `spec.deletions` for exactly what the flags allow in a change."""
    index = LossIndex(losses)
    claims = (index.narrow(Claim.of_flag(*flag)) for flag in flags)
    return [entry_of(replace(claim, reason=reason)) for claim in claims]


class LossyChange(Struct, frozen=True):
    """A change to hold entries against.

    `spent` is what its base acknowledged. `losses` need not be all of it where some is on disk
    already: then `is_kept` tells what is certainly not lost. With None they are all.
    """

    losses: Losses
    spent: Spent = NOTHING_SPENT
    is_kept: Callable[[Claim], bool] | None = None


def judge_entries(
    entries: Sequence[Acknowledgement], change: LossyChange, at: Callable[..., Origin]
) -> tuple[Result, ...]:
    """Report the fleet file's entries that are left over, and what others name too much.

    `at` returns where a field of the fleet file is written.
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
    """Report what an earlier change acknowledged: it counts no more."""
    is_wanted = any(map(unclaimed.has, spent))
    part = f"the spokes {_places(spent)} from the entry" if is_partial else "the entry"
    hint = "; acknowledge the new loss by an entry of its own" if is_wanted else ""
    return shipping.STALE_ACKNOWLEDGEMENT.result(
        f"{_describe(spent)} was acknowledged in an earlier change, and does not count again",
        cure=f"remove {part} at {origin}{hint}",
        # What is committed may still be the change at hand, for all that a build can know.
        severity=None if change.is_kept is None or is_wanted else INFO,
    )


def _judge_excess(
    excess: Sequence[Claim], unclaimed: LossIndex, change: LossyChange
) -> Result | None:
    """Report what an entry acknowledges that is not lost, as far as that is certain."""
    suggestion = _suggest(excess[0], unclaimed)
    is_on_spokes = excess[0].name is None or excess[0].spoke != NO_SPOKE
    # The loss of a schema of kcp's is none of a tree.
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
    """Suggest as `_suggest` does, without spokes where none is named; else list what is lost."""
    with_place = item.name is None or bool(item.spoke)
    return _suggest(item, index, "what would be lost is", with_place=with_place)


def _suggest(item: Claim, index: LossIndex, listed_as: str = "", *, with_place: bool = True) -> str:
    """Ask for what is lost under a similar name; otherwise list what is, after `listed_as`.

    The same object on another spoke, of another group, or lost in another way is as similar as can
    be.
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
