"""The rules of policies in force on each path, before and after a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind, Severity
from spokerender.formats.comparing import ABSENT
from spokerender.judging.effective.guarding import measure_outcome
from spokerender.judging.effective.outcomes import (
    EffectivePolicy,
    EffectiveRule,
    PolicyOutcome,
    join_rules,
)
from spokerender.judging.effective.ranking import Direction, Shift
from spokerender.kinds.fields import apply_edits, read_value
from spokerender.kinds.kind import Kind
from spokerender.model import Ref
from spokerender.model.refs import FieldPath, GroupKind
from spokerender.rendering.values.bundles import Bundle
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.review.meaning.drafts import Cause, Draft, write_value
from spokerender.review.meaning.further import find_further, find_in_mesh
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.meaning.shared import SharedAnswersOfPairs
from spokerender.review.meaning.takeovers import find_takeovers
from spokerender.review.meaning.wording import classify, describe_shift
from spokerender.review.values import Topic
from spokerender.topology.paths import Levels

_NONE = PolicyOutcome(())
_TAKEN = (Topic.ACCESS, Topic.LIMITS)


class AskedComparison:
    """The comparison of the policies in force on the paths of two states."""

    def __init__(
        self,
        successors: Successors,
        objects: ObjectChanges,
        spoke: Bundle,
        shared: SharedAnswersOfPairs,
    ) -> None:
        """Compare; values are ranked as they are on `spoke`: `is_true_of` checks the others."""
        self._spoke = spoke
        self._shared = shared
        self._successors = successors
        self._old, self._new = successors.old, successors.new
        self._objects = objects
        self._further = find_further(self._old), find_further(self._new)
        self._mesh = find_in_mesh(self._old), find_in_mesh(self._new)
        self._asked: dict[tuple[int, int], tuple[Kind, PolicyOutcome, PolicyOutcome]] = {}
        self._renamed: dict[int, tuple[PolicyOutcome, PolicyOutcome]] = {}

    def drafts(self) -> Iterator[Draft]:
        """Yield what policies ask less of, or otherwise, on each path that is there in both."""
        in_force = self._old.in_force, self._new.in_force, *self._further, *self._mesh
        for policy_kind in sorted({key for kinds in in_force for key in kinds}):
            drafts = list(self._compare_ways(policy_kind))
            yield from drafts
            yield from self._compare_takeovers(policy_kind)
            yield from self._compare_beside(policy_kind)
            paths: dict[tuple[FindingKind, str], list[str]] = {}
            for draft in drafts:
                paths.setdefault((draft.kind, draft.message), []).append(draft.path)
            for draft in self._compare_further(policy_kind):
                on_listener = paths.get((draft.kind, draft.message), ())
                if not any(path.startswith(draft.path) for path in on_listener):
                    yield _make_latent(draft)

    def _compare_ways(self, policy_kind: GroupKind) -> Iterator[Draft]:
        is_below = any(view.is_below_listeners(policy_kind) for view in (self._old, self._new))
        pairs = self._successors.pairs if is_below else self._successors.listeners
        for old, new in pairs:
            if new is not None and not new.is_closed:
                yield from self._compare_way(policy_kind, old, new)

    def _compare_takeovers(self, policy_kind: GroupKind) -> Iterator[Draft]:
        """Compare what requests meet that another rule takes now: who may make them, and how often.

        Where nothing guards a new rule, the rule is told as such.
        """
        for item in find_takeovers(self._successors):
            before, after = (
                dict(view.below(policy_kind, way)).get(())
                for view, way in ((self._old, item.old), (self._new, item.new))
            )
            place = item.new.levels, item.new.hostnames
            is_open = item.is_new and not self._new.is_guarded(item.new)
            for draft in self._compare(policy_kind, before, after, *place):
                is_told = is_open and draft.kind is codes.ACCESS_REMOVED
                if draft.topic in _TAKEN and draft.kind is not codes.ASKS_MORE and not is_told:
                    rule = self._successors.name(item.old.levels[-1])
                    is_by_age = item.is_among_equals and item.new.levels[-2] != rule.whole
                    when = " if it was the older one" if is_by_age else ""
                    message = f"{draft.message}, for requests that {rule} took{when}"
                    mild = _without_errors(draft) if item.is_new else draft
                    yield replace(mild, message=message)

    def _compare_further(self, policy_kind: GroupKind) -> Iterator[Draft]:
        """Compare what a route without policies of its own would have on each listener."""
        before, after = (items.get(policy_kind, {}) for items in self._further)
        for old, new in self._successors.listeners:
            if new is not None and not new.is_closed:
                items = before.get(old.levels), after.get(new.levels)
                yield from self._compare(policy_kind, *items, new.levels, new.hostnames)

    def _compare_way(self, policy_kind: GroupKind, old: Way, new: Way) -> Iterator[Draft]:
        before = {
            self._successors.levels(below): item
            for below, item in self._old.below(policy_kind, old)
        }
        after = dict(self._new.below(policy_kind, new))
        for below in dict.fromkeys((*before, *after)):
            one = before.get(below) or (before.get(()) if len(before) == 1 else None)
            other = after.get(below) or (after.get(()) if len(after) == 1 else None)
            levels = (*new.levels, *below)
            yield from self._compare(policy_kind, one, other, levels, new.hostnames)

    def _compare_beside(self, policy_kind: GroupKind) -> Iterator[Draft]:
        """Compare what is in force beside the paths through gateways."""
        before, after = (
            {
                levels: item
                for levels, item in (
                    *view.in_force.get(policy_kind, {}).items(),
                    *mesh.get(policy_kind, {}).items(),
                )
                if not item.path.listener
            }
            for view, mesh in zip((self._old, self._new), self._mesh, strict=True)
        )
        before = {self._successors.levels(levels): item for levels, item in before.items()}
        for levels in dict.fromkeys((*before, *after)):
            yield from self._compare(policy_kind, before.get(levels), after.get(levels), levels, ())

    def _compare(
        self,
        policy_kind: GroupKind,
        before: EffectivePolicy | None,
        after: EffectivePolicy | None,
        levels: Levels,
        hostnames: tuple[str, ...],
    ) -> Iterator[Draft]:
        old = tuple(map(self._rename, self._fill(self._old, before)))
        new = self._fill(self._new, after)
        values = self._shared.list_values
        if len(old) == len(new) and all(
            values(one) == values(other) for one, other in zip(old, new, strict=True)
        ):
            return
        place = _Place(policy_kind, levels, hostnames, old[0], new[0])
        for draft in self._draft_outcomes(place, old, new):
            yield replace(draft, levels=levels, hostnames=hostnames)

    @staticmethod
    def _fill(view: SpokeView, item: EffectivePolicy | None) -> tuple[PolicyOutcome, ...]:
        if item is None:
            return (_NONE,)
        return tuple(map(view.fill, (item.likely, *item.others)))

    def _rename(self, outcome: PolicyOutcome) -> PolicyOutcome:
        """Return an outcome with names of after the change: of its policies and what they name."""
        if not self._successors.renamed:
            return outcome
        if id(outcome) not in self._renamed:
            rules, candidates = (
                tuple(map(self._rename_rule, side)) for side in (outcome.rules, outcome.candidates)
            )
            new = replace(outcome, rules=rules, candidates=candidates)
            self._renamed[id(outcome)] = outcome, new
        return self._renamed[id(outcome)][1]

    def _rename_rule(self, rule: EffectiveRule) -> EffectiveRule:
        value, depth = rule.value, len(rule.field)
        for path, name in self._successors.new_names(rule.policy).items():
            is_there = isinstance(read_value(value, path[depth:]), str)
            if path[:depth] == rule.field and (is_there or path[-1] == "namespace"):
                value = apply_edits(value, {path[depth:]: name})
        return replace(rule, policy=self._successors.name(rule.policy), value=value)

    def _draft_outcomes(
        self, place: _Place, old: Sequence[PolicyOutcome], new: Sequence[PolicyOutcome]
    ) -> Iterator[Draft]:
        before, after = old[0], new[0]
        kind = self._new.kind(place.policy_kind)
        if after.failing and not before.failing:
            yield self._draft(
                place,
                codes.ANSWERED_WITH_500,
                Topic.TRAFFIC,
                f"{kind.kind}: requests are answered with 500: {after.failing}",
            )
            return
        if before.failing and not after.failing:
            yield self._draft_reopened(place, f"{kind.kind}: {before.failing}")
        if after.unknown and not before.unknown:
            yield self._draft(
                place,
                codes.NEWLY_UNDECIDED,
                Topic.POLICY,
                f"{kind.kind}: what is in force is not known any more: {after.unknown}",
            )
            return
        if before.unknown or after.unknown:
            is_left = bool(after.unknown or after.rules)
            if kind.security and not is_left and measure_outcome(kind, before).parts:
                yield from self._draft_shifts(place, kind, [_LOSS])
            elif self._shared.list_values(before) != self._shared.list_values(after):
                yield self._draft(
                    place,
                    codes.EFFECT_NOT_KNOWN,
                    Topic.POLICY,
                    f"{kind.kind}: what may be in force changes; its effect is not known",
                )
            return
        yield from self._draft_shifts(place, kind, self._rank(kind, before, after))
        earlier = [self._shared.list_values(item) for item in old]
        for other in new[1:]:
            if self._shared.list_values(other) not in earlier:
                shifts = [s for s in self._rank(kind, before, other) if s.direction in _LESS]
                yield from self._draft_shifts(place, kind, shifts, is_possible=True)

    def _draft_reopened(self, place: _Place, why: str) -> Draft:
        """Return that requests pass where a broken policy had them refused: an info if guarded."""
        way = self._new.rules.get(place.levels)
        is_guarded = way is not None and self._new.is_guarded(way)
        message = f"requests are served that were answered with 500 before: {why}"
        draft = self._draft(place, codes.FURTHER_WAY, Topic.EXPOSURE, message)
        return replace(draft, severity=INFO if is_guarded else None)

    def _rank(self, kind: Kind, before: PolicyOutcome, after: PolicyOutcome) -> tuple[Shift, ...]:
        kind = self._find_row(kind, before, after)
        shifts = self._shared.rank(self._spoke, kind, before, after)
        if not self._shared.has_values_of(self._spoke, before, after):
            return shifts
        self._asked[id(before), id(after)] = kind, before, after
        sides = join_rules(before.rules), join_rules(after.rules)
        return tuple(_with_values(shift, *sides) for shift in shifts)

    def _find_row(self, kind: Kind, *sides: PolicyOutcome) -> Kind:
        """Return the row that ranks rules: of the policies that they are written from, if one."""
        rules = [rule for side in sides for rule in side.rules]
        sources = {(rule.policy.group, rule.policy.kind) for rule in rules}
        row = self._new.kind(sources.pop()) if len(sources) == 1 else kind
        return row if row.merged.writes is not None and row.traits.guarding else kind

    def is_true_of(self, spoke: Bundle) -> bool:
        """Tell whether all values that were ranked so far rank alike with those of a spoke."""
        rank = self._shared.rank
        return all(
            _list_ranks(rank(spoke, kind, before, after))
            == _list_ranks(rank(self._spoke, kind, before, after))
            for kind, before, after in self._asked.values()
        )

    def _draft_shifts(
        self, place: _Place, kind: Kind, shifts: Sequence[Shift], *, is_possible: bool = False
    ) -> Iterator[Draft]:
        may = " if another policy turns out to be the older one" if is_possible else ""
        for shift in shifts:
            finding, topic = classify(kind, shift)
            severity: Severity | None = None
            if shift.direction is Direction.REMOVED and finding is codes.ENCRYPTION_WEAKENED:
                severity = ERROR
            message = describe_shift(kind, finding, shift, place.policies(shift))
            draft = self._draft(place, finding, topic, f"{message}{may}", shift)
            yield replace(
                draft,
                severity=severity,
                was=write_value(shift.was),
                now=write_value(shift.now),
            )

    def _draft(
        self,
        place: _Place,
        finding: FindingKind,
        topic: Topic,
        message: str,
        shift: Shift | None = None,
    ) -> Draft:
        policies = place.policies(shift)
        return Draft(
            kind=finding,
            topic=topic,
            message=message,
            cause=self._find_cause(place, policies, shift),
            cure=_CURES.get(finding.code, ""),
            policies=policies,
        )

    def _find_cause(self, place: _Place, policies: tuple[Ref, ...], shift: Shift | None) -> Cause:
        new = [ref for ref in policies if ref in self._new.variants]
        old = [self._successors.earlier.get(ref, ref) for ref in policies]
        near = [*new, *reversed(place.levels)]
        return self._objects.cause(near, old, shift.place if shift is not None else ())


def _make_latent(draft: Draft) -> Draft:
    """Return a consequence for routes to come."""
    return replace(
        _without_errors(draft),
        message=f"{draft.message}, for any further route",
        is_latent=True,
    )


def _without_errors(draft: Draft) -> Draft:
    """Return a consequence as a warning if it is an error: no request of before meets it."""
    is_error = (draft.severity or draft.kind.severity) is ERROR
    return replace(draft, severity=WARNING) if is_error else draft


class _Place:
    """A path, a kind of policy, and what is in force there before and after."""

    def __init__(
        self,
        policy_kind: GroupKind,
        levels: Levels,
        hostnames: tuple[str, ...],
        before: PolicyOutcome,
        after: PolicyOutcome,
    ) -> None:
        self.policy_kind = policy_kind
        self.levels = levels
        self.hostnames = hostnames
        self.before = before
        self.after = after

    def policies(self, shift: Shift | None) -> tuple[Ref, ...]:
        """Return the policies that a change is about: those of the rule, or all."""
        rules = (*self.after.rules, *self.before.rules, *self.after.candidates)
        near = [rule.policy for rule in rules if shift is not None and _is_of(rule, shift.place)]
        return tuple(dict.fromkeys(near or [rule.policy for rule in rules]))


def _is_of(rule: EffectiveRule, place: FieldPath) -> bool:
    """Tell whether a place is in a rule, or above it."""
    steps = zip(map(str, rule.path), map(str, place), strict=False)
    return bool(place) and all(own == other for own, other in steps)


_LOSS = Shift("access", Direction.REMOVED, ())
"""The loss of all policies of a security kind that may have been in force."""
_LESS = (Direction.REMOVED, Direction.WEAKENED, Direction.CHANGED)
_CURES = {
    codes.ACCESS_REMOVED.code: "attach a policy that guards the path, or acknowledge the loss",
    codes.NOT_RANKED.code: "read the change: which one is stricter is not known",
}


def _with_values(shift: Shift, before: Mapping[str, Any], after: Mapping[str, Any]) -> Shift:
    """Return a change with the values that both sides have at its place, slots and all."""
    if not shift.place or shift.was is ABSENT is shift.now:
        return shift
    was, now = (read_value(side, shift.place, ABSENT) for side in (before, after))
    return replace(
        shift,
        was=was if shift.was is not ABSENT and was is not ABSENT else shift.was,
        now=now if shift.now is not ABSENT and now is not ABSENT else shift.now,
    )


def _list_ranks(shifts: Sequence[Shift]) -> list[tuple[object, ...]]:
    return [(shift.about, shift.direction, shift.place) for shift in shifts]
