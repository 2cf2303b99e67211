"""Decide one Placement in the order of OCM's scheduler.

Source: OCM `pkg/placement/controllers/scheduling/scheduling_controller.go`, `syncPlacement`,
`calculateLength`.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model.rollout import portion
from spokerender.model.spokes import DecisionGroup
from spokerender.wings.hubs.ocm.filters import FILTERS
from spokerender.wings.hubs.ocm.inventory import MisconfiguredError, Question
from spokerender.wings.hubs.ocm.matching import read_matcher
from spokerender.wings.hubs.ocm.objects import ManagedCluster
from spokerender.wings.hubs.ocm.prioritizers import Scores, prepare_prioritizers

UNBOUND = frozenset({"NoManagedClusterSetBindings", "NoIntersection"})
"""The reasons that empty a decision because no set is bound to the namespace."""
_GROUPING = "spec.decisionStrategy.groupStrategy"


class Satisfied(Struct, frozen=True):
    """The condition `PlacementSatisfied`, with OCM's message."""

    reason: str
    message: str
    is_true: bool = False


class Scored(Struct, frozen=True):
    """A prioritizer's weight and its scores by cluster; a cluster without a score is left out."""

    name: str
    weight: int
    scores: Scores


class Candidates(Struct, frozen=True):
    """The clusters among which a Placement selects.

    `asked` are the sets in the spec, `bound` the sets with a binding in the namespace, `eligible`
    the sets that are both; `available` are the members of the eligible sets.
    """

    asked: tuple[str, ...]
    bound: tuple[str, ...]
    eligible: tuple[str, ...]
    available: tuple[ManagedCluster, ...]


class Scheduled(Struct, frozen=True):
    """A decision and its intermediate results.

    `feasible` are the clusters that pass all filters, and `ranked` their names, the best first. If
    `feasible` is None, OCM refuses the Placement before it filters clusters.
    """

    candidates: Candidates
    satisfied: Satisfied
    feasible: tuple[ManagedCluster, ...] | None = None
    scored: tuple[Scored, ...] = ()
    totals: Mapping[str, int] = {}
    ranked: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    groups: tuple[DecisionGroup, ...] = (DecisionGroup("", 0, ()),)
    unscheduled: int = 0
    misconfigured: MisconfiguredError | None = None

    @property
    def rivals(self) -> tuple[ManagedCluster, ...]:
        """Return the feasible clusters; none if all are selected, as scores don't matter then."""
        feasible = self.feasible or ()
        return feasible if len(self.selected) < len(feasible) else ()


def list_candidates(question: Question) -> Candidates:
    """Return the members of the bound sets that a Placement asks for. Raises `SyncFailedError`."""
    request, inventory = question.request, question.inventory
    bindings = inventory.bindings.get(request.namespace, ())
    # A binding for a set that is not there binds nothing.
    bound = tuple(name for name in bindings if name in inventory.sets)
    asked = request.spec.cluster_sets
    eligible = tuple(name for name in bound if not asked or name in asked)
    members = frozenset[str]().union(*(inventory.members(name) for name in eligible))
    available = tuple(inventory.clusters[name] for name in sorted(members))
    return Candidates(asked, bound, eligible, available)


def filter_clusters(
    question: Question, available: tuple[ManagedCluster, ...]
) -> tuple[ManagedCluster, ...]:
    """Return the clusters that a Placement may select.

    Raises `MisconfiguredError` if OCM refuses the Placement, `TimeNeededError` if a filter needs
    the time, `NotEvaluableError` if a filter has an expression that can't be evaluated here.
    """
    clusters = available
    for row in FILTERS:
        # No filter runs, and none finds a fault, where no cluster is left.
        match = row.prepare(question) if clusters else None
        if match is not None:
            clusters = tuple(cluster for cluster in clusters if match.matches(cluster))
    return clusters


