"""Paths through gateways, and single objects, that security policies protect on one cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.effective.blocks import read_blocks
from spokerender.judging.effective.guarding import (
    NO_STRENGTH,
    Strength,
    measure_blocks,
    measure_outcome,
)
from spokerender.judging.effective.kind_paths import KindPaths
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.judging.judgement import Judgement
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Kind, ReferencePath, Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import WHOLE_NAMESPACE, read_references
from spokerender.model import Ref
from spokerender.model.refs import GroupKind
from spokerender.model.selectors import Expression
from spokerender.model.shapes import as_mapping
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.hostnames import intersects
from spokerender.topology.paths import Levels, RequestPath
from spokerender.topology.requests import find_listener_paths, find_rule_paths


class ProtectedTarget(Struct, frozen=True):
    """One thing that a policy protects.

    Without a name in `ref` it is everything of that kind and namespace (without a kind: every
    workload) that `labels` select, a label selector as kubectl writes it; empty selects all.
    """

    ref: Ref
    labels: str = ""

    @property
    def whole(self) -> ProtectedTarget:
        """The object that this target's section is in."""
        return replace(self, ref=self.ref.whole)

    def __str__(self) -> str:
        """Write it as `Gateway shop/public [https]` or `every Gateway of namespace shop`."""
        if self.ref.name:
            return str(self.ref)
        labels = f" with {self.labels}" if self.labels else ""
        place = f"namespace {self.ref.namespace}" if self.ref.namespace else "every namespace"
        section = f" [{self.ref.section_name}]" if self.ref.section_name else ""
        return f"every {self.ref.kind or 'workload'}{labels} of {place}{section}"


def targets_of_policy(
    kind: Kind, data: Mapping[str, Any], namespace: str
) -> tuple[ProtectedTarget, ...]:
    """Return the distinct targets that a policy names itself; empty if it does not say.

    A kind that selects workloads protects all of its namespace when it selects none (Istio's
    policies without `selector`, a NetworkPolicy with an empty one).
    """
    links = (link for link in read_references(kind, data, namespace) if link.row != WHOLE_NAMESPACE)
    targets = [target for link in links for target in _linked_targets(link)]
    if targets:
        return tuple(dict.fromkeys(targets))
    rules = [rule for rule in kind.references if rule.role is Role.LABEL]
    if not rules:
        return ()
    labels = sorted(text for rule in rules for text in _label_selectors(rule, data))
    return (ProtectedTarget(Ref("", "", namespace, ""), ",".join(labels)),)


def _linked_targets(link: Reference) -> Iterator[ProtectedTarget]:
    if not link.row.role.guards:
        return
    ref, labels = link.ref, ""
    if link.selector is not None:
        labels = str(link.selector.labels)
        if link.selector.source == "All":
            ref = replace(ref, namespace="")
        elif link.selector.source == "Selector":
            ref = replace(ref, namespace=f"({link.selector.namespaces})")
    for section in link.sections or ("",):
        yield ProtectedTarget(replace(ref, section_name=section), labels)


def _label_selectors(rule: ReferencePath, data: Mapping[str, Any]) -> Iterator[str]:
    for path, value in find_values(data, rule.path):
        if isinstance(path[-1], int):
            yield str(Expression.read(value))
        elif isinstance(value, Mapping):
            yield ",".join(f"{key}={text}" for key, text in sorted(value.items()))


