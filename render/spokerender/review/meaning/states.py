"""Policies as such: what each keeps from more specific ones, and its state on every spoke."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.results import FindingKind
from spokerender.formats.comparing import is_same_json
from spokerender.judging.effective.blocks import Side, read_blocks
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.kinds.merging import Merge
from spokerender.model import Ref
from spokerender.model.memo import Remembering, memoised
from spokerender.rendering.values.aligning import BundlePair, align_bundles
from spokerender.rendering.values.bundles import Variant
from spokerender.review.comparison.states import FleetState, find_states
from spokerender.review.comparison.views import SharedViews, SpokeView
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ViewComparison
from spokerender.review.values import MatrixCell, MatrixRow, PolicyState, Topic


class StandingComparison(ViewComparison):
    """The comparison of what policies keep more specific ones from replacing."""

    def drafts(self) -> Iterator[Draft]:
        """Yield policies that come together with more specific ones otherwise, or give defaults."""
        for ref in map(self._old.fill, self._old.judgement.attachments):
            name = self._successors.name(ref)
            if name in self._new.variants:
                yield from self._draft_side(ref, name)

    def _draft_side(self, old: Ref, new: Ref) -> Iterator[Draft]:
        """Yield a policy that comes together with more specific ones otherwise, and less strictly.

        It is told though none may be there: it decides about the next one.
        """
        was, now = _read_standing(self._old, old), _read_standing(self._new, new)
        if was.locks and not now.locks:
            message = f"{new} gives defaults now: more specific policies may replace its rules"
            draft = replace(
                self._draft(new, codes.OVERRIDE_LOST, message, "overrides", "defaults"),
                cure="keep them under overrides, if they are to hold whatever others write",
            )
            for levels in self._new.find_paths(new) or [()]:
                yield replace(draft, levels=levels)
        elif was.locks is now.locks and was.differs_from(now):
            message = f"{new} is merged with more specific policies otherwise than before"
            strategies = (", ".join(item.strategies) for item in (was, now))
            is_strictest = now.locks and set(now.strategies) == {Merge.ATOMIC}
            finding = codes.ASKS_MORE if is_strictest else codes.NOT_RANKED
            yield self._draft(new, finding, message, *strategies)

    def _draft(self, policy: Ref, finding: FindingKind, message: str, old: str, new: str) -> Draft:
        near = [policy, *(link.ref for link in self._new.variants[policy].node.attachments)]
        return Draft(
            kind=finding,
            topic=Topic.POLICY,
            message=message,
            cause=self._objects.cause(near),
            policies=(policy,),
            was=str(old),
            now=str(new),
        )


class _Standing(Struct, frozen=True):
    """The relation of a policy to more specific ones: what it keeps from them, how they merge."""

    locks: bool = False
    strategies: tuple[str, ...] = ()

    def differs_from(self, other: "_Standing") -> bool:
        """Tell whether the rules of both, where both have some, merge otherwise."""
        both = self.strategies, other.strategies
        return all(both) and both[0] != both[1]


def _read_standing(view: SpokeView, policy: Ref) -> _Standing:
    variant = view.variants.get(policy)
    return _find_standing(view.shared, variant) if variant is not None else _Standing()


@memoised
def _find_standing(shared: SharedViews, variant: Variant) -> _Standing:
    kind = shared.catalogue.kind(variant.ref.group, variant.ref.kind)
    if not kind.merged.is_known:
        return _Standing()
    spec = kind.read_spec(variant.object)
    blocks = read_blocks(AttachedPolicy(variant.ref, kind, spec, ()))
    return _Standing(
        any(block.side is Side.OVERRIDES or block.keeps for block in blocks),
        tuple(str(block.strategy) for block in blocks if block.rules),
    )


_Policies = Mapping[Ref, tuple[Variant, PolicyState]]
"""Policies by their names on the hub; of several copies of one policy the last counts."""
_NOWHERE = None, PolicyState.ABSENT


def make_matrix(before: FleetState, after: FleetState) -> tuple[MatrixRow, ...]:
    """Return a row for each policy of either state, those that change first, then by name."""
    old, new = before.bundles, after.bundles
    is_same = Remembering(is_same_json)
    cells: dict[Ref, dict[tuple[PolicyState, PolicyState, bool], list[str]]] = {}

    def add(spokes: list[str], was: _Policies, now: _Policies, pair: BundlePair | None) -> None:
        for ref in {**was, **now}:
            (one, was_state), (other, state) = was.get(ref, _NOWHERE), now.get(ref, _NOWHERE)
            is_changed = True
            if one is not None and other is not None and pair is not None:
                is_changed = not is_same(
                    before.views.filler.fill(one.object, pair[0]),
                    after.views.filler.fill(other.object, pair[1]),
                )
            key = was_state, state, is_changed
            cells.setdefault(ref, {}).setdefault(key, []).extend(spokes)

    both = [(old[name], new[name]) for name in new if name in old]
    for aligned in align_bundles(both, with_slots=False):
        names = [bundle.spoke.name for bundle in aligned.spokes]
        was, now = (_list_policies(state, names[0]) for state in (before, after))
        add(names, was, now, (aligned.old, aligned.new))
    for name in new.keys() - old.keys():
        add([name], {}, _list_policies(after, name), None)
    for name in old.keys() - new.keys():
        add([name], _list_policies(before, name), {}, None)
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
