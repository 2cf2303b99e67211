"""A Placement to decide, and the conditions that are asked of clusters."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from spokerender.rendering.placement.ocm.clock import Clock
from spokerender.rendering.placement.ocm.inventory import Inventory
from spokerender.rendering.placement.ocm.objects import ManagedCluster, PlacementRequest

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