class TrafficPaths:
    """The paths that requests can take on one cluster, whether a policy is on them or not."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology

    @cached_property
    def listeners(self) -> Mapping[Levels, RequestPath]:
        """The paths to listeners."""
        return {path.levels[1:]: path for path in find_listener_paths(self.topology)}

    @cached_property
    def rules(self) -> Mapping[Levels, RequestPath]:
        """The paths to rules of routes."""
        return {path.levels[1:]: path for path in find_rule_paths(self.topology)}

    def __contains__(self, levels: Levels) -> bool:
        return levels in self.rules or levels in self.listeners

    @cached_property
    def by_hostname(self) -> Mapping[str, tuple[Levels, ...]]:
        """The paths to rules, by each hostname of their routes."""
        levels_by_hostname: dict[str, list[Levels]] = {}
        for levels, path in self.rules.items():
            for name in path.hostnames:
                levels_by_hostname.setdefault(name, []).append(levels)
        return {name: tuple(paths) for name, paths in levels_by_hostname.items()}

    def successors(
        self, levels: Levels, renamed: Levels, other: TrafficPaths
    ) -> tuple[Levels, ...]:
        """Return the paths of another cluster that requests may take instead of a path of this one.

        Requests for a rule may come through another listener or gateway; requests for a listener
        through another one of its gateway with the same hostname and port.

        Args:
            levels: a path of this cluster that the other one does not have.
            renamed: the same, as it would be called there.
            other: the paths of the other cluster.

        """
        if levels in self.rules:
            names = self.rules[levels].hostnames
            return tuple(
                there
                for there, path in other.rules.items()
                if there[-2:] == renamed[-2:] and _intersect(names, path.hostnames)
            )
        address = self._address(levels)
        siblings = (there for there in other.listeners if there[:-1] == renamed[:-1])
        return tuple(there for there in siblings if other._address(there) == address)

    def _address(self, levels: Levels) -> tuple[str, int | str]:
        """Return the hostname and port of the listener at the end of a path."""
        listeners = self.topology.nodes[levels[-2]].listeners
        listener = next(item for item in listeners if item.name == levels[-1].section_name)
        return listener.hostname, listener.port


def _intersect(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Return whether one request may be for both; no hostname is every hostname."""
    return not some or not others or any(intersects(a, b) for a in some for b in others)


class Protection(Struct, frozen=True, eq=False):
    """The protection by the policies of one security kind on one cluster."""

    paths: Mapping[Levels, Mapping[Ref, int]]
    """The protected paths, with their policies and how specific the target of each is there: the
    position of that target among the levels."""
    strengths: Mapping[Levels, Strength]
    """What is in force on the paths, as far as it keeps anybody out."""
    idle: Mapping[Levels, frozenset[Ref]]
    """The policies on the paths of which no rule is in force, whatever their ages."""
    _by_target: Mapping[Ref, tuple[Levels, ...]]

    def strength_on(self, levels: Levels) -> Strength:
        """Return what is in force on a path."""
        return self.strengths.get(levels, NO_STRENGTH)

    def paths_of(self, policy: Ref, target: ProtectedTarget) -> tuple[Levels, ...]:
        """Return the paths that a policy protects through one of its targets."""
        return tuple(
            levels for levels in self._by_target.get(target.ref, ()) if policy in self.paths[levels]
        )


