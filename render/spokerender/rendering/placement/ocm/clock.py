"""The time that tolerations and scores are judged at; nothing here reads a clock."""

from msgspec import Struct

from spokerender.model.times import read_time
from spokerender.rendering.placement.ocm.faults import TimeNeededError

_SECOND = 10**9


class Clock(Struct, frozen=True):
    """The time of a decision, as RFC 3339 writes it; "" where nobody gave one."""

    now: str = ""

    def or_first(self) -> "Clock":
        """Return a clock at which nothing is over, where no time is given."""
        return self if self.now else Clock("0001-01-01T00:00:00Z")

    def is_past(self, time: str, seconds: int, what: str) -> bool:
        """Tell whether it is later than some seconds after a time; at that moment it is not.

        Raises `TimeNeededError` with `what` depends on it, where no time is given.
        """
        return self._nanoseconds_since(time, what) > seconds * _SECOND

    def is_before(self, time: str, seconds: int, what: str) -> bool:
        """Tell whether it is earlier than some seconds after a time. Raises as `is_past`."""
        return self._nanoseconds_since(time, what) < seconds * _SECOND

    def _nanoseconds_since(self, time: str, what: str) -> int:
        if not self.now:
            raise TimeNeededError(what)
        return read_time(self.now) - read_time(time)
