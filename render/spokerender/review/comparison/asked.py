"""Comparison of the restrictions that policies set on a path before and after a change."""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.comparing import ABSENT, fingerprint
from spokerender.judging.effective.callers import judge_outcome
from spokerender.judging.effective.outcomes import (
    EffectivePolicy,
    EffectiveRule,
    PolicyOutcome,
    join_rules,
)
from spokerender.judging.effective.rule_changes import compare_rules
from spokerender.judging.effective.shifts import Direction, Shift
from spokerender.judging.workloads import list_requests_by_operation, narrow_outcome
from spokerender.kinds.fields import apply_edits, read_value
from spokerender.kinds.kind import FoundBy, Kind
from spokerender.model import Ref
from spokerender.model.memo import remembered
from spokerender.model.refs import FieldPath, GroupKind
from spokerender.rendering.values.bundles import Bundle
from spokerender.review.comparison.successors import PolicyPair, Successors
from spokerender.review.comparison.views import SpokeView
from spokerender.topology.matches import ANONYMOUS, Request

_NONE = PolicyOutcome(())
_rank_rules = remembered(compare_rules)
_MOST_REQUESTS = 1_000
"""The number of requests of a path, at most, for which the callers of both states are compared."""
_Outcomes = tuple[PolicyOutcome, ...]
"""The possible effective policies of a path if creation times break ties; the likely one first."""


class Verdict(Enum):
    """The result of comparing the effective policies of a path."""

    RANKED = auto()
    FAILS = auto()
    """After the change, requests are answered with status 500."""
    CLOSES = auto()
    """After the change, requests are refused, whoever sends them."""
    UNDECIDED = auto()
    """After the change, the effective policy is not known; before the change, it was."""
    UNKNOWN = auto()
    """The effective policy is unknown before or after the change; the shifts are between likely
    ones.
    """


class AskedChange(Struct, frozen=True, eq=False):
    """The change of the restrictions that policies of one kind set on a path.

    `before` and `after` are the likely outcomes, with the names after the change, and `shifts` the
    changed fields. `possible` are shifts to other outcomes that are possible only after the change,
    because files do not show which policy is older; stricter shifts are left out.
    """

    verdict: Verdict
    before: PolicyOutcome
    after: PolicyOutcome
    shifts: tuple[Shift, ...] = ()
    possible: tuple[Shift, ...] = ()
    opened: Request | None = None
    """A request that anybody can make after the change, but only some callers before it."""

    @property
    def loses(self) -> bool:
        """Return whether the path is protected less than before, or may be."""
        return any(shift.loses for shift in (*self.shifts, *self.possible))

    def policies(self, shift: Shift | None) -> tuple[Ref, ...]:
        """Return the policies that set the field of `shift`; if there are none, all on the path."""
        rules = (*self.after.rules, *self.before.rules, *self.after.candidates)
        near = [rule.policy for rule in rules if shift is not None and _is_of(rule, shift.place)]
        return tuple(dict.fromkeys(near or [rule.policy for rule in rules]))


