"""The time that tolerations and scores are judged at; nothing here reads a clock."""

from datetime import datetime

from msgspec import Struct

from spokerender.rendering.placement.ocm.faults import TimeNeededError


class Clock(Struct, frozen=True):
    """The time of a decision; None where nobody gave one. `is_asked` is set once it counts."""

    now: datetime | None = None

    def seconds_since(self, time: datetime, what: str) -> float:
        """Return the seconds since a time, negative before it.

        Raises `TimeNeededError` with `what` depends on it, where no time is given.
        """
        if self.now is None:
            raise TimeNeededError(what)
        return (self.now - time).total_seconds()
