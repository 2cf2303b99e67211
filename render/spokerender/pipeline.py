"""The story on one page: prepare, render, judge. The only place that knows the order.

A project is prepared: its hub, who hangs on whom, what is synced, what goes where. Then every
spoke's bundle is made, and of the bundles a tree. Judging is for commands that ask for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.config.fleet import FleetFile
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result, Severity
from spokerender.findings.suppressions import accepts, stale, suppress
from spokerender.model import Origin
from spokerender.rendering import telling as findings
from spokerender.rendering.bundles.bundler import Bundler
from spokerender.rendering.bundles.fleet import bundle_fleet
from spokerender.rendering.cleaning import cleaned
from spokerender.rendering.hostname_keys import unused_hostnames
from spokerender.rendering.hub_checks import hub_results
from spokerender.rendering.left import Left
from spokerender.rendering.merge_keys import similar_keys
from spokerender.rendering.obeyed import marked_namespaces
from spokerender.rendering.placement import decide, declared, unplaced
from spokerender.rendering.policy_kinds import configured_kinds, unused_kinds
from spokerender.rendering.redacting import Redaction
from spokerender.rendering.settings import settings
from spokerender.rendering.sync import read_sync_list
from spokerender.rendering.tree import SpokeFolders
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.placement import Decision, Declarations
from spokerender.rendering.values.publishing import Published
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.settings import Settings
from spokerender.rendering.values.stages import Stage
from spokerender.rendering.values.sync import SyncList
from spokerender.topology import Topology, node
from spokerender.topology.definitions import assembled
from spokerender.topology.hub import Hub
from spokerender.wings.delivery import Delivered, FleetTree, deliver
from spokerender.wings.publishing import PublishingInput, going_nowhere, publish, sending

if TYPE_CHECKING:
    from spokerender.findings.faults import Fault
    from spokerender.judging.fleet.judged import JudgedFleet, Unvalidated
    from spokerender.wings.metapolicies.config.definitions import MetapolicyDocument
    from spokerender.wings.metapolicies.model import Code, Runner

Files = Sequence[tuple[str, bytes]]
"""Files by the path that messages name, and their bytes."""


class Project(Struct, frozen=True, eq=False):
    """What was read of a project: its settings, hub files, placement and template texts.

    `unreadable` is what is wrong with the files of the hub and the placement that are not here.
    `crd_files` are asked for CRDs of kinds that neither the hub's nor the table of kinds know.
    """

    fleet_file: FleetFile
    hub_files: Files
    placement_files: Files
    templates: Mapping[str, str]
    fleet_path: str = "fleet.yaml"
    fleet_at: Callable[..., Origin] | None = None
    publishing: PublishingInput = field(default_factory=PublishingInput)
    metapolicies: Sequence[MetapolicyDocument] = ()
    runners: Mapping[str, Runner] = field(default_factory=dict)
    code: Mapping[str, Code | Fault] = field(default_factory=dict)
    unreadable: tuple[Result, ...] = ()
    crd_files: Files = ()

    def at(self, *path: str | int) -> Origin:
        """Where a field of the fleet file is written; only the file where nobody can tell."""
        return self.fleet_at(*path) if self.fleet_at is not None else Origin(self.fleet_path)


class Prepared(Struct, frozen=True, eq=False):
    """What is known of a project before anything is made for a spoke."""

    project: Project
    hub: Hub
    topology: Topology
    sync: SyncList
    decision: Decision
    published: Published


def prepare(project: Project) -> Prepared:
    """Read the hub, and decide what goes where.

    Raises:
        InputError: files can't be read, or the placement is wrong; with what is wrong in the hub.

    """
    spec = project.fleet_file.spec
    configured = configured_kinds(spec.policy_kinds)
    read = assembled(project.hub_files, configured, project.crd_files)
    placement = _placement(project, read)
    published = publish(read, project.publishing, placement.spokes, spec.deletions)
    hub = published.hub
    topology = Topology(node(m.ref, m.object, hub.catalogue) for m in hub.manifests)
    said = (each.model.spec.for_ for each in project.metapolicies)
    sync = read_sync_list(hub, spec.policies_to_sync, project.at).with_kinds(
        frozenset((each.group, each.kind) for each in said)
    )
    decision = decide(placement, topology)
    return Prepared(project, hub, topology, sync, decision, published)


def _placement(project: Project, hub: Hub) -> Declarations:
    try:
        placement = declared(project.placement_files)
    except InputError as error:
        in_hub = hub.results if project.hub_files else ()  # all problems at once
        faults = [result for result in in_hub if result.severity is Severity.ERROR]
        raise InputError((*project.unreadable, *faults, *error.results)) from None
    if project.unreadable:
        raise InputError(project.unreadable)
    return placement


def _metapolicies(project: Project, found: Prepared) -> tuple[Stage, ...]:
    if not project.metapolicies:
        return ()
    from spokerender.wings.metapolicies.questions import Resources, stages  # noqa: PLC0415  (who has none does not pay for them)

    resources = Resources(found.hub.catalogue, project.runners, project.code)
    return stages(project.metapolicies, resources, found.hub, found.topology)


def render(project: Project, stages: Sequence[Stage] = ()) -> Rendered:
    """Render the fleet; what is wrong or worth a word is in `Rendered.results`.

    `stages` are added between retargeting and overrides.

    Raises:
        InputError: as of `prepare`: there is nothing to render then.

    """
    prepared, spec = prepare(project), project.fleet_file.spec
    hub, topology = prepared.hub, prepared.topology
    given = settings(spec)
    own = _metapolicies(project, prepared)
    together = (*sending(prepared.published, topology), *own, *stages)
    bundles, used = bundle_fleet(
        hub,
        topology,
        prepared.decision,
        prepared.sync,
        stages=together,
        is_accepted=accepts(given.suppressions, topology.labels_of),
    )
    namespaces = {name: cleaned(data) for name, data in hub.namespaces.items()}
    trees = SpokeFolders(
        bundles,
        one_file=given.one_file,
        namespaces=namespaces if given.creates_namespaces else None,
        is_plain=hub.is_plain,
    )
    spokes = sorted((bundle.spoke for bundle in bundles.values()), key=attrgetter("name"))
    delivered = Delivered(spec.output, spokes, trees.shipped, project.templates, hub.catalogue)
    fleet_files, of_delivery = deliver(spec.delivery, delivered)
    results = (*_told(prepared, given, bundles, used), *trees.results(), *of_delivery)
    redaction = Redaction(hub, bundles, prepared.decision)
    return Rendered(
        FleetTree(trees, fleet_files),
        redaction.results(suppress(results, given.suppressions, topology.labels_of)),
        hub,
        topology,
        prepared.sync,
        prepared.decision,
        bundles,
        given,
        prepared.published,
        together,
    )


def _told(
    prepared: Prepared, given: Settings, bundles: Mapping[str, Bundle], used: set[int]
) -> Iterator[Result]:
    """What there is to tell before there are texts; `used` are the overrides that were applied."""
    project, published = prepared.project, prepared.published
    hub, topology = prepared.hub, prepared.topology
    sync, decision = prepared.sync, prepared.decision
    spec, every = project.fleet_file.spec, tuple(bundles.values())
    of_hub = hub_results(hub, topology, sync, given.external)
    yield from hub.results
    yield from published.results
    yield from going_nowhere(published, topology)
    yield from unused_kinds(spec.policy_kinds, hub, project.at)
    yield from sync.results
    yield from of_hub
    yield from decision.results
    yield from unplaced(decision, topology, {m.ref: m.origin for m in hub.manifests})
    yield from findings.of_fleet(every, decision.overrides_in_use, used, hub.manifests)
    yield from unused_hostnames(decision, hub, topology, every)
    yield from similar_keys(decision, hub, every)
    if given.creates_namespaces:
        yield from marked_namespaces(hub)
    yield from Left(hub, topology, sync, every).results(of_hub)


def judge(rendered: Rendered, crd_files: Files = (), *aspects: str) -> JudgedFleet:
    """Judge a rendered fleet, in all of `Aspect` unless some are named.

    `crd_files` have CRDs besides those in the hub. Unless it is validated, no object counts as
    refused by its API server.
    """
    from spokerender.judging.fleet.judge import FleetJudge  # noqa: PLC0415  (start-up counts: `build` judges nothing)
    from spokerender.judging.fleet.judged import Aspect, JudgedFleet, Refused  # noqa: PLC0415  (start-up counts: `build` judges nothing)

    wanted, accepted = frozenset(map(Aspect, aspects or Aspect)), rendered.settings
    refused: Refused = {}
    results: tuple[Result, ...] = ()
    unvalidated: tuple[Unvalidated, ...] = ()
    if Aspect.VALIDATION in wanted:
        from spokerender.judging.fleet.objects import validated  # noqa: PLC0415  (heavy, and not always asked for)

        refused, results, unvalidated = validated(rendered, crd_files)
    judged = JudgedFleet({}, rendered.bundles, ())
    if Aspect.POLICIES in wanted:
        fleet = FleetJudge(rendered, refused)
        judged = fleet.judged(_without_slots(rendered, fleet.otherwise))
    told = suppress((*results, *judged.results), accepted.suppressions, rendered.topology.labels_of)
    redaction = Redaction(rendered.hub, rendered.bundles, rendered.decision)
    return replace(judged, results=redaction.results(told), unvalidated=unvalidated)


def _without_slots(rendered: Rendered, names: Collection[str]) -> Rendered:
    """The fleet with the bundles of these spokes made with their values in the open."""
    if not names:
        return rendered
    hub, topology = rendered.hub, rendered.topology
    decision, sync = rendered.decision, rendered.sync
    exact = Bundler(hub, topology, decision, sync, with_slots=False, stages=rendered.stages)
    made = {name: exact.bundle(rendered.bundles[name].spoke) for name in names}
    return replace(rendered, bundles={**rendered.bundles, **made})


def unused_suppressions(
    rendered: Rendered, findings: Sequence[Result], at: Callable[..., Origin]
) -> tuple[Result, ...]:
    """The suppressions that accept nothing, where `findings` are all that judging has to tell.

    `at` tells where a field of the fleet file is written.
    """
    accepted = rendered.settings.suppressions
    return stale((*rendered.results, *findings), accepted, at, rendered.topology.labels_of)
