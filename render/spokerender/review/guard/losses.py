"""The losses that a change of the tree brings, as values."""

from enum import StrEnum

from msgspec import Struct

from spokerender.model import Origin, Ref


class Loss(StrEnum):
    """The extent of the loss in a folder."""

    SPOKE = "spoke removed"
    """The spoke has left the placement, so its folder goes."""
    EMPTIED = "spoke emptied"
    """The spoke had objects and would have none."""
    PART = "objects removed"
    DELIVERY = "delivery removed"
    """Objects of an engine go although their spokes stay, or apply trees otherwise."""


GOES, OPENS, UNSERVED = "goes", "opens", "unserved"
"""The object is deleted; or it stays, and protects less, or a route has lost a hostname."""


class LostObject(Struct, frozen=True):
    """An object that goes, or a security policy that stays and protects less than before."""

    ref: Ref
    security: bool = False
    unprotected: tuple[str, ...] = ()
    """What a security policy protected and no policy of its kind would protect, as text."""
    goes_with: tuple[Ref, ...] = ()
    """The topmost objects that go and that it depends on, if it depends on nothing else."""
    replaced: bool = False
    """Another object takes its place, so that nothing is lost."""
    stays: bool = False
    weakened: tuple[str, ...] = ()
    """What is asked less than before, in words, while the path is protected.

    Of an object of an engine, what it does otherwise with trees."""
    opened: tuple[str, ...] = ()
    """The hostnames of a new route that nothing guards, beside routes that are guarded."""
    needed_by: tuple[Ref, ...] = ()
    """The security policies that stay and are attached to it."""
    guarded: str = ""
    """Why its loss must be acknowledged although it is no security policy."""
    unserved: tuple[str, ...] = ()
    """The hostnames that a route was served under, and that are served nowhere any more."""
    cause: Ref | None = None
    """The object whose change takes the protection away, if it is another one."""
    origin: Origin | None = None
    """The line that has the cause: of an override, or of the object on the hub.

    Where the object goes, it is that of what it protected, or of what is attached to it.
    """

    @property
    def lost(self) -> str:
        """Return the way of the loss: of the object itself, of protection, or of hostnames."""
        if self.stays and self.unserved:
            return UNSERVED
        return OPENS if self.stays else GOES


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
