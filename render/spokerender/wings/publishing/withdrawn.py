"""The reason why a build may not remove copies without an acknowledgement.

A consumer who deletes an object knows it. Whoever withdraws a PublishedResource, an agent or a
workspace removes what others have written, and may not know.
"""

from collections.abc import Mapping

from msgspec import Struct

from spokerender.model import Ref
from spokerender.rendering.values.rendered import Contribution

CLUSTER_LABEL = "syncagent.kcp.io/remote-object-cluster"
AGENT_LABEL = "syncagent.kcp.io/agent-name"
"""The agent's own labels, which tell a copy apart in a tree of any age."""
MARKERS = (CLUSTER_LABEL,)


class Offers(Struct, frozen=True):
    """The sources of copies: the logical clusters of all workspaces, and the copied resources.

    A resource is the name of its agent, the group and the kind.
    """

    clusters: frozenset[str] = frozenset()
    resources: frozenset[tuple[str, str, str]] = frozenset()

    def guard_reason(self, ref: Ref, labels: Mapping[str, str]) -> str:
        """Return why a removed copy is guarded; empty if its consumer deleted the object."""
        cluster, agent = labels.get(CLUSTER_LABEL), labels.get(AGENT_LABEL)
        if cluster is None:
            return ""
        if cluster not in self.clusters:
            return f"copies of workspace {cluster}, which is withdrawn"
        if (agent, ref.group, ref.kind) in self.resources:
            return ""
        return f"copies that agent {agent} made of {ref.kind}, whose PublishedResource is withdrawn"


def guard_withdrawn() -> Contribution:
    """Guard the copies of a project that has stopped publishing."""
    return Contribution(guard_reason=Offers().guard_reason, guard_markers=MARKERS)
