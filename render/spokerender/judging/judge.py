"""Judges clusters: attaches their policies and computes the effective policies."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats import patching
from spokerender.judging.attachment.attach import Attacher, find_reach
from spokerender.judging.attachment.case import Case, Surroundings
from spokerender.judging.attachment.crd_rules import index_definitions
from spokerender.judging.attachment.demands import explain_merged, holds_rule
from spokerender.judging.attachment.entries import find_mixed_references
from spokerender.judging.attachment.statuses import Attachment, StatusEntry, Subject
from spokerender.judging.cluster import Cluster, ClusterObject, Knowledge
from spokerender.judging.effective.compute import ReusableParts, compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy, EffectivePolicy
from spokerender.judging.effective.programmed import CountedPaths
from spokerender.judging.judgement import Judgement, KindInForce, Objects
from spokerender.judging.lookups import (
    find_lacking,
    is_ready,
    is_valid,
    see_as_operator,
    sees_served_alone,
)
from spokerender.judging.refused import leave_out_refused
from spokerender.judging.routing.values import RoutingFaults
from spokerender.kinds.kind import BACKEND_TLS, FoundBy, Kind
from spokerender.kinds.merging import Exemption, Process
from spokerender.kinds.needs import read_extended
from spokerender.model import CONFIG_MAP, SERVICE, Ref, grouped
from spokerender.model.refs import DataByRef
from spokerender.model.shapes import as_mapping, as_mappings
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.node import DroppedRules
from spokerender.topology.precedence import read_rank
from spokerender.topology.processed import find_dead_gateways
from spokerender.topology.reading import build_spoke_topology

if TYPE_CHECKING:
    from spokerender.judging.routing.scene import Scene

_OF_MESH = "which proxies of the mesh take the requests for its target is in no file"
_READ_KINDS = (SERVICE, CONFIG_MAP)
"""The kinds that attachment reads, besides policies and kinds that extend policies."""
_SERVICE = "Service"
_EXPRESSION = "RegularExpression"
"""The type of a match that has a regular expression for a header, path or parameter."""


def is_read(kind: Kind) -> bool:
    """Return whether judging policies needs objects of this kind, which are not policies."""
    return kind.extends or (kind.group, kind.kind) in _READ_KINDS


def judge_cluster(cluster: Cluster, knowledge: Knowledge) -> Judgement:
    """Return the judgement of one cluster whose API server accepts all of its objects."""
    return Judge(knowledge).judge(cluster)


class _KindOnCluster(Struct, frozen=True, eq=False, dict=True):
    """The policies of one kind on a cluster, with their attachments and status entries."""

    row: Kind
    attachments: Mapping[Ref, Attachment]
    attached: tuple[AttachedPolicy, ...]
    write_entries: Callable[[], Mapping[Ref, tuple[StatusEntry, ...]]]

    @cached_property
    def entries(self) -> Mapping[Ref, tuple[StatusEntry, ...]]:
        """The status entries by policy, computed on demand, as few commands need them."""
        return self.write_entries()


class Judge:
    """Judges several clusters, and reuses results for what clusters have in common.

    Results are kept for each kind: clusters that differ in the policies of one kind share the
    results of other kinds. Objects and nodes are identified by `id()`, as dicts have no hash and
    hashing nodes is slow.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        """Prepare to judge; nothing in `knowledge` may change afterwards."""
        self._knowledge = knowledge
        self._crds = index_definitions(knowledge.crds)
        self._holds = knowledge.holds or holds_rule
        self._topologies: dict[tuple[Any, ...], Topology] = {}
        self._attachers: dict[tuple[Topology, tuple[int, ...]], Attacher] = {}
        self._kinds: dict[tuple[Any, ...], _KindOnCluster] = {}
        self._in_force: dict[tuple[Any, ...], KindInForce] = {}
        self._reusable: dict[Topology, ReusableParts] = {}
        self._dropped: dict[tuple[Any, ...], DroppedRules] = {}
        self._faults: dict[tuple[Any, ...], Callable[[], RoutingFaults]] = {}
        # The ids of objects and nodes stay theirs only as long as these are alive.
        self._clusters: list[Cluster] = []

    def judge(self, cluster: Cluster, refused: Mapping[Ref, str] = {}) -> Judgement:
        """Return the judgement of a cluster; `refused` are objects that its API server refuses."""
        self._clusters.append(cluster)
        topology = self._find_topology(cluster)
        objects = {item.ref: item for item in cluster.objects}
        kinds = self._list_kinds(cluster, topology, refused)
        in_force = tuple(leave_out_refused(self._compute_in_force(topology, kinds, objects)))
        entries, attachments = partial(_join_entries, kinds), _join_attachments(kinds)
        # Of policies, only those for TLS to backends can make a route's backend fail.
        trusted = (kind for kind in kinds if (kind.row.group, kind.row.kind) == BACKEND_TLS)
        faults = self._faults.setdefault(
            (topology, cluster.routed, *trusted),
            cache(partial(self._find_faults, topology, cluster, attachments)),
        )
        counted = partial(self._count, topology, kinds, objects, in_force)
        return Judgement(topology, objects, attachments, in_force, entries, faults, counted)

    def attachments(self, cluster: Cluster, topology: Topology) -> Mapping[Ref, Attachment]:
        """Return the attachments on a cluster with this `topology`, by policy."""
        self._clusters.append(cluster)
        return _join_attachments(self._list_kinds(cluster, topology, {}))

    def topology_of(self, cluster: Cluster) -> Topology:
        """Return the topology of a cluster."""
        self._clusters.append(cluster)
        return self._find_topology(cluster)

    def _find_topology(self, cluster: Cluster) -> Topology:
        nodes = tuple(item.node for item in cluster.objects)
        key: tuple[Any, ...] = (cluster.existing, tuple(map(id, nodes)))
        if key not in self._topologies:
            whole = build_spoke_topology(
                nodes,
                cluster.existing,
                self._knowledge.catalogue,
                self._knowledge.namespaces,
                self._knowledge.ages,
            )
            # A Gateway that no controller processes has no listener, route or policy in force
            # (Envoy Gateway v1.9.1, processGatewayParamsRef and GetRelevantGateways).
            dead = find_dead_gateways(whole)
            self._topologies[key] = whole.without_gateways(dead) if dead else whole
        topology = self._topologies[key]
        around = topology, cluster.routed
        if around not in self._dropped:
            suspects = [item.ref for item in cluster.objects if _may_be_dropped(item)]
            dropped: DroppedRules = {}
            if suspects:
                from spokerender.judging.routing.rules import find_dropped_rules  # noqa: PLC0415  (few need it)

                scene = self.make_scene(topology, cluster.data, {})
                dropped = find_dropped_rules(scene, suspects)
            self._dropped[around] = dropped
        dropped = self._dropped[around]
        if not dropped:
            return topology
        key = (*key, *((of, tuple(rules.items())) for of, rules in sorted(dropped.items())))
        return self._topologies.setdefault(key, topology.without_rules(dropped))

    def _find_faults(
        self, topology: Topology, cluster: Cluster, attachments: Mapping[Ref, Attachment]
    ) -> RoutingFaults:
        from spokerender.judging.routing.faults import find_faults  # noqa: PLC0415  (few need it)

        return find_faults(self.make_scene(topology, cluster.data, attachments))

    def make_scene(
        self, topology: Topology, objects: DataByRef, attachments: Mapping[Ref, Attachment]
    ) -> "Scene":
        """Return the input for judging the routes and listeners of a cluster."""
        from spokerender.judging.routing.scene import Scene  # noqa: PLC0415  (few need it)

        it = self._knowledge
        return Scene(topology, objects, it.hub, it.unseen, attachments, self._holds, it.catalogue)

    def _find_attacher(self, topology: Topology, cluster: Cluster) -> Attacher:
        objects = {
            item.ref: item.object
            for item in cluster.objects
            if is_read(self._knowledge.catalogue.kind(item.ref.group, item.ref.kind))
        }
        key = (topology, tuple(map(id, objects.values())))
        if key not in self._attachers:
            around = Surroundings(
                topology,
                find_reach(topology),
                objects,
                self._knowledge.unseen,
                self._crds,
                self._holds,
            )
            self._attachers[key] = Attacher(around)
        return self._attachers[key]

    def _list_kinds(
        self, cluster: Cluster, topology: Topology, refused: Mapping[Ref, str]
    ) -> tuple[_KindOnCluster, ...]:
        """Return the attached policies of each kind, sorted by kind."""
        attacher = self._find_attacher(topology, cluster)
        objects_by_kind = grouped(
            ((item.ref.group, item.ref.kind), item) for item in cluster.objects
        )
        return tuple(
            self._attach_kind(kind, objects, attacher, refused)
            for group_kind, objects in sorted(objects_by_kind.items(), key=lambda item: item[0])
            if (kind := self._knowledge.catalogue.kind(*group_kind)).is_policy
        )

    def _attach_kind(
        self,
        kind: Kind,
        objects: list[ClusterObject],
        attacher: Attacher,
        refused: Mapping[Ref, str],
    ) -> _KindOnCluster:
        words = {item.ref: refused[item.ref] for item in objects if item.ref in refused}
        key = (attacher, tuple(id(item.object) for item in objects), tuple(words.items()))
        if key not in self._kinds:
            subjects = [Subject(item.ref, kind, item.object) for item in objects]
            attachments = attacher.attach(subjects, self._knowledge.ages, words)
            data = {item.ref: item.object for item in objects}
            attached = tuple(self._list_attached(kind, attachments, data, attacher.around))
            row = attached[0].row if attached else kind
            by_policy = {item.policy: item for item in attachments}
            entries = partial(attacher.find_entries, subjects, self._knowledge.ages, words)
            self._kinds[key] = _KindOnCluster(row, by_policy, attached, entries)
        return self._kinds[key]

    def _list_attached(
        self,
        kind: Kind,
        attachments: Iterable[Attachment],
        objects: DataByRef,
        around: Surroundings,
    ) -> Iterator[AttachedPolicy]:
        writes, rank = kind.merged.writes, kind.merged.first.rank
        folded = self._knowledge.catalogue.kind(writes.group, writes.kind) if writes else None
        has_certificates = kind.traits.certificates
        lacking = find_lacking(around.topology, attachments) if has_certificates else frozenset()
        for item in attachments:
            data = objects[item.policy]
            # A policy in dry run enforces nothing, whatever it is attached to.
            if kind.is_dry_run(data):
                continue
            spec = read_extended(kind, data, item.policy.namespace, around.objects.get)
            own = Case(Subject(item.policy, kind, {"spec": spec}), (), around)
            hollow = tuple(ref for _, ref, part in item.parts if part is Exemption.HOLLOW)
            if item.is_accepted or item.may_hold or hollow:
                yield AttachedPolicy(
                    item.policy,
                    kind,
                    spec,
                    (*item.may_hold, *hollow),
                    unsure=frozenset(item.may_hold) - set(item.targets),
                    rank=read_rank(data, rank),
                    folded=folded,
                    failures=item.failures,
                    parts=item.parts,
                    explain_merged=partial(self._explain_merged, own, objects),
                    idle=_OF_MESH if any(_list_mesh(around.topology, item.targets)) else "",
                    is_lacking=not lacking.isdisjoint(item.targets),
                )

    def _explain_merged(
        self, case: Case, objects: DataByRef, above: Ref, target: str
    ) -> tuple[str, str]:
        """Return why merging a policy into the policy `above` is refused, and why requests fail.

        `target` is the kind of the policy's target. A text is empty if there is no such reason.
        """
        partner = as_mapping(objects[above].get("spec"))
        merged = patching.merge(partner, case.spec)
        refused, failing = explain_merged(case.subject.kind, self._holds, merged, target)
        mixed = dict(find_mixed_references(case, partner)) if not failing else {}
        return refused, failing or next(filter(None, mixed.values()), "")

    def _count(
        self,
        topology: Topology,
        kinds: Iterable[_KindOnCluster],
        objects: Objects,
        in_force: Iterable[KindInForce],
    ) -> Mapping[Kind, CountedPaths]:
        """Return by kind the policies on paths that Kuadrant's operator includes in conditions."""
        kinds = [kind for kind in kinds if kind.row.found_by is FoundBy.PLUGIN and kind.attached]
        alone = {kind.row for kind in kinds if kind.row.traits.each_alone}
        if not kinds or sees_served_alone(topology, bool(alone)):
            raw = tuple(item for item in in_force if item.row.found_by is FoundBy.PLUGIN)
            sound = tuple(_select_paths(topology, item, valid=True) for item in raw)
            return {kind.row: _find_ready(topology, kind.effective) for kind in sound}
        raw = tuple(self._compute_in_force(see_as_operator(topology), kinds, objects))
        sound = tuple(leave_out_refused(_select_paths(topology, item, valid=True) for item in raw))
        # Of limits of tokens the status counts the other paths, too, for which nothing is made.
        limited = {
            item.path.gateway
            for kind in sound
            for item in kind.effective
            if item.likely.rules
            and (
                kind.row.traits.counters is not None
                or find_class_controller(topology, item.path.gateway_class).shares_plugin
            )
        }
        others = {
            kind.row: tuple(
                replace(item, is_beyond=item.path.gateway not in limited)
                for item in _select_paths(topology, kind, valid=False).effective
            )
            for kind in raw
            if kind.row in alone
        }
        return {
            kind.row: _find_ready(topology, kind.effective + others.get(kind.row, ()))
            for kind in sound
        }

    def _compute_in_force(
        self, topology: Topology, kinds: Iterable[_KindOnCluster], objects: Objects
    ) -> Iterator[KindInForce]:
        """Yield the effective policies; kinds that are merged as one kind are computed together."""
        kinds_by_row = grouped(
            ((kind.row.group, kind.row.kind), kind) for kind in kinds if kind.attached
        )
        return (self._compute_row(topology, same, objects) for same in kinds_by_row.values())

    def _compute_row(
        self, topology: Topology, kinds: list[_KindOnCluster], objects: Objects
    ) -> KindInForce:
        # Only these policies depend on more of a route than its node: on its `matches`.
        needs_routes = kinds[0].row.merged.process is Process.SINGLE
        routes = {ref: item.object for ref, item in objects.items() if item.node.is_route}
        route_ids = tuple(map(id, routes.values())) if needs_routes else ()
        key = (topology, tuple(kinds), route_ids)
        if key not in self._in_force:
            policies = tuple(policy for kind in kinds for policy in kind.attached)
            in_force = compute_effective_policies(
                topology,
                policies,
                self._knowledge.ages,
                objects=routes,
                reusable=self._reusable.setdefault(topology, ReusableParts()),
            )
            self._in_force[key] = KindInForce(policies, in_force)
        return self._in_force[key]


