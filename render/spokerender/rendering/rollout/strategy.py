"""The clusters that a RolloutStrategy releases next, as Open Cluster Management decides it.

Source: open-cluster-management-io/sdk-go 3ea63fb, pkg/apis/cluster/v1alpha1/rollout.go. Where its
answers contradict the comments of the API, the answers count: `maxFailures: 10` of five clusters is
0, and without `maxConcurrency` all clusters go at once.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.model import rollout as model
from spokerender.model.spokes import DecisionGroup

_OVER = frozenset((model.TIMED_OUT, model.SKIP))
_FAILURES = frozenset((model.FAILED, model.TIMED_OUT))


def release(
    strategy: model.StrategySettings,
    groups: Sequence[DecisionGroup],
    statuses: Sequence[model.RolloutStatus],
    now: int,
) -> model.Release:
    """Return the clusters to roll out to now (`GetRolloutCluster`).

    The groups have all clusters, and their indices count from 0; `statuses` are of the clusters
    that something is known of, in any order.

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
            # Nobody waits for anybody, so OCM asks for no soaking here; deadlines count all the
            # same.
            judging.soak = 0
            answer = _per_cluster(judging, members, current, total, total)
        case model.PROGRESSIVE | model.PER_GROUP:
            answer = _progressive(strategy, groups, all_groups, current, judging)
        case _:
            raise ValueError(f"incorrect rollout strategy type {strategy.type}")
    return replace(answer, removed=removed)


def _count(size: model.Size, total: int, default: int) -> int:
    """Return a number of clusters (`calculateRolloutSize`)."""
    try:
        return model.portion(size, total, default)
    except ValueError as error:
        raise ValueError(f"'{size}' is an invalid maximum threshold value: {error}") from None


class _Judging(Struct):
    """The statuses of clusters at a point in time, after deadlines and soaking."""

    deadline: int | None
    soak: int
    now: int
    rollout: list[model.RolloutStatus] = field(default_factory=list)
    timed_out: list[model.RolloutStatus] = field(default_factory=list)
    rechecks: list[int] = field(default_factory=list)

    def judge(self, status: model.RolloutStatus) -> model.RolloutStatus:
        """Sort a cluster in, and return its status (`determineRolloutStatus`)."""
        if status.status == model.TO_APPLY:
            self.rollout.append(status)
        elif status.status == model.SUCCEEDED:
            self._wait(status, self.soak)
        elif status.status not in _OVER and not self._wait(status, self.deadline):
            status = replace(status, status=model.TIMED_OUT)
            self.timed_out.append(status)
        return status

    def _wait(self, status: model.RolloutStatus, duration: int | None) -> bool:
        """Keep a cluster in the rollout until its time is over; return whether it is not."""
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
        """Return what was sorted in so far."""
        recheck_after = min(self.rechecks, default=None)
        return model.Release(
            tuple(self.rollout), tuple(self.timed_out), (), is_breached, recheck_after
        )

    def anew(self) -> "_Judging":
        """Return one in which nothing is sorted in yet."""
        return _Judging(self.deadline, self.soak, self.now)


def _progressive(
    strategy: model.StrategySettings,
    groups: Sequence[DecisionGroup],
    all_groups: Sequence[DecisionGroup],
    current: Sequence[model.RolloutStatus],
    judging: _Judging,
) -> model.Release:
    """Release the mandatory groups one by one, without any failure, and then the rest."""
    members = {cluster for group in all_groups for cluster in group.clusters}
    # Of all clusters, and not of those that are left after the mandatory groups.
    max_failures = _count(strategy.max_failures, len(members), 0)
    names = {entry.name for entry in strategy.mandatory} - {""}
    indices = {entry.index for entry in strategy.mandatory if not entry.name}
    # OCM drops entries for groups that are not there without a word, and takes the others by their
    # index, however they are listed.
    chosen = (group for group in groups if group.name in names or group.index in indices)
    mandatory = sorted(chosen, key=lambda group: group.index)
    if mandatory:
        answer = _per_group(judging.anew(), mandatory, current, 0)
        # A cluster that came in as TimeOut is in neither list, so its mandatory group holds nothing
        # back any longer; one that came in as Failed does.
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
    """Release clusters by name, so many at once (`progressivePerCluster`)."""
    seen: set[str] = set()
    failures = 0
    for status in sorted(current, key=lambda item: item.cluster):
        seen.add(status.cluster)
        judged = status
        # After a breach nothing begins; what is under way is judged still, and keeps its place.
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
    """Release one group after the other (`progressivePerGroup`).

    Clusters of all groups are judged, whichever are released.
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
        # A failed cluster without a deadline is in the rollout still, and lets the next group
        # begin.
        if len(judging.rollout) > failures or is_breached:
            return judging.answer(is_breached=is_breached)
    return judging.answer()
