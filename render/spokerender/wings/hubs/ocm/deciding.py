"""Decide all Placements of a hub; the lock has the earlier decisions."""

from collections import Counter
from collections.abc import Collection, Mapping

from msgspec import Struct

from spokerender.model.spokes import DecisionGroup
from spokerender.rendering.values import decisions
from spokerender.wings.hubs.ocm import scheduling
from spokerender.wings.hubs.ocm.filters import FILTERS
from spokerender.wings.hubs.ocm.inventory import (
    Clock,
    Inventory,
    MisconfiguredError,
    NotEvaluableError,
    Question,
    SyncFailedError,
    TimeNeededError,
)


class Decided(Struct, frozen=True):
    """The decision of one Placement: `clusters`, divided into `groups`.

    `scheduled` is the decision that OCM would make now, None if there is none. If `is_held`, the
    lock's decision counts instead. `refused` is the error that prevents a decision, in OCM's words.
    `before` is the lock's entry, None if the lock has no entry.
    """

    question: Question
    clusters: tuple[str, ...]
    groups: tuple[DecisionGroup, ...]
    before: tuple[str, ...] | None = None
    scheduled: scheduling.Scheduled | None = None
    is_held: bool = False
    refused: Exception | None = None

    @property
    def key(self) -> str:
        """Return the namespace and name of the Placement."""
        return self.question.request.key

    @property
    def moves(self) -> bool:
        """Return whether the lock's decision is kept though OCM would select other clusters now."""
        return (
            self.is_held and self.scheduled is not None and self.scheduled.selected != self.clusters
        )


class NothingBoundError(Exception):
    """OCM selects no cluster, since no set that a Placement asks for is bound to its namespace."""

    field = "spec.clusterSets"


class NewestDecisions:
    """The newest decision of each Placement so far, and how often decisions name each cluster."""

    def __init__(self, inventory: Inventory, lock: decisions.Clusters) -> None:
        self._clusters: dict[str, tuple[str, ...]] = {}
        for decision in inventory.decisions:
            key = f"{decision.namespace}/{decision.placement}"
            # A decision has a piece for every 100 clusters. A name in two of them counts twice in
            # OCM.
            self._clusters[key] = (*self._clusters.get(key, ()), *decision.clusters)
        # A lock is as new as the last build, an export may be older.
        self._clusters |= lock
        self._counts = Counter(name for names in self._clusters.values() for name in names)

    def current(self, key: str) -> tuple[str, ...]:
        """Return the clusters of a Placement's newest decision; empty if it has none."""
        return self._clusters.get(key, ())

    def counts_beside(self, key: str) -> Mapping[str, int]:
        """Return how often the decisions of all other Placements name each cluster."""
        return self._counts - Counter(self.current(key))

    def decide(self, key: str, clusters: tuple[str, ...]) -> None:
        """Record `clusters` as the newest decision of the Placement `key`."""
        self._counts.subtract(self.current(key))
        self._clusters[key] = clusters
        self._counts.update(clusters)


def decide_all(
    inventory: Inventory,
    lock: decisions.PlacementLock,
    options: decisions.DecisionOptions,
    passed_over: Collection[str] = (),
) -> tuple[Decided, ...]:
    """Decide all Placements except those in `passed_over`; each decision counts for the next ones.

    A decision of the lock that still holds is kept, unless `options` asks to renew it.
    """
    clock = Clock(options.now or lock.now)
    requests = [request for request in inventory.requests if request.key not in passed_over]
    keys = {request.key for request in requests}
    entries = {key: clusters for key, clusters in lock.entries.items() if key in keys}
    # A hub takes Placements in the order of its queue, and a decision does not queue those again
    # whose balance it changes: so its answers vary, and one fixed order is as right as any.
    history = NewestDecisions(inventory, entries)
    answers = []
    for request in requests:
        current = frozenset(history.current(request.key))
        counts = history.counts_beside(request.key)
        question = Question(request, inventory, clock, current, counts)
        before = entries.get(request.key)
        answer = answer_question(question, before, renews=options.renews(request.key))
        history.decide(request.key, answer.clusters)
        answers.append(answer)
    return tuple(answers)


