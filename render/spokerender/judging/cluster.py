"""A cluster, as far as objects tell of it, wherever they come from.

They may be rendered for a spoke, committed in its folder, of another revision, or exported from a
live cluster: to what is judged that makes no difference.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from spokerender.judging.attachment.case import Elsewhere, HoldsRule
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Manifest, PlacedGateway, Ref
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node
from spokerender.topology.precedence import Ages
from spokerender.topology.reading import read_node


class Anything:
    """What may be on a cluster of which only some objects are known: everything."""

    def __contains__(self, ref: object) -> bool:
        """Whether it may be there: always."""
        return True


class ClusterObject(Struct, frozen=True, eq=False):
    """One object of a cluster, and what the graph knows of it."""

    ref: Ref
    object: Mapping[str, Any]
    node: Node


class Cluster(Struct, frozen=True, eq=False):
    """What is judged.

    `existing` are the gateways that the cluster has of its own: objects hang on them, and files
    tell of them only what was declared.
    """

    objects: tuple[ClusterObject, ...]
    existing: tuple[PlacedGateway, ...] = ()

    @classmethod
    def of(
        cls,
        manifests: Iterable[Manifest],
        catalogue: Catalogue,
        existing: Iterable[PlacedGateway] = (),
    ) -> Cluster:
        """A cluster that has these objects; identities must be unique (`topology.hub.assemble`)."""
        objects = (
            ClusterObject(item.ref, item.object, read_node(item.ref, item.object, catalogue))
            for item in manifests
        )
        return cls(tuple(objects), tuple(existing))


class Knowledge(Struct, frozen=True, eq=False):
    """What has to be known beside a cluster's own objects to judge it.

    `namespaces` has the Namespaces with their labels, where the cluster's are among the objects of
    another one: the hub's for a spoke. `unseen` has what may be on the cluster though it is not
    among its objects. `crds` are those that the policies were checked against. `ages` tell which
    of two is older, as far as that is known: files don't tell. `holds` evaluates rules on values
    that may have slots (`judging.fleet`).
    """

    catalogue: Catalogue
    namespaces: Topology | None = None
    unseen: Container[Ref] = Elsewhere()
    crds: tuple[Mapping[str, Any], ...] = ()
    ages: Ages = field(default_factory=dict)
    holds: HoldsRule | None = None
