"""The input of judging: a cluster's objects, and further facts about the cluster.

Objects may be rendered for a spoke, committed in its folder, from another revision, or exported
from a live cluster: they are judged in the same way.
"""

from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from spokerender.judging.attachment.statuses import Elsewhere, HoldsRule
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Role
from spokerender.model import Manifest, PlacedGateway, Ref
from spokerender.model.refs import DataByRef
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node
from spokerender.topology.precedence import Ages
from spokerender.topology.reading import read_node


class Anything:
    """A container of all refs, for clusters that are not fully known: any object may exist."""

    def __contains__(self, ref: object) -> bool:
        return True


class ClusterObject(Struct, frozen=True, eq=False):
    """An object of a cluster, with its node in the graph."""

    ref: Ref
    object: Mapping[str, Any]
    node: Node


class Cluster(Struct, frozen=True, eq=False, dict=True):
    """The objects that are judged together.

    `existing` are the Gateways that the cluster already has: objects attach to them, but nothing is
    known about them except what a placement declares.
    """

    objects: tuple[ClusterObject, ...]
    existing: tuple[PlacedGateway, ...] = ()

    @property
    def data(self) -> DataByRef:
        """The objects' contents, by ref."""
        return {item.ref: item.object for item in self.objects}

    @cached_property
    def routed(self) -> tuple[int, ...]:
        """The ids of the objects that routing depends on: all objects but policies."""
        return tuple(
            id(item.object)
            for item in self.objects
            if not any(link.row.role is Role.TARGET for link in item.node.references)
        )

    @classmethod
    def of(
        cls,
        manifests: Iterable[Manifest],
        catalogue: Catalogue,
        existing: Iterable[PlacedGateway] = (),
    ) -> "Cluster":
        """Return a cluster of manifests with unique refs (see `topology.hub.assemble`)."""
        objects = (
            ClusterObject(item.ref, item.object, read_node(item.ref, item.object, catalogue))
            for item in manifests
        )
        return cls(tuple(objects), tuple(existing))


class Knowledge(Struct, frozen=True, eq=False):
    """The facts about a cluster besides its objects.

    `namespaces` is the topology that has the Namespaces with their labels, if it is not the
    cluster's own: for a spoke, the hub's. `hub` are the hub's objects, some of which the spoke must
    have. `unseen` contains the objects that may exist on the cluster though no file has them.
    `crds` are the CRDs of policies. `ages` has the known ages of objects: manifests in files have
    no creationTimestamp. `holds` evaluates CEL rules on values that may contain placeholders
    (slots, see `judging.fleet`); by default, values have none.
    """

    catalogue: Catalogue
    namespaces: Topology | None = None
    hub: DataByRef = field(default_factory=dict)
    unseen: Container[Ref] = Elsewhere()
    crds: tuple[Mapping[str, Any], ...] = ()
    ages: Ages = field(default_factory=dict)
    holds: HoldsRule | None = None
