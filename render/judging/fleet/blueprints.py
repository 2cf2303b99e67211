"""Judging blueprints: each is a cluster, with slots in its texts, that many spokes share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from render.judging.attachment import Attachment, Elsewhere
from render.judging.cluster import Cluster, ClusterObject, Knowledge
from render.judging.fleet.model import JudgedBlueprint
from render.judging.judge import Judge
from render.model import Ref
from render.rendering.values.bundles import Blueprint, Variant
from render.rendering.values.rendered import Rendered
from render.topology import Node, Topology
from render.topology.hub import Hub

_NONE: Mapping[Ref, str] = MappingProxyType({})


def known_of(rendered: Rendered) -> Knowledge:
    """What is known of a fleet's spokes beside what is rendered for them.

    A route of the hub that is not shipped may be on the spoke all the same: its own team put it
    there.
    """
    declared = rendered.fleet_file.spec.external
    external = (Ref(e.group, e.kind, e.namespace, e.name) for e in declared)
    routes = (ref for ref, node in rendered.topology.nodes.items() if node.is_route)
    return Knowledge(
        catalogue=rendered.hub.catalogue,
        namespaces=rendered.topology,
        unseen=Elsewhere(frozenset((*external, *routes))),
        crds=tuple(manifest.object for manifest in rendered.hub.crds),
    )


class BlueprintJudge:
    """Judges one blueprint after the other, and does what they have in common once."""

    def __init__(self, knowledge: Knowledge) -> None:
        """`knowledge` is of every spoke."""
        self._judge = Judge(knowledge)
        self._objects: dict[int, tuple[Variant, ClusterObject]] = {}
        """By id of a variant, which is kept, so that its id stays its own."""
        self._nodes: dict[Node, Node] = {}
        """Equal nodes are one: an override of what the graph does not know makes another."""

    def judge(self, blueprint: Blueprint, refused: Mapping[Ref, str] = _NONE) -> JudgedBlueprint:
        """Judge a blueprint; `refused` are objects of it that the API server would not take."""
        cluster = Cluster(
            tuple(map(self._object, blueprint.variants)),
            tuple(place for place in blueprint.placed if place.existing),
        )
        variants = {variant.ref: variant for variant in blueprint.variants}
        return JudgedBlueprint(blueprint, variants, self._judge.judge(cluster, refused))

    def hub_attachments(self, hub: Hub, topology: Topology) -> Mapping[Ref, Attachment]:
        """What attaches on the hub, by policy: as if it were a cluster with all of its objects."""
        nodes = topology.nodes
        objects = (ClusterObject(m.ref, m.object, nodes[m.ref]) for m in hub.manifests)
        return self._judge.attachments(Cluster(tuple(objects)), topology)

    def _object(self, variant: Variant) -> ClusterObject:
        """The object of a variant, the same one for every blueprint that has it."""
        known = self._objects.get(id(variant))
        if known is None:
            node = self._nodes.setdefault(variant.node, variant.node)
            known = variant, ClusterObject(variant.ref, variant.object, node)
            self._objects[id(variant)] = known
        return known[1]
