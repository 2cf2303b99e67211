"""Judging a cluster: what attaches on it, and what is in force there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from spokerender.judging.attachment.attach import Attacher, find_reach
from spokerender.judging.attachment.case import Surroundings
from spokerender.judging.attachment.crd_rules import index_definitions
from spokerender.judging.attachment.demands import holds_rule
from spokerender.judging.attachment.statuses import Attachment, Subject
from spokerender.judging.cluster import Cluster, ClusterObject, Knowledge
from spokerender.judging.effective.compute import ReusableParts, effective
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.judging.judgement import InForce, Judgement, Objects
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Process
from spokerender.model import Ref
from spokerender.topology.graph import Topology
from spokerender.topology.precedence import read_rank
from spokerender.topology.reading import build_spoke_topology

_LOOKED_INTO = (("", "Service"), ("", "ConfigMap"))
"""What attachment looks into, beside the policies themselves."""
_NONE: Mapping[Ref, str] = MappingProxyType({})


def judge(cluster: Cluster, knowledge: Knowledge, refused: Mapping[Ref, str] = _NONE) -> Judgement:
    """Judge one cluster; `refused` are objects that its API server would not take, and why."""
    return Judge(knowledge).judge(cluster, refused)


class _OneKind(Struct, frozen=True, eq=False):
    """The policies of one kind on a cluster: what they attach to, and those that take part."""

    row: Kind
    attachments: Mapping[Ref, Attachment]
    attached: tuple[AttachedPolicy, ...]


class Judge:
    """Judges one cluster after the other, and does what they have in common once.

    What is alike is known by the ids of objects: clusters share those that are the same. Kind by
    kind: what changes one kind's policies leaves the others' as they are.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        """Nothing in `knowledge` may change from then on."""
        self._known = knowledge
        self._crds = index_definitions(knowledge.crds)
        self._topologies: dict[tuple[Any, ...], Topology] = {}
        self._attachers: dict[tuple[int, tuple[int, ...]], Attacher] = {}
        self._kinds: dict[tuple[Any, ...], _OneKind] = {}
        self._in_force: dict[tuple[Any, ...], InForce] = {}
        self._reusable: dict[Topology, ReusableParts] = {}
        self._judged: list[Cluster] = []
        """Clusters, whose objects and nodes are known by their ids: these have to stay theirs."""

    def judge(self, cluster: Cluster, refused: Mapping[Ref, str] = _NONE) -> Judgement:
        """Judge a cluster; `refused` are objects of it that its API server would not take."""
        self._judged.append(cluster)
        topology = self._topology(cluster)
        objects = {item.ref: item for item in cluster.objects}
        kinds = self._of_kinds(cluster, topology, refused)
        in_force = tuple(self._force(topology, kinds, objects))
        attachments = {ref: item for each in kinds for ref, item in each.attachments.items()}
        return Judgement(topology, objects, attachments, in_force)

    def attachments(self, cluster: Cluster, topology: Topology) -> Mapping[Ref, Attachment]:
        """What attaches on a cluster, by policy; `topology` is the cluster's."""
        self._judged.append(cluster)
        kinds = self._of_kinds(cluster, topology, _NONE)
        return {ref: item for each in kinds for ref, item in each.attachments.items()}

    def _topology(self, cluster: Cluster) -> Topology:
        nodes = tuple(item.node for item in cluster.objects)
        key = (cluster.existing, tuple(map(id, nodes)))
        if key not in self._topologies:
            self._topologies[key] = build_spoke_topology(
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
            reached = find_reach(topology, self._known.namespaces)
            around = Surroundings(
                topology,
                reached,
                looked,
                self._known.unseen,
                self._crds,
                self._known.holds or holds_rule,
                self._known.namespaces,
                frozenset(place.ref for place in cluster.existing),
            )
            self._attachers[key] = Attacher(around)
        return self._attachers[key]

    def _of_kinds(
        self, cluster: Cluster, topology: Topology, refused: Mapping[Ref, str]
    ) -> tuple[_OneKind, ...]:
        """The policies of every kind, sorted by kind."""
        attacher = self._attacher(topology, cluster)
        kinds: dict[tuple[str, str], list[ClusterObject]] = {}
        for item in cluster.objects:
            kinds.setdefault(_identity(item.ref), []).append(item)
        return tuple(
            self._one_kind(kind, items, attacher, refused)
            for identity, items in sorted(kinds.items(), key=lambda each: each[0])
            if (kind := self._known.catalogue.kind(*identity)).is_policy
        )

    def _one_kind(
        self, kind: Kind, items: list[ClusterObject], attacher: Attacher, refused: Mapping[Ref, str]
    ) -> _OneKind:
        words = {item.ref: refused[item.ref] for item in items if item.ref in refused}
        key = (id(attacher), tuple(id(item.object) for item in items), tuple(words.items()))
        if key not in self._kinds:
            subjects = (Subject(item.ref, kind, item.object) for item in items)
            attachments = attacher.attach(subjects, self._known.ages, words)
            objects = {item.ref: item.object for item in items}
            attached = tuple(self._attached(kind, attachments, objects))
            row = attached[0].row if attached else kind
            self._kinds[key] = _OneKind(row, {item.policy: item for item in attachments}, attached)
        return self._kinds[key]

    def _attached(
        self,
        kind: Kind,
        attachments: Iterable[Attachment],
        objects: Mapping[Ref, Mapping[str, Any]],
    ) -> Iterator[AttachedPolicy]:
        """The policies that are accepted, or may be."""
        writes, rank = kind.merged.writes, kind.merged.first.rank
        folded = self._known.catalogue.kind(writes.group, writes.kind) if writes else None
        for item in attachments:
            data = objects[item.policy]
            spec = data.get("spec")
            if (item.is_accepted or item.may_hold) and isinstance(spec, dict):
                yield AttachedPolicy(
                    item.policy,
                    kind,
                    spec,
                    item.may_hold,
                    unsure=frozenset(item.may_hold) - set(item.targets),
                    rank=read_rank(data, rank),
                    folded=folded,
                    failing=item.failing,
                )

    def _force(
        self, topology: Topology, kinds: Iterable[_OneKind], objects: Objects
    ) -> Iterator[InForce]:
        """What is in force; kinds that come together as one are computed so."""
        rows: dict[tuple[str, str], list[_OneKind]] = {}
        for each in kinds:
            if each.attached:
                rows.setdefault((each.row.group, each.row.kind), []).append(each)
        return (self._of_row(topology, together, objects) for together in rows.values())

    def _of_row(self, topology: Topology, together: list[_OneKind], objects: Objects) -> InForce:
        needs_routes = together[0].row.merged.process is Process.SINGLE
        routes = {ref: item.object for ref, item in objects.items() if item.node.is_route}
        key = (
            id(topology),
            tuple(map(id, together)),
            tuple(map(id, routes.values())) if needs_routes else (),
        )
        if key not in self._in_force:
            policies = tuple(policy for each in together for policy in each.attached)
            in_force = effective(
                topology,
                policies,
                self._known.ages,
                self._known.namespaces,
                objects=routes,
                reusable=self._reusable.setdefault(topology, ReusableParts()),
            )
            self._in_force[key] = InForce(policies, in_force)
        return self._in_force[key]


def _identity(ref: Ref) -> tuple[str, str]:
    return ref.group, ref.kind
