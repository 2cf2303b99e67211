"""The clusters that a RolloutStrategy releases next, and the waves of a rollout without failures.

Source: open-cluster-management-io/sdk-go 3ea63fb, pkg/apis/cluster/v1alpha1/rollout.go. If its
results contradict the comments of the API, the results count: `maxFailures: 10` of five clusters is
0, and without `maxConcurrency` all clusters are released at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.codes.review import BAD_GROUP
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault, Result
from spokerender.model import Origin, Spoke, rollout as model
from spokerender.model.rollout import REST, SUCCEEDED, RolloutStatus, StrategySettings, Wave
from spokerender.model.selectors import SpokeSelector
from spokerender.model.spokes import DecisionGroup
from spokerender.rendering.values.decisions import DecidedPlacement

if TYPE_CHECKING:  # the model of a file that its reader has
    from spokerender.config.rollout import GroupOfSpokes, Rollout

_OVER = frozenset((model.TIMED_OUT, model.SKIP))
_FAILURES = frozenset((model.FAILED, model.TIMED_OUT))


def release(
    strategy: model.StrategySettings,
    groups: Sequence[DecisionGroup],
    statuses: Sequence[model.RolloutStatus],
    now: int,
) -> model.Release:
    """Return the clusters to roll out to now (`GetRolloutCluster`).

    The groups contain all clusters, and their indices count from 0; `statuses` are those of
    clusters with a known status, in any order.

    Raises `ValueError` if the type of the strategy, or a number of clusters in it, is invalid.
    """
    by_index = sorted(groups, key=lambda group: group.index)
    # OCM does not see a group behind a gap.
    all_groups = [group for group in by_index if group.index < len(by_index)]
    members = {cluster for group in all_groups for cluster in group.clusters}
    removed = tuple(status for status in statuses if status.cluster not in members)
    current = [status for status in statuses if status.cluster in members]
    judging = _Judging(strategy.deadline, strategy.soak, now)
    match strategy.type:
        case model.ALL:
            total = len(members)
            # No cluster waits for another, so OCM requires no soaking here; deadlines count
            # nevertheless.
            judging.soak = 0
            answer = _per_cluster(judging, members, current, total, total)
        case model.PROGRESSIVE | model.PER_GROUP:
            answer = _progressive(strategy, groups, all_groups, current, judging)
        case _:
            raise ValueError(f"incorrect rollout strategy type {strategy.type}")
    return replace(answer, removed=removed)


def _count(size: model.Size, total: int, default: int) -> int:
    """Return the number of clusters that `size` means (`calculateRolloutSize`)."""
    try:
        return model.portion(size, total, default)
    except ValueError as error:
        raise ValueError(f"'{size}' is an invalid maximum threshold value: {error}") from None


class _Judging(Struct):
    """Collects clusters that are in the rollout, and clusters that timed out before `now`."""

    deadline: int | None
    soak: int
    now: int
    rollout: list[model.RolloutStatus] = field(default_factory=list)
    timed_out: list[model.RolloutStatus] = field(default_factory=list)
    rechecks: list[int] = field(default_factory=list)

    def judge(self, status: model.RolloutStatus) -> model.RolloutStatus:
        """Return the status, which may have timed out; add it to `rollout` or `timed_out`."""
        if status.status == model.TO_APPLY:
            self.rollout.append(status)
        elif status.status == model.SUCCEEDED:
            self._wait(status, self.soak)
        elif status.status not in _OVER and not self._wait(status, self.deadline):
            status = replace(status, status=model.TIMED_OUT)
            self.timed_out.append(status)
        return status

    def _wait(self, status: model.RolloutStatus, duration: int | None) -> bool:
        """Return whether the status is younger than `duration`; if so, add it to `rollout`."""
        if duration is None:
            self.rollout.append(status)
            return True
        # A status of unknown age counts as new.
        end = (self.now if status.since is None else status.since) + duration
        if self.now < end:
            self.rollout.append(status)
            self.rechecks.append(end - self.now)
            return True
        return False

    def answer(self, *, is_breached: bool = False) -> model.Release:
        """Return the release that consists of the clusters that were judged so far."""
        recheck_after = min(self.rechecks, default=None)
        return model.Release(
            tuple(self.rollout), tuple(self.timed_out), (), is_breached, recheck_after
        )

    def anew(self) -> _Judging:
        """Return a copy with the same settings and no clusters."""
        return _Judging(self.deadline, self.soak, self.now)


def _progressive(
    strategy: model.StrategySettings,
    groups: Sequence[DecisionGroup],
    all_groups: Sequence[DecisionGroup],
    current: Sequence[model.RolloutStatus],
    judging: _Judging,
) -> model.Release:
    """Return the release of mandatory groups, one by one; if all are done, of the other groups."""
    members = {cluster for group in all_groups for cluster in group.clusters}
    # Relative to all clusters, not to those left after the mandatory groups.
    max_failures = _count(strategy.max_failures, len(members), 0)
    names = {entry.name for entry in strategy.mandatory} - {""}
    indices = {entry.index for entry in strategy.mandatory if not entry.name}
    # OCM silently drops entries for missing groups, and takes the other groups by their index,
    # however they are listed.
    chosen = (group for group in groups if group.name in names or group.index in indices)
    mandatory = sorted(chosen, key=lambda group: group.index)
    if mandatory:
        answer = _per_group(judging.anew(), mandatory, current, 0)
        # A cluster that came in as TimeOut is in neither list, so its mandatory group no longer
        # delays others; a cluster that came in as Failed does.
        if answer.rollout or answer.timed_out:
            return answer
    rest = [group for group in all_groups if group not in mandatory]
    if strategy.type == model.PER_GROUP:
        return _per_group(judging, rest, current, strategy.max_failures)
    clusters = {cluster for group in rest for cluster in group.clusters}
    size = _count(strategy.max_concurrency, len(clusters), len(clusters))
    return _per_cluster(judging, clusters, current, size, max_failures)


def _per_cluster(
    judging: _Judging,
    clusters: Iterable[str],
    current: Iterable[model.RolloutStatus],
    size: int,
    max_failures: int,
) -> model.Release:
    """Return the release of `size` clusters at a time, by name (`progressivePerCluster`)."""
    seen: set[str] = set()
    failures = 0
    for status in sorted(current, key=lambda item: item.cluster):
        seen.add(status.cluster)
        judged = status
        # After a breach no cluster begins; clusters in progress are still judged, and keep their
        # place.
        if failures <= max_failures or status.status != model.TO_APPLY:
            judged = judging.judge(status)
        failures += judged.status in _FAILURES
        if len(judging.rollout) >= size:
            return judging.answer(is_breached=failures > max_failures)
    if failures > max_failures:
        return judging.answer(is_breached=True)
    for cluster in sorted(set(clusters) - seen):
        judging.rollout.append(model.RolloutStatus(cluster, model.TO_APPLY))
        if len(judging.rollout) >= size:
            break
    return judging.answer()


def _per_group(
    judging: _Judging,
    groups: Iterable[DecisionGroup],
    current: Iterable[model.RolloutStatus],
    max_failures: model.Size,
) -> model.Release:
    """Return the release of the first group that is not done (`progressivePerGroup`).

    Clusters of all groups are judged, even those of groups that are not released yet.
    """
    begun = [judging.judge(status) for status in current if status.status != model.TO_APPLY]
    status_of = {status.cluster: status.status for status in begun}
    failures = 0
    for group in groups:
        failed = [name for name in group.clusters if status_of.get(name) in _FAILURES]
        judging.rollout += (
            model.RolloutStatus(name, model.TO_APPLY)
            for name in sorted(set(group.clusters))
            if name not in status_of
        )
        failures += len(failed)
        is_breached = len(failed) > _count(max_failures, len(group.clusters), 0)
        # A failed cluster without a deadline is still in the rollout, and lets the next group
        # begin.
        if len(judging.rollout) > failures or is_breached:
            return judging.answer(is_breached=is_breached)
    return judging.answer()


_FIELD = ("spec", "rollout")
_PER_WAVE = "wave"
"""Begins the name of a wave with spokes of several groups."""


def read_groups(
    rollout: Rollout,
    spokes: Sequence[Spoke],
    decided: Mapping[str, DecidedPlacement],
    at: Callable[..., Origin],
) -> tuple[tuple[DecisionGroup, ...], tuple[Result, ...]]:
    """Return the groups that fleet.yaml lists, and their faults.

    `decided` has the decisions of Placements, by namespace/name; `at` returns the line of a field
    of fleet.yaml.
    """
    results: list[Result] = []

    def refuse(message: str, cure: str, *path: str | int) -> None:
        fault = Fault(BAD_GROUP, message, cure, (*_FIELD, *path))
        results.append(fault.result(None, at(*fault.field)))

    if rollout.placement is None:
        groups = _list_groups(rollout.groups, spokes, decided, refuse)
    else:
        decision = decided.get(rollout.placement)
        groups = [*decision.groups] if decision is not None else []
        if decision is None:
            _refuse_placement(rollout.placement, decided, refuse, "placement")
    members = {name for group in groups for name in group.clusters}
    left = sorted({spoke.name for spoke in spokes} - members)
    if left and not results:
        # The last, unnamed group of a Placement also takes the others, such as spokes that left.
        last = (
            groups.pop() if groups and not groups[-1].name else DecisionGroup(REST, len(groups), ())
        )
        groups.append(replace(last, clusters=tuple(sorted({*last.clusters, *left}))))
    if not results:
        _refuse_unknown_mandatory(rollout, groups, refuse)
    return tuple(groups), tuple(results)


def _list_groups(
    entries: Sequence[GroupOfSpokes],
    spokes: Sequence[Spoke],
    decided: Mapping[str, DecidedPlacement],
    refuse: Callable[..., None],
) -> list[DecisionGroup]:
    """Return the groups with their spokes; a spoke is in the first group that selects it."""
    names = {spoke.name for spoke in spokes}
    left = {spoke.name: spoke for spoke in spokes}
    groups: list[DecisionGroup] = []
    for index, entry in enumerate(entries):
        written = entry.spokes.value if entry.spokes is not None else SpokeSelector()
        unknown = [name for name in (*(written.names or ()), *written.but) if name not in names]
        for name in unknown:
            cure = did_you_mean(name, names, "there are") or "name a spoke of the placement"
            refuse(f'there is no spoke "{name}"', cure, "groups", index, "spokes")
        selector = _resolve_placement(written, decided, names)
        if selector is None:
            _refuse_placement(written.placement, decided, refuse, "groups", index, "spokes")
            continue
        chosen = [name for name, spoke in left.items() if selector.means(name, spoke.labels)]
        if not chosen and not unknown:
            cure = "take the group out, or select other spokes"
            is_taken = any(selector.means(spoke.name, spoke.labels) for spoke in spokes)
            why = "earlier groups have its spokes" if is_taken else "none is selected"
            refuse(f'group "{entry.name}" has no spoke: {why}', cure, "groups", index)
        for name in chosen:
            del left[name]
        groups.append(DecisionGroup(entry.name, index, tuple(sorted(chosen))))
    return groups


def _resolve_placement(
    selector: SpokeSelector, decided: Mapping[str, DecidedPlacement], names: Collection[str]
) -> SpokeSelector | None:
    """Return a selector of spokes; None if it names a Placement without a decision in `decided`."""
    if not selector.placement:
        return selector
    decision = decided.get(selector.placement)
    if decision is None:
        return None
    members = {*decision.in_group(selector.group)} - {*selector.but}
    return SpokeSelector(names=tuple(sorted(members.intersection(names))))


def _refuse_placement(
    key: str,
    decided: Mapping[str, DecidedPlacement],
    refuse: Callable[..., None],
    *path: str | int,
) -> None:
    cure = did_you_mean(key, decided) or "add it to the hub, or list groups"
    refuse(f"no Placement {key} decides on spokes", cure, *path)


def _refuse_unknown_mandatory(
    rollout: Rollout, groups: Sequence[DecisionGroup], refuse: Callable[..., None]
) -> None:
    """Report mandatory groups that do not exist, which OCM would silently skip."""
    names = [group.name for group in groups if group.name]
    kind = rollout.strategy.type[:1].lower() + rollout.strategy.type[1:]
    for index, entry in enumerate(rollout.strategy.value.mandatory):
        place = ("strategy", kind, "mandatoryDecisionGroups", index)
        if entry.name and entry.name not in names:
            cure = did_you_mean(entry.name, names, "there are") or "name a group"
            refuse(f'there is no group "{entry.name}"', cure, *place)
        elif not entry.name and entry.index >= len(groups):
            message = f"there is no group {entry.index}: they count from 0 to {len(groups) - 1}"
            refuse(message, "name the group by groupName", *place)


def plan_waves(strategy: StrategySettings, groups: Sequence[DecisionGroup]) -> tuple[Wave, ...]:
    """Return the waves, with names that show which groups they contain.

    A wave whose spokes are in one group has the group's name, with a number if the group has
    several waves; a wave with spokes of several groups is `wave.2`, by its position.
    """
    waves = list(_release_all(strategy, groups))
    group_of = {name: group.name or REST for group in groups for name in group.clusters}
    names = []
    for position, wave in enumerate(waves, 1):
        of_groups = {group_of[name] for name in wave}
        names.append(of_groups.pop() if len(of_groups) == 1 else f"{_PER_WAVE}.{position}")
    return tuple(Wave(name, wave) for name, wave in zip(_numbered(names), waves, strict=True))


def _release_all(
    strategy: StrategySettings, groups: Sequence[DecisionGroup]
) -> Iterator[tuple[str, ...]]:
    """Yield the clusters of each release, if all clusters of earlier releases succeed."""
    done: list[RolloutStatus] = []
    while True:
        # At a time when all clusters have soaked, so that none waits any more.
        answer = release(strategy, groups, done, strategy.soak)
        released = tuple(status.cluster for status in answer.rollout)
        if not released:
            return
        yield tuple(sorted(released))
        done += (RolloutStatus(name, SUCCEEDED, 0) for name in released)


def _numbered(names: Sequence[str]) -> Iterator[str]:
    """Yield the names, with numbers added to equal names; all results differ."""
    counts, taken, number_of = Counter(names), set(names), dict[str, int]()
    for name in names:
        if counts[name] == 1:
            yield name
            continue
        while True:
            number_of[name] = number_of.get(name, 0) + 1
            numbered = f"{name}.{number_of[name]}"
            # A group may have this name already.
            if numbered not in taken:
                break
        taken.add(numbered)
        yield numbered