def schedule(question: Question) -> Scheduled:
    """Decide a Placement as OCM does.

    Raises:
        SyncFailedError: a set has no valid selector.
        TimeNeededError, NotEvaluableError: as for `filter_clusters`.

    """
    candidates = list_candidates(question)
    try:
        feasible = filter_clusters(question, candidates.available)
        prioritizers = prepare_prioritizers(question.request.spec.prioritizer_policy)
    except MisconfiguredError as error:
        _, fault = group_selected(question, ())  # groups are made all the same
        return Scheduled(candidates, _judge(candidates, 0, 0), misconfigured=fault or error)
    limit = question.request.spec.number_of_clusters
    # Where all are taken, scores decide nothing, and so does the time at which one ends.
    takes_all = limit is None or limit >= len(feasible)
    timeless = replace(question, clock=question.clock.or_first()) if takes_all else question
    scored = tuple(
        Scored(row.name, row.weight, row.score(timeless, feasible)) for row in prioritizers
    )
    totals = {
        cluster.name: sum(row.weight * row.scores.get(cluster.name, 0) for row in scored)
        for cluster in feasible
    }
    # They rank by their totals, then by name; the first are taken, and grouped.
    # Bytewise, as Go compares: `c10` before `c2`. The API's "random subset" is not true.
    ranked = tuple(sorted(totals, key=lambda name: (-totals[name], name)))
    selected = ranked if limit is None else ranked[:limit]
    unscheduled = 0 if limit is None else limit - len(selected)
    groups, fault = group_selected(question, selected)
    satisfied = _judge(candidates, len(selected), unscheduled)
    return Scheduled(
        candidates,
        satisfied,
        feasible,
        scored,
        totals,
        ranked,
        tuple(sorted(selected)),
        groups,
        unscheduled,
        fault,
    )


def group_selected(
    question: Question, selected: Iterable[str]
) -> tuple[tuple[DecisionGroup, ...], MisconfiguredError | None]:
    """Return the groups of the selected clusters, and the fault that ended the grouping, if any.

    Groups have at most `clustersPerDecisionGroup` clusters; a value out of range means no limit.
    """
    strategy = question.request.spec.decision_strategy.group_strategy
    # By name, and not by rank: groups say nothing of scores.
    rest = [question.inventory.clusters[name] for name in sorted(selected)]
    written = strategy.clusters_per_decision_group
    try:
        length = max(portion(written, len(rest), len(rest)), 1)
    except ValueError as error:
        message = f"{written} invalid type: {error}"
        return (), MisconfiguredError(message, field=f"{_GROUPING}.clustersPerDecisionGroup")
    pieces: list[tuple[str, tuple[str, ...]]] = []
    fault = None
    for number, group in enumerate(strategy.decision_groups):
        try:
            # Labels and claims alone: for groups OCM does not look at expressions.
            matcher = read_matcher(group.group_cluster_selector)
        except ValueError as error:
            fault = MisconfiguredError(str(error), field=f"{_GROUPING}.decisionGroups[{number}]")
            # Groups before the fault stay, and those that no entry selects are not cut.
            break
        members = [cluster for cluster in rest if matcher.matches(cluster)]
        rest = [cluster for cluster in rest if not matcher.matches(cluster)]
        pieces += _cut_group(group.group_name, members, length)
    if fault is None:
        pieces += _cut_group("", rest, length)
    groups = (DecisionGroup(name, i, names) for i, (name, names) in enumerate(pieces))
    # Without any cluster there is one group, which is empty.
    return tuple(groups) or (DecisionGroup("", 0, ()),), fault


def _cut_group(
    name: str, clusters: Sequence[ManagedCluster], length: int
) -> list[tuple[str, tuple[str, ...]]]:
    names = [cluster.name for cluster in clusters]
    return [(name, tuple(names[i : i + length])) for i in range(0, len(names), length)]


def _judge(candidates: Candidates, selected: int, unscheduled: int) -> Satisfied:
    """Return a decision's condition; the numbers count clusters (OCM's `newSatisfiedCondition`)."""
    if not candidates.bound:
        message = "No valid ManagedClusterSetBindings found in placement namespace"
        return Satisfied("NoManagedClusterSetBindings", message)
    if not candidates.eligible:
        sets = f"[{','.join(candidates.asked)}]"
        message = f"None of ManagedClusterSets {sets} is bound to placement namespace"
        return Satisfied("NoIntersection", message)
    if not candidates.available:
        sets = f"[{','.join(candidates.eligible)}]"
        message = f"All ManagedClusterSets {sets} have no member ManagedCluster"
        return Satisfied("AllManagedClusterSetsEmpty", message)
    if not selected:
        message = "No ManagedCluster matches any of the cluster predicate"
        return Satisfied("NoManagedClusterMatched", message)
    if not unscheduled:
        message = "All cluster decisions scheduled"
        return Satisfied("AllDecisionsScheduled", message, is_true=True)
    message = f"{unscheduled} cluster decisions unscheduled"
    return Satisfied("NotAllDecisionsScheduled", message)
