"""What rendering gives: a fleet as it shall be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from render.findings.results import Result
from render.rendering.values.bundles import Bundle
from render.rendering.values.placement import Decision
from render.rendering.values.publishing import Published
from render.rendering.values.settings import Settings
from render.rendering.values.stages import Stage
from render.rendering.values.sync import SyncList
from render.rendering.values.trees import Tree
from render.topology import Topology
from render.topology.hub import Hub


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
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
