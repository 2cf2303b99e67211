"""Judges blueprints: clusters shared by spokes, with placeholders (slots) for differing values."""

from collections.abc import Callable, Mapping
from functools import cache, partial

from msgspec.structs import replace

from spokerender.judging.attachment.statuses import Attachment, Elsewhere
from spokerender.judging.cluster import Cluster, ClusterObject, Knowledge
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedHub
from spokerender.judging.fleet.slotted_rules import holds_rule_of_slots
from spokerender.judging.fleet.worlds import World, find_ages, list_worlds
from spokerender.judging.judge import Judge
from spokerender.judging.routing.values import Routing
from spokerender.kinds.kind import BACKEND_TLS
from spokerender.model import PlacedGateway, Ref
from spokerender.model.memo import memoised
from spokerender.model.refs import DataByRef
from spokerender.model.spokes import LabelsByNamespace, make_labels_key
from spokerender.rendering.values.bundles import Blueprint, Variant
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub
from spokerender.topology.node import Node
from spokerender.topology.precedence import Ages


def gather_knowledge(rendered: Rendered) -> Knowledge:
    """Return the facts about a fleet's spokes other than the objects rendered for them."""
    # A route of the hub that is not shipped may exist on the spoke, where its own team put it. So
    # may objects of complete kinds, which are the hub's and the declared ones.
    declared = rendered.settings.external
    may_be_there = (
        ref
        for ref, node in rendered.topology.nodes.items()
        if node.is_route or declared.is_complete(ref.group, ref.kind)
    )
    return Knowledge(
        catalogue=rendered.hub.catalogue,
        namespaces=rendered.topology,
        hub={manifest.ref: manifest.object for manifest in rendered.hub.manifests},
        unseen=Elsewhere(frozenset(may_be_there), declared),
        crds=tuple(manifest.object for manifest in rendered.hub.crds),
        holds=holds_rule_of_slots,
    )


def make_hub_cluster(hub: Hub, topology: Topology) -> Cluster:
    """Return the hub as a cluster that has all of the hub's objects."""
    return Cluster(
        tuple(
            ClusterObject(manifest.ref, manifest.object, topology.nodes[manifest.ref])
            for manifest in hub.manifests
        ),
        # Services that rules place; they may be in no file.
        tuple(
            PlacedGateway(ref, ref, 0, existing=True)
            for ref in topology.roots
            if topology.nodes[ref].is_placed
        ),
    )


