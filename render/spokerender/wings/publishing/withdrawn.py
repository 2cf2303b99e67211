"""Why consumers' copies may not go unacknowledged, though they protect nothing.

A consumer who takes an object away has seen it. Whoever withdraws a PublishedResource, an agent or
a workspace takes away what others have written, and may not have seen it.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from spokerender.model import Ref

CLUSTER_LABEL = "syncagent.kcp.io/remote-object-cluster"
AGENT_LABEL = "syncagent.kcp.io/agent-name"
"""The agent's own labels, by which a copy is known, also in a tree of yesterday."""
MARKERS = (CLUSTER_LABEL,)


class Offers(Struct, frozen=True):
    """Who still makes copies, and of what.

    `clusters` are the logical clusters of all workspaces; `resources` have the agent, the group
    and the kind of what copies are made of.
    """

    clusters: frozenset[str] = frozenset()
    resources: frozenset[tuple[str, str, str]] = frozenset()

    def guard_reason(self, ref: Ref, labels: Mapping[str, str]) -> str:
        """Return why a copy that goes is guarded; empty where its consumer took it away."""
        cluster, agent = labels.get(CLUSTER_LABEL), labels.get(AGENT_LABEL)
        if cluster is None:
            return ""
        if cluster not in self.clusters:
            return f"copies of workspace {cluster}, which is withdrawn"
        if (agent, ref.group, ref.kind) not in self.resources:
            return (
                f"copies that agent {agent} made of {ref.kind}, whose PublishedResource is "
                "withdrawn"
            )
        return ""
