"""The stage: what is published, what is copied, and the hub that comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from render.config.fleet import AcknowledgedDeletion
from render.model import Manifest, Spoke
from render.rendering.publishing.copies.side import copying_side
from render.rendering.publishing.declared import declared
from render.rendering.publishing.given import PublishingInput
from render.rendering.publishing.kcp.side import kcp_side
from render.rendering.publishing.resources import resources
from render.rendering.values.publishing import Published
from render.topology.hub import Hub


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
