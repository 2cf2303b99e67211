"""Judging a cluster: what attaches on it, and what is in force there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from render.judging.attachment import (
    Attacher,
    Attachment,
    Subject,
    Surroundings,
    definitions,
    reach,
)
from render.judging.cluster import Cluster, ClusterObject, Knowledge
from render.judging.effective import (
    AttachedPolicy,
    EffectivePolicy,
    Kept,
    Programmed,
    Reported,
    effective,
    programmed_on,
    reported_on,
)
from render.kinds import Process
from render.model import Ref
from render.topology import Topology, spoke_topology

Objects = Mapping[Ref, ClusterObject]
InForce = tuple[EffectivePolicy, ...]
Conditions = Mapping[tuple[Ref, Ref], Programmed]
Reports = Mapping[tuple[Ref, Ref], tuple[Reported, ...]]

_LOOKED_INTO = (("", "Service"), ("", "ConfigMap"))
"""What attachment looks into, beside the policies themselves."""
_NONE: Mapping[Ref, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What attaches on a cluster and what is in force there.

    `objects` are the cluster's, by what they are called there. `programmed` and `reported`, what
    the controller says besides, are by policy and Gateway.
    """

    topology: Topology
    objects: Objects
    attachments: Mapping[Ref, Attachment]
    effective: InForce
    programmed: Conditions
    reported: Reports


def judge(cluster: Cluster, knowledge: Knowledge, refused: Mapping[Ref, str] = _NONE) -> Judgement:
    """Judge one cluster; `refused` are objects that its API server would not take, and why."""
    return Judge(knowledge).judge(cluster, refused)


class Judge:
    """Judges one cluster after the other, and does what they have in common once.

    What is alike is known by the ids of objects: clusters share those that are the same.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        """Nothing in `knowledge` may change from then on."""
        self._known = knowledge
        self._crds = definitions(knowledge.crds)
        self._topologies: dict[tuple[Any, ...], Topology] = {}
        self._attachers: dict[tuple[int, tuple[int, ...]], Attacher] = {}
        self._in_force: dict[tuple[Any, ...], tuple[InForce, Conditions, Reports]] = {}
        self._kept: dict[int, Kept] = {}
        self._judged: list[Cluster] = []
        """Clusters, whose objects are known by their ids: these have to stay theirs."""

    def judge(self, cluster: Cluster, refused: Mapping[Ref, str] = _NONE) -> Judgement:
        """Judge a cluster; `refused` are objects of it that its API server would not take."""
        topology = self._topology(cluster)
        objects = {item.ref: item for item in cluster.objects}
        attachments = self.attachments(cluster, topology, refused)
        in_force, programmed, reported = self._force(topology, attachments, objects)
        return Judgement(topology, objects, attachments, in_force, programmed, reported)

    def attachments(
        self, cluster: Cluster, topology: Topology, refused: Mapping[Ref, str] = _NONE
    ) -> Mapping[Ref, Attachment]:
        """What attaches on a cluster, by policy; `topology` is the cluster's."""
        self._judged.append(cluster)
        attacher = self._attacher(topology, cluster)
        subjects = self._subjects(cluster.objects)
        return {item.policy: item for item in attacher.attach(subjects, self._known.ages, refused)}

    def _subjects(self, objects: Iterable[ClusterObject]) -> Iterator[Subject]:
        for item in objects:
            kind = self._known.catalogue.kind(*_identity(item.ref))
            if kind.is_policy:
                yield Subject(item.ref, kind, item.object)

    def _topology(self, cluster: Cluster) -> Topology:
        nodes = tuple(item.node for item in cluster.objects)
        key = (cluster.existing, nodes)
        if key not in self._topologies:
            self._topologies[key] = spoke_topology(
                nodes,
                cluster.existing,
                self._known.catalogue,
                self._known.namespaces,
                self._known.ages,
            )
        return self._topologies[key]

    def _attacher(self, topology: Topology, cluster: Cluster) -> Attacher:
        looked = {
            item.ref: item.object for item in cluster.objects if _identity(item.ref) in _LOOKED_INTO
        }
        key = (id(topology), tuple(map(id, looked.values())))
        if key not in self._attachers:
            reached = reach(topology, self._known.namespaces)
            around = Surroundings(
                topology,
                reached,
                looked,
                self._known.unseen,
                self._crds,
                self._known.namespaces,
                frozenset(place.ref for place in cluster.existing),
            )
            self._attachers[key] = Attacher(around)
        return self._attachers[key]

    def _force(
        self, topology: Topology, attachments: Mapping[Ref, Attachment], objects: Objects
    ) -> tuple[InForce, Conditions, Reports]:
        """Kind by kind: what changes one kind's policies leaves the others' as they are."""
        kinds: dict[tuple[str, str], list[AttachedPolicy]] = {}
        for ref, item in attachments.items():
            spec = objects[ref].object.get("spec")
            if (item.is_accepted or item.may_hold) and isinstance(spec, dict):
                policy = self._policy(objects[ref].object, item, spec)
                kinds.setdefault((policy.row.group, policy.row.kind), []).append(policy)
        every = [self._of_kind(topology, own, objects) for own in kinds.values()]
        found = [item for items, _, _ in every for item in items]
        found.sort(key=lambda item: (item.path.order, item.group, item.kind))
        programmed = {key: of for _, conditions, _ in every for key, of in conditions.items()}
        reported = {key: of for _, _, reports in every for key, of in reports.items()}
        return tuple(found), programmed, reported

    def _policy(
        self, data: Mapping[str, Any], item: Attachment, spec: dict[str, Any]
    ) -> AttachedPolicy:
        kind = self._known.catalogue.kind(*_identity(item.policy))
        writes, rank = kind.merged.writes, kind.merged.first.rank
        return AttachedPolicy(
            item.policy,
            kind,
            spec,
            item.may_hold,
            unsure=frozenset(item.may_hold) - set(item.targets),
            rank=rank.of(data) if rank is not None else 0,
            folded=self._known.catalogue.kind(writes.group, writes.kind) if writes else None,
        )

    def _of_kind(
        self, topology: Topology, policies: list[AttachedPolicy], objects: Objects
    ) -> tuple[InForce, Conditions, Reports]:
        kind = policies[0].row
        routes = {ref: item.object for ref, item in objects.items() if item.node.is_route}
        needs_routes = kind.merged.process is Process.SINGLE
        key = (
            id(topology),
            kind.group,
            kind.kind,
            tuple(
                (policy.ref, id(policy.spec), policy.rank, policy.targets, policy.unsure)
                for policy in policies
            ),
            tuple(map(id, routes.values())) if needs_routes else (),
        )
        if key not in self._in_force:
            found = effective(
                topology,
                policies,
                self._known.ages,
                self._known.namespaces,
                objects=routes,
                kept=self._kept.setdefault(id(topology), {}),
            )
            programmed = programmed_on(policies, found)
            self._in_force[key] = found, programmed, reported_on(policies, found, programmed)
        return self._in_force[key]


def _identity(ref: Ref) -> tuple[str, str]:
    return ref.group, ref.kind
