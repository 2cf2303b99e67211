"""Policies in force beside the paths of today, in one state: for routes to come, in meshes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from spokerender.judging.effective.further import compute_for_further_routes, compute_in_mesh
from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.judging.judgement import Judgement, KindInForce
from spokerender.model.memo import memoised
from spokerender.model.refs import GroupKind
from spokerender.review.comparison.views import InForce, SpokeView
from spokerender.topology.graph import Topology
from spokerender.topology.paths import Levels


def find_further(view: SpokeView) -> Mapping[GroupKind, InForce]:
    """Return what would be in force for a further route, by kind and by the levels of listeners."""
    listed = (_list_further(kind, view.topology) for kind in view.judgement.in_force)
    return _index(view, chain.from_iterable(listed))


def find_in_mesh(view: SpokeView) -> Mapping[GroupKind, InForce]:
    """Return what is in force on targets about which a mesh asks, by kind and by these targets."""
    return _index(view, _list_in_mesh(view.judgement))


def _index(
    view: SpokeView, items: Iterable[tuple[Levels, EffectivePolicy]]
) -> Mapping[GroupKind, InForce]:
    """Return policies by kind and by levels as the view calls them, as `SpokeView.in_force`."""
    listed: dict[GroupKind, dict[Levels, EffectivePolicy]] = {}
    for levels, item in items:
        listed.setdefault((item.group, item.kind), {})[view.fill(levels)] = item
    return listed


@memoised
def _list_in_mesh(judgement: Judgement) -> tuple[tuple[Levels, EffectivePolicy], ...]:
    items = (item for kind in judgement.in_force for item in compute_in_mesh(kind.policies))
    return tuple((item.path.levels, item) for item in items)


@memoised
def _list_further(
    kind: KindInForce, topology: Topology
) -> tuple[tuple[Levels, EffectivePolicy], ...]:
    return tuple(
        (item.path.levels[1 : item.path.levels.index(item.path.section) + 1], item)
        for item in compute_for_further_routes(topology, kind.policies)
    )
