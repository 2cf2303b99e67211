"""The bundles of a whole fleet: with slots, and without them where that can't be the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from spokerender.findings.results import ERROR, Result
from spokerender.model.asking import Record, recording
from spokerender.rendering.bundles.bundler import Bundler
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.placement import Decision
from spokerender.rendering.values.stages import Stage
from spokerender.rendering.values.sync import SyncList
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub


def bundle_fleet(  # noqa: PLR0913  (as much as a fleet depends on; the last two are named)
    hub: Hub,
    topology: Topology,
    decision: Decision,
    sync: SyncList,
    *,
    stages: Sequence[Stage] = (),
    is_accepted: Callable[[Result, str], bool] = lambda _result, _spoke: False,
) -> tuple[Mapping[str, Bundle], set[int]]:
    """What every spoke gets, by its name, and the numbers of the overrides that were applied.

    Where a blueprint with slots has an error, or a stage that has to see values, the spokes that
    share it are done again, each with its own; and so is a spoke of which a comparison is not true
    that slots have answered. An error that is accepted for a spoke (`suppressions`) is no reason
    to: it refuses nothing.
    """
    bundler = Bundler(hub, topology, decision, sync, stages=stages)
    with recording() as record:
        bundles = {spoke.name: bundler.bundle(spoke) for spoke in decision.spokes}
    doubtful = [
        bundle.spoke
        for bundle in bundles.values()
        if _is_refused(bundle, is_accepted) or _is_doubtful(bundle, record)
    ]
    if not doubtful:
        return bundles, bundler.used
    exact = Bundler(hub, topology, decision, sync, with_slots=False, stages=stages)
    bundles.update({spoke.name: exact.bundle(spoke) for spoke in doubtful})
    return bundles, bundler.used | exact.used


def _is_refused(bundle: Bundle, is_accepted: Callable[[Result, str], bool]) -> bool:
    """Whether it has slots, and an error that keeps it from being built."""
    return bool(bundle.values) and any(
        result.severity is ERROR and not is_accepted(result, bundle.spoke.name)
        for result in bundle.blueprint.results
    )


def _is_doubtful(bundle: Bundle, record: Record) -> bool:
    """Whether slots gave an answer that is not true of the values, or could not give one."""
    if not bundle.values:
        return False
    return bundle.blueprint.needs_values or not record.is_true_of(bundle.values)
