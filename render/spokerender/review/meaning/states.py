"""Policies: the rules that more specific ones may override, and the state on each spoke."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.judging.effective.blocks import Side, read_blocks
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.kinds.merging import Merge
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.rendering.values.aligning import BundlePair, align_bundles
from spokerender.rendering.values.bundles import Variant
from spokerender.review.comparison.states import FleetState, find_states
from spokerender.review.comparison.views import SharedViews, is_same
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ViewComparison
from spokerender.review.values import MatrixCell, MatrixRow, PolicyState, Topic


class StandingComparison(ViewComparison):
    """The comparison of the rules that more specific policies may not override."""

    def drafts(self) -> Iterator[Draft]:
        """Yield each policy whose rules more specific policies may override after the change.

        A draft is yielded even if no such policy exists yet, as it concerns the next one.
        """
        for ref in map(self._old.fill, self._old.judgement.attachments):
            name = self._successors.name(ref)
            sides = self._old.variants.get(ref), self._new.variants.get(name)
            was, now = (_list_locks(self._new.shared, it) if it is not None else () for it in sides)
            if was and sides[1] is not None and now not in (was, (Merge.ATOMIC,)):
                for levels in self._new.find_paths(name) or [()]:
                    yield replace(self._draft(name, is_default=not now), levels=levels)

    def _draft(self, policy: Ref, *, is_default: bool) -> Draft:
        near = [policy, *(link.ref for link in self._new.variants[policy].node.attachments)]
        how = "gives defaults now" if is_default else "is merged otherwise than before"
        return Draft(
            kind=codes.OVERRIDE_LOST if is_default else codes.NOT_RANKED,
            topic=Topic.POLICY,
            message=f"{policy} {how}: more specific policies may replace or join its rules",
            cause=self._objects.cause(near),
            cure="keep its overrides, if they are to hold whatever others write",
            policies=(policy,),
        )


@memoised
def _list_locks(shared: SharedViews, variant: Variant) -> tuple[Merge, ...]:
    """Return the merge strategies of rules that more specific policies may not override."""
    kind = shared.catalogue.kind(variant.ref.group, variant.ref.kind)
    if not kind.merged.is_known:
        return ()
    spec = kind.read_spec(variant.object)
    blocks = read_blocks(AttachedPolicy(variant.ref, kind, spec, ()))
    return tuple(it.strategy for it in blocks if it.side is Side.OVERRIDES or it.keeps)


_Policies = Mapping[Ref, tuple[Variant, PolicyState]]
"""Policies by their names on the hub; if there are several copies, the last one."""
_NOWHERE = None, PolicyState.ABSENT


def make_matrix(before: FleetState, after: FleetState) -> tuple[MatrixRow, ...]:
    """Return a row for each policy of either state: changed ones first, then by name."""
    old, new = before.bundles, after.bundles
    cells: dict[Ref, dict[tuple[PolicyState, PolicyState, bool], list[str]]] = {}

    def add(spokes: list[str], was: _Policies, now: _Policies, pair: BundlePair | None) -> None:
        for ref in {**was, **now}:
            (one, was_state), (other, state) = was.get(ref, _NOWHERE), now.get(ref, _NOWHERE)
            is_changed = True
            if one is not None and other is not None and pair is not None:
                is_changed = not is_same(pair[0].share(one.object), pair[1].share(other.object))
            key = was_state, state, is_changed
            cells.setdefault(ref, {}).setdefault(key, []).extend(spokes)

    both = [(old[name], new[name]) for name in new if name in old]
    for aligned in align_bundles(both, with_slots=False):
        names = [bundle.spoke.name for bundle in aligned.spokes]
        was, now = (_list_policies(state, names[0]) for state in (before, after))
        add(names, was, now, (aligned.old, aligned.new))
    for name in new.keys() ^ old.keys():
        was, now = (
            _list_policies(it, name) if name in it.bundles else {} for it in (before, after)
        )
        add([name], was, now, None)
    rows = []
    for ref, by_state in cells.items():
        own = (MatrixCell(tuple(sorted(names)), *key) for key, names in by_state.items())
        rows.append(MatrixRow(ref, tuple(sorted(own, key=lambda it: (len(it.spokes), it.spokes)))))
    return tuple(sorted(rows, key=lambda row: (not row.differs, row.policy)))


def _list_policies(state: FleetState, spoke: str) -> _Policies:
    judged = state.fleet.judged[spoke]
    return {
        judged.variants[ref].manifest.ref: (judged.variants[ref], policy_state)
        for ref, policy_state in find_states(judged.judgement).items()
    }
