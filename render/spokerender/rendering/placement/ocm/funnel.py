"""The way of every cluster to the decision of one Placement: set, filters, scores, rank, cut."""

from collections.abc import Iterator, Sequence

from spokerender.findings.codes.placement import NO_PLACEMENT
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import did_you_mean
from spokerender.rendering.placement.asking import HubQuestion
from spokerender.rendering.placement.ocm.deciding import Decided, decide_all
from spokerender.rendering.placement.ocm.faults import MisconfiguredError, NotEvaluableError
from spokerender.rendering.placement.ocm.filters import FILTERS
from spokerender.rendering.placement.ocm.imported import import_decisions
from spokerender.rendering.placement.ocm.objects import ManagedCluster
from spokerender.rendering.placement.ocm.questions import ClusterMatch, Question
from spokerender.rendering.placement.ocm.reading import inventory_of
from spokerender.rendering.placement.ocm.scheduling import Scheduled
from spokerender.rendering.values.decisions import (
    ClusterVerdict,
    DecidedPlacement,
    DecisionGroup,
    PlacementFunnel,
)

Filters = Sequence[tuple[str, ClusterMatch | None]]
"""The filters that are ready, by the names of their plugins."""
_BY_HUB = "as the hub's PlacementDecisions say"
_SET, _CUT, _SELECTED = "set", "cut", "selected"


def explain_placement(question: HubQuestion, key: str) -> PlacementFunnel:
    """Explain how a Placement of the hub is decided, also where it is refused.

    Raises:
        InputError: the hub has no such Placement.

    """
    inventory = inventory_of(question.objects)
    imported = {} if question.decides_always else import_decisions(question).placements
    if key not in inventory.requests_by_key and key in imported:
        return _imported(imported[key])
    if key not in inventory.requests_by_key:
        cure = did_you_mean(key, inventory.requests_by_key, "there are")
        message = f'no Placement "{key}" is in the hub'
        raise InputError((NO_PLACEMENT.result(message, cure=cure or "add it to the hub"),))
    answers = decide_all(inventory, question.lock, question.options, imported.keys() - {key})
    decided = next(answer for answer in answers if answer.key == key)
    source, clusters, groups = "decided here", decided.clusters, decided.groups
    if decided.question.request.is_skipped:
        source = "not decided, as its scheduling is disabled"
    elif key in imported:
        source = _BY_HUB
        clusters, groups = imported[key].clusters, imported[key].groups
    elif decided.is_held:
        source = "kept by placement.lock.yaml"
    return _funnel(decided, source, clusters, groups)


def _imported(placement: DecidedPlacement) -> PlacementFunnel:
    """Return a decision without its Placement: all that is known of it."""
    clusters = tuple(ClusterVerdict(name, _SELECTED) for name in placement.clusters)
    return PlacementFunnel(
        placement.key, placement.place(), _BY_HUB, "", "", "", (), placement.groups, clusters
    )


def _funnel(
    decided: Decided, source: str, clusters: tuple[str, ...], groups: tuple[DecisionGroup, ...]
) -> PlacementFunnel:
    scheduled, question = decided.scheduled, decided.question
    refused = str(decided.refused) if decided.refused is not None else ""
    return PlacementFunnel(
        decided.key,
        question.request.place(),
        source,
        scheduled.satisfied.reason if scheduled is not None else "",
        scheduled.satisfied.message if scheduled is not None else "",
        refused,
        scheduled.candidates.eligible if scheduled is not None else (),
        groups,
        tuple(_verdicts(question, scheduled, clusters)) if scheduled is not None else (),
    )


def _verdicts(
    question: Question, scheduled: Scheduled, selected: tuple[str, ...]
) -> Iterator[ClusterVerdict]:
    """Yield the clusters by rank, then those that a filter refuses, then those of no set."""
    clusters = question.inventory.clusters
    for rank, name in enumerate(scheduled.ranked, 1):
        scores = tuple((one.name, one.weight, one.scores.get(name)) for one in scheduled.scored)
        total = scheduled.totals[name]
        if name in selected:
            yield ClusterVerdict(name, _SELECTED, "", rank, total, scores)
            continue
        is_next = rank == len(selected) + 1
        reason = f"only {len(selected)} are wanted"
        yield ClusterVerdict(name, _CUT, reason, rank, total, scores, is_near=is_next)
    available = {cluster.name for cluster in scheduled.candidates.available}
    refused = available - set(scheduled.ranked) if scheduled.feasible is not None else set()
    outside = clusters.keys() - available
    try:
        rows = [(row.name, row.prepare(question)) for row in FILTERS]
    except (MisconfiguredError, NotEvaluableError):
        rows = []  # the whole Placement is refused
    for name in (*sorted(refused), *sorted(outside)):
        yield _refused(clusters[name], rows, name in outside)


def _refused(cluster: ManagedCluster, rows: Filters, is_outside: bool) -> ClusterVerdict:
    unmet = [(_SET, "it is in none of the sets")] if is_outside else []
    for plugin, match in rows:
        reasons = match.list_unmet(cluster) if match is not None else []
        unmet += [(plugin, reason) for reason in reasons]
    verdict, _ = unmet[0]
    reason = "; ".join(reason for _, reason in unmet)
    return ClusterVerdict(cluster.name, verdict, reason, is_near=len(unmet) == 1)
