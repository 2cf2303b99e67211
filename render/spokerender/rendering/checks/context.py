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
    """The hub as checks see it; `own_classes` are those with sync parameters."""

    hub: Topology
    catalogue: Catalogue
    own_classes: frozenset[str]
    origins: Mapping[Ref, Origin]


class SpokeContext(HubSide, frozen=True, eq=False):
    """One spoke as it will be: what is rendered, and the gateways that it has of its own.

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
        """Return the object's node on the hub, or its own node where a stage made the object."""
        return self.hub.nodes.get(self.sources[node.ref].ref, node)

    def links(self, node: Node) -> Iterator[tuple[Reference, Reference]]:
        """Pair the attaching references of a rendered object with those on the hub.

        Retargeting keeps their order and drops those entries of lists that lead to unplaced
        gateways only.
        """
        placed = {place.hub for place in self.placed}
        hub_links = (
            link
            for link in self.hub_node(node).attachments
            # As `retarget.links.Link.removed` has it: an entry stays if it leads to no hub gateway
            # at all, or to a placed one; a single reference is kept whatever it leads to.
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
        """Return a finding about a rendered object, which names its hub object."""
        source = self.sources[node.ref]
        return kind.result(
            message,
            cure=cure,
            resource=source.ref,
            field=field,
            origin=source.origin,
            severity=severity,
        )
