"""Decisions of Placements: the clusters that each selects, in groups."""

from collections.abc import Mapping

from msgspec import Struct

from spokerender.findings.results import Result
from spokerender.model import Origin, Place, Ref
from spokerender.model.spokes import DecisionGroup


class DecidedPlacement(Struct, frozen=True, eq=False):
    """A Placement of the hub and its decision; `key` is its namespace and name, with a slash.

    `named` are the groups that the Placement defines; `groups` has those with clusters alone.
    """

    key: str
    groups: tuple[DecisionGroup, ...]
    place: Place
    named: frozenset[str] = frozenset()

    @property
    def clusters(self) -> tuple[str, ...]:
        """Return all clusters, by name."""
        return tuple(sorted({name for group in self.groups for name in group.clusters}))

    def in_group(self, name: str) -> tuple[str, ...]:
        """Return the clusters of all groups of a name; all clusters where it is ""."""
        if not name:
            return self.clusters
        # OCM cuts a group by `clustersPerDecisionGroup`, and every piece has the group's name.
        return tuple(
            sorted(each for group in self.groups if group.name == name for each in group.clusters)
        )


Clusters = Mapping[str, tuple[str, ...]]
"""Clusters by the key of the Placement that selects them."""


class PlacementLock(Struct, frozen=True, eq=False):
    """The content of the lock: the last decisions, which a build keeps as long as they hold.

    `placements` are decisions that Gateways follow; `others` count only for their balance.
    `left` are spokes that no decision names now, and that keep an empty folder. `now` is the
    time at which tolerations and scores are judged, "" where none counts.
    """

    placements: Clusters = {}
    others: Clusters = {}
    left: tuple[str, ...] = ()
    now: str = ""

    @property
    def entries(self) -> Clusters:
        """Return all decisions."""
        return {**self.others, **self.placements}


EVERY = "*"
"""All Placements."""


class DecisionOptions(Struct, frozen=True):
    """The wishes of a command: `updates` are the Placements to decide anew, by key, or `EVERY`.

    `now` replaces the lock's time. `released` are the spokes that may go.
    """

    now: str = ""
    updates: frozenset[str] = frozenset()
    released: frozenset[str] = frozenset()

    def renews(self, key: str) -> bool:
        """Return whether a decision is to be made anew though it holds."""
        return key in self.updates or EVERY in self.updates


class HubCluster(Struct, frozen=True, eq=False):
    """A cluster that a hub has an object of."""

    name: str
    labels: Mapping[str, str]
    claims: Mapping[str, str]
    place: Place


class PlacementChange(Struct, frozen=True):
    """A change of a decision: the clusters that come and the clusters that go, with the reasons."""

    key: str
    comes: tuple[tuple[str, str], ...]
    goes: tuple[tuple[str, str], ...]
    is_forced: bool


class ClusterVerdict(Struct, frozen=True):
    """A cluster on its way to a decision: how far it comes, and why not further.

    `verdict` is `selected`, `cut` (other clusters rank higher), the name of a filter, or `set`.
    `scores` are those of each prioritizer, with its weight; None is no score. With `is_near` one
    thing alone keeps the cluster out.
    """

    name: str
    verdict: str
    reason: str = ""
    rank: int | None = None
    total: int | None = None
    scores: tuple[tuple[str, int, int | None], ...] = ()
    is_near: bool = False


class PlacementFunnel(Struct, frozen=True):
    """The way from all clusters to a decision of a Placement.

    `source` says who decided. `condition` and `message` are those of `PlacementSatisfied`;
    `refused` is why there is no decision.
    """

    key: str
    origin: Origin
    source: str
    condition: str
    message: str
    refused: str
    sets: tuple[str, ...]
    groups: tuple[DecisionGroup, ...]
    clusters: tuple[ClusterVerdict, ...]


class HubPlacements(Struct, frozen=True, eq=False):
    """The decisions of a hub's Placements, by key, and what follows from them.

    `results` are findings of every command, `checked` those of `spokerender check` alone. `files`
    are what a build writes beside the fleet file: the lock. `inventory` are the objects that are
    decided from, which no spoke gets.
    """

    placements: Mapping[str, DecidedPlacement] = {}
    results: tuple[Result, ...] = ()
    checked: tuple[Result, ...] = ()
    changes: tuple[PlacementChange, ...] = ()
    files: Mapping[str, bytes | None] = {}
    inventory: frozenset[Ref] = frozenset()
