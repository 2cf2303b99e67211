"""The part of publishing in rendering: reads files, publishes kinds, copies and sends objects."""

from collections.abc import Hashable, Mapping, Sequence

from spokerender.edge.reading import source_has
from spokerender.findings.codes.publishing import NOWHERE
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.kinds.crds import read_identity
from spokerender.model import Manifest, Ref, Spoke
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import scalars_in
from spokerender.model.sources import File
from spokerender.rendering.holding import SpokeSlots
from spokerender.rendering.values.rendered import Contribution, Copy
from spokerender.rendering.values.stages import Amendment, Given
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub
from spokerender.wings.part import Part, ProjectFiles
from spokerender.wings.publishing.agents import resolve_declarations
from spokerender.wings.publishing.config.publishing import load_publishings
from spokerender.wings.publishing.copies import copy_workspaces
from spokerender.wings.publishing.kcp import publish_kinds
from spokerender.wings.publishing.resources import find_related_crds, read_resources
from spokerender.wings.publishing.settings import FOLDER, PublishingSettings
from spokerender.wings.publishing.withdrawn import MARKERS, Offers


class PublishingPart(Part):
    """The publishing files of a project, and the files that they name."""

    wing = "publishing"

    def __init__(self, project: ProjectFiles) -> None:
        """Read the publishing files, the workspaces' objects, and the earlier publications.

        Raises `InputError` if a file can't be read.
        """
        files = project.read("publishing", project.settings(PublishingSettings).publishing)
        self._documents = load_publishings(files)
        self._deletions = project.document.model.spec.deletions
        self._crds, problems = project.crds
        self._workspaces: dict[str, Sequence[File]] = {}
        for document in self._documents:
            for workspace in document.model.spec.workspaces:
                self._workspaces[workspace.name], more = project.try_read(workspace.paths)
                problems += more
        self._published: Sequence[File] = ()
        if source_has(project.source, FOLDER):
            self._published, more = project.try_read([FOLDER])
            problems += more
        if problems:
            raise InputError(problems)

    def contribute(self, hub: Hub, spokes: Sequence[Spoke]) -> Contribution:
        """Publish kinds and copy objects; faults are in `Contribution.results`."""
        agents, workspaces, problems = resolve_declarations(
            self._documents, self._workspaces, spokes
        )
        resources, faults = read_resources(hub, agents, self._crds)
        kinds = publish_kinds(hub, agents, resources, self._published, self._deletions)
        related_crds = find_related_crds(resources, hub, self._crds)
        copying = copy_workspaces(hub, workspaces, resources, related_crds)
        own_crds = (resource.crd for resource in resources if not resource.is_builtin)
        local_crds = (*own_crds, *related_crds)
        local_kinds = {*map(read_identity, local_crds)}
        local_kinds |= {resource.spec.resource.group_kind for resource in resources}
        faces = (r.projected_crd for r in resources if r.projected_kind not in local_kinds)
        spokes_by_agent = {agent.name: agent.spokes for agent in agents}
        sent: dict[Manifest, frozenset[str]] = dict(kinds.sent)
        sent.update((copy.manifest, spokes_by_agent[copy.agent]) for copy in copying.copies)
        copies = {copy.manifest.ref: copy for copy in copying.copies}
        offers = Offers(
            frozenset(workspace.cluster.name for workspace in workspaces),
            frozenset(
                (resource.agent.name, *resource.spec.resource.group_kind)
                for resource in resources
                if resource.spec.is_copying
            ),
        )
        return Contribution(
            manifests=tuple(copy.manifest for copy in copying.copies),
            is_plain=copying.is_plain,
            copies=copies,
            secrets=tuple(dict.fromkeys(copying.secrets)),
            files=kinds.files,
            results=(*problems, *faults, *kinds.results, *copying.results),
            stages=lambda topology: (_SendingStage(sent, topology),) if sent else (),
            late_results=lambda topology: _find_unsent(copies, sent, topology),
            guard_reason=offers.guard_reason,
            guard_markers=MARKERS,
            crds=(*local_crds, *faces),
        )


def _find_unsent(
    copies: Mapping[Ref, Copy], sent: Mapping[Manifest, frozenset[str]], topology: Topology
) -> tuple[Result, ...]:
    return tuple(
        NOWHERE.result(
            f"no gateway takes its copy {ref} along, and agent {copy.agent} names no spokes",
            cure="name the agent's spokes in the publishing file",
            resource=copy.source.ref,
            origin=copy.source.origin,
        )
        for ref, copy in copies.items()
        if not sent[copy.manifest] and not topology.ships_with(ref)
    )


class _SendingStage:
    """Adds objects to the spokes that are selected for them (`values.stages.Stage`)."""

    def __init__(self, sent: Mapping[Manifest, frozenset[str]], topology: Topology) -> None:
        """`sent` has the spokes of each object; objects that ship with a gateway are left out."""
        self._sent = [
            (manifest, spokes)
            for manifest, spokes in sent.items()
            if manifest.ref not in topology.nodes or not topology.ships_with(manifest.ref)
        ]

    @property
    def spelled_out(self) -> frozenset[str | int | float]:
        return frozenset(
            value for manifest, _ in self._sent for value in scalars_in(manifest.object)
        )

    @property
    def first_of(self) -> frozenset[GroupKind]:
        return frozenset()

    def ask(self, spoke: Spoke, given: Given, spoke_slots: SpokeSlots) -> Hashable:  # noqa: ARG002  (a stage's)
        places = enumerate(self._sent)
        return frozenset(place for place, (_, spokes) in places if spoke.name in spokes)

    def amend(self, given: Given, asked: Hashable) -> Amendment:  # noqa: ARG002  (a stage's signature)
        assert isinstance(asked, frozenset)  # noqa: S101  (made by `ask`)
        return Amendment(added=tuple(self._sent[place][0] for place in sorted(asked)))