class BlueprintJudge:
    """Judges blueprints one after another, and reuses results for equal objects and kinds."""

    def __init__(self, knowledge: Knowledge, hub: DataByRef | None = None) -> None:
        """Prepare to judge; `knowledge` has facts about every spoke, and the hub's namespaces.

        `hub` has the hub's objects; None means that routes and listeners are not judged.
        """
        self._knowledge = knowledge
        self._hub = hub
        self._judges: dict[tuple[object, ...], Judge] = {}
        """Judges of clusters, by the labels of namespaces and the ages that they assume."""
        self._nodes: dict[Node, Node] = {}
        """By node, the first equal node: equal nodes become identical, so results are reused."""

    def judge(
        self,
        blueprint: Blueprint,
        refused: Mapping[Ref, str] = {},
        labels: Mapping[str, Mapping[str, str]] = {},
    ) -> JudgedBlueprint:
        """Return the judged blueprint, with statuses for all possible orders of creation.

        The API server refuses the objects in `refused`. `labels` are further labels by namespace.
        """
        judged = self._judge(blueprint, refused, labels)
        # Worlds are judged on demand: few commands ask for outcomes by age.
        in_worlds = cache(partial(self._judge_in_worlds, judged, refused, labels))
        routing = _combine_routing(judged.routing, in_worlds)
        return replace(judged, in_worlds=in_worlds, routing=routing)

    def _judge(
        self,
        blueprint: Blueprint,
        refused: Mapping[Ref, str],
        labels: LabelsByNamespace,
        ages: Ages | None = None,
        *,
        with_routing: bool = True,
    ) -> JudgedBlueprint:
        cluster = self._make_cluster(blueprint)
        variants = {variant.ref: variant for variant in blueprint.variants}
        ages = self._knowledge.ages if ages is None else ages
        judge = self._find_judge(labels, ages)
        judgement = judge.judge(cluster, refused)
        if not with_routing:
            return JudgedBlueprint(blueprint, variants, judgement)
        routing = self._judge_routing(
            judge, judgement.topology, cluster.data, judgement.attachments
        )
        return JudgedBlueprint(blueprint, variants, judgement, routing)

    def _judge_in_worlds(
        self, judged: JudgedBlueprint, refused: Mapping[Ref, str], labels: LabelsByNamespace
    ) -> Mapping[World, JudgedBlueprint]:
        judgement, ages = judged.judgement, self._knowledge.ages
        unsettled = judged.routing.unsettled if judged.routing is not None else ()
        worlds = list_worlds(
            judgement.topology, judgement.attachments, judgement.effective, unsettled
        )
        # Of all policies, only those for TLS to backends decide about routes.
        with_routing = any(
            ref not in judgement.attachments or (ref.group, ref.kind) == BACKEND_TLS
            for world in worlds[:1]
            for group in world
            for ref in group
        )
        judge = partial(self._judge, judged.blueprint, refused, labels, with_routing=with_routing)
        return {world: judge(find_ages(world, ages)) for world in worlds}

    def _judge_routing(
        self,
        judge: Judge,
        topology: Topology,
        objects: DataByRef,
        attachments: Mapping[Ref, Attachment],
    ) -> Routing | None:
        if self._hub is None:
            return None
        from spokerender.judging.routing.judge import judge_routing  # noqa: PLC0415  (`status` alone asks)

        return judge_routing(judge.make_scene(topology, objects, attachments))

    def judge_hub(self, hub: Hub, topology: Topology) -> JudgedHub:
        """Return the hub judged as a cluster that has all of the hub's objects."""
        judged = self._judge_hub(hub, topology, self._knowledge.ages)
        in_worlds = cache(partial(self._judge_hub_in_worlds, hub, topology, judged))
        routing = _combine_routing(judged.routing, in_worlds)
        return replace(judged, in_worlds=in_worlds, routing=routing)

    def _judge_hub(self, hub: Hub, topology: Topology, ages: Ages) -> JudgedHub:
        if ages:
            topology = topology.without_rules({})  # a copy, as the ages of a topology are its own
            topology.ages = ages
        judge, cluster = self._find_judge({}, ages), make_hub_cluster(hub, topology)
        attachments = judge.attachments(cluster, topology)
        routing = self._judge_routing(judge, topology, self._hub or {}, attachments)
        return JudgedHub(attachments, routing)

    def _judge_hub_in_worlds(
        self, hub: Hub, topology: Topology, judged: JudgedHub
    ) -> Mapping[World, JudgedHub]:
        unsettled = judged.routing.unsettled if judged.routing is not None else ()
        ages = self._knowledge.ages
        worlds = list_worlds(topology, judged.attachments, conflicts=unsettled)
        return {world: self._judge_hub(hub, topology, find_ages(world, ages)) for world in worlds}

    def topology_of(self, blueprint: Blueprint) -> Topology:
        """Return the topology of a blueprint, without judging its policies."""
        return self._find_judge({}, self._knowledge.ages).topology_of(self._make_cluster(blueprint))

    def _make_cluster(self, blueprint: Blueprint) -> Cluster:
        return Cluster(
            tuple(map(self._make_object, blueprint.variants)),
            tuple(place for place in blueprint.placed if place.existing),
        )

    def _find_judge(self, labels: LabelsByNamespace, ages: Ages) -> Judge:
        key = (make_labels_key(labels), tuple(ages.items()))
        if key not in self._judges:
            hub = self._knowledge.namespaces or Topology(())
            around = hub.with_labels(labels) if labels else hub
            self._judges[key] = Judge(replace(self._knowledge, namespaces=around, ages=ages))
        return self._judges[key]

    @memoised
    def _make_object(self, variant: Variant) -> ClusterObject:
        """Return the object of a variant; blueprints with the variant get the same object."""
        node = self._nodes.setdefault(variant.node, variant.node)
        return ClusterObject(variant.ref, variant.object, node)


def _combine_routing(
    routing: Routing | None, in_worlds: Callable[[], Mapping[World, JudgedBlueprint | JudgedHub]]
) -> Routing | None:
    """Return `routing`; if creation times matter, the statuses combined for all possible orders."""
    each = {
        world: judged.routing
        for world, judged in (in_worlds() if routing is not None else {}).items()
        if judged.routing is not None
    }
    if not each:
        return routing
    from spokerender.judging.fleet.combining import combine_routing  # noqa: PLC0415  (few need it)

    return combine_routing(each)
