"""The inventory of a hub, the question about one Placement, and errors that prevent an answer.

Clusters, sets, bindings, scores, Placements and earlier decisions are read once.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct, field

from spokerender.model import Place
from spokerender.model.memo import memoised
from spokerender.model.quantities import parse_amount
from spokerender.model.refs import OCM, PLACEMENT_LABEL
from spokerender.model.selectors import Selector
from spokerender.model.shapes import without_nulls
from spokerender.model.times import read_time
from spokerender.wings.hubs.ocm import objects as ocm
from spokerender.wings.hubs.ocm.matching import read_selector

_Value = TypeVar("_Value", bound=Struct)
LIVENESS = frozenset({f"{OCM}/unreachable", f"{OCM}/unavailable"})
"""The taints that the hub sets and lifts by itself (`registration/hub/taint`)."""
_SKIP = f"{OCM}/experimental-scheduling-disable"
_GROUP_NAME = f"{OCM}/decision-group-name"
_GROUP_INDEX = f"{OCM}/decision-group-index"
DEFAULT_SET, GLOBAL_SET = "default", "global"


class HubObject(Struct, frozen=True, eq=False):
    """An object of the hub, with its file and line."""

    data: ocm.Data
    place: ocm.FieldPlace


class ClusterSet(Struct, frozen=True, eq=False):
    """A ManagedClusterSet; `place` is None for a set that the hub makes by itself."""

    name: str
    selector: ocm.ClusterSelector
    place: Place | None = None

    def find_members(self, clusters: Iterable[ocm.ManagedCluster]) -> frozenset[str]:
        """Return the names of the member clusters (sdk-go, `v1beta2/managedclusterset.go`).

        Raises `SyncFailedError` for an unknown type of selector, and for an invalid selector.
        """
        # Whether a hub accepts a cluster, and whether it is available, is not asked for membership.
        match self.selector.selector_type:
            case "" | "ExclusiveClusterSetLabel":
                labels = Selector(labels=((ocm.SET_LABEL, self.name),))
            case "LabelSelector":
                data = self.selector.label_selector
                # An absent selector selects nothing, `{}` everything: the clusterset label is not
                # read.
                if data is None:
                    return frozenset()
                try:
                    labels = read_selector(data)
                except ValueError as error:
                    raise SyncFailedError(str(error)) from None
            case other:
                raise SyncFailedError(f"selectorType is not right: {other}")
        return frozenset(cluster.name for cluster in clusters if labels.matches(cluster.labels))


class Inventory(Struct, frozen=True, eq=False, dict=True):
    """The objects that decide a Placement; earlier decisions and the time are in a `Question`.

    The keys of `scores` are namespace and name. `dropped` has the taints in `LIVENESS` of each
    cluster that do not count. `misread` has objects that no API server stores (see `reading`).
    """

    clusters: Mapping[str, ocm.ManagedCluster] = field(default_factory=dict)
    sets: Mapping[str, ClusterSet] = field(default_factory=dict)
    bindings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scores: Mapping[tuple[str, str], ocm.ScoreStatus] = field(default_factory=dict)
    requests: tuple[ocm.PlacementRequest, ...] = ()
    decisions: tuple[ocm.HubDecision, ...] = ()
    dropped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    misread: tuple[HubObject, ...] = ()

    @memoised
    def members(self, name: str) -> frozenset[str]:
        """Return the names of the clusters in a set. Raises `SyncFailedError`."""
        return self.sets[name].find_members(self.clusters.values())

    @cached_property
    def requests_by_key(self) -> dict[str, ocm.PlacementRequest]:
        """Return the Placements by namespace and name."""
        return {request.key: request for request in self.requests}


def read_inventory(objects: Iterable[HubObject], *, honours_liveness: bool = False) -> Inventory:
    """Read a hub's objects, in any order, as the API server would have stored them.

    Objects of other API groups are ignored. The taints in `LIVENESS`, which the hub sets by itself,
    count only if `honours_liveness`.
    """
    reader = _Reader(honours_liveness)
    for item in objects:
        group = str(item.data.get("apiVersion", "")).partition("/")[0]
        read = _READERS.get((group, str(item.data.get("kind"))))
        if read is not None:
            reader.read(read, item)
    return reader.inventory()


class _Reader:
    def __init__(self, honours_liveness: bool) -> None:
        self._honours_liveness = honours_liveness
        self.clusters: dict[str, ocm.ManagedCluster] = {}
        self.sets = {
            DEFAULT_SET: ClusterSet(DEFAULT_SET, ocm.ClusterSelector()),
            # Both are always there (feature DefaultClusterSet), though files seldom have them.
            GLOBAL_SET: ClusterSet(GLOBAL_SET, ocm.ClusterSelector("LabelSelector", {})),
        }
        self.bindings: dict[str, set[str]] = {}
        self.scores: dict[tuple[str, str], ocm.ScoreStatus] = {}
        self.requests: list[ocm.PlacementRequest] = []
        self.decisions: list[ocm.HubDecision] = []
        self.dropped: dict[str, tuple[str, ...]] = {}
        self.misread: list[HubObject] = []

    def read(self, read: Callable[["_Reader", HubObject], None], item: HubObject) -> None:
        try:
            read(self, item)
        # No hub has such an object; `reading` says what is wrong with it.
        except (msgspec.ValidationError, ValueError):
            self.misread.append(item)

    def inventory(self) -> Inventory:
        return Inventory(
            dict(sorted(self.clusters.items())),
            self.sets,
            {namespace: tuple(sorted(names)) for namespace, names in self.bindings.items()},
            self.scores,
            tuple(sorted(self.requests, key=lambda one: (one.namespace, one.name))),
            tuple(sorted(self.decisions, key=lambda one: (one.namespace, one.name))),
            self.dropped,
            tuple(self.misread),
        )

    def read_cluster(self, item: HubObject) -> None:
        metadata = _metadata(item)
        # A cluster that goes is in no set (syncPlacement).
        if metadata.get("deletionTimestamp"):
            return
        name = str(metadata["name"])
        spec = _read_part(item, "spec", ocm.ClusterSpec)
        status = _read_part(item, "status", ocm.ClusterStatus)
        taints = spec.taints
        for taint in taints:
            _check_time(taint.time_added)
        for value in (*status.allocatable.values(), *status.capacity.values()):
            parse_amount(str(value))
        # An export has them while a cluster is out of reach: each flap of a network would take its
        # policies away.
        if not self._honours_liveness:
            taints = tuple(taint for taint in spec.taints if taint.key not in LIVENESS)
            if taints != spec.taints:
                keys = (taint.key for taint in spec.taints if taint.key in LIVENESS)
                self.dropped[name] = tuple(keys)
        labels = _read_texts(metadata.get("labels"))
        # The hub sets it where it is missing (feature DefaultClusterSet).
        labels[ocm.SET_LABEL] = labels.get(ocm.SET_LABEL) or DEFAULT_SET
        # Of two claims of a name the last one holds, as in OCM.
        claims = {claim.name: claim.value for claim in status.cluster_claims}
        self.clusters[name] = ocm.ManagedCluster(
            name, labels, claims, taints, status, item.data, item.place
        )

    def read_set(self, item: HubObject) -> None:
        name = str(_metadata(item)["name"])
        if name in {DEFAULT_SET, GLOBAL_SET}:  # rolled back if changed
            return
        spec = _read_part(item, "spec", ocm.SetSpec)
        self.sets[name] = ClusterSet(name, spec.cluster_selector, item.place)

    def read_binding(self, item: HubObject) -> None:
        metadata = _metadata(item)
        # By its name, and not by `spec.clusterSet`: the scheduler does not read that.
        self.bindings.setdefault(_namespace(metadata), set()).add(str(metadata["name"]))

    def read_score(self, item: HubObject) -> None:
        metadata = _metadata(item)
        place = (_namespace(metadata), str(metadata["name"]))
        status = _read_part(item, "status", ocm.ScoreStatus)
        _check_time(status.valid_until)
        self.scores[place] = status

    def read_request(self, item: HubObject) -> None:
        metadata = _metadata(item)
        # The annotation has to be exactly "true"; any other text means nothing.
        annotations = _read_texts(metadata.get("annotations"))
        self.requests.append(
            ocm.PlacementRequest(
                _namespace(metadata),
                str(metadata["name"]),
                _read_part(item, "spec", ocm.RequestSpec),
                item.place,
                is_skipped=bool(metadata.get("deletionTimestamp"))
                or annotations.get(_SKIP) == "true",
            )
        )

    def read_decision(self, item: HubObject) -> None:
        metadata = _metadata(item)
        labels = _read_texts(metadata.get("labels"))
        status = _read_part(item, "status", ocm.DecisionStatus)
        self.decisions.append(
            ocm.HubDecision(
                _namespace(metadata),
                str(metadata["name"]),
                labels.get(PLACEMENT_LABEL, ""),
                labels.get(_GROUP_NAME, ""),
                labels.get(_GROUP_INDEX, ""),
                tuple(decision.cluster_name for decision in status.decisions),
                item.place,
            )
        )


_READERS: Mapping[tuple[str, str], Callable[[_Reader, HubObject], None]] = {
    (OCM, "ManagedCluster"): _Reader.read_cluster,
    (OCM, "ManagedClusterSet"): _Reader.read_set,
    (OCM, "ManagedClusterSetBinding"): _Reader.read_binding,
    (OCM, "AddOnPlacementScore"): _Reader.read_score,
    (OCM, "Placement"): _Reader.read_request,
    (OCM, "PlacementDecision"): _Reader.read_decision,
}
KINDS = frozenset(_READERS)
"""The groups and kinds that are read."""


def _metadata(item: HubObject) -> Mapping[str, Any]:
    metadata: Mapping[str, Any] = item.data["metadata"]
    return metadata


def _namespace(metadata: Mapping[str, Any]) -> str:
    return str(metadata.get("namespace") or "default")


def _read_part(item: HubObject, key: str, kind: type[_Value]) -> _Value:
    """Return the field `key` of an object as a value of `kind`. Raises `ValidationError`."""
    return msgspec.convert(without_nulls(item.data.get(key) or {}), kind)


def _check_time(text: str) -> None:
    """Raise `ValueError` if a text is no time; an empty text is valid (Go's zero time)."""
    read_time(text or "0001-01-01T00:00:00Z")


def _read_texts(data: object) -> dict[str, str]:
    return msgspec.convert(without_nulls(data or {}), dict[str, str])


_SECOND = 10**9


class Clock(Struct, frozen=True):
    """The time of a decision, in the format of RFC 3339; `now` is empty if no time is given."""

    now: str = ""

    def or_first(self) -> "Clock":
        """Return this clock, or, if no time is given, a clock at which nothing has expired."""
        return self if self.now else Clock("0001-01-01T00:00:00Z")

    def seconds_since(self, time: str, what: str) -> Fraction:
        """Return the seconds that have passed since a time.

        Raises `TimeNeededError` if no time is given; `what` names the thing that depends on it.
        """
        if not self.now:
            raise TimeNeededError(what)
        return Fraction(read_time(self.now) - read_time(time), _SECOND)


PREDICATE, TAINTS = "Predicate", "TaintToleration"
"""The names of the plugins in OCM."""


class Question(Struct, frozen=True, eq=False):
    """A Placement to decide, with all that filters and prioritizers read.

    `current` are the clusters of the Placement's last decision; `counts` has how often the
    decisions of all other Placements name each cluster.
    """

    request: ocm.PlacementRequest
    inventory: Inventory
    clock: Clock
    current: frozenset[str] = frozenset()
    counts: Mapping[str, int] = {}


class ClusterMatch(Protocol):
    """A condition for clusters, read from a Placement and ready for use."""

    def matches(self, cluster: ocm.ManagedCluster) -> bool:
        """Return whether a cluster meets the condition."""

    def list_unmet(self, cluster: ocm.ManagedCluster) -> list[str]:
        """Return the conditions that a cluster does not meet, each with the cluster's value."""


class MisconfiguredError(Exception):
    """OCM finds the Placement misconfigured; the text is the plugin's name and OCM's message.

    `field` is the field at fault.
    """

    def __init__(self, message: str, plugin: str = "", field: str = "spec") -> None:
        super().__init__(f"{plugin}:{message}")
        self.message, self.field = message, field


class SyncFailedError(Exception):
    """OCM's scheduler fails before it decides anything, as a set has no valid selector."""


class TimeNeededError(Exception):
    """A decision depends on the time, and none is given; the text names the cause."""


class NotEvaluableError(Exception):
    """An expression can't be evaluated here though OCM may do it; the text has the reason."""

    def __init__(self, source: str, reason: object, field: str) -> None:
        super().__init__(f"expression {source[:200]}: {reason}")
        self.field = field
