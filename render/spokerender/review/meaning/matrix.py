"""The matrix of a review: the state of each policy on each spoke, before and after the change."""

from collections.abc import Mapping

from msgspec import Struct

from spokerender.formats.comparing import is_same_json
from spokerender.model import Ref
from spokerender.model.memo import Remembering
from spokerender.rendering.values.aligning import BundlePair, align_bundles
from spokerender.rendering.values.bundles import Variant
from spokerender.review.comparison.states import FleetState
from spokerender.review.meaning.states import find_states
from spokerender.review.values import MatrixCell, MatrixRow, PolicyState


class _Held(Struct, frozen=True, eq=False):
    """A policy on a spoke: its object, and its state."""

    variant: Variant
    state: PolicyState


_Policies = Mapping[Ref, _Held]
"""Policies by their names on the hub; of several copies of one policy the last counts."""


def make_matrix(before: FleetState, after: FleetState) -> tuple[MatrixRow, ...]:
    """Return a row for each policy of either state, those that change first, then by name."""
    old, new = before.bundles, after.bundles
    is_same = Remembering(is_same_json)
    cells: dict[Ref, dict[tuple[PolicyState, PolicyState, bool], list[str]]] = {}

    def add(spokes: list[str], was: _Policies, now: _Policies, pair: BundlePair | None) -> None:
        for ref in {**was, **now}:
            one, other = was.get(ref), now.get(ref)
            states = (
                one.state if one is not None else PolicyState.ABSENT,
                other.state if other is not None else PolicyState.ABSENT,
            )
            is_changed = one is None or other is None or pair is None
            if one is not None and other is not None and pair is not None:
                is_changed = not is_same(
                    before.views.filler.fill(one.variant.object, pair[0]),
                    after.views.filler.fill(other.variant.object, pair[1]),
                )
            cells.setdefault(ref, {}).setdefault((*states, is_changed), []).extend(spokes)

    both = [(old[name], new[name]) for name in new if name in old]
    for aligned in align_bundles(both, with_slots=False):
        names = [bundle.spoke.name for bundle in aligned.spokes]
        was, now = (_list_policies(state, names[0]) for state in (before, after))
        add(names, was, now, (aligned.old, aligned.new))
    for name in new.keys() - old.keys():
        add([name], {}, _list_policies(after, name), None)
    for name in old.keys() - new.keys():
        add([name], _list_policies(before, name), {}, None)
    rows = (MatrixRow(ref, _make_cells(by_state)) for ref, by_state in cells.items())
    return tuple(sorted(rows, key=lambda row: (not row.differs, row.policy)))


def _make_cells(
    spokes: Mapping[tuple[PolicyState, PolicyState, bool], list[str]],
) -> tuple[MatrixCell, ...]:
    cells = (
        MatrixCell(tuple(sorted(names)), was, now, is_changed)
        for (was, now, is_changed), names in spokes.items()
    )
    return tuple(sorted(cells, key=lambda cell: (len(cell.spokes), cell.spokes)))


def _list_policies(state: FleetState, spoke: str) -> _Policies:
    judged = state.fleet.judged[spoke]
    return {
        judged.variants[ref].manifest.ref: _Held(judged.variants[ref], state)
        for ref, state in find_states(judged.judgement).items()
    }
