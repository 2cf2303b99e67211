"""Decisions of Placements: the clusters that each selects, in groups."""

from msgspec import Struct

from spokerender.model import Place


class DecisionGroup(Struct, frozen=True):
    """Clusters of a Placement that belong together, by name; groups without a name have ""."""

    name: str
    index: int
    clusters: tuple[str, ...]


class DecidedPlacement(Struct, frozen=True, eq=False):
    """A Placement of the hub and its decision; `key` is its namespace and name, with a slash."""

    key: str
    groups: tuple[DecisionGroup, ...]
    place: Place

    @property
    def clusters(self) -> tuple[str, ...]:
        """Return all clusters, by name."""
        return tuple(sorted({name for group in self.groups for name in group.clusters}))

    def in_group(self, name: str) -> tuple[str, ...]:
        """Return the clusters of all groups of a name; all clusters where it is ""."""
        if not name:
            return self.clusters
        return tuple(
            sorted(each for group in self.groups if group.name == name for each in group.clusters)
        )
