"""The story on one page: hub, sync list, topology, placement, bundles, tree. Order, no logic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from render.config import Fleet, PlacementDocument
from render.findings.suppressions import suppress
from render.model import Origin, Ref
from render.rendering import telling as findings
from render.rendering.bundles import Bundler, needs_no_slots
from render.rendering.hub_checks import hub_results
from render.rendering.placement import SOURCES, decide, unplaced
from render.rendering.policy_kinds import configured_kinds, unused_kinds
from render.rendering.sync import read_sync_list
from render.rendering.tree import FleetTree, fleet_folder
from render.rendering.values.bundles import Bundle
from render.rendering.values.placement import Decision
from render.rendering.values.rendered import Rendered
from render.rendering.values.sync import SyncList
from render.topology import Topology, node
from render.topology.hub import Hub, assemble


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """What was read of a project: its settings, hub files, placement and template texts."""

    fleet: Fleet
    hub_files: Sequence[tuple[str, bytes]]
    placements: Sequence[PlacementDocument]
    templates: Mapping[str, str]
    fleet_path: str = "fleet.yaml"
    fleet_at: Callable[..., Origin] | None = None

    def at(self, *path: str | int) -> Origin:
        """Where a field of the fleet file is written; only the file where nobody can tell."""
        return self.fleet_at(*path) if self.fleet_at is not None else Origin(self.fleet_path)


def render(project: Project) -> Rendered:
    """Render the fleet. Nothing is raised for bad input: see `Rendered.results`."""
    spec = project.fleet.spec
    hub = assemble(project.hub_files, configured_kinds(spec.policy_kinds))
    sync = read_sync_list(hub, spec.policies_to_sync, Origin(project.fleet_path))
    topology = Topology(node(m.ref, m.object, hub.catalogue) for m in hub.manifests)
    external = {Ref(e.group, e.kind, e.namespace, e.name): e.listeners for e in spec.external}
    decision = decide(SOURCES["Placement"](project.placements), topology)
    bundles, used = _bundles(hub, topology, decision, sync)
    fleet_files, delivery_results = fleet_folder(project.fleet, tuple(bundles), project.templates)
    tree = FleetTree(
        bundles,
        fleet_files=fleet_files,
        one_file=spec.layout == "spoke",
        namespaces=hub.namespaces if spec.namespaces == "create" else None,
        is_plain=hub.is_plain,
    )
    results = (
        *hub.results,
        *unused_kinds(spec.policy_kinds, hub, project.at),
        *sync.results,
        *hub_results(hub, topology, sync, external),
        *decision.results,
        *unplaced(decision, topology, {m.ref: m.origin for m in hub.manifests}),
        *findings.of_fleet(hub, tuple(bundles.values()), decision.overrides_in_use, used),
        *tree.results(),
        *delivery_results,
    )
    told = suppress(results, spec.suppressions)
    return Rendered(tree, told, hub, topology, sync, decision, bundles, project.fleet)


def _bundles(
    hub: Hub, topology: Topology, decision: Decision, sync: SyncList
) -> tuple[Mapping[str, Bundle], set[int]]:
    """What every spoke gets; a blueprint with slots and an error is made again, spoke by spoke."""
    bundler = Bundler(hub, topology, decision, sync)
    bundles = {spoke.name: bundler.bundle(spoke) for spoke in decision.spokes}
    doubtful = [
        b.spoke
        for b in bundles.values()
        if (b.values and b.blueprint.has_errors) or needs_no_slots(b.spoke)
    ]
    exact = Bundler(hub, topology, decision, sync, held=False)
    bundles.update({spoke.name: exact.bundle(spoke) for spoke in doubtful})
    return bundles, bundler.used | exact.used
