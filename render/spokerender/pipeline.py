"""Prepares, renders and judges: the only module that knows the order of the stages.

`prepare` reads the hub and decides the placement, `render` makes a bundle for every spoke and a
tree from the bundles, and commands that need it call `judge`. Wings take part as `Part`s; this
module names no wing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from spokerender.config.fleet import FleetFile
from spokerender.findings.codes.hub import MISSING_TARGET
from spokerender.findings.codes.placement import NO_GATEWAY
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result, Severity
from spokerender.findings.suppressions import accepts, stale, suppress
from spokerender.model import Origin
from spokerender.model.sources import Files
from spokerender.rendering.bundles.bundler import Bundler, bundle_fleet
from spokerender.rendering.fleet_checks.fleet import (
    check_bundles,
    check_hostname_keys,
    check_merge_keys,
)
from spokerender.rendering.fleet_checks.hub import hub_results
from spokerender.rendering.fleet_checks.left_on_hub import LeftOnHub
from spokerender.rendering.fleet_file import (
    check_fleet_file,
    configured_kinds,
    make_external_gateways,
    read_external,
    read_settings,
)
from spokerender.rendering.marks import check_namespaces, cleaned
from spokerender.rendering.placement.decide import decide, place_services, unplaced
from spokerender.rendering.placement.sources import follows_hub, read_declarations
from spokerender.rendering.redacting import Redaction
from spokerender.rendering.sync import read_sync_list
from spokerender.rendering.tree import SpokeFolders
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.placement import Decision, Declarations, SyncList
from spokerender.rendering.values.rendered import (
    Contribution,
    Rendered,
    Settings,
    join_contributions,
)
from spokerender.rendering.values.stages import Stage
from spokerender.rendering.values.trees import Shipped
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub, read_hub_with_crds
from spokerender.topology.reading import read_node
from spokerender.wings.combined import all_engines, hub_sources, without
from spokerender.wings.part import Part, RenderedSpokes, Texts

if TYPE_CHECKING:  # start-up counts
    from spokerender.judging.fleet.judged import JudgedFleet
    from spokerender.judging.judgement import Judgement
    from spokerender.model.rollout import OutputStanding, RolloutState
    from spokerender.rendering.placement.asking import HubSettings

_NAMED_NOTHING = frozenset((MISSING_TARGET.code, NO_GATEWAY.code))
"""The codes of findings about names of objects that the hub lacks."""


class Project(Struct, frozen=True, eq=False):
    """A project as it was read: its settings, hub files, placement files and templates.

    `parts` belong to the wings that the project uses. `unreadable` are the problems with hub and
    placement files that could not be read. `crd_files` are searched for CRDs of kinds that neither
    the hub nor the table of kinds defines. `standing` is the output on disk, for a rollout; if
    None, every folder is rendered. `placing` has the settings for the hub's own Placements, or
    None. `spokes` are the spokes to render, None for all.
    """

    fleet_file: FleetFile
    hub_files: Files
    placement_files: Files
    templates: Mapping[str, str]
    fleet_path: str = "fleet.yaml"
    fleet_at: Callable[..., Origin] | None = None
    parts: tuple[Part, ...] = ()
    unreadable: tuple[Result, ...] = ()
    crd_files: Files = ()
    standing: OutputStanding | None = None
    placing: HubSettings | None = None
    spokes: Collection[str] | None = None

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field of fleet.yaml; only the file if the line is unknown."""
        return self.fleet_at(*path) if self.fleet_at is not None else Origin(self.fleet_path)


class Prepared(Struct, frozen=True, eq=False):
    """A project before anything is rendered for a spoke."""

    project: Project
    hub: Hub
    topology: Topology
    sync: SyncList
    decision: Decision
    contribution: Contribution


