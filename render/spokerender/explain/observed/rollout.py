"""The statuses of spokes in a rollout, as their exports show them."""

from collections.abc import Mapping, Sequence

from spokerender.explain.observed.compare import ObservedFleet
from spokerender.explain.observed.snapshots import Snapshot
from spokerender.explain.observed.values import ObservedCondition
from spokerender.findings.results import Severity
from spokerender.judging.attachment.statuses import Truth
from spokerender.model.rollout import FAILED, PROGRESSING, SUCCEEDED, RolloutState, RolloutStatus


def list_statuses(
    state: RolloutState, snapshots: Mapping[str, Snapshot], compared: ObservedFleet
) -> tuple[RolloutStatus, ...]:
    """Return the status of each spoke whose wave is done.

    One whose export is all as foretold has succeeded, since the last transition of a condition; one
    with a condition that is False has failed, unless that was foretold; all others are under way,
    such as one of which a whole kind was not exported.
    """
    differing = {
        spoke
        for result in compared.results
        if result.severity is Severity.ERROR
        for spoke in result.spokes
    }
    judged = snapshots.keys() - differing - compared.partial
    conditions: dict[str, list[ObservedCondition]] = {}
    for status in compared.statuses:
        for condition in status.conditions:
            conditions.setdefault(condition.spoke, []).append(condition)
    return tuple(
        _judge(spoke, conditions.get(spoke, ()), is_true=spoke in judged)
        for spoke in sorted(state.released)
    )


def _judge(spoke: str, conditions: Sequence[ObservedCondition], *, is_true: bool) -> RolloutStatus:
    failed = [item for item in conditions if item.observed is Truth.FALSE and item.differs]
    times = [item.since for item in (failed or conditions) if item.since is not None]
    is_open = any(
        item.observed is Truth.UNKNOWN and item.foretold is Truth.TRUE for item in conditions
    )
    status = FAILED if failed else SUCCEEDED if is_true and not is_open else PROGRESSING
    return RolloutStatus(spoke, status, max(times, default=None))
