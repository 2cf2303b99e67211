"""The settings of Open Cluster Management's delivery."""

from typing import Annotated, Literal

from pydantic import Field

from spokerender.config.base import Items, Model
from spokerender.config.names import DnsLabel, Subdomain
from spokerender.config.selectors import SpokeSelection

Limit = Annotated[int, Field(ge=1024, le=1024 * 1024)]
WorkName = Annotated[Subdomain, Field(max_length=128)]
"""The agent puts 65 characters before a work's name (OCM, work/helper, HubHash), we some behind."""


class OcmReplicaSet(Model):
    """Spokes with equal trees, which an OCM Placement decides on."""

    placement: Subdomain = Field(description="The Placement's name.")
    namespace: DnsLabel = Field(description="Its namespace, in which the ReplicaSet is as well.")
    spokes: SpokeSelection = Field(description="The spokes that it decides on, exactly.")


class OCM(Model):
    """OCM ManifestWorks for each spoke, in the namespace of the spoke's name on the hub."""

    name: WorkName = Field(default="spokes", description="The works' name.")
    deletion: Literal["prune", "orphan"] = Field(
        default="prune",
        description="prune: what leaves a tree is deleted, and all is when a work is; orphan: the "
        "agent deletes nothing, ever. Namespaces are never deleted.",
    )
    manifest_limit: Limit = Field(
        default=500 * 1024,
        description="How many bytes a work's manifests have at most: the hub's --manifestLimit.",
    )
    permissions: bool = Field(
        default=True,
        description="Let the work agent manage the kinds that a spoke gets, and just these.",
    )
    replica_sets: Items[OcmReplicaSet] = Field(
        default=(), description="Spokes that get a ManifestWorkReplicaSet instead."
    )
