"""A Placement to decide, the time of the decision, and the conditions asked of clusters."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

from msgspec import Struct

from spokerender.model.times import read_time
from spokerender.rendering.placement.ocm.faults import TimeNeededError
from spokerender.rendering.placement.ocm.inventory import Inventory
from spokerender.rendering.placement.ocm.objects import ManagedCluster, PlacementRequest

_SECOND = 10**9


class Clock(Struct, frozen=True):
    """The time of a decision, as RFC 3339 writes it; "" where nobody gave one."""

    now: str = ""

    def or_first(self) -> "Clock":
        """Return a clock at which nothing is over, where no time is given."""
        return self if self.now else Clock("0001-01-01T00:00:00Z")

    def seconds_since(self, time: str, what: str) -> Fraction:
        """Return the seconds that have passed since a time.

        Raises `TimeNeededError` with `what` depends on it, where no time is given.
        """
        if not self.now:
            raise TimeNeededError(what)
        return Fraction(read_time(self.now) - read_time(time), _SECOND)


PREDICATE, TAINTS = "Predicate", "TaintToleration"
"""The names of the plugins in OCM."""


class Question(Struct, frozen=True, eq=False):
    """A Placement to decide: what a filter or prioritizer may ask for.

    `current` are the clusters of its last decision; `counts` has how often the decisions of all
    other Placements name a cluster.
    """

    request: PlacementRequest
    inventory: Inventory
    clock: Clock
    current: frozenset[str] = frozenset()
    counts: Mapping[str, int] = {}


class ClusterMatch(Protocol):
    """A condition that is read and ready."""

    def matches(self, cluster: ManagedCluster) -> bool:
        """Tell whether a cluster meets it."""

    def list_unmet(self, cluster: ManagedCluster) -> list[str]:
        """Return what a cluster does not meet, each with the value that it has."""
