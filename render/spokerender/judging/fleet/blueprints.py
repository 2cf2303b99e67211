"""Judging blueprints: each is a cluster, with slots in its texts, that many spokes share."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from spokerender.judging.attachment.case import Elsewhere
from spokerender.judging.attachment.statuses import Attachment
from spokerender.judging.cluster import Cluster, ClusterObject, Knowledge
from spokerender.judging.fleet.judged import JudgedBlueprint
from spokerender.judging.fleet.slotted_rules import holds_rule_of_slots
from spokerender.judging.judge import Judge
from spokerender.model import Ref
from spokerender.rendering.values.bundles import Blueprint, Variant
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub
from spokerender.topology.node import Node

Namespaces = Mapping[str, Mapping[str, str]]
"""Labels of namespaces, by their names."""

_NONE: Mapping[Ref, str] = MappingProxyType({})
_NO_LABELS: Namespaces = MappingProxyType({})


def namespaces_key(namespaces: Namespaces) -> tuple[object, ...]:
    """What spokes share of whose namespaces the same is known.

    What is said of all spokes is the same for each, and not looked at for each of them.
    """
    own, *shared = namespaces.maps if isinstance(namespaces, ChainMap) else (namespaces,)
    labels = json.dumps({name: dict(labels) for name, labels in own.items()}, sort_keys=True)
    return labels, *map(id, shared)


def known_of(rendered: Rendered) -> Knowledge:
    """What is known of a fleet's spokes beside what is rendered for them.

    A route of the hub that is not shipped may be on the spoke all the same: its own team put it
    there.
    """
    routes = (ref for ref, node in rendered.topology.nodes.items() if node.is_route)
    return Knowledge(
        catalogue=rendered.hub.catalogue,
        namespaces=rendered.topology,
        unseen=Elsewhere(frozenset((*rendered.settings.external, *routes))),
        crds=tuple(manifest.object for manifest in rendered.hub.crds),
        holds=holds_rule_of_slots,
    )


class BlueprintJudge:
    """Judges one blueprint after the other, and does what they have in common once."""

    def __init__(self, knowledge: Knowledge) -> None:
        """`knowledge` is of every spoke, and has a topology with the labels of namespaces."""
        self._knowledge = knowledge
        self._judges: dict[tuple[object, ...], tuple[Judge, Topology]] = {}
        """By what is known of namespaces."""
        self._objects: dict[int, tuple[Variant, ClusterObject]] = {}
        """By id of a variant, which is kept, so that its id stays its own."""
        self._nodes: dict[Node, Node] = {}
        """Equal nodes are one: an override of what the graph does not know makes another."""

    def judge(
        self,
        blueprint: Blueprint,
        refused: Mapping[Ref, str] = _NONE,
        namespaces: Namespaces = _NO_LABELS,
    ) -> JudgedBlueprint:
        """Judge a blueprint; `refused` are objects of it that the API server would not take.

        `namespaces` are the labels of namespaces that are known besides those of the hub.
        """
        judge, around = self._judge(namespaces)
        cluster = Cluster(
            tuple(map(self._object, blueprint.variants)),
            tuple(place for place in blueprint.placed if place.existing),
        )
        variants = {variant.ref: variant for variant in blueprint.variants}
        return JudgedBlueprint(blueprint, variants, judge.judge(cluster, refused), around)

    def _judge(self, namespaces: Namespaces) -> tuple[Judge, Topology]:
        """Who judges clusters of which the same is known, and the hub with that."""
        key = namespaces_key(namespaces)
        if key not in self._judges:
            hub = self._knowledge.namespaces or Topology(())
            around = hub.with_labels(namespaces) if namespaces else hub
            knowledge = replace(self._knowledge, namespaces=around)
            self._judges[key] = Judge(knowledge), around
        return self._judges[key]

    def hub_attachments(self, hub: Hub, topology: Topology) -> Mapping[Ref, Attachment]:
        """What attaches on the hub, by policy: as if it were a cluster with all of its objects."""
        nodes = topology.nodes
        objects = (ClusterObject(m.ref, m.object, nodes[m.ref]) for m in hub.manifests)
        return self._judge({})[0].attachments(Cluster(tuple(objects)), topology)

    def _object(self, variant: Variant) -> ClusterObject:
        """The object of a variant, the same one for every blueprint that has it."""
        known = self._objects.get(id(variant))
        if known is None:
            node = self._nodes.setdefault(variant.node, variant.node)
            known = variant, ClusterObject(variant.ref, variant.object, node)
            self._objects[id(variant)] = known
        return known[1]
