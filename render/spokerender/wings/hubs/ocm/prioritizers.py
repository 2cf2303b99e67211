"""The prioritizers of OCM's scheduler: each scores clusters, mostly from -100 to 100.

Source: OCM `pkg/placement/plugins/{balance,steady,resource,addon}`, `schedule.go: getWeights`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import trunc

from msgspec import Struct

from spokerender.model.quantities import parse_quantity
from spokerender.wings.hubs.ocm.inventory import MisconfiguredError, Question
from spokerender.wings.hubs.ocm.objects import (
    AddOnCoordinate,
    ManagedCluster,
    PrioritizerPolicy,
    ScoreCoordinate,
)

Scores = Mapping[str, int]
"""Scores by the name of the cluster; a cluster without a score is left out."""
_HIGHEST = 100


class Prioritizer(Struct, frozen=True):
    """A prioritizer of a Placement, with its weight."""

    name: str
    weight: int
    score: Callable[[Question, Sequence[ManagedCluster]], Scores]


def _score_balance(question: Question, clusters: Sequence[ManagedCluster]) -> Scores:
    """Return scores from 100 (in no other decision) to -100 (in the most), rounded as in OCM."""
    counts = question.counts
    # The most of any name, whether its cluster is feasible or there at all.
    most = max(counts.values(), default=0)
    if not most:
        return {cluster.name: _HIGHEST for cluster in clusters}
    return {
        cluster.name: 2
        * trunc(_HIGHEST * (0.5 - counts.get(cluster.name, 0) / most))  # floats, as in Go
        for cluster in clusters
    }


def _score_steady(question: Question, clusters: Sequence[ManagedCluster]) -> Scores:
    return {
        cluster.name: _HIGHEST if cluster.name in question.current else 0 for cluster in clusters
    }


def _score_resource(
    resource: str, _question: Question, clusters: Sequence[ManagedCluster]
) -> Scores:
    """Score clusters by the allocatable amount of `resource`, if they report the resource."""
    values = {
        cluster.name: float(parse_quantity(str(cluster.status.allocatable[resource])))
        for cluster in clusters
        # OCM wants the capacity to be there, too.
        if resource in cluster.status.allocatable and resource in cluster.status.capacity
    }
    if not values:
        return {}
    least, most = min(values.values()), max(values.values())
    if least == most:
        # Also for one cluster alone.
        return dict.fromkeys(values, _HIGHEST)
    return {
        name: trunc(((value - least) / (most - least) - 0.5) * 2 * _HIGHEST)
        for name, value in values.items()
    }


def _score_addon(
    coordinate: AddOnCoordinate, question: Question, clusters: Sequence[ManagedCluster]
) -> Scores:
    return {cluster.name: _addon_score(coordinate, question, cluster.name) for cluster in clusters}


def _addon_score(coordinate: AddOnCoordinate, question: Question, cluster: str) -> int:
    status = question.inventory.scores.get((cluster, coordinate.resource_name))
    scores = status.scores if status is not None else ()
    values = [item.value for item in scores if item.name == coordinate.score_name]
    # A missing score is better than a negative one. Scores are taken as they are, also beyond 100.
    if not values or _is_expired(coordinate, question, cluster):
        return 0
    return values[-1]  # where a name stands twice, the last one holds


def _is_expired(coordinate: AddOnCoordinate, question: Question, cluster: str) -> bool:
    status = question.inventory.scores.get((cluster, coordinate.resource_name))
    if status is None or not status.valid_until:
        return False
    what = f"the score {coordinate.resource_name}/{coordinate.score_name} of {cluster}"
    return question.clock.seconds_since(status.valid_until, what) > 0


def find_expired(question: Question, clusters: Sequence[ManagedCluster]) -> list[str]:
    """Return the AddOnPlacementScores (`cluster/name`) that count as 0, as they have expired."""
    return sorted(
        f"{cluster.name}/{addon.resource_name}"
        for addon in _addons(question)
        for cluster in clusters
        if _is_expired(addon, question, cluster.name)
    )


BUILT_IN: Mapping[str, Callable[[Question, Sequence[ManagedCluster]], Scores]] = {
    "Balance": _score_balance,
    "Steady": _score_steady,
    "ResourceAllocatableCPU": partial(_score_resource, "cpu"),
    "ResourceAllocatableMemory": partial(_score_resource, "memory"),
}
_ADDITIVE = ("Balance", "Steady")
_POLICY = "spec.prioritizerPolicy"


def prepare_prioritizers(policy: PrioritizerPolicy) -> tuple[Prioritizer, ...]:
    """Return the prioritizers of a policy, without those of weight 0.

    Of several entries for one built-in prioritizer, the last one counts. Entries for scores of
    add-ons are never joined, as OCM compares pointers to them. Raises `MisconfiguredError` for the
    first of several faults; OCM reports any of them.
    """
    if policy.mode not in {"", "Additive", "Exact"}:
        message = f"incorrect prioritizer policy mode: {policy.mode}"
        raise MisconfiguredError(message, field=f"{_POLICY}.mode")
    # Additive is the default: what is configured goes over Balance and Steady, each of weight 1.
    defaults = () if policy.mode == "Exact" else _ADDITIVE
    weights = {
        ("BuiltIn", name, -1): (ScoreCoordinate(built_in=name), 1, _POLICY) for name in defaults
    }
    for index, entry in enumerate(policy.configurations):
        field = f"{_POLICY}.configurations[{index}]"
        coordinate = entry.score_coordinate
        if coordinate is None:
            message = "scoreCoordinate field is required"
            raise MisconfiguredError(message, field=field)
        place = -1 if coordinate.add_on is None else index
        weights[coordinate.type, coordinate.built_in, place] = (coordinate, entry.weight, field)
    # So a wrong name with the weight 0 is no fault.
    return tuple(_prepare(*row) for row in weights.values() if row[1])


def _prepare(coordinate: ScoreCoordinate, weight: int, field: str) -> Prioritizer:
    if coordinate.type == "BuiltIn":
        name = coordinate.built_in
        # Spread, which the API lists, is one of these: nobody implemented it.
        if name not in BUILT_IN:
            message = f"incorrect builtin prioritizer: {name}"
            raise MisconfiguredError(message, field=field)
        return Prioritizer(name, weight, BUILT_IN[name])
    addon = coordinate.add_on
    if addon is None:
        message = "addOn should not be empty"
        raise MisconfiguredError(message, field=field)
    name = f"AddOn/{addon.resource_name}/{addon.score_name}"
    return Prioritizer(name, weight, partial(_score_addon, addon))


def depends_on_time(question: Question, clusters: Iterable[ManagedCluster]) -> bool:
    """Return whether a decision may depend on the time: a toleration or a score may end."""
    tolerations = question.request.spec.tolerations
    if any(toleration.toleration_seconds is not None for toleration in tolerations):
        return True
    names, scores = {addon.resource_name for addon in _addons(question)}, question.inventory.scores
    statuses = (scores.get((cluster.name, name)) for cluster in clusters for name in names)
    return any(status is not None and status.valid_until for status in statuses)


def _addons(question: Question) -> set[AddOnCoordinate]:
    entries = question.request.spec.prioritizer_policy.configurations
    coordinates = (entry.score_coordinate for entry in entries if entry.weight)
    return {
        coordinate.add_on
        for coordinate in coordinates
        if coordinate is not None and coordinate.type != "BuiltIn" and coordinate.add_on
    }