def _find_ready(topology: Topology, items: Iterable[EffectivePolicy]) -> CountedPaths:
    return [(item, is_ready(topology, item.path)) for item in items]


def _select_paths(topology: Topology, kind: KindInForce, *, valid: bool) -> KindInForce:
    """Return the kind with the paths that Kuadrant's operator configures (not `valid`: ignores)."""
    items = (
        item
        for item in kind.effective
        if is_valid(topology, item.path) is valid and not item.is_beyond
    )
    return replace(kind, effective=tuple(items))


def _join_entries(kinds: Iterable[_KindOnCluster]) -> Mapping[Ref, tuple[StatusEntry, ...]]:
    return {ref: entries for kind in kinds for ref, entries in kind.entries.items()}


def _join_attachments(kinds: Iterable[_KindOnCluster]) -> Mapping[Ref, Attachment]:
    return {ref: item for kind in kinds for ref, item in kind.attachments.items()}


def _may_be_dropped(item: ClusterObject) -> bool:
    """Return whether a route has filters, patterns or backends that controllers may drop."""
    if not item.node.is_route:
        return False
    rules = as_mappings(as_mapping(item.object.get("spec")).get("rules"))
    matches = (match.text for of_rule in item.node.matches for match in of_rule)
    backends = [each for rule in rules for each in as_mappings(rule.get("backendRefs"))]
    return (
        any(each.get("filters") for each in (*rules, *backends))
        or any(_EXPRESSION in text for text in matches)
        or any(each.get("kind", _SERVICE) != _SERVICE for each in backends)
    )


def _list_mesh(topology: Topology, targets: Iterable[Ref]) -> Iterator[Ref]:
    """Yield the targets, and parents of target routes, that are Services placed for a mesh."""
    for target in targets:
        node = topology.nodes.get(target.whole)
        links = node.attachments if node is not None else ()
        for ref in (target.whole, *(link.ref.whole for link in links)):
            if ref in topology.nodes and topology.nodes[ref].is_placed:
                yield ref
