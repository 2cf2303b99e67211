"""The namespaces whose routes and ListenerSets may attach, before and after a change."""

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.model import GATEWAY_API, Ref
from spokerender.model.memo import memoised
from spokerender.model.selectors import Selector
from spokerender.model.shapes import as_list, as_mapping
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SharedViews, SpokeView, Way
from spokerender.topology.graph import Topology
from spokerender.topology.node import Admission
from spokerender.topology.paths import Levels

_SOURCES = ("None", "Same", "Selector", "All")


def admits_others(old: Mapping[str, Any], new: Mapping[str, Any], default: str) -> bool:
    """Tell whether objects of other namespaces may attach: by `from`, or by another selector."""
    was, now = (as_mapping(side.get("namespaces")) for side in (old, new))
    ranks = [_rank_source(side.get("from") or default) for side in (was, now)]
    is_selected = ranks[0] == ranks[1] == _rank_source("Selector")
    before, after = (Selector.read(side.get("selector")) for side in (was, now))
    return ranks[1] > ranks[0] or (is_selected and not after.is_within(before))


def allows_others(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Tell whether routes of other kinds may attach; without a list, all of the protocol may."""
    before, after = (
        {
            (kind.get("group", GATEWAY_API), kind.get("kind"))
            for kind in map(as_mapping, as_list(side.get("kinds")))
        }
        for side in (old, new)
    )
    return bool(before) and not (after and after <= before)


def _rank_source(source: Any) -> int:  # noqa: ANN401  (a field of the user's)
    return _SOURCES.index(source) if source in _SOURCES else 0


def find_assumed(successors: Successors) -> Iterator[tuple[Way, Ref]]:
    """Yield the paths to rules that were there, and now are if a namespace has some labels.

    That is so where a selector asks for labels of a namespace that no file has any more.
    """
    before, after = map(_list_assumed_of, (successors.old, successors.new))
    for old, new in successors.pairs if after else ():
        if new.levels in after and old.levels not in before:
            yield new, after[new.levels]


def _list_assumed_of(view: SpokeView) -> Mapping[Levels, Ref]:
    return dict(view.fill(_list_assumed(view.shared, view.topology)))


@memoised
def _list_assumed(shared: SharedViews, topology: Topology) -> tuple[tuple[Levels, Ref], ...]:
    """Return the paths to rules that are there if a namespace has some labels, with that."""
    return tuple(
        (way.levels, Ref("", "Namespace", "", namespace))
        for way in shared.ways(topology)[1]
        for namespace, admission in _list_admissions(topology, way)
        if admission.is_open_question(topology.around.labels_of_namespace(namespace))
    )


def _list_admissions(topology: Topology, way: Way) -> Iterator[tuple[str, Admission]]:
    owner = topology.nodes[way.door[-1].whole]
    if not owner.is_gateway:
        yield owner.ref.namespace, topology.nodes[way.levels[0]].admits_listener_sets
    name = way.door[-1].section_name
    for listener in owner.listeners:
        if listener.name == name:
            yield way.levels[len(way.door)].namespace, listener.routes
