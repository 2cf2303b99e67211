"""The inventory of a hub, the question about one Placement, and errors that prevent an answer.

Clusters, sets, bindings, scores, Placements and earlier decisions are read once.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.model import Place, grouped
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


# Both are always there (feature DefaultClusterSet), though files seldom have them.
_SETS = (
    ClusterSet(DEFAULT_SET, ocm.ClusterSelector()),
    ClusterSet(GLOBAL_SET, ocm.ClusterSelector("LabelSelector", {})),
)


class Inventory(Struct, frozen=True, eq=False, dict=True):
    """The objects that decide a Placement; earlier decisions and the time are in a `Question`.

    The keys of `scores` are namespace and name. `misread` has objects that no API server stores
    (see `reading`).
    """

    clusters: Mapping[str, ocm.ManagedCluster] = field(default_factory=dict)
    sets: Mapping[str, ClusterSet] = field(default_factory=dict)
    bindings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scores: Mapping[tuple[str, str], ocm.ScoreStatus] = field(default_factory=dict)
    requests: tuple[ocm.PlacementRequest, ...] = ()
    decisions: tuple[ocm.HubDecision, ...] = ()
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
    values: dict[str, list[Any]] = {kind: [] for _, kind in _READERS}
    misread: list[HubObject] = []
    for item in objects:
        group, kind = str(item.data.get("apiVersion", "")).partition("/")[0], item.data.get("kind")
        read = _READERS.get((group, str(kind)))
        try:
            value = read(item) if read is not None else None
        # No hub has such an object; `reading` says what is wrong with it.
        except (msgspec.ValidationError, ValueError):
            misread.append(item)
            continue
        if value is not None:
            values[str(kind)].append(value)
    clusters = sorted(values["ManagedCluster"], key=lambda one: one.name)
    bindings = grouped(values["ManagedClusterSetBinding"])
    return Inventory(
        {one.name: one if honours_liveness else _without_liveness(one) for one in clusters},
        {one.name: one for one in (*_SETS, *values["ManagedClusterSet"])},
        {namespace: tuple(sorted({*names})) for namespace, names in bindings.items()},
        dict(values["AddOnPlacementScore"]),
        tuple(sorted(values["Placement"], key=lambda one: (one.namespace, one.name))),
        tuple(sorted(values["PlacementDecision"], key=lambda one: (one.namespace, one.name))),
        tuple(misread),
    )


def _without_liveness(cluster: ocm.ManagedCluster) -> ocm.ManagedCluster:
    # An export has them while a cluster is out of reach: each flap of a network would take its
    # policies away.
    taints = tuple(taint for taint in cluster.taints if taint.key not in LIVENESS)
    dropped = tuple(taint.key for taint in cluster.taints if taint.key in LIVENESS)
    return replace(cluster, taints=taints, dropped=dropped)


def _read_cluster(item: HubObject) -> ocm.ManagedCluster | None:
    metadata = _metadata(item)
    # A cluster that goes is in no set (syncPlacement).
    if metadata.get("deletionTimestamp"):
        return None
    taints = _read_part(item, "spec", ocm.ClusterSpec).taints
    status = _read_part(item, "status", ocm.ClusterStatus)
    for taint in taints:
        _check_time(taint.time_added)
    for value in (*status.allocatable.values(), *status.capacity.values()):
        parse_amount(str(value))
    labels = _read_texts(metadata.get("labels"))
    # The hub sets it where it is missing (feature DefaultClusterSet).
    labels[ocm.SET_LABEL] = labels.get(ocm.SET_LABEL) or DEFAULT_SET
    # Of two claims of a name the last one holds, as in OCM.
    claims = {claim.name: claim.value for claim in status.cluster_claims}
    name = str(metadata["name"])
    return ocm.ManagedCluster(name, labels, claims, taints, status, item.data, item.place)


def _read_set(item: HubObject) -> ClusterSet | None:
    name = str(_metadata(item)["name"])
    if name in {DEFAULT_SET, GLOBAL_SET}:  # rolled back if changed
        return None
    return ClusterSet(name, _read_part(item, "spec", ocm.SetSpec).cluster_selector, item.place)


def _read_name(item: HubObject) -> tuple[str, str]:
    metadata = _metadata(item)
    return str(metadata.get("namespace") or "default"), str(metadata["name"])


def _read_score(item: HubObject) -> tuple[tuple[str, str], ocm.ScoreStatus]:
    status = _read_part(item, "status", ocm.ScoreStatus)
    _check_time(status.valid_until)
    return _read_name(item), status


def _read_request(item: HubObject) -> ocm.PlacementRequest:
    metadata = _metadata(item)
    # The annotation has to be exactly "true"; any other text means nothing.
    is_disabled = _read_texts(metadata.get("annotations")).get(_SKIP) == "true"
    return ocm.PlacementRequest(
        *_read_name(item),
        _read_part(item, "spec", ocm.RequestSpec),
        item.place,
        is_skipped=bool(metadata.get("deletionTimestamp")) or is_disabled,
    )


def _read_decision(item: HubObject) -> ocm.HubDecision:
    labels = _read_texts(_metadata(item).get("labels"))
    status = _read_part(item, "status", ocm.DecisionStatus)
    return ocm.HubDecision(
        *_read_name(item),
        labels.get(PLACEMENT_LABEL, ""),
        labels.get(_GROUP_NAME, ""),
        labels.get(_GROUP_INDEX, ""),
        tuple(decision.cluster_name for decision in status.decisions),
        item.place,
    )


_READERS: Mapping[tuple[str, str], Callable[[HubObject], Any]] = {
    (OCM, "ManagedCluster"): _read_cluster,
    (OCM, "ManagedClusterSet"): _read_set,
    # By its name, and not by `spec.clusterSet`: the scheduler does not read that.
    (OCM, "ManagedClusterSetBinding"): _read_name,
    (OCM, "AddOnPlacementScore"): _read_score,
    (OCM, "Placement"): _read_request,
    (OCM, "PlacementDecision"): _read_decision,
}
"""The function that reads an object of each kind; it returns None for an object without effect."""
KINDS = frozenset(_READERS)
"""The groups and kinds that are read."""


def _metadata(item: HubObject) -> Mapping[str, Any]:
    metadata: Mapping[str, Any] = item.data["metadata"]
    return metadata


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
