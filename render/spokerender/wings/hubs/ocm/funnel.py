"""The steps of each cluster in the decision of one Placement: set, filters, scores, rank, cut."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from spokerender.findings.codes.placement import NO_PLACEMENT
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import did_you_mean
from spokerender.model.spokes import DecisionGroup
from spokerender.rendering.placement.asking import HubQuestion
from spokerender.rendering.values.decisions import (
    ClusterVerdict,
    DecidedPlacement,
    PlacementFunnel,
)
from spokerender.wings.hubs.ocm import inventory as ocm
from spokerender.wings.hubs.ocm.deciding import Decided, decide_all
from spokerender.wings.hubs.ocm.filters import FILTERS
from spokerender.wings.hubs.ocm.inventory import ClusterMatch, Question
from spokerender.wings.hubs.ocm.objects import ManagedCluster
from spokerender.wings.hubs.ocm.reading import inventory_of
from spokerender.wings.hubs.ocm.scheduling import Candidates, Scheduled, list_candidates

Filters = Sequence[tuple[str, ClusterMatch | None]]
"""Pairs of a plugin's name and its prepared filter; the filter is None if every cluster passes."""
_BY_HUB = "as the hub's PlacementDecisions say"
_SET, _CUT, _SELECTED, _OPEN = "set", "cut", "selected", "open"


def explain_placement(
    question: HubQuestion, imported: Mapping[str, DecidedPlacement], key: str
) -> PlacementFunnel:
    """Explain how a Placement of the hub is decided, or why it is refused.

    `imported` are the hub's PlacementDecisions, which take precedence over a decision of ours.
    Raises `InputError` if the hub has neither the Placement nor a decision of it.
    """
    inventory = inventory_of(question.objects)
    if key not in inventory.requests_by_key and key in imported:
        return _imported(imported[key])
    if key not in inventory.requests_by_key:
        cure = did_you_mean(key, {*inventory.requests_by_key, *imported}, "there are")
        message = f'no Placement "{key}" is in the hub, and no decision of it'
        raise InputError((NO_PLACEMENT.result(message, cure=cure or "add it to the hub"),))
    answers = decide_all(
        inventory, question.lock, question.settings.options, imported.keys() - {key}
    )
    decided = next(answer for answer in answers if answer.key == key)
    source, others = "decided here", "others have more, or names before it"
    clusters, groups = decided.clusters, decided.groups
    if decided.question.request.is_skipped:
        source = "not decided, as its scheduling is disabled"
    elif key in imported:
        source, others = _BY_HUB, "the hub selected others"
        clusters, groups = imported[key].clusters, imported[key].groups
    elif decided.is_held:
        source, others = "kept by placement.lock.yaml", "the lock keeps others"
    elif decided.refused is not None:
        source = "not decided"
    return _funnel(decided, source, others, clusters, groups)


def _imported(placement: DecidedPlacement) -> PlacementFunnel:
    """Return the explanation of a decision whose Placement is not in the hub's files."""
    clusters = tuple(ClusterVerdict(name, _SELECTED) for name in placement.clusters)
    return PlacementFunnel(
        placement.key, placement.place(), _BY_HUB, "", "", "", (), placement.groups, clusters
    )


def _funnel(
    decided: Decided,
    source: str,
    others: str,
    clusters: tuple[str, ...],
    groups: tuple[DecisionGroup, ...],
) -> PlacementFunnel:
    scheduled, question = decided.scheduled, decided.question
    refused = str(decided.refused) if decided.refused is not None else ""
    if isinstance(decided.refused, ocm.TimeNeededError):
        refused = f"it depends on the time: {refused}"
    limit = question.request.spec.number_of_clusters
    is_full = limit is not None and limit <= len(clusters)
    why_not = f"only {len(clusters)} are wanted" if is_full else others
    try:
        candidates = list_candidates(question)
    except ocm.SyncFailedError:
        # With a set that has no valid selector OCM writes nothing, so no cluster is in any set.
        candidates = Candidates((), (), (), ())
    ranked = tuple(_ranked(scheduled, clusters, others, why_not)) if scheduled is not None else ()
    names = {verdict.name for verdict in ranked}
    return PlacementFunnel(
        decided.key,
        question.request.place(),
        source,
        scheduled.satisfied.reason if scheduled is not None else "",
        scheduled.satisfied.message if scheduled is not None else "",
        refused,
        candidates.eligible,
        groups,
        (*ranked, *_others(question, candidates, names, clusters)),
    )


def _ranked(
    scheduled: Scheduled, selected: tuple[str, ...], others: str, wanted: str
) -> Iterator[ClusterVerdict]:
    """Yield the clusters that pass all filters, by rank, each with its scores.

    The reason of an unselected cluster is `wanted` if its rank is too low, and `others` if not.
    """
    for rank, name in enumerate(scheduled.ranked, 1):
        scores = tuple((one.name, one.weight, one.scores.get(name)) for one in scheduled.scored)
        total = scheduled.totals[name]
        if name in selected:
            yield ClusterVerdict(name, _SELECTED, "", rank, total, scores)
            continue
        reason = others if rank <= len(selected) else wanted
        # One place higher, and it would be selected: that is one thing, as for a filter.
        is_next = rank == len(selected) + 1
        yield ClusterVerdict(name, _CUT, reason, rank, total, scores, is_near=is_next)


def _others(
    question: Question, candidates: Candidates, ranked: Collection[str], selected: Collection[str]
) -> Iterator[ClusterVerdict]:
    """Yield verdicts on unranked clusters: refused by a filter, in no set, or not in the files."""
    clusters = question.inventory.clusters
    available = {cluster.name for cluster in candidates.available}
    rows, unread = [], ""
    try:
        rows = [(row.name, row.prepare(question)) for row in FILTERS]
    except (ocm.MisconfiguredError, ocm.NotEvaluableError):
        rows, unread = [], "the filters of the Placement can't be used"
    outside = clusters.keys() - available
    for name in (*sorted(available - {*ranked}), *sorted(outside)):
        verdict = _judge(clusters[name], rows, unread, name in outside)
        yield _as_selected(verdict) if name in selected else verdict
    for name in sorted({*selected} - clusters.keys()):
        yield ClusterVerdict(name, _SELECTED, "the hub's files have no ManagedCluster of that name")


def _judge(cluster: ManagedCluster, rows: Filters, unread: str, is_outside: bool) -> ClusterVerdict:
    unmet = [(_SET, "it is in none of the sets")] if is_outside else []
    doubts = [unread] * bool(unread)
    for plugin, match in rows:
        try:
            unmet += [(plugin, text) for text in match.list_unmet(cluster)] if match else []
        except (ocm.TimeNeededError, ocm.NotEvaluableError) as error:
            doubts.append(str(error))
    if not unmet:
        reason = "; ".join(doubts) or "it passes all filters"
        return ClusterVerdict(cluster.name, _OPEN, reason)
    reason = "; ".join(reason for _, reason in unmet)
    return ClusterVerdict(cluster.name, unmet[0][0], reason, is_near=len(unmet) == 1)


def _as_selected(verdict: ClusterVerdict) -> ClusterVerdict:
    """Return `verdict` as selected; its reason tells if the files alone would not select it."""
    doubt = "" if verdict.verdict == _OPEN else "not by these files: "
    return replace(verdict, verdict=_SELECTED, reason=f"{doubt}{verdict.reason}", is_near=False)
