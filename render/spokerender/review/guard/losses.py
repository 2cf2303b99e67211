"""The losses that a change of the tree brings, as values."""

from enum import StrEnum

from msgspec import Struct

from spokerender.model import Origin
from spokerender.review.values import Consequence, LostObject


class Loss(StrEnum):
    """The extent of the loss in a folder."""

    SPOKE = "spoke removed"
    """The spoke has left the placement, so its folder goes."""
    PART = "objects removed"
    DELIVERY = "delivery removed"
    """Objects of an engine go although their spokes stay, or apply trees otherwise."""


class Removal(Struct, frozen=True, kw_only=True):
    """The losses of one folder; `total` is the number of objects that it had.

    `left` is an earlier output, in which the spoke loses them although it stays. `origin` is where
    the spoke was declared, if it goes.
    """

    spoke: str
    loss: Loss
    lost: tuple[LostObject, ...]
    total: int
    left: str = ""
    origin: Origin | None = None


class Losses(Struct, frozen=True):
    """The losses of a change: objects, folders and destinations, and its meaning for requests.

    The consequences are those that the guard refuses or warns of (`guard.filtering`).
    """

    removals: tuple[Removal, ...] = ()
    consequences: tuple[Consequence, ...] = ()
