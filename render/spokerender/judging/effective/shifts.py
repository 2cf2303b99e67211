"""The changes of what policies ask on a path, as values."""

from enum import StrEnum
from typing import Any

from msgspec import Struct

from spokerender.formats.comparing import ABSENT
from spokerender.kinds.columns import About
from spokerender.model import FieldPath, shown


class Direction(StrEnum):
    """The direction of a change of what policies ask."""

    REMOVED = "removed"
    """Something restricted requests, and nothing of its sort does any more."""
    WEAKENED = "weakened"
    CHANGED = "changed"
    """It can't be ranked."""
    STRICTER = "stricter"


class Shift(Struct, frozen=True):
    """One change of what policies of a kind ask on a path.

    `about` is empty where it restricts nothing, as far as its row tells. `place` is the field below
    the spec proper; empty for all that is asked. `was` and `now` may be `ABSENT`. One that `loses`
    is of a change after which fewer parts of a spec protect the path, or none all its requests.
    """

    about: About | str
    direction: Direction
    place: FieldPath
    was: Any = ABSENT
    now: Any = ABSENT
    loses: bool = False

    @property
    def key(self) -> str:
        """The field as people write it."""
        return shown(self.place)