def answer_question(
    question: Question, before: tuple[str, ...] | None, *, renews: bool = False
) -> Decided:
    """Decide one Placement, or keep `before`, the lock's decision, if `does_hold` allows that.

    If OCM refuses the Placement, its clusters are unchanged. If scores depend on a time that is
    not given, `before` may still be kept, as scores have no part in that.
    """
    clusters = before if before is not None else tuple(sorted(question.current))
    groups: tuple[DecisionGroup, ...] = (DecisionGroup("", 0, clusters),)
    # syncPlacement returns at once, and writes nothing: the earlier decision stays.
    if question.request.is_skipped:
        return Decided(question, clusters, groups, before)
    scheduled = None
    try:
        scheduled = scheduling.schedule(question)
        # OCM empties the decision; see `decided`.
        if scheduled.misconfigured is not None:
            raise scheduled.misconfigured
        if scheduled.satisfied.reason in scheduling.UNBOUND:
            raise NothingBoundError(scheduled.satisfied.message)
    except _FAULTS as error:
        if before is not None and not renews and isinstance(error, TimeNeededError):
            groups, fault = scheduling.group_selected(question, before)
            if fault is None and _holds_whatever_scores(question, before):
                return Decided(question, before, groups, before, is_held=True)
        return Decided(question, clusters, groups, before, scheduled, refused=error)
    # A better score alone moves nothing: a cluster that goes loses its policies.
    if before is None or renews or not does_hold(scheduled, before):
        return Decided(question, scheduled.selected, scheduled.groups, before, scheduled)
    groups, _ = scheduling.group_selected(question, before)
    return Decided(question, before, groups, before, scheduled, is_held=True)


_FAULTS = (
    MisconfiguredError, SyncFailedError, TimeNeededError, NotEvaluableError, NothingBoundError,
)  # fmt: skip


def does_hold(scheduled: scheduling.Scheduled, clusters: tuple[str, ...]) -> bool:
    """Return whether an earlier decision, with these clusters, may be kept.

    This is so if all `clusters` pass the filters, and a new decision would select as many.
    """
    return len(clusters) == len(scheduled.selected) and set(scheduled.ranked).issuperset(clusters)


def _holds_whatever_scores(question: Question, clusters: tuple[str, ...]) -> bool:
    """Return whether `clusters`, an earlier decision, still holds; False if filters need a time."""
    try:
        feasible = scheduling.filter_clusters(
            question, scheduling.list_candidates(question).available
        )
    except TimeNeededError:
        return False
    limit = question.request.spec.number_of_clusters
    count = len(feasible) if limit is None else min(limit, len(feasible))
    return len(clusters) == count and {one.name for one in feasible}.issuperset(clusters)


def explain_change(answer: Decided) -> decisions.PlacementChange | None:
    """Return the clusters that a decision adds and removes, with reasons; None if unchanged."""
    # Without a lock the hub's own decisions are the last ones.
    before = frozenset(answer.before or answer.question.current)
    after = frozenset(answer.clusters)
    scheduled = answer.scheduled
    if before == after or scheduled is None or answer.refused is not None:
        return None
    comes = (
        (name, rank) for name, rank in _explain_ranks(scheduled).items() if name in after - before
    )
    goes = ((name, explain_absence(answer.question, scheduled, name)) for name in before - after)
    is_forced = answer.before is not None and not does_hold(scheduled, answer.before)
    return decisions.PlacementChange(
        answer.key, tuple(sorted(comes)), tuple(sorted(goes)), is_forced
    )


def _explain_ranks(scheduled: scheduling.Scheduled) -> dict[str, str]:
    count = len(scheduled.ranked)
    return {
        name: f"rank {place} of {count}, total {scheduled.totals[name]}"
        for place, name in enumerate(scheduled.ranked, 1)
    }


def explain_absence(question: Question, scheduled: scheduling.Scheduled, name: str) -> str:
    """Return why the cluster `name` is not selected."""
    cluster = question.inventory.clusters.get(name)
    if cluster is None:
        return "the hub has no ManagedCluster of that name"
    if cluster not in scheduled.candidates.available:
        return f"it is in none of the sets {', '.join(scheduled.candidates.eligible)}"
    for row in FILTERS:
        match = row.prepare(question)
        try:
            unmet = match.list_unmet(cluster) if match is not None else []
        except (TimeNeededError, NotEvaluableError):
            continue  # another filter decided
        if unmet:
            return unmet[0]
    count = len(scheduled.selected)
    return f"only {count} are wanted: {_explain_ranks(scheduled)[name]}"
