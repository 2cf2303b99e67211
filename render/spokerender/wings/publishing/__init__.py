"""Publishing: kinds with another face for their consumers, and the copies of what those write.

As upstream's sync agent does it live, but a function of files. `kcp` is the half that writes
schemas and exports, `copies` the one that copies objects; neither knows of the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.findings.results import Result
from spokerender.model import Spoke
from spokerender.rendering.values.publishing import Published
from spokerender.rendering.values.stages import Stage
from spokerender.topology import Topology
from spokerender.topology.hub import Hub
from spokerender.wings.publishing.given import FOLDER as PUBLISHED
from spokerender.wings.publishing.given import PublishingInput
from spokerender.wings.publishing.sending import Sending

__all__ = ["PUBLISHED", "PublishingInput", "going_nowhere", "publish", "sending"]


def publish(
    hub: Hub,
    given: PublishingInput,
    spokes: Sequence[Spoke],
    deletions: Sequence[AcknowledgedDeletion],
) -> Published:
    """Publish kinds and copy objects; with no document, nothing changes.

    Nothing is raised for bad input: see `Published.results`.
    """
    if not given.documents:
        return Published(hub)
    # Start-up counts: few projects publish, and CEL and its like are of no use to the others.
    from spokerender.wings.publishing.publish import published_by  # noqa: PLC0415

    return published_by(hub, given, spokes, deletions)


def sending(published: Published, topology: Topology) -> tuple[Stage, ...]:
    """The stage that adds to spokes what is sent there, if anything is."""
    return (Sending(published, topology),) if published.sent else ()


def going_nowhere(published: Published, topology: Topology) -> tuple[Result, ...]:
    """A warning for every copy that hangs on no gateway and whose agent names no spokes."""
    from spokerender.findings.codes.publishing import NOWHERE  # noqa: PLC0415  (as above)

    return tuple(
        NOWHERE.result(
            f"its copy {ref} hangs on no gateway, and agent {copy.agent} names no spokes",
            cure="name the agent's spokes in the publishing file",
            resource=copy.source.ref,
            origin=copy.source.origin,
        )
        for ref, copy in published.copies.items()
        if not published.sent[copy.manifest] and not topology.ships_with(ref)
    )
