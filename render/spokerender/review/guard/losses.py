"""What a change of the tree loses, as values."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from spokerender.model import Ref


class Loss(StrEnum):
    """How much of a spoke's tree a change takes away."""

    SPOKE = "spoke removed"
    """Its folder goes: it has left the placement."""
    EMPTIED = "spoke emptied"
    """It had objects and would have none."""
    PART = "objects removed"
    DELIVERY = "delivery removed"
    """What brings spokes their objects goes, and the spokes stay."""


class Lost(Struct, frozen=True):
    """An object that goes, or a security policy that stays and protects less than before.

    `unprotected` is, of a security policy, what it protected and no policy of its kind protects
    after the change, in words. `goes_with` are the objects whose going takes this one along: the
    topmost ones that it hangs on, if it hangs on nothing else. `replaced` is set where another
    object takes its place, so that nothing is lost: it was renamed, or what it protected still is.
    `needed_by` are security policies that stay and are on it. `guarded` says in words why it must
    not go unacknowledged, though it is no security policy.
    """

    ref: Ref
    security: bool = False
    unprotected: tuple[str, ...] = ()
    goes_with: tuple[Ref, ...] = ()
    replaced: bool = False
    stays: bool = False
    needed_by: tuple[Ref, ...] = ()
    guarded: str = ""


class Removal(Struct, frozen=True, kw_only=True):
    """What one spoke's tree loses. `total` is how many objects it had.

    `renamed_to` is the new folder, if there is one, in which all objects of a spoke that goes
    appear again.
    """

    spoke: str
    loss: Loss
    lost: tuple[Lost, ...]
    total: int
    renamed_to: str = ""
