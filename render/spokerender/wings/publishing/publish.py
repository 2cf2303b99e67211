"""The part that publishing takes in rendering: what it reads, publishes, copies and sends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.edge.reading import source_has
from spokerender.findings.codes.publishing import NOWHERE
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.model import Manifest, Ref, Spoke
from spokerender.rendering.values.rendered import Contribution, Copy
from spokerender.rendering.values.stages import Stage
from spokerender.topology import Topology
from spokerender.topology.hub import Hub
from spokerender.wings.part import Files, Part, ProjectFiles
from spokerender.wings.publishing.config.publishings import PublishingDocument, load_publishings
from spokerender.wings.publishing.copies.side import copying_side
from spokerender.wings.publishing.declared import declared
from spokerender.wings.publishing.kcp.side import kcp_side
from spokerender.wings.publishing.resources import resources
from spokerender.wings.publishing.sending import Sending
from spokerender.wings.publishing.settings import FOLDER, PublishingSettings
from spokerender.wings.publishing.withdrawn import MARKERS, Offers


class Publishing(Part):
    """What a project publishes to whom.

    `workspaces` have the files of each workspace by its name, `published` those of the folder of
    what was published before, `crds` those of `spec.crds`.
    """

    wing = "publishing"

    def __init__(
        self,
        documents: Sequence[PublishingDocument],
        workspaces: Mapping[str, Files],
        published: Files,
        crds: Files,
        deletions: Sequence[AcknowledgedDeletion],
    ) -> None:
        """Take what was read."""
        self._documents = documents
        self._workspaces = workspaces
        self._published = published
        self._crds = crds
        self._deletions = deletions

    def contribute(self, hub: Hub, spokes: Sequence[Spoke]) -> Contribution:
        """Publish kinds and copy objects. Bad input is told in `Contribution.results`."""
        who = declared(self._documents, dict(self._workspaces), spokes)
        published, problems = resources(hub, who.agents, self._crds)
        kcp = kcp_side(hub, who.agents, published, self._published, self._deletions)
        copying = copying_side(hub, who.workspaces, published)
        agents = {agent.name: agent for agent in who.agents}
        sent: dict[Manifest, frozenset[str]] = dict(kcp.sent)
        sent.update((copy.manifest, agents[copy.agent].spokes) for copy in copying.copies)
        copies = {copy.manifest.ref: copy for copy in copying.copies}
        offers = Offers(
            frozenset(workspace.home.cluster for workspace in who.workspaces),
            frozenset(
                (resource.agent.name, *resource.local_identity)
                for resource in published
                if resource.spec.is_copying
            ),
        )
        return Contribution(
            manifests=tuple(copy.manifest for copy in copying.copies),
            is_plain=copying.is_plain,
            copies=copies,
            secrets=tuple(dict.fromkeys(copying.secrets)),
            files=kcp.files,
            results=(*who.results, *problems, *kcp.results, *copying.results),
            stages=lambda topology: _stages(sent, topology),
            late_results=lambda topology: _nowhere(copies, sent, topology),
            guard_reason=offers.guard_reason,
            guard_markers=MARKERS,
            crds=tuple(resource.crd for resource in published),
        )


def read_publishing(project: ProjectFiles) -> Publishing:
    """Read what is published, to whom, and what was published before.

    Raises:
        InputError: something can't be read.

    """
    documents = load_publishings(project.read(project.settings(PublishingSettings).publishing))
    crd_files, problems = project.crds
    workspaces: dict[str, Files] = {}
    for document in documents:
        for workspace in document.model.spec.workspaces:
            workspaces[workspace.name], more = project.try_read(workspace.paths)
            problems += more
    published: Files = ()
    if source_has(project.source, FOLDER):
        published, more = project.try_read([FOLDER])
        problems += more
    if problems:
        raise InputError(problems)
    deletions = project.document.model.spec.deletions
    return Publishing(documents, workspaces, published, crd_files, deletions)


def _stages(sent: Mapping[Manifest, frozenset[str]], topology: Topology) -> tuple[Stage, ...]:
    return (Sending(sent, topology),) if sent else ()


def _nowhere(
    copies: Mapping[Ref, Copy], sent: Mapping[Manifest, frozenset[str]], topology: Topology
) -> tuple[Result, ...]:
    """Warn of each copy that hangs on no gateway and whose agent names no spokes."""
    return tuple(
        NOWHERE.result(
            f"its copy {ref} hangs on no gateway, and agent {copy.agent} names no spokes",
            cure="name the agent's spokes in the publishing file",
            resource=copy.source.ref,
            origin=copy.source.origin,
        )
        for ref, copy in copies.items()
        if not sent[copy.manifest] and not topology.ships_with(ref)
    )
