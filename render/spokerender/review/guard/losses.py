"""The losses that a change of the tree brings, as values."""

from enum import StrEnum

from msgspec import Struct

from spokerender.model import Origin
from spokerender.review.values import Consequence, LostObject


class Loss(StrEnum):
    """The extent of the loss in a folder."""

    SPOKE = "spoke removed"
    """The spoke has left the placement, so its folder goes."""
    EMPTIED = "spoke emptied"
    """The spoke had objects and would have none."""
    PART = "objects removed"
    DELIVERY = "delivery removed"
    """Objects of an engine go although their spokes stay, or apply trees otherwise."""


class Removal(Struct, frozen=True, kw_only=True):
    """The losses of one folder; `total` is the number of objects that it had.

    `renamed_to` is the new folder, if any, that has all objects of a spoke that goes. `left` is an
    earlier output, in which the spoke loses them although it stays. `origin` is where the spoke is
    declared, or was, if it goes or has nothing left.
    """

    spoke: str
    loss: Loss
    lost: tuple[LostObject, ...]
    total: int
    renamed_to: str = ""
    left: str = ""
    origin: Origin | None = None


class Losses(Struct, frozen=True):
    """The losses of a change: objects, folders and destinations, and its meaning for requests.

    The consequences are those that the guard refuses or warns of (`guard.filtering`).
    """

    removals: tuple[Removal, ...] = ()
    consequences: tuple[Consequence, ...] = ()
