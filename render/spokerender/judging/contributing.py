"""Which policies count on the paths of a thing: asked while a spoke is still being made."""

from __future__ import annotations

from typing import Any

from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.judge import judge
from spokerender.judging.judgement import Judgement
from spokerender.kinds import Catalogue
from spokerender.model import Ref
from spokerender.rendering.values.stages import Given, GroupKind
from spokerender.topology import RequestPath, Topology, rule_paths


class Contributing:
    """Judges what stages are given, each once."""

    def __init__(self, catalogue: Catalogue, hub: Topology) -> None:
        """`hub` has the Namespaces with their labels."""
        self._knowledge = Knowledge(catalogue, hub)
        self._judged: dict[int, tuple[Given, Judgement]] = {}

    def contributing(self, given: Given, target: Ref, kind: GroupKind) -> tuple[Ref, ...]:
        """The policies of a kind of which a rule is in force on a path of the target, sorted.

        Where the age of policies decides, all that may be are among them.
        """
        found = {
            ref
            for item in self._judgement(given).effective
            if (item.group, item.kind) == kind and target in item.path.levels
            for outcome in (item.likely, *item.others)
            for ref in outcome.policies
            if (ref.group, ref.kind) == kind
        }
        return tuple(sorted(found))

    def paths(self, given: Given) -> tuple[RequestPath, ...]:
        """All paths down to a rule, sorted."""
        return tuple(rule_paths(self._judgement(given).topology, self._knowledge.namespaces))

    def rules(self, given: Given, path: RequestPath, kind: GroupKind) -> dict[str, tuple[Any, Ref]]:
        """The rules that are in force on a path, by their names, as the alphabet breaks ties."""
        return {
            rule.key: (rule.value, rule.policy)
            for item in self._judgement(given).effective
            if (item.group, item.kind) == kind and item.path == path
            for rule in item.likely.rules
        }

    def _judgement(self, given: Given) -> Judgement:
        if id(given) not in self._judged:
            existing = (place for place in given.placed if place.existing)
            cluster = Cluster.of(given.objects, self._knowledge.catalogue, existing)
            self._judged[id(given)] = given, judge(cluster, self._knowledge)
        return self._judged[id(given)][1]
