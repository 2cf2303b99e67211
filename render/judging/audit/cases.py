"""Judging blueprints: each is a cluster, with slots in its texts, that many spokes share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from render.judging.attachment import Attachment, Elsewhere
from render.judging.audit.model import Judged
from render.judging.cluster import Cluster, ClusterObject, Knowledge
from render.judging.judge import Judge
from render.model import Ref
from render.rendering.values.bundles import Blueprint, Variant
from render.topology import Topology
from render.topology.hub import Hub


class BlueprintJudge:
    """Judges one blueprint after the other, and does what they have in common once."""

    def __init__(self, hub: Hub, topology: Topology, external: Iterable[Ref]) -> None:
        """`topology` is the hub's; `external` are objects that only spokes have.

        A route of the hub that is not shipped may be on the spoke all the same: its own team
        put it there.
        """
        routes = (ref for ref, node in topology.nodes.items() if node.is_route)
        knowledge = Knowledge(
            catalogue=hub.catalogue,
            namespaces=topology,
            unseen=Elsewhere(frozenset((*external, *routes))),
            crds=tuple(manifest.object for manifest in hub.crds),
        )
        self._judge = Judge(knowledge)
        self._hub = hub
        self._topology = topology
        self._objects: dict[int, ClusterObject] = {}

    def judge(self, blueprint: Blueprint, refused: Mapping[Ref, str]) -> Judged:
        """Judge a blueprint; `refused` are objects of it that the API server would not take."""
        cluster = Cluster(
            tuple(map(self._object, blueprint.variants)),
            tuple(place for place in blueprint.placed if place.existing),
        )
        variants = {variant.ref: variant for variant in blueprint.variants}
        return Judged(blueprint, variants, self._judge.judge(cluster, refused))

    def hub_attachments(self) -> Mapping[Ref, Attachment]:
        """What attaches on the hub, by policy: as if it were a cluster with all of its objects."""
        nodes = self._topology.nodes
        objects = (ClusterObject(m.ref, m.object, nodes[m.ref]) for m in self._hub.manifests)
        return self._judge.attachments(Cluster(tuple(objects)), self._topology)

    def _object(self, variant: Variant) -> ClusterObject:
        """The object of a variant, the same one for every blueprint that has it."""
        if id(variant) not in self._objects:
            self._objects[id(variant)] = ClusterObject(variant.ref, variant.object, variant.node)
        return self._objects[id(variant)]
