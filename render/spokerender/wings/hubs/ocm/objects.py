"""The objects that OCM's scheduler reads, as typed values with the defaults of their CRDs.

Source: open-cluster-management-io/api 1845fd8032e4, `cluster/v1`, `v1alpha1`, `v1beta1`, `v1beta2`.
Values are as wide as the Go types; `admission.json` has the CRDs' narrower rules.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from msgspec import Struct

from spokerender.model import Origin, Place
from spokerender.model.refs import OCM

SET_LABEL = f"{OCM}/clusterset"
Data = Mapping[str, Any]
FieldPlace = Callable[..., Origin]
"""Returns the file and line of an object, of the named field, or of the keys below that field."""


class AddOnCoordinate(Struct, frozen=True, rename="camel"):
    """A score of an add-on: the name of an AddOnPlacementScore, and the name of a score in it."""

    resource_name: str
    score_name: str


class ScoreCoordinate(Struct, frozen=True, rename="camel"):
    """A `scoreCoordinate`: a built-in prioritizer, or a score of an add-on."""

    type: str = "BuiltIn"
    built_in: str = ""
    add_on: AddOnCoordinate | None = None


class WeightedScore(Struct, frozen=True, rename="camel"):
    """An item of a Placement's `prioritizerPolicy.configurations`: a score with its weight."""

    score_coordinate: ScoreCoordinate | None = None
    weight: int = 1


class PrioritizerPolicy(Struct, frozen=True, rename="camel"):
    """The `prioritizerPolicy`: which scores count, and with which weights."""

    mode: str = "Additive"
    configurations: tuple[WeightedScore, ...] = ()


class RequirementData(TypedDict, total=False):
    """An item of `matchExpressions`, as in the file."""

    key: str
    operator: str
    values: list[str]


class SelectorData(TypedDict, total=False):
    """A selector of labels or claims, as in the file."""

    matchLabels: dict[str, str]
    matchExpressions: list[RequirementData]


class CelSelector(Struct, frozen=True, rename="camel"):
    """Expressions over `managedCluster`; all of them must be true."""

    cel_expressions: tuple[str, ...] = ()


class ClusterPredicate(Struct, frozen=True, rename="camel"):
    """The selectors of one predicate, all of which must match; empty ones match everything."""

    label_selector: SelectorData = {}
    claim_selector: SelectorData = {}
    cel_selector: CelSelector = CelSelector()


class Predicate(Struct, frozen=True, rename="camel"):
    """An item of a Placement's `predicates`."""

    required_cluster_selector: ClusterPredicate = ClusterPredicate()


class Toleration(Struct, frozen=True, rename="camel"):
    """An item of a Placement's `tolerations`."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class NamedGroup(Struct, frozen=True, rename="camel"):
    """An item of `decisionGroups`: a group's name, and the selector of the group's clusters."""

    group_name: str = ""
    group_cluster_selector: ClusterPredicate = ClusterPredicate()


class GroupStrategy(Struct, frozen=True, rename="camel"):
    """The `groupStrategy`: how the selected clusters are divided into groups."""

    clusters_per_decision_group: int | str = "100%"
    decision_groups: tuple[NamedGroup, ...] = ()


class DecisionStrategy(Struct, frozen=True, rename="camel"):
    """The `decisionStrategy` of a Placement."""

    group_strategy: GroupStrategy = GroupStrategy()


class RequestSpec(Struct, frozen=True, rename="camel"):
    """The fields of a Placement's spec that OCM reads; it ignores all other fields."""

    cluster_sets: tuple[str, ...] = ()
    number_of_clusters: int | None = None
    predicates: tuple[Predicate, ...] = ()
    prioritizer_policy: PrioritizerPolicy = PrioritizerPolicy()
    tolerations: tuple[Toleration, ...] = ()
    decision_strategy: DecisionStrategy = DecisionStrategy()


class PlacementRequest(Struct, frozen=True, eq=False):
    """A Placement; if `is_skipped`, OCM decides nothing and keeps the earlier decision."""

    namespace: str
    name: str
    spec: RequestSpec
    place: FieldPlace
    is_skipped: bool = False

    @property
    def key(self) -> str:
        """Return the namespace and name of the Placement."""
        return f"{self.namespace}/{self.name}"


class Taint(Struct, frozen=True, rename="camel"):
    """A taint in the spec of a ManagedCluster."""

    key: str = ""
    effect: str = ""
    value: str = ""
    time_added: str = ""


class ClusterClaim(Struct, frozen=True):
    """A cluster claim (name and value) in the status of a ManagedCluster."""

    name: str = ""
    value: str = ""


class ClusterSpec(Struct, frozen=True, rename="camel"):
    """The fields of a ManagedCluster's spec that filters, prioritizers or expressions read."""

    hub_accepts_client: bool = False
    lease_duration_seconds: int = 60
    taints: tuple[Taint, ...] = ()


class ClusterStatus(Struct, frozen=True, rename="camel"):
    """The fields of a ManagedCluster's status that filters, prioritizers or expressions read."""

    conditions: tuple[dict[str, str | int], ...] = ()
    version: dict[str, str] = {}
    cluster_claims: tuple[ClusterClaim, ...] = ()
    allocatable: dict[str, str | int | float] = {}
    capacity: dict[str, str | int | float] = {}


class ManagedCluster(Struct, frozen=True, eq=False):
    """A cluster of the hub; `object` is the object as it was read.

    `dropped` has the keys of the taints that do not count.
    """

    name: str
    labels: Mapping[str, str]
    claims: Mapping[str, str]
    taints: tuple[Taint, ...]
    status: ClusterStatus
    object: Data
    place: Place
    dropped: tuple[str, ...] = ()


class ClusterSelector(Struct, frozen=True, rename="camel"):
    """The selector of a set's members; `label_selector` is None if the field is absent."""

    selector_type: str = ""
    label_selector: SelectorData | None = None


class SetSpec(Struct, frozen=True, rename="camel"):
    """The spec of a ManagedClusterSet."""

    cluster_selector: ClusterSelector = ClusterSelector()


class ScoreValue(Struct, frozen=True):
    """An item of an AddOnPlacementScore's `scores`."""

    name: str = ""
    value: int = 0


class ScoreStatus(Struct, frozen=True, rename="camel"):
    """The status of an AddOnPlacementScore."""

    scores: tuple[ScoreValue, ...] = ()
    valid_until: str = ""


class NamedCluster(Struct, frozen=True, rename="camel"):
    """A cluster in the `decisions` of a PlacementDecision."""

    cluster_name: str = ""


class DecisionStatus(Struct, frozen=True):
    """The status of a PlacementDecision."""

    decisions: tuple[NamedCluster, ...] = ()


class HubDecision(Struct, frozen=True, eq=False):
    """A PlacementDecision in the hub; `placement` is empty if no label names its Placement."""

    namespace: str
    name: str
    placement: str
    group: str
    index: str
    clusters: tuple[str, ...]
    place: FieldPlace
