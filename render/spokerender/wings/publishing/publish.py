"""The stage: what is published, what is copied, and the hub that comes of it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.model import Manifest, Spoke
from spokerender.rendering.values.publishing import Published
from spokerender.topology.hub import Hub
from spokerender.wings.publishing.copies.side import copying_side
from spokerender.wings.publishing.declared import declared
from spokerender.wings.publishing.given import PublishingInput
from spokerender.wings.publishing.kcp.side import kcp_side
from spokerender.wings.publishing.resources import resources


def published_by(
    hub: Hub,
    given: PublishingInput,
    spokes: Sequence[Spoke],
    deletions: Sequence[AcknowledgedDeletion],
) -> Published:
    """Publish kinds and copy objects. Nothing is raised for bad input: see `Published.results`."""
    who = declared(given.documents, dict(given.workspaces), spokes)
    published, problems = resources(hub, who.agents, given.crds)
    kcp = kcp_side(hub, who.agents, published, given.published, deletions)
    copying = copying_side(hub, who.workspaces, published)
    agents = {agent.name: agent for agent in who.agents}
    sent: dict[Manifest, frozenset[str]] = dict(kcp.sent)
    sent.update((copy.manifest, agents[copy.agent].spokes) for copy in copying.copies)
    copies = (copy.manifest for copy in copying.copies)
    together = sorted((*hub.manifests, *copies), key=lambda manifest: manifest.ref)
    return Published(
        hub=replace(hub, manifests=tuple(together), is_plain=hub.is_plain and copying.is_plain),
        sent=sent,
        copies={copy.manifest.ref: copy for copy in copying.copies},
        secrets=tuple(dict.fromkeys(copying.secrets)),
        files=kcp.files,
        clusters=frozenset(workspace.home.cluster for workspace in who.workspaces),
        offers=frozenset(
            (resource.agent.name, *resource.local_identity)
            for resource in published
            if resource.spec.is_copying
        ),
        crds=tuple(resource.crd for resource in published),
        results=(*who.results, *problems, *kcp.results, *copying.results),
    )