class ClusterProtection:
    """The protection by all security policies of one cluster, by kind."""

    def __init__(self, judgement: Judgement, catalogue: Catalogue) -> None:
        self._judgement = judgement
        self._catalogue = catalogue
        self.traffic = TrafficPaths(judgement.topology)
        self._by_kind: dict[GroupKind, Protection] = {}
        self._own_strengths: dict[Ref, Strength] = {}

    @cached_property
    def policies(self) -> Mapping[GroupKind, Mapping[Ref, tuple[ProtectedTarget, ...]]]:
        """The security policies that are in force, or may be, with their targets."""
        targets_by_policy: dict[GroupKind, dict[Ref, tuple[ProtectedTarget, ...]]] = {}
        for ref, attachment in self._judgement.attachments.items():
            kind = self._catalogue.kind(ref.group, ref.kind)
            if kind.security and (attachment.is_accepted or attachment.may_hold):
                targets = tuple(map(ProtectedTarget, dict.fromkeys(attachment.may_hold)))
                policies = targets_by_policy.setdefault((ref.group, ref.kind), {})
                policies[ref] = targets or self._unnamed_targets(ref, kind)
        return targets_by_policy

    def find_open(self, route: Ref) -> tuple[str, ...]:
        """Return the hostnames under which anybody reaches a route, on gateways that are guarded.

        A route without hostnames has those of its listener, or `*`.
        """
        kinds = [
            self.of_kind(policy_kind)
            for policy_kind in self.policies
            if self._catalogue.kind(*policy_kind).traits.guards
        ]
        guarded = {
            path for kind in kinds for path, strength in kind.strengths.items() if strength.parts
        }
        gateways = {path[0] for path in guarded}
        return tuple(
            dict.fromkeys(
                name
                for path, way in self.traffic.rules.items()
                if path[-2] == route and path[0] in gateways and path not in guarded
                for name in way.hostnames or ("*",)
            )
        )

    def _unnamed_targets(self, ref: Ref, kind: Kind) -> tuple[ProtectedTarget, ...]:
        """Return the targets of a policy that names no object of the files: workloads, labels."""
        targets = targets_of_policy(kind, self._judgement.objects[ref].object, ref.namespace)
        return tuple(target for target in targets if not target.ref.name)

    def of_kind(self, policy_kind: GroupKind) -> Protection:
        """Return what the policies of one kind protect."""
        if policy_kind not in self._by_kind:
            self._by_kind[policy_kind] = self._find_protection(policy_kind)
        return self._by_kind[policy_kind]

    def _find_protection(self, policy_kind: GroupKind) -> Protection:
        kind = self._catalogue.kind(*policy_kind)
        policies_by_target: dict[Ref, list[Ref]] = {}
        for policy, targets in self.policies.get(policy_kind, {}).items():
            for target in targets:
                policies_by_target.setdefault(target.ref, []).append(policy)
        paths: dict[Levels, dict[Ref, int]] = {}
        paths_by_target: dict[Ref, list[Levels]] = {}
        for path, levels in self._enforced_paths(kind) if policies_by_target else ():
            for position, level in enumerate(levels):
                for policy in policies_by_target.get(level, ()):
                    paths.setdefault(path, {})[policy] = position
                if level in policies_by_target:
                    paths_by_target.setdefault(level, []).append(path)
        by_target = {target: tuple(levels) for target, levels in paths_by_target.items()}
        return Protection(paths, self._measure(kind, paths), self._find_idle(kind), by_target)

    def _find_idle(self, kind: Kind) -> dict[Levels, frozenset[Ref]]:
        """Return the policies that others replace on a path, so that their loss is none."""
        idle: dict[Levels, frozenset[Ref]] = {}
        for effective in self._judgement.effective:
            if (effective.group, effective.kind) == (kind.group, kind.kind):
                outcomes = (effective.likely, *effective.others)
                replaced = [
                    {item.policy for item in outcome.overruled}.difference(outcome.policies)
                    for outcome in outcomes
                    if not outcome.unknown
                ]
                if len(replaced) == len(outcomes):
                    idle[effective.path.levels[1:]] = frozenset.intersection(
                        *map(frozenset, replaced)
                    )
        return idle

    def _measure(
        self, kind: Kind, paths: Mapping[Levels, Mapping[Ref, int]]
    ) -> dict[Levels, Strength]:
        """Measure what is in force; where no request is, what the policies would do."""
        strengths = {
            effective.path.levels[1:]: NO_STRENGTH
            if effective.is_beyond
            else min(
                # Ages decide which: what may be open is not closed.
                (measure_outcome(kind, item) for item in (effective.likely, *effective.others)),
                key=lambda item: (item.parts, item.whole),
            )
            for effective in self._judgement.effective
            if (effective.group, effective.kind) == (kind.group, kind.kind)
        }
        for path, policies in paths.items():
            if path not in strengths:
                own = [self._strength_of(policy, kind) for policy in policies]
                strengths[path] = max(own, key=lambda item: (item.parts, item.whole))
        return strengths

    def _strength_of(self, policy: Ref, kind: Kind) -> Strength:
        if policy not in self._own_strengths:
            spec = as_mapping(self._judgement.objects[policy].object.get("spec"))
            attached = AttachedPolicy(policy, kind, spec, ())
            self._own_strengths[policy] = measure_blocks(attached, read_blocks(attached))
        return self._own_strengths[policy]

    def _enforced_paths(self, kind: Kind) -> Iterator[tuple[Levels, Levels]]:
        """Yield every path on which the kind is enforced, and the levels that it attaches to."""
        topology = self.traffic.topology

        def is_enforced(path: RequestPath) -> bool:
            return kind.counts_on(find_class_controller(topology, path.gateway_class))

        for levels, path in self.traffic.listeners.items():
            if is_enforced(path):
                yield levels, path.levels
        for way in KindPaths(topology).list_paths(kind, ()):
            if way.is_covered and way.path.route is not None and is_enforced(way.path):
                yield way.path.levels[1:], way.levels
