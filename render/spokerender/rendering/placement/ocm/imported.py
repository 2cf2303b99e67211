"""The source of decisions that a hub has made: PlacementDecisions, taken as they are."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from spokerender.findings.codes.placement import BAD_DECISION
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.model import Ref, grouped
from spokerender.model.quantities import parse_int64
from spokerender.model.refs import OCM
from spokerender.model.spokes import DecisionGroup
from spokerender.rendering.placement.asking import HubAnswer, HubQuestion
from spokerender.rendering.placement.ocm.objects import HubDecision
from spokerender.rendering.placement.ocm.reading import check_objects, clusters_of, inventory_of
from spokerender.rendering.values.decisions import DecidedPlacement


def import_decisions(question: HubQuestion) -> HubAnswer:
    """Return the decisions in a hub, by the label that names their Placement."""
    inventory = inventory_of(question.objects)
    clusters = clusters_of(inventory)
    decisions_of = grouped(
        (f"{decision.namespace}/{decision.placement}", decision)
        for decision in inventory.decisions
        if decision.placement
    )
    has_requests = any(manifest.ref.kind == "Placement" for manifest in question.objects.manifests)
    # With Placements in the hub, `decided` checks its objects, once.
    results = [] if has_requests else list(check_objects(question))
    for key, decisions in decisions_of.items():
        if key in question.used:
            results += _check(decisions, question.spokes | clusters.keys())
    return HubAnswer(
        {key: _placement(key, decisions) for key, decisions in decisions_of.items()},
        clusters,
        tuple(results),
    )


def _placement(key: str, decisions: Sequence[HubDecision]) -> DecidedPlacement:
    """Join the pieces of each group; one without a number is the first."""
    pieces = grouped((parse_int64(decision.index) or 0, decision) for decision in decisions)
    groups = (
        DecisionGroup(
            pieces[index][0].group,
            index,
            # One set of all its pieces, as MGC reads them (pkg/placement/ocm.go).
            tuple(sorted({name for piece in pieces[index] for name in piece.clusters})),
        )
        for index in sorted(pieces)
    )
    return DecidedPlacement(key, tuple(groups), decisions[0].place)


def _check(decisions: Sequence[HubDecision], declared: Collection[str]) -> Iterator[Result]:
    """Yield the faults of the decisions of one Placement."""
    first: dict[str, HubDecision] = {}
    for decision in decisions:
        for name, times in Counter(decision.clusters).items():
            other = first.setdefault(name, decision)
            if times > 1 or other is not decision:
                message = f'the cluster "{name}" is named twice'
                message += f", also by {other.name}" if other is not decision else ""
                index = len(decision.clusters) - 1 - decision.clusters[::-1].index(name)
                yield _refuse(decision, message, "export the decisions anew", index)
            if name not in declared:
                message = f'no ManagedCluster "{name}" is in the hub, and no spoke is declared so'
                cure = "export the ManagedClusters with the decisions, or declare the spoke"
                index = decision.clusters.index(name)
                yield _refuse(decision, message, did_you_mean(name, declared) or cure, index)
    yield from _check_indices(decisions)


def _check_indices(decisions: Iterable[HubDecision]) -> Iterator[Result]:
    names: dict[int, HubDecision] = {}
    for decision in decisions:
        index = parse_int64(decision.index or "0")
        if index is None or index < 0:
            message = f'the index "{decision.index[:40]}" of its group is no number'
            yield _refuse(decision, message, "export the decisions anew")
            continue
        other = names.setdefault(index, decision)
        if other.group != decision.group:
            message = f'its group "{decision.group}" has the index of "{other.group}"'
            yield _refuse(decision, message, "export the decisions anew")
    for expected, index in enumerate(sorted(names)):
        if index != expected:
            message = f"its group has the index {index}, but there is none with {expected}"
            yield _refuse(names[index], message, "export all decisions of the Placement")
            break


def _refuse(decision: HubDecision, message: str, cure: str, index: int | None = None) -> Result:
    """Refuse a decision, or the cluster with an index; without one its labels are at fault."""
    field = "metadata.labels" if index is None else f"status.decisions[{index}].clusterName"
    ref, origin = (
        Ref(OCM, "PlacementDecision", decision.namespace, decision.name),
        decision.place(field),
    )
    return BAD_DECISION.result(message, cure=cure, resource=ref, field=field, origin=origin)
