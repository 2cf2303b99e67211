"""Changes of the restrictions on a path, as values."""

from enum import StrEnum
from typing import Any

from msgspec import Struct

from spokerender.formats.comparing import ABSENT
from spokerender.kinds.columns import About
from spokerender.model import FieldPath, shown


class Direction(StrEnum):
    """The direction of a change of restrictions."""

    REMOVED = "removed"
    """Requests are not restricted any more in this respect (`Shift.about`)."""
    WEAKENED = "weakened"
    CHANGED = "changed"
    """The values differ, and neither is known to be stricter."""
    STRICTER = "stricter"


class Shift(Struct, frozen=True):
    """One change of the restrictions by policies of a kind on a path.

    `about` is the subject, such as access; empty if the kind's row does not cover the field.
    `place` is the field path in the policy's rules; empty for the whole policy. `was` and `now` may
    be `ABSENT`. `loses` is True if the path has less protection after the change.
    """

    about: About | str
    direction: Direction
    place: FieldPath
    was: Any = ABSENT
    now: Any = ABSENT
    loses: bool = False

    @property
    def key(self) -> str:
        """The field as text."""
        return shown(self.place)
