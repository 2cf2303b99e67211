"""What rendering gives: a fleet as it shall be."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from spokerender.findings.results import Result
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.placement import Decision
from spokerender.rendering.values.publishing import Published
from spokerender.rendering.values.settings import Settings
from spokerender.rendering.values.stages import Stage
from spokerender.rendering.values.sync import SyncList
from spokerender.rendering.values.trees import Tree
from spokerender.topology import Topology
from spokerender.topology.hub import Hub


class Rendered(Struct, frozen=True, eq=False):
    """A fleet as it shall be, with everything that was found on the way."""

    tree: Tree
    results: tuple[Result, ...]
    hub: Hub
    topology: Topology
    sync: SyncList
    decision: Decision
    bundles: Mapping[str, Bundle]
    settings: Settings
    published: Published
    stages: tuple[Stage, ...] = ()
