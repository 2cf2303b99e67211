"""The reason why a build may not remove copies without an acknowledgement.

Consumers know which objects they delete. A provider who withdraws a PublishedResource, an agent or
a workspace removes copies of consumers' objects, perhaps without knowing it.
"""

from collections.abc import Mapping

from msgspec import Struct

from spokerender.model import Ref
from spokerender.rendering.values.rendered import Contribution

CLUSTER_LABEL = "syncagent.kcp.io/remote-object-cluster"
AGENT_LABEL = "syncagent.kcp.io/agent-name"
"""Labels of the agent, by which a copy is recognized in a tree of any age."""
MARKERS = (CLUSTER_LABEL,)


class Offers(Struct, frozen=True):
    """The logical clusters of all workspaces, and the resources that agents copy from them.

    A resource is the name of an agent, and the group and kind that the agent copies.
    """

    clusters: frozenset[str] = frozenset()
    resources: frozenset[tuple[str, str, str]] = frozenset()

    def guard_reason(self, ref: Ref, labels: Mapping[str, str]) -> str:
        """Return why deleting a copy must be acknowledged; empty if its source is not withdrawn."""
        cluster, agent = labels.get(CLUSTER_LABEL), labels.get(AGENT_LABEL)
        if cluster is None:
            return ""
        if cluster not in self.clusters:
            return f"copies of workspace {cluster}, which is withdrawn"
        if (agent, ref.group, ref.kind) in self.resources:
            return ""
        return f"copies that agent {agent} made of {ref.kind}, whose PublishedResource is withdrawn"


def guard_withdrawn() -> Contribution:
    """Return a contribution that guards the copies of a project that has stopped publishing."""
    return Contribution(guard_reason=Offers().guard_reason, guard_markers=MARKERS)
