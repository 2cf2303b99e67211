"""Answers the questions of metapolicies about effective policies while a spoke is rendered."""

from typing import Any

from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.fleet.slotted_rules import holds_rule_of_slots
from spokerender.judging.judge import judge_cluster
from spokerender.judging.judgement import Judgement
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.model.refs import GroupKind
from spokerender.rendering.values.stages import Given
from spokerender.topology.graph import Topology
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_rule_paths


class Contributing:
    """Judges the objects that a stage of rendering gets; later questions reuse the judgement."""

    def __init__(self, catalogue: Catalogue, hub: Topology) -> None:
        """Prepare to judge; `hub` is the hub's topology, which has the labels of Namespaces."""
        self._knowledge = Knowledge(catalogue, hub, holds=holds_rule_of_slots)

    def contributing(self, given: Given, target: Ref, kind: GroupKind) -> tuple[Ref, ...]:
        """Return the policies of a kind with a rule in force on a path through `target`, sorted.

        If creation times decide, all policies that may have a rule in force are included.
        """
        policies = {
            ref
            for item in self._judge(given).effective
            if (item.group, item.kind) == kind and target in item.path.levels
            for outcome in (item.likely, *item.others)
            for ref in outcome.policies
            if (ref.group, ref.kind) == kind
        }
        return tuple(sorted(policies))

    def paths(self, given: Given) -> tuple[RequestPath, ...]:
        """Return all paths from Gateways to rules of routes, sorted."""
        return tuple(find_rule_paths(self._judge(given).topology))

    def rules(self, given: Given, path: RequestPath, kind: GroupKind) -> dict[str, tuple[Any, Ref]]:
        """Return value and policy of each rule in force, by key; if ages decide, likely rules."""
        return {
            rule.key: (rule.value, rule.policy)
            for item in self._judge(given).effective
            if (item.group, item.kind) == kind and item.path == path
            for rule in item.likely.rules
        }

    @memoised
    def _judge(self, given: Given) -> Judgement:
        existing = (place for place in given.placed if place.existing)
        cluster = Cluster.of(given.objects, self._knowledge.catalogue, existing)
        return judge_cluster(cluster, self._knowledge)
