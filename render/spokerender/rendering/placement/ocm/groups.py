"""Decision groups: the selected clusters in pieces (`calculateLength`)."""

from collections.abc import Sequence

from spokerender.model.portions import portion
from spokerender.rendering.placement.ocm.faults import MisconfiguredError
from spokerender.rendering.placement.ocm.matching import read_matcher
from spokerender.rendering.placement.ocm.objects import GroupStrategy, ManagedCluster
from spokerender.rendering.values.decisions import DecisionGroup

_FIELD = "spec.decisionStrategy.groupStrategy"


def group_clusters(
    strategy: GroupStrategy, selected: Sequence[ManagedCluster]
) -> tuple[tuple[DecisionGroup, ...], MisconfiguredError | None]:
    """Return the groups of the selected clusters, or those before a fault and the fault."""
    try:
        length = _group_length(strategy.clusters_per_decision_group, len(selected))
    except MisconfiguredError as error:
        return (), error
    rest = sorted(selected, key=lambda cluster: cluster.name)
    pieces: list[tuple[str, tuple[str, ...]]] = []
    fault = None
    for number, group in enumerate(strategy.decision_groups):
        try:
            matcher = read_matcher(group.group_cluster_selector)
        except ValueError as error:
            fault = MisconfiguredError(str(error), field=f"{_FIELD}.decisionGroups[{number}]")
            break
        members = [cluster for cluster in rest if matcher.matches(cluster)]
        rest = [cluster for cluster in rest if not matcher.matches(cluster)]
        pieces += _cut(group.group_name, members, length)
    if fault is None:
        pieces += _cut("", rest, length)
    groups = (DecisionGroup(name, i, names) for i, (name, names) in enumerate(pieces))
    return tuple(groups) or (DecisionGroup("", 0, ()),), fault


def _cut(
    name: str, clusters: Sequence[ManagedCluster], length: int
) -> list[tuple[str, tuple[str, ...]]]:
    names = [cluster.name for cluster in clusters]
    return [(name, tuple(names[i : i + length])) for i in range(0, len(names), length)]


def _group_length(written: int | str, selected: int) -> int:
    """Return the length of a group; what is not positive, or more than selected, means all."""
    try:
        return max(portion(written, selected, selected), 1)
    except ValueError as error:
        message = f"{written} invalid type: {error}"
        raise MisconfiguredError(message, field=f"{_FIELD}.clustersPerDecisionGroup") from None
