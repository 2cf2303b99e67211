"""The input of judging: a cluster's objects, and further facts about the cluster.

Objects may be rendered for a spoke, committed in its folder, of another revision, or exported from
a live cluster: they are judged in the same way.
"""

from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from spokerender.judging.attachment.case import Elsewhere, HoldsRule
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Role
from spokerender.model import Manifest, PlacedGateway, Ref
from spokerender.model.refs import DataByRef
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node
from spokerender.topology.precedence import Ages
from spokerender.topology.reading import read_node


class Anything:
    """A container that holds every ref: of a cluster known in part, any object may exist."""

    def __contains__(self, ref: object) -> bool:
        return True


class ClusterObject(Struct, frozen=True, eq=False):
    """An object of a cluster, with its node in the graph."""

    ref: Ref
    object: Mapping[str, Any]
    node: Node


class Cluster(Struct, frozen=True, eq=False, dict=True):
    """The objects that are judged together.

    `existing` are Gateways that the cluster has of its own. Objects attach to them, and files have
    only the facts that a placement declares about them.
    """

    objects: tuple[ClusterObject, ...]
    existing: tuple[PlacedGateway, ...] = ()

    @property
    def data(self) -> DataByRef:
        """The data of its objects."""
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
        """Make a cluster of manifests with unique refs (see `topology.hub.assemble`)."""
        objects = (
            ClusterObject(item.ref, item.object, read_node(item.ref, item.object, catalogue))
            for item in manifests
        )
        return cls(tuple(objects), tuple(existing))


class Knowledge(Struct, frozen=True, eq=False):
    """The facts about a cluster besides its objects.

    `namespaces` is the topology with the Namespaces and their labels, if that is another cluster's
    (the hub's, for a spoke). `hub` are the hub's objects, some of which the spoke must have.
    Objects in `unseen` may exist on the cluster though no file has them. `crds` are the CRDs that
    policies are checked against. `ages` has the ages of objects as far as they are known: manifests
    in files have no creationTimestamp. `holds` evaluates CEL rules on values that may contain slots
    (`judging.fleet`); the default evaluates plain values.
    """

    catalogue: Catalogue
    namespaces: Topology | None = None
    hub: DataByRef = field(default_factory=dict)
    unseen: Container[Ref] = Elsewhere()
    crds: tuple[Mapping[str, Any], ...] = ()
    ages: Ages = field(default_factory=dict)
    holds: HoldsRule | None = None