def prepare(project: Project) -> Prepared:
    """Read the hub, and decide which objects are placed on which spokes.

    Raises `InputError` if files can't be read, or the placement is wrong; the error includes the
    hub's errors.
    """
    spec = project.fleet_file.spec
    configured = configured_kinds(spec)
    read = read_hub_with_crds(project.hub_files, configured, project.crd_files, all_engines().marks)
    placement = _placement(project, read)
    contribution = _contribution(project, read, placement)
    placed = (ref for rule in placement.rules for ref in rule.gateways.names)
    external = make_external_gateways(spec, read, placed, project.at)
    hub = _without_inventory(read, placement).with_manifests(external)
    hub = hub.with_manifests(contribution.manifests, is_plain=contribution.is_plain)
    nodes = (read_node(m.ref, m.object, hub.catalogue) for m in hub.manifests)
    topology = Topology(place_services(nodes, placement.rules), external=read_external(spec))
    sync = read_sync_list(hub, spec.policies_to_sync, project.at).with_kinds(contribution.listed)
    decision = decide(placement, topology).select(project.spokes)
    return Prepared(project, hub, topology, sync, decision, contribution)


def _contribution(project: Project, hub: Hub, placement: Declarations) -> Contribution:
    contributions = [part.contribute(hub, placement.spokes) for part in project.parts]
    placed = placement.hub
    if placed is not None and (placed.files or placed.checked):
        contributions.append(Contribution(files=placed.files, check=lambda *_: placed.checked))
    return join_contributions((*contributions, *without(project.parts)))


def _without_inventory(hub: Hub, placement: Declarations) -> Hub:
    """Return the hub without the objects from which placements were decided."""
    if placement.hub is None:
        return hub
    inventory = placement.hub.inventory
    return replace(hub, manifests=tuple(m for m in hub.manifests if m.ref not in inventory))


def _placement(project: Project, hub: Hub) -> Declarations:
    try:
        placement = read_declarations(project.placement_files)
        if follows_hub(placement, hub.manifests) or project.placing is not None:
            from spokerender.rendering.placement.joining import join_hub  # noqa: PLC0415  (with Placements in the hub)

            placement = join_hub(placement, hub, project.placing, hub_sources())
    except InputError as error:
        in_hub = hub.results if project.hub_files else ()  # all problems at once
        faults = [result for result in in_hub if result.severity is Severity.ERROR]
        raise InputError((*project.unreadable, *faults, *error.results)) from None
    if project.unreadable:
        raise InputError(project.unreadable)
    return placement


def render(project: Project, stages: Sequence[Stage] = ()) -> Rendered:
    """Return the rendered fleet; its findings are in `Rendered.results`.

    `stages` run after retargeting and the stages of the wings, and before overrides.

    Raises `InputError` as `prepare` does: then there is nothing to render.
    """
    prepared = prepare(project)
    hub, topology, decision = prepared.hub, prepared.topology, prepared.decision
    fleet_settings = read_settings(project.fleet_file.spec)
    all_stages = (*prepared.contribution.stages(topology), *stages)
    bundles, used_overrides = bundle_fleet(
        hub,
        topology,
        decision,
        prepared.sync,
        stages=all_stages,
        is_accepted=accepts(fleet_settings.suppressions, topology.labels_of),
    )
    folders = _spoke_folders(hub, bundles, fleet_settings)
    results = (
        *_with_renames(prepared, _results(prepared, fleet_settings, bundles, used_overrides)),
        *folders.results(),
    )
    rollout: RolloutState | None = None
    if project.fleet_file.spec.rollout is not None:
        rollout, faults = _roll_out(prepared, folders, results)
        results = (*results, *faults)
    fleet_files, of_delivery = _deliver(prepared, bundles, folders, rollout)
    results = hub.with_lines((*results, *of_delivery))
    results = suppress(results, fleet_settings.suppressions, topology.labels_of)
    rendered = Rendered(
        folders.with_fleet(fleet_files),
        Redaction(hub, bundles, decision).results(results),
        hub,
        topology,
        prepared.sync,
        decision,
        bundles,
        fleet_settings,
        prepared.contribution,
        all_stages,
        rollout,
    )
    if project.fleet_file.spec.exposure:
        from spokerender.explain.exposure import write_exposure  # noqa: PLC0415  (few projects have it)

        tree = folders.with_fleet(fleet_files, lambda: write_exposure(rendered, judge))
        return replace(rendered, tree=tree)
    return rendered


