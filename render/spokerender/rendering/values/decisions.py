"""Decisions of Placements: the clusters that each Placement selects, in groups."""

from collections.abc import Mapping

from msgspec import Struct

from spokerender.findings.results import Result
from spokerender.model import Origin, Place, Ref
from spokerender.model.spokes import DecisionGroup


class DecidedPlacement(Struct, frozen=True, eq=False):
    """A Placement of the hub and its decision; `key` is its namespace and name, with a slash.

    `named` are the groups that the Placement defines; `groups` has only groups with clusters.
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
        """Return the clusters of all groups with a name; all clusters if the name is ""."""
        if not name:
            return self.clusters
        # OCM splits a group by `clustersPerDecisionGroup`, and every part has the group's name.
        return tuple(
            sorted(each for group in self.groups if group.name == name for each in group.clusters)
        )


Clusters = Mapping[str, tuple[str, ...]]
"""Clusters by the key of the Placement that selects them."""


class PlacementLock(Struct, frozen=True, eq=False):
    """The content of the lock: the last decisions, which a build keeps as long as they are valid.

    `placements` are decisions that Gateways follow; `others` only matter for the balance of
    clusters. `left` are spokes whose folder is kept, empty, though no decision names them any more.
    `now` is the time for tolerations and scores, "" if no decision depends on it.
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
"""Stands for all Placements."""


class DecisionOptions(Struct, frozen=True):
    """Options of a command: `updates` are the keys of Placements to decide anew, or `EVERY`.

    `now` replaces the lock's time. `released` are spokes that may be removed.
    """

    now: str = ""
    updates: frozenset[str] = frozenset()
    released: frozenset[str] = frozenset()

    def renews(self, key: str) -> bool:
        """Return whether a decision is to be made anew although it is valid."""
        return key in self.updates or EVERY in self.updates


class HubCluster(Struct, frozen=True, eq=False):
    """A cluster for which a hub has an object."""

    name: str
    labels: Mapping[str, str]
    claims: Mapping[str, str]
    place: Place


class PlacementChange(Struct, frozen=True):
    """A change of a decision: the clusters added and the clusters removed, with reasons."""

    key: str
    comes: tuple[tuple[str, str], ...]
    goes: tuple[tuple[str, str], ...]
    is_forced: bool


class ClusterVerdict(Struct, frozen=True):
    """The step that a cluster reached when a Placement was decided, and why it got no further.

    `verdict` is `selected`, `cut` (other clusters rank higher), the filter that refused the
    cluster, or `set` (it is in no ManagedClusterSet of the Placement). `scores` has each
    prioritizer's name, weight and score (None: no score). If `is_near`, only one condition keeps
    the cluster out.
    """

    name: str
    verdict: str
    reason: str = ""
    rank: int | None = None
    total: int | None = None
    scores: tuple[tuple[str, int, int | None], ...] = ()
    is_near: bool = False


class PlacementFunnel(Struct, frozen=True):
    """The steps from all clusters to the decision of a Placement.

    `source` says who decided. `condition` and `message` are those of `PlacementSatisfied`;
    `refused` is the reason why there is no decision.
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
    """The decisions of a hub's Placements, by key, and their consequences.

    `results` are findings of every command, `checked` only of `spokerender check`. `files` are
    written by a build beside fleet.yaml: the lock. `inventory` are objects on which decisions are
    based, which no spoke gets.
    """

    placements: Mapping[str, DecidedPlacement] = {}
    results: tuple[Result, ...] = ()
    checked: tuple[Result, ...] = ()
    changes: tuple[PlacementChange, ...] = ()
    files: Mapping[str, bytes | None] = {}
    inventory: frozenset[Ref] = frozenset()
