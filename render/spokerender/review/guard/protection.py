"""Paths through gateways, and single objects, that security policies protect on one cluster."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.effective.blocks import read_blocks
from spokerender.judging.effective.guarding import (
    NO_STRENGTH,
    Strength,
    list_rules,
    measure_rules,
)
from spokerender.judging.effective.kind_paths import KindPaths
from spokerender.judging.effective.outcomes import AttachedPolicy, EffectiveRule
from spokerender.judging.effective.ranking import Shift
from spokerender.judging.judgement import KindInForce
from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Kind, ReferencePath, Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import WHOLE_NAMESPACE, read_references
from spokerender.model import Ref
from spokerender.model.memo import Remembering, memoised
from spokerender.model.refs import GroupKind
from spokerender.model.selectors import Expression
from spokerender.model.shapes import as_mapping
from spokerender.review.comparison.views import SpokeView
from spokerender.topology.graph import find_class_controller
from spokerender.topology.paths import Levels, RequestPath


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


_RulesOnPath = tuple[EffectiveRule, ...]
_Ranking = Callable[[Kind, _RulesOnPath, _RulesOnPath], tuple[Shift, ...]]
_Targets = Mapping[Ref, tuple[ProtectedTarget, ...]]
"""Policies, with what each protects."""


class AskedOnPath(Struct, frozen=True, eq=False):
    """The rules in force on a path, or those that may be, and the extent of their protection."""

    strength: Strength = NO_STRENGTH
    rules: _RulesOnPath = ()


_NOTHING = AskedOnPath()


class Protection(Struct, frozen=True, eq=False):
    """The protection by the policies of one security kind on one cluster."""

    paths: Mapping[Levels, frozenset[Ref]]
    """The protected paths, with their policies."""
    asked: Mapping[Levels, AskedOnPath]
    """What is in force on the paths; where the ages of policies decide, the weakest of it."""
    idle: Mapping[Levels, frozenset[Ref]]
    """The policies on the paths of which no rule is in force, whatever their ages."""
    _by_target: Mapping[Ref, tuple[Levels, ...]]

    def asked_on(self, levels: Levels) -> AskedOnPath:
        """Return what is in force on a path."""
        return self.asked.get(levels, _NOTHING)

    def paths_of(self, policy: Ref, target: ProtectedTarget) -> tuple[Levels, ...]:
        """Return the paths that a policy protects through one of its targets."""
        return tuple(
            levels for levels in self._by_target.get(target.ref, ()) if policy in self.paths[levels]
        )


class Protections:
    """The protection of states that are much alike: what they have in common is found once."""

    def __init__(self, rank: _Ranking) -> None:
        """Start; `rank` ranks what is in force on a path before and after a change."""
        self.rank = rank
        self._by_policies: dict[tuple[object, ...], Protection] = {}
        self.measure = Remembering(_measure)
        """Measures rules, which many paths share."""

    def find(self, view: SpokeView, kind: Kind, policies: _Targets) -> Protection:
        """Return what the policies of one kind protect in a state, by their targets there."""
        key = (kind.group, kind.kind)
        own = (item for item in view.judgement.in_force if _has_policy(item, policies))
        in_force = next(own, None)
        # Who is in force knows its objects and its topology: it is another one for others.
        shared = (view.topology, in_force, *key, *policies.items())
        if shared not in self._by_policies:
            self._by_policies[shared] = _Protecting(view, kind, policies, self).find()
        return self._by_policies[shared]


def _has_policy(in_force: KindInForce, policies: Container[Ref]) -> bool:
    return any(item.ref in policies for item in in_force.policies)


class _Protecting:
    """The search for what the policies of one kind protect."""

    def __init__(
        self, view: SpokeView, kind: Kind, policies: _Targets, shared: Protections
    ) -> None:
        self._view = view
        self._kind = kind
        self._shared = shared
        self._in_force = view.in_force.get((kind.group, kind.kind), {})
        self._policies_by_target: dict[Ref, list[Ref]] = {}
        for policy, targets in policies.items():
            for target in targets:
                self._policies_by_target.setdefault(target.ref, []).append(policy)

    def find(self) -> Protection:
        paths: dict[Levels, set[Ref]] = {}
        paths_by_target: dict[Ref, list[Levels]] = {}
        for path, levels in self._enforced_paths() if self._policies_by_target else ():
            for level in self._policies_by_target.keys() & levels:
                paths.setdefault(path, set()).update(self._policies_by_target[level])
                paths_by_target.setdefault(level, []).append(path)
        policies = {path: frozenset(refs) for path, refs in paths.items()}
        by_target = {target: tuple(levels) for target, levels in paths_by_target.items()}
        return Protection(policies, self._measure(policies), self._find_idle(), by_target)

    def _enforced_paths(self) -> Iterator[tuple[Levels, Levels]]:
        """Yield every path on which the kind is enforced, and the levels that it attaches to."""
        topology = self._view.topology

        def is_enforced(path: RequestPath) -> bool:
            return self._kind.counts_on(find_class_controller(topology, path.gateway_class))

        for levels, way in self._view.listeners.items():
            if is_enforced(way.path):
                yield levels, way.path.levels
        for kind_path in KindPaths(topology).list_paths(self._kind, ()):
            path = kind_path.path
            if kind_path.is_covered and path.route is not None and is_enforced(path):
                yield path.levels[1:], kind_path.levels

    def _find_idle(self) -> dict[Levels, frozenset[Ref]]:
        """Return the policies that others replace on a path, so that their loss is none."""
        idle: dict[Levels, frozenset[Ref]] = {}
        for levels, effective in self._in_force.items():
            outcomes = (effective.likely, *effective.others)
            if not any(outcome.unknown for outcome in outcomes):
                replaced = (
                    frozenset(item.policy for item in outcome.overruled).difference(
                        outcome.policies
                    )
                    for outcome in outcomes
                )
                idle[levels] = frozenset.intersection(*replaced)
        return idle

    def _measure(self, paths: Mapping[Levels, frozenset[Ref]]) -> dict[Levels, AskedOnPath]:
        """Measure what is in force; where no request is, what the policies would do."""
        measure = partial(self._shared.measure, self._kind)
        asked = {
            # Ages decide which is in force: what may be open is not closed.
            levels: _NOTHING
            if item.is_beyond
            else min(
                (measure(o.rules or o.candidates) for o in (item.likely, *item.others)), key=_rank
            )
            for levels, item in self._in_force.items()
            if levels in paths
        }
        own = cache(lambda policy: measure(_list_own_rules(self._view, policy)))
        for path, policies in paths.items():
            if path not in asked:
                asked[path] = max(map(own, sorted(policies)), key=_rank)
        return asked


def _measure(kind: Kind, rules: _RulesOnPath) -> AskedOnPath:
    return AskedOnPath(measure_rules(kind, rules), rules)


def _rank(asked: AskedOnPath) -> tuple[int, bool]:
    return asked.strength.parts, asked.strength.whole


def _list_own_rules(view: SpokeView, policy: Ref) -> _RulesOnPath:
    """Return the rules of a policy, as if it were alone."""
    spec = as_mapping(view.object_of(policy).get("spec"))
    attached = AttachedPolicy(policy, view.kind((policy.group, policy.kind)), spec, ())
    return list_rules(attached, read_blocks(attached))


class ClusterProtection:
    """The protection by all security policies of one state, by kind."""

    def __init__(self, view: SpokeView, protections: Protections) -> None:
        self.view = view
        self.protections = protections

    @cached_property
    def policies(self) -> Mapping[GroupKind, _Targets]:
        """The security policies that are in force, or may be, with their targets."""
        targets_by_policy: dict[GroupKind, dict[Ref, tuple[ProtectedTarget, ...]]] = {}
        for ref, attachment in self.view.judgement.attachments.items():
            kind = self.view.kind((ref.group, ref.kind))
            if kind.security and (attachment.is_accepted or attachment.may_hold):
                targets = tuple(map(ProtectedTarget, dict.fromkeys(attachment.may_hold)))
                policies = targets_by_policy.setdefault((ref.group, ref.kind), {})
                policies[ref] = targets or self._unnamed_targets(ref, kind)
        return targets_by_policy

    def _unnamed_targets(self, ref: Ref, kind: Kind) -> tuple[ProtectedTarget, ...]:
        """Return the targets of a policy that names no object of the files: workloads, labels."""
        targets = targets_of_policy(kind, self.view.object_of(ref), ref.namespace)
        return tuple(target for target in targets if not target.ref.name)

    def restricts(self, policy: Ref) -> bool:
        """Tell whether a policy of a security kind may restrict anything, as its row says."""
        kind = self.view.kind((policy.group, policy.kind))
        if not kind.traits.guarding or policy not in self.view.variants:
            return True
        traits = replace(kind.traits, guarding=(*kind.traits.guarding, *kind.traits.besides))
        rules = _list_own_rules(self.view, policy)
        return measure_rules(replace(kind, traits=traits), rules).parts > 0

    @cached_property
    def by_hostname(self) -> Mapping[str, tuple[Levels, ...]]:
        """The paths to rules, by each hostname of their routes."""
        levels_by_hostname: dict[str, list[Levels]] = {}
        for levels, way in self.view.rules.items():
            for name in way.path.hostnames:
                levels_by_hostname.setdefault(name, []).append(levels)
        return {name: tuple(paths) for name, paths in levels_by_hostname.items()}

    @memoised
    def of_kind(self, policy_kind: GroupKind) -> Protection:
        """Return what the policies of one kind protect."""
        policies = self.policies.get(policy_kind, {})
        return self.protections.find(self.view, self.view.kind(policy_kind), policies)