def _roll_out(
    prepared: Prepared, folders: SpokeFolders, results: Iterable[Result]
) -> tuple[RolloutState | None, tuple[Result, ...]]:
    """Return the rollout's state and faults; if its groups have faults, the state is None."""
    from spokerender.model.rollout import EVERYTHING_DONE  # noqa: PLC0415  (few projects have one)
    from spokerender.rendering.rollout.record import advance  # noqa: PLC0415  (as above)
    from spokerender.rendering.rollout.waves import plan_waves, read_groups  # noqa: PLC0415  (as above)

    project, spokes = prepared.project, prepared.decision.spokes
    settings = project.fleet_file.spec.rollout
    assert settings is not None  # noqa: S101  (the caller asks)
    groups, faults = read_groups(settings, spokes, prepared.decision.placements, project.at)
    if faults:
        return None, faults
    waves = plan_waves(settings.strategy.value, groups)
    if project.standing is None:
        return advance(groups, waves, "", EVERYTHING_DONE, folders.files)
    # If there are errors, there may be no texts, and nothing is written.
    is_refused = any(result.severity is Severity.ERROR for result in results)
    digest = "" if is_refused else folders.digest()
    return advance(groups, waves, digest, project.standing, folders.files)


def _spoke_folders(
    hub: Hub, bundles: Mapping[str, Bundle], fleet_settings: Settings
) -> SpokeFolders:
    marks = hub.catalogue.marks
    namespaces = {name: cleaned(data, marks) for name, data in hub.namespaces.items()}
    return SpokeFolders(
        bundles,
        one_file=fleet_settings.one_file,
        namespaces=namespaces if fleet_settings.creates_namespaces else None,
        is_plain=hub.is_plain,
        marks=marks,
    )


def _deliver(
    prepared: Prepared,
    bundles: Mapping[str, Bundle],
    folders: SpokeFolders,
    rollout: RolloutState | None,
) -> tuple[Sequence[Texts], Sequence[Result]]:
    """Return the texts that wings put into the fleet's folder (`Part.deliver`), and their findings.

    A spoke that waits is delivered with its existing folder, or not at all without a folder.
    """
    project = prepared.project
    spokes = sorted((bundle.spoke for bundle in bundles.values()), key=attrgetter("name"))
    objects: Callable[[str], Sequence[Shipped]] = folders.shipped
    own_files: list[Texts] = []
    if rollout is not None:
        from spokerender.rendering.rollout.record import HeldObjects, record_file  # noqa: PLC0415  (few projects have one)

        in_rollout = HeldObjects(rollout, folders.shipped)
        spokes = [spoke for spoke in spokes if in_rollout.is_there(spoke.name)]
        objects = in_rollout.objects
        own_files = [record_file(rollout)] if project.standing is not None else []
    groups = tuple(group.clusters for group in rollout.groups) if rollout is not None else None
    settings = (project.templates, prepared.hub.catalogue, groups, prepared.decision.placements)
    fleet = RenderedSpokes(project.fleet_file.spec.output, spokes, objects, *settings)
    deliveries = [part.deliver(fleet) for part in project.parts]
    return (
        [*own_files, *(texts for files, _ in deliveries for texts in files)],
        [result for _, results in deliveries for result in results],
    )


def _results(
    prepared: Prepared,
    fleet_settings: Settings,
    bundles: Mapping[str, Bundle],
    used_overrides: Mapping[int, bool],
) -> Iterator[Result]:
    """Yield all findings except those about texts; `used_overrides` is as in `check_bundles`."""
    project, contribution = prepared.project, prepared.contribution
    hub, topology = prepared.hub, prepared.topology
    sync, decision = prepared.sync, prepared.decision
    all_bundles = tuple(bundles.values())
    of_hub = hub_results(hub, topology, sync, fleet_settings.external)
    yield from hub.results
    yield from contribution.results
    yield from contribution.late_results(topology)
    yield from check_fleet_file(project.fleet_file.spec, hub, topology, project.at)
    yield from sync.results
    yield from of_hub
    yield from decision.results
    yield from unplaced(decision, topology, {m.ref: m.origin for m in hub.manifests})
    of_bundles = tuple(
        check_bundles(all_bundles, decision.overrides_in_use, used_overrides, hub.manifests)
    )
    yield from of_bundles
    yield from check_hostname_keys(decision, hub, topology, all_bundles)
    yield from check_merge_keys(decision, hub, all_bundles)
    if fleet_settings.creates_namespaces:
        yield from check_namespaces(hub)
    causes = suppress((*of_hub, *of_bundles), fleet_settings.suppressions, topology.labels_of)
    yield from LeftOnHub(hub, topology, sync, all_bundles).results(causes)


