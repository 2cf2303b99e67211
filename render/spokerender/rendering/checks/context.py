"""The input of checks: the topologies of one spoke and of the hub."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from spokerender.findings.results import FindingKind, Result, Severity
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.reference import Reference
from spokerender.model import Manifest, Origin, PlacedGateway, Ref
from spokerender.rendering.values.folding import pair_folded
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node


class HubSide(Struct, frozen=True, eq=False):
    """The hub's part of the input of checks; `own_classes` are classes with sync parameters."""

    hub: Topology
    catalogue: Catalogue
    own_classes: frozenset[str]
    origins: Mapping[Ref, Origin]


class SpokeContext(HubSide, frozen=True, eq=False):
    """One spoke as it will be: rendered objects, and gateways that it has already.

    `shipped` are the nodes of the rendered objects in order; two objects may have one identity.
    `spoke` is the topology of these objects and the existing gateways. `sources` has the hub object
    of each rendered object, and `retargeted` its node before overrides.
    """

    shipped: tuple[Node, ...]
    spoke: Topology
    placed: tuple[PlacedGateway, ...]
    sources: Mapping[Ref, Manifest]
    retargeted: Mapping[Ref, Node]

    def hub_node(self, node: Node) -> Node:
        """Return the object's node on the hub; `node` itself if a stage created the object."""
        return self.hub.nodes.get(self.sources[node.ref].ref, node)

    def links(self, node: Node) -> Iterator[tuple[Reference, Reference]]:
        """Yield each attaching reference of a rendered object, and the same reference on the hub.

        Retargeting keeps the order of references and only drops list entries of unplaced gateways.
        """
        placed = {place.hub for place in self.placed}
        hub_links = (
            link
            for link in self.hub_node(node).attachments
            # As in `retarget.links.Link.removed`: an entry remains if it leads to no hub gateway at
            # all, or to a placed one; a single reference always remains.
            if not (reached := self.hub.reached(link))
            or reached & placed
            or not isinstance(link.path[-1], int)
        )
        existing = {place.hub: place for place in self.placed if place.existing}
        if existing:
            return pair_folded(node.attachments, hub_links, existing)
        return zip(node.attachments, hub_links, strict=False)

    def result(  # noqa: PLR0913  (the parts of a finding; most have few of them)
        self,
        kind: FindingKind,
        node: Node,
        message: str,
        cure: str,
        field: str = "",
        *,
        severity: Severity | None = None,
    ) -> Result:
        """Return a finding about a rendered object, with the identity of its hub object."""
        source = self.sources[node.ref]
        return kind.result(
            message,
            cure=cure,
            resource=source.ref,
            field=field,
            origin=source.origin,
            severity=severity,
        )