class AskedComparison:
    """The comparison of restrictions on paths, with the values of one spoke."""

    def __init__(self, successors: Successors, spoke: Bundle) -> None:
        self.successors = successors
        self._old, self._new = successors.old, successors.new
        self._spoke = spoke
        self.compared = set[Ref]()
        """The policies that were compared with other policies, or with other values."""
        self._asked: dict[tuple[int, int], tuple[Kind, PolicyOutcome, PolicyOutcome]] = {}
        self._renamed = successors.once("renamed", dict[int, tuple[PolicyOutcome, PolicyOutcome]])

    def list_differing(
        self, policy_kind: GroupKind, list_pairs: Callable[[GroupKind], Iterable[PolicyPair]]
    ) -> tuple[PolicyPair, ...]:
        """Return the pairs of paths on which the effective policies of a kind differ."""
        sides = (view.find_indexed(policy_kind) for view in (self._old, self._new))
        # Outcomes are shared by spokes, and so is the question which paths differ.
        pairs, compared = self.successors.once(
            (policy_kind, *sides),
            lambda: (
                tuple(filter(self._read_differing, list_pairs(policy_kind))),
                frozenset(self.compared),
            ),
        )
        # Added for each spoke, also where the answer was worked out for another one.
        self.compared |= compared
        return pairs

    def _read_differing(self, pair: PolicyPair) -> tuple[_Outcomes, _Outcomes] | None:
        """Return the outcomes before (with new names) and after the change; None if equal."""
        old = tuple(map(self._rename, _fill(self._old, pair.before)))
        new = _fill(self._new, pair.after)
        is_same = [*map(describe_outcome, old)] == [*map(describe_outcome, new)]
        names, later = ([rule.policy for it in side for rule in it.asked] for side in (old, new))
        if not is_same or names != later:
            self.compared.update(names, later)
        return None if is_same and pair.lent is None else (old, new)

    def compare(self, kind: Kind, pair: PolicyPair) -> AskedChange | None:
        """Return the change of a kind's restrictions for a pair of paths; None if there is none."""
        differing = self._read_differing(pair)
        if differing is None:
            return None
        old, new = differing
        before, after = old[0], new[0]
        # Before ranking: an outcome that fails asks for nothing that could be ranked.
        if after.failing and not before.failing:
            return AskedChange(Verdict.FAILS, before, after)
        if pair.example is not None:
            sides = (
                judge_outcome(kind, side, pair.example).is_admitted for side in (before, after)
            )
            # An uncertain caller who is certainly refused now counts as refused.
            if tuple(sides) in ((True, False), (None, False)):
                return AskedChange(Verdict.CLOSES, before, after)
        shifts = self._rank(kind, before, after)
        if after.unknown and not before.unknown:
            return AskedChange(Verdict.UNDECIDED, before, after, shifts)
        if before.unknown or after.unknown:
            return AskedChange(Verdict.UNKNOWN, before, after, shifts)
        earlier = [*map(describe_outcome, old)]
        # Only outcomes that were not possible before can be the change's doing.
        others = [item for item in new[1:] if describe_outcome(item) not in earlier]
        possible = (shift for other in others for shift in self._rank(kind, before, other))
        # That another order would be stricter harms nobody.
        weaker = tuple(shift for shift in possible if shift.direction is not Direction.STRICTER)
        opened = self._find_opened(kind, pair, before, after)
        return AskedChange(Verdict.RANKED, before, after, shifts, weaker, opened)

    def _find_opened(
        self, kind: Kind, pair: PolicyPair, before: PolicyOutcome, after: PolicyOutcome
    ) -> Request | None:
        """Return a request that only some callers could make before, and that anybody can now."""
        if kind.found_by is not FoundBy.WORKLOAD or pair.example is None:
            return None
        asked = replace(pair.example, credential=ANONYMOUS, client="")

        def is_admitted(side: PolicyOutcome, request: Request) -> bool | None:
            return judge_outcome(kind, narrow_outcome(side, request), request).is_admitted

        opened = (
            request
            for request in islice(
                list_requests_by_operation((before, after), asked), _MOST_REQUESTS
            )
            if is_admitted(after, request)
            and not is_admitted(before, request)
            and self.successors.goes(pair.earlier, pair.levels, request)
        )
        return next(opened, None)

    def is_kept(self, kind: Kind, further: PolicyPair, pairs: Iterable[PolicyPair]) -> bool:
        """Return whether the paths of present routes keep restrictions of the listener's policies.

        `further` is the pair of paths of a route added later; `pairs` are those of present routes.
        The result is False if the policies of `further` were effective on none of `pairs`.
        """
        depth, policies = len(further.earlier), set(further.policies)
        own = [
            pair
            for pair in pairs
            if pair.earlier[:depth] == further.earlier != pair.earlier
            and any(ref in policies and not pair.was_replaced(ref) for ref in pair.policies)
        ]
        changes = [self.compare(kind, pair) for pair in own]
        return bool(own) and not any(change.loses for change in changes if change is not None)

    def _rename(self, outcome: PolicyOutcome) -> PolicyOutcome:
        """Return an outcome with the names after the change, also those in the policies' fields."""
        if not self.successors.renamed:
            return outcome
        # By identity, with the outcome kept, as outcomes have no hash.
        if id(outcome) not in self._renamed:
            rules, candidates = (
                tuple(map(self._rename_rule, side)) for side in (outcome.rules, outcome.candidates)
            )
            new = replace(outcome, rules=rules, candidates=candidates)
            self._renamed[id(outcome)] = outcome, new
        return self._renamed[id(outcome)][1]

    def _rename_rule(self, rule: EffectiveRule) -> EffectiveRule:
        value, depth = rule.value, len(rule.field)
        for path, name in self.successors.new_names(rule.policy).items():
            is_there = isinstance(read_value(value, path[depth:]), str)
            # A namespace that was left out has no value there, and is put in.
            if path[:depth] == rule.field and (is_there or path[-1] == "namespace"):
                value = apply_edits(value, {path[depth:]: name})
        return replace(rule, policy=self.successors.name(rule.policy), value=value)

    def _rank(self, kind: Kind, before: PolicyOutcome, after: PolicyOutcome) -> tuple[Shift, ...]:
        kind = self._find_row(kind, before, after)
        shifts = self._rank_on(self._spoke, kind, before, after)
        if all(self._spoke.share(side.asked) is side.asked for side in (before, after)):
            return shifts  # the rules have the same values on all spokes
        self._asked[id(before), id(after)] = kind, before, after
        sides = join_rules(before.asked), join_rules(after.asked)
        return tuple(_with_values(shift, *sides) for shift in shifts)

    def _rank_on(self, spoke: Bundle, kind: Kind, *sides: PolicyOutcome) -> tuple[Shift, ...]:
        return _rank_rules(kind, *(spoke.share(side.asked) for side in sides))

    def _find_row(self, kind: Kind, *sides: PolicyOutcome) -> Kind:
        """Return the common kind of the policies in `sides` if it can be ranked; else `kind`."""
        rules = [rule for side in sides for rule in side.asked]
        sources = {(rule.policy.group, rule.policy.kind) for rule in rules}
        # Rules of another kind's policies are ranked by the row of that kind.
        row = self._new.kind(sources.pop()) if len(sources) == 1 else kind
        return row if row.merged.writes is not None and row.traits.guarding else kind

    def is_true_of(self, spoke: Bundle) -> bool:
        """Return whether all comparisons so far have the same result with the values of `spoke`."""
        return all(
            _list_ranks(self._rank_on(spoke, kind, before, after))
            == _list_ranks(self._rank_on(self._spoke, kind, before, after))
            for kind, before, after in self._asked.values()
        )


