"""The statuses of spokes in a rollout, as their exports show them."""

from collections.abc import Iterable

from spokerender.explain.observed.values import ObservedSpoke
from spokerender.findings.results import Severity
from spokerender.judging.attachment.statuses import Truth
from spokerender.model.rollout import FAILED, PROGRESSING, SUCCEEDED, RolloutState, RolloutStatus


def list_statuses(
    state: RolloutState, spokes: Iterable[ObservedSpoke]
) -> tuple[RolloutStatus, ...]:
    """Return the status of each spoke whose wave is done.

    One whose export is all as expected has succeeded, since the last transition of a condition; one
    with a condition that is False has failed, unless that was expected; all others are under way,
    such as one of which a whole kind was not exported.
    """
    statuses = {spoke.name: _judge(spoke) for spoke in spokes}
    return tuple(
        statuses.get(name, RolloutStatus(name, PROGRESSING, None))
        for name in sorted(state.released)
    )


def _judge(spoke: ObservedSpoke) -> RolloutStatus:
    conditions = [item for _, each in spoke.conditions for item in each]
    failed = [item for item in conditions if item.observed is Truth.FALSE and item.differs]
    times = [item.since for item in (failed or conditions) if item.since is not None]
    is_open = any(
        item.observed is Truth.UNKNOWN and item.expected is Truth.TRUE for item in conditions
    )
    is_true = spoke.is_whole and not any(item.severity is Severity.ERROR for item in spoke.results)
    status = FAILED if failed else SUCCEEDED if is_true and not is_open else PROGRESSING
    return RolloutStatus(spoke.name, status, max(times, default=None))
