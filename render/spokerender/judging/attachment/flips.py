"""Contentions that likely end otherwise on a spoke than on the hub."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from spokerender.findings.codes import attachment as codes
from spokerender.findings.faults import Fault
from spokerender.judging.attachment.model import Attachment, Contention, Rivalry
from spokerender.model import Ref


class Flip(Struct, frozen=True):
    """A policy that likely holds on the spoke, and what to tell of it; `hub` is what it was."""

    policy: Ref
    hub: Ref
    fault: Fault


def flips(
    hub_attachments: Iterable[Attachment],
    spoke_attachments: Iterable[Attachment],
    hub_of: Mapping[Ref, Ref],
) -> tuple[Flip, ...]:
    """The contentions whose likely winner is another one on the spoke, sorted by that winner.

    Precedence among equals goes by `namespace/name`, so a rename or a move may turn it; and all
    are new on a spoke, while on the hub one may be known to be older. `hub_of` has the hub's
    object for each policy of the spoke. What is carried out all at once has no winner.
    """
    on_hub: dict[Ref, dict[tuple[Ref, ...], Contention]] = {}
    for contention in _contentions(hub_attachments):
        likely = contention.orders.likely
        for ref in likely:
            on_hub.setdefault(ref, {}).setdefault(likely, contention)
    turning = (
        flip
        for contention in _contentions(spoke_attachments)
        if contention.differs
        if (flip := _flip(contention, on_hub, hub_of)) is not None
    )
    return tuple(sorted(turning, key=lambda flip: (flip.policy, flip.fault.message)))


def _contentions(attachments: Iterable[Attachment]) -> tuple[Contention, ...]:
    every = {id(each): each for attachment in attachments for each in attachment.contentions}
    return tuple(
        item
        for item in dict.fromkeys(every.values())
        if not item.is_unbroken and item.rivalry is Rivalry.ONE
    )


def _flip(
    contention: Contention,
    on_hub: Mapping[Ref, Mapping[tuple[Ref, ...], Contention]],
    hub_of: Mapping[Ref, Ref],
) -> Flip | None:
    """The first contention of the hub's in which these are; by each of those that are in it."""
    likely = contention.orders.likely
    if likely[0] not in hub_of:
        return None
    winner = hub_of[likely[0]]
    origins = frozenset(hub_of[ref] for ref in likely if ref in hub_of)
    for before in on_hub.get(winner, {}).values():
        first = next(ref for ref in before.orders.likely if ref in origins)
        if first != winner and origins <= before.rivals:
            return Flip(likely[0], winner, _fault(contention, before, first, hub_of))
    return None


def _fault(
    contention: Contention, before: Contention, winner: Ref, hub_of: Mapping[Ref, Ref]
) -> Fault:
    now = contention.orders.likely
    surely = {True: "", False: "likely "}
    moved = [f"{hub_of[ref]} is {ref}" for ref in now if hub_of.get(ref) not in (None, ref)]
    because = f" ({', '.join(moved)})" if moved else ""
    return Fault(
        codes.FLIPPED,
        f"on the hub {winner} {surely[before.orders.is_certain]}holds on {before.target}; on the "
        f"spoke {now[0]} {surely[contention.orders.is_certain]}holds on {contention.target}"
        f"{because}",
        "keep one of them, or keep their names and namespaces",
        of=now[1:],
    )
