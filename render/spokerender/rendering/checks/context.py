"""What a check looks at: one spoke's topology, beside the hub's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from spokerender.findings.results import FindingKind, Result, Severity
from spokerender.kinds import Catalogue, Reference
from spokerender.model import Manifest, Origin, PlacedGateway, Ref
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node


class HubSide(Struct, frozen=True, eq=False):
    """The hub as the checks see it; `own_classes` are those with sync parameters.

    `origins` tells where each of its objects is written.
    """

    topology: Topology
    catalogue: Catalogue
    own_classes: frozenset[str]
    origins: Mapping[Ref, Origin]


class SpokeContext(Struct, frozen=True, eq=False):
    """One spoke as it will be: what is rendered, and the gateways that it has of its own.

    `shipped` are the rendered objects' nodes, in order, as a list: two of one identity are
    both there. `spoke` is their topology together with the existing gateways. `sources` tells
    which hub object each rendered one was. `retargeted` has the objects as they were before
    overrides.
    """

    shipped: tuple[Node, ...]
    spoke: Topology
    hub: Topology
    placed: tuple[PlacedGateway, ...]
    sources: Mapping[Ref, Manifest]
    own_classes: frozenset[str]
    origins: Mapping[Ref, Origin]
    catalogue: Catalogue
    retargeted: Mapping[Ref, Node]

    def hub_node(self, node: Node) -> Node:
        """The node that the object has on the hub; its own, where a stage made the object."""
        return self.hub.nodes.get(self.sources[node.ref].ref, node)

    def links(self, node: Node) -> Iterator[tuple[Reference, Reference]]:
        """The attaching references of a rendered object, each with what it was on the hub.

        Retargeting keeps their order and drops those entries of lists that lead to unplaced
        gateways only.
        """
        placed = {place.hub for place in self.placed}
        kept = (
            link
            for link in self.hub_node(node).attachments
            if not (reached := self.hub.reached(link))
            or reached & placed
            or not isinstance(link.path[-1], int)
        )
        return zip(node.attachments, kept, strict=False)

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
        """A finding about a rendered object, told of the hub object that it was."""
        source = self.sources[node.ref]
        return kind.result(
            message,
            cure=cure,
            resource=source.ref,
            field=field,
            origin=source.origin,
            severity=severity,
        )
