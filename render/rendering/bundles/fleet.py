"""The bundles of a whole fleet: with slots, and without them where that can't be the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from render.findings.results import ERROR, Result
from render.model.slots import fill_text
from render.rendering.bundles.bundler import Bundler
from render.rendering.values.bundles import Bundle
from render.rendering.values.placement import Decision
from render.rendering.values.stages import Stage
from render.rendering.values.sync import SyncList
from render.topology import Topology, intersects
from render.topology.hub import Hub


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
    share it are done again, each with its own; so is one whose hostnames meet others. An error that
    is accepted for a spoke (`suppressions`) is no reason to: it refuses nothing.
    """
    bundler = Bundler(hub, topology, decision, sync, stages=stages)
    bundles = {spoke.name: bundler.bundle(spoke) for spoke in decision.spokes}
    doubtful = [bundle.spoke for bundle in bundles.values() if _is_doubtful(bundle, is_accepted)]
    if not doubtful:
        return bundles, bundler.used
    exact = Bundler(hub, topology, decision, sync, held=False, stages=stages)
    bundles.update({spoke.name: exact.bundle(spoke) for spoke in doubtful})
    return bundles, bundler.used | exact.used


def _turns(bundle: Bundle) -> bool:
    """Whether hostnames meet with the spoke's values that don't with slots."""
    return any(
        intersects(*(fill_text(name, bundle.values) for name in pair))
        for pair in bundle.blueprint.unsettled
    )


def _is_doubtful(bundle: Bundle, is_accepted: Callable[[Result, str], bool]) -> bool:
    blueprint = bundle.blueprint
    is_refused = blueprint.has_errors and any(
        result.severity is ERROR and not is_accepted(result, bundle.spoke.name)
        for result in blueprint.results
    )
    return bool(bundle.values) and (is_refused or blueprint.needs_values or _turns(bundle))
