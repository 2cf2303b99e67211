"""Policies in force beside the paths of today, in one state: for routes to come, in meshes."""

from __future__ import annotations

from collections.abc import Mapping

from spokerender.judging.effective.further import compute_for_further_routes, compute_in_mesh
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


def find_in_mesh(view: SpokeView) -> Mapping[GroupKind, InForce]:
    """Return what is in force on targets about which a mesh asks, by kind and by these targets."""
    listed: dict[GroupKind, dict[Levels, EffectivePolicy]] = {}
    for levels, item in view.fill(_list_in_mesh(view.judged.judgement)):
        listed.setdefault((item.group, item.kind), {})[levels] = item
    return listed


@memoised
def _list_in_mesh(judgement: Judgement) -> tuple[tuple[Levels, EffectivePolicy], ...]:
    items = (item for kind in judgement.in_force for item in compute_in_mesh(kind.policies))
    return tuple((item.path.levels, item) for item in items)


@memoised
def _list_further(judgement: Judgement) -> tuple[tuple[Levels, EffectivePolicy], ...]:
    return tuple(
        (item.path.levels[1 : item.path.levels.index(item.path.section) + 1], item)
        for kind in judgement.in_force
        for item in compute_for_further_routes(judgement.topology, kind.policies)
    )
