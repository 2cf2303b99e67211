"""Policies for routes to come, in one state: those of their listeners."""

from __future__ import annotations

from collections.abc import Mapping

from spokerender.judging.effective.further import compute_for_further_routes
from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.judging.judgement import Judgement
from spokerender.model.memo import memoised
from spokerender.model.refs import GroupKind
from spokerender.review.meaning.views import InForce, SpokeView
from spokerender.topology.paths import Levels


def find_further(view: SpokeView) -> Mapping[GroupKind, InForce]:
    """Return what would be in force for a further route, by kind and by the levels of listeners."""
    listed: dict[GroupKind, dict[Levels, EffectivePolicy]] = {}
    for levels, item in view.fill(_list_further(view.judged.judgement)):
        listed.setdefault((item.group, item.kind), {})[levels] = item
    return listed


@memoised
def _list_further(judgement: Judgement) -> tuple[tuple[Levels, EffectivePolicy], ...]:
    return tuple(
        (item.path.levels[1 : item.path.levels.index(item.path.section) + 1], item)
        for kind in judgement.in_force
        for item in compute_for_further_routes(judgement.topology, kind.policies)
    )
