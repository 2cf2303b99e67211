"""Which policies count on the paths of a thing: asked while a spoke is still being made."""

from __future__ import annotations

from render.judging.cluster import Cluster, Knowledge
from render.judging.judge import judge
from render.judging.judgement import Judgement
from render.kinds import Catalogue
from render.model import Ref
from render.rendering.values.stages import Given, GroupKind
from render.topology import Topology


class Contributing:
    """Judges what stages are given, each once."""

    def __init__(self, catalogue: Catalogue, hub: Topology) -> None:
        """`hub` has the Namespaces with their labels."""
        self._knowledge = Knowledge(catalogue, hub)
        self._judged: dict[int, tuple[Given, Judgement]] = {}

    def __call__(self, given: Given, target: Ref, kind: GroupKind) -> tuple[Ref, ...]:
        """The policies of a kind of which a rule is in force on a path of the target, sorted.

        Where the age of policies decides, all that may be are among them.
        """
        if id(given) not in self._judged:
            existing = (place for place in given.placed if place.existing)
            cluster = Cluster.of(given.objects, self._knowledge.catalogue, existing)
            self._judged[id(given)] = given, judge(cluster, self._knowledge)
        found = {
            ref
            for item in self._judged[id(given)][1].effective
            if (item.group, item.kind) == kind and target in item.path.levels
            for outcome in (item.likely, *item.others)
            for ref in outcome.policies
            if (ref.group, ref.kind) == kind
        }
        return tuple(sorted(found))