def _with_renames(prepared: Prepared, findings: Iterable[Result]) -> Iterable[Result]:
    """Return the findings; those that follow from a Gateway's changed name are joined to one."""
    results = tuple(findings)
    is_whole = all(result.severity is not Severity.ERROR for result in prepared.hub.results)
    if not is_whole or not any(result.code in _NAMED_NOTHING for result in results):
        return results
    from spokerender.rendering.fleet_checks.renamed import join_renamed  # noqa: PLC0415  (a valid project needs it not)

    return join_renamed(results, prepared.hub, prepared.topology, prepared.decision)


def judge(
    rendered: Rendered, crd_files: Files = (), *aspects: str, with_routing: bool = False
) -> JudgedFleet:
    """Return a judged fleet, in all aspects of `check` unless aspects are named.

    `crd_files` have CRDs in addition to the hub's. Without the aspect of validation, no object
    counts as refused by its API server. If `with_routing`, routes and listeners get statuses, too.
    """
    from spokerender.judging.fleet.judge import FleetJudge  # noqa: PLC0415  (start-up counts: `build` judges nothing)
    from spokerender.judging.fleet.judged import CHECKED, Aspect, JudgedFleet, Refused, SchemaGaps  # noqa: PLC0415  (start-up counts: `build` judges nothing)

    aspect_set, accepted = frozenset(map(Aspect, aspects or CHECKED)), rendered.settings
    refused: Refused = {}
    results: tuple[Result, ...] = ()
    gaps = SchemaGaps()
    if Aspect.VALIDATION in aspect_set:
        from spokerender.judging.fleet.objects import validated  # noqa: PLC0415  (heavy, and not always asked for)

        refused, results, gaps = validated(rendered, crd_files)
    judged = JudgedFleet({}, rendered.bundles, ())
    if aspect_set - {Aspect.VALIDATION}:
        fleet = FleetJudge(rendered, refused, aspect_set, with_routing=with_routing)
        judged = fleet.judged(_without_slots(rendered, fleet.otherwise))
    remaining = suppress(
        rendered.hub.with_lines((*results, *judged.results)),
        accepted.suppressions,
        rendered.topology.labels_of,
    )
    if judged.results:
        from spokerender.judging.advice.protection import fold_open_places  # noqa: PLC0415  (start-up counts: `build` judges nothing)

        remaining = fold_open_places(remaining)
    redact = Redaction(rendered.hub, rendered.bundles, rendered.decision).results
    return replace(judged, results=redact(remaining), gaps=gaps)


def judge_hub(rendered: Rendered) -> Judgement:
    """Return the judgement of the hub, treated as a cluster with all its objects."""
    from spokerender.judging.fleet.blueprints import gather_knowledge, make_hub_cluster  # noqa: PLC0415  (start-up counts: `build` judges nothing)
    from spokerender.judging.judge import judge_cluster  # noqa: PLC0415  (as above)

    knowledge = replace(gather_knowledge(rendered), holds=None)
    return judge_cluster(make_hub_cluster(rendered.hub, rendered.topology), knowledge)


def _without_slots(rendered: Rendered, names: Collection[str]) -> Rendered:
    """Return the fleet, with the bundles of these spokes made without slots."""
    if not names:
        return rendered
    parts = rendered.hub, rendered.topology, rendered.decision, rendered.sync
    exact = Bundler(*parts, with_slots=False, stages=rendered.stages)
    bundles = {name: exact.bundle(rendered.bundles[name].spoke) for name in names}
    return replace(rendered, bundles={**rendered.bundles, **bundles})


def unused_suppressions(
    rendered: Rendered, findings: Sequence[Result], at: Callable[..., Origin]
) -> tuple[Result, ...]:
    """Return findings about suppressions that match nothing; `findings` are all of judging.

    `at` returns the line of a field of fleet.yaml.
    """
    accepted = rendered.settings.suppressions
    return stale((*rendered.results, *findings), accepted, at, rendered.topology.labels_of)