def _is_of(rule: EffectiveRule, place: FieldPath) -> bool:
    """Return whether the field `place` is in the rule's field, or contains it."""
    steps = zip(map(str, rule.path), map(str, place), strict=False)
    return bool(place) and all(own == other for own, other in steps)


def _fill(view: SpokeView, item: EffectivePolicy | None) -> _Outcomes:
    if item is None:
        return (_NONE,)
    return tuple(map(view.fill, (item.likely, *item.others)))


def _with_values(shift: Shift, before: Mapping[str, Any], after: Mapping[str, Any]) -> Shift:
    """Return the shift with its field's values in `before` and `after`, which may have slots."""
    if not shift.place or shift.was is ABSENT is shift.now:
        return shift
    was, now = (read_value(side, shift.place, ABSENT) for side in (before, after))
    return replace(
        shift,
        was=was if shift.was is not ABSENT and was is not ABSENT else shift.was,
        now=now if shift.now is not ABSENT and now is not ABSENT else shift.now,
    )


def _list_ranks(shifts: tuple[Shift, ...]) -> list[tuple[object, ...]]:
    return [(shift.about, shift.direction, shift.place, shift.loses) for shift in shifts]


@remembered
def describe_outcome(outcome: PolicyOutcome) -> tuple[str, ...]:
    """Return texts that are equal for outcomes with equal rules, whatever the policies' names."""
    rules = outcome.asked
    values = sorted(f"{rule.key}={fingerprint(rule.value)}" for rule in rules)
    # Rules that are entries of a list and have names may count in their order.
    placed = [(rule.field[-1], rule.key) for rule in rules if isinstance(rule.field[-1], int)]
    order = ",".join(key for _, key in sorted(placed))
    return (outcome.unknown and "unknown", outcome.failing, order, *values)
