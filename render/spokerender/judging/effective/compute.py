"""Effective policies: on every path, for every kind, what is in force and where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.budget import InputBudget
from spokerender.findings.codes.hub import TOO_MUCH_MERGED
from spokerender.judging.effective.declared import Declared, declared
from spokerender.judging.effective.model import AttachedPolicy, EffectivePolicy, Outcome, Overruled
from spokerender.judging.effective.processes import order_matters, run
from spokerender.judging.effective.scopes import Objects, is_meant, matches_of
from spokerender.judging.effective.telling import every_leaf
from spokerender.judging.effective.ways import Way, Ways
from spokerender.kinds.merging import Merging, Process
from spokerender.model import Ref
from spokerender.topology.graph import Topology
from spokerender.topology.precedence import Ages, arrange, find_orders

_BEYOND = "a hostname that reaches beyond the listener's has no policy there"

Kept = dict[Any, Any]
"""What one computation leaves for the next."""


def effective(  # noqa: PLR0913  (as many things as it depends on; half of them are named)
    topology: Topology,
    policies: Iterable[AttachedPolicy],
    ages: Ages | None = None,
    namespaces: Topology | None = None,
    *,
    objects: Objects | None = None,
    kept: Kept | None = None,
) -> tuple[EffectivePolicy, ...]:
    """Compute what is in force on every path that a policy is on, sorted by path, then kind.

    `policies` are those that were accepted, in any order. Where files don't tell which of two
    was accepted, give both: the one that would lose is in `overruled`, and what it would change is
    among `others`. `namespaces` as for `rule_paths`. `objects` are needed for the routes of kinds
    whose policies repeat a rule's `matches` (`Process.SINGLE`): without them such a policy is on
    no path. `kept` is filled with what can be used again where most policies are the same ones;
    to be given again with the same `ages`, and for as long as the policies are alive.
    """
    kept = {} if kept is None else kept
    ways = kept.setdefault("ways", Ways(topology, namespaces))
    kinds: dict[tuple[str, str], list[AttachedPolicy]] = {}
    for policy in policies:
        kinds.setdefault((policy.row.group, policy.row.kind), []).append(policy)
    by_way: dict[Way, list[EffectivePolicy]] = {}
    for identity in sorted(kinds):
        computation = _Computation(kinds[identity], ages or {}, objects or {}, kept)
        for way, policy_in_force in computation.on(ways):
            by_way.setdefault(way, []).append(policy_in_force)
    return tuple(item for way in sorted(by_way, key=lambda way: way.order) for item in by_way[way])


class _Settled(Struct, frozen=True, eq=False):
    """What is in force wherever the same policies are on a path."""

    stack: tuple[Ref, ...]
    targets: tuple[Ref, ...]
    likely: Outcome
    others: tuple[Outcome, ...]


_Choice = tuple[tuple[Declared, ...], ...]
"""What policies on one level declare, in each order in which they may come to stand."""


class _Computation:
    """All policies of one kind; each distinct stack of them is computed once."""

    def __init__(
        self,
        policies: Sequence[AttachedPolicy],
        ages: Ages,
        objects: Objects,
        kept: Kept | None,
    ) -> None:
        self.kept = {} if kept is None else kept
        self.kind = policies[0].row
        self.policies = {policy.ref: policy for policy in policies}
        self.ranks = {policy.ref: policy.rank for policy in policies if policy.rank}
        self.attached: dict[Ref, list[Ref]] = {}
        for policy in policies:
            for target in dict.fromkeys(policy.targets):
                self.attached.setdefault(target, []).append(policy.ref)
        self.is_scoped = any(
            block.scope is not None
            for policy in policies
            for block in self._declared(policy.ref, policy.row.merged)
        )
        self.ages = ages
        self.objects = objects
        self.budget = _merging_budget(len(policies))
        self.choices: dict[Any, _Choice] = {}
        self.standing: dict[Ref, tuple[tuple[Ref, int, bool], ...]] = {}
        self.settled: dict[Any, _Settled | None] = (
            {} if self.is_scoped else self.kept.setdefault(("settled", self.kind), {})
        )

    def on(self, ways: Ways) -> Iterator[tuple[Way, EffectivePolicy]]:
        """What is in force on each path that a policy is on."""
        group, kind = self.kind.group, self.kind.kind
        uncovered = cache(_uncovered)
        for way in ways.of(self.kind, self.attached):
            settled = self._settled(way, ways.merging(self.kind, way))
            if settled is not None and not way.is_covered:
                settled = uncovered(settled)
            if settled is not None:
                yield (
                    way,
                    EffectivePolicy(
                        way.path,
                        group,
                        kind,
                        settled.stack,
                        settled.targets,
                        settled.likely,
                        settled.others,
                        is_beyond=not way.is_covered,
                    ),
                )

    def _settled(self, way: Way, merging: Merging) -> _Settled | None:
        levels = tuple(level for level in way.levels if level in self.attached)
        if self.is_scoped:
            key: Any = (levels, way.path.route, way.path.rule)
        else:
            key = id(merging), tuple((level, self._stand_on(level)) for level in levels)
        if key not in self.settled:
            choices = self._choices(levels, merging)
            if self.is_scoped:
                matches = matches_of(self.objects, way.path)
                choices = [_meant(choice, matches) for choice in choices]
            self.settled[key] = _settle(choices, merging, self.budget)
        return self.settled[key]

    def _stand_on(self, level: Ref) -> tuple[tuple[Ref, int, bool], ...]:
        """Which policies are on a level: equal for equal specs."""
        if level not in self.standing:
            on_level = (self.policies[ref] for ref in self.attached[level])
            self.standing[level] = tuple(
                (each.ref, id(each.spec), level in each.unsure) for each in on_level
            )
        return self.standing[level]

    def _choices(self, levels: Sequence[Ref], merging: Merging) -> list[_Choice]:
        if merging.process is Process.OLDEST:
            return [self._choice(levels, merging)] if levels else []
        return [self._choice((level,), merging) for level in levels]

    def _choice(self, levels: Sequence[Ref], merging: Merging) -> _Choice:
        """The orders of what is on these levels; likely without what likely is not there."""
        key = tuple(levels), id(merging)
        if key not in self.choices:
            on = [(level, ref) for level in levels for ref in self.attached[level]]
            in_order = find_orders((ref for _, ref in on), self.ages, merging.first, self.ranks)
            every = (in_order.likely, *(in_order.others if order_matters(merging) else ()))
            stands = list(self._blocks(every, on, merging))
            absent = {ref for level, ref in on if level in self.policies[ref].unsure}
            if absent and not merging.holds_one:
                sure = tuple(block for block in stands[0] if block.policy not in absent)
                stands = [sure, *stands]
            self.choices[key] = tuple(stands)
        return self.choices[key]

    def _blocks(
        self, every: Iterable[Iterable[Ref]], on: Iterable[tuple[Ref, Ref]], merging: Merging
    ) -> Iterator[tuple[Declared, ...]]:
        blocks: dict[Ref, list[Declared]] = {}
        for level, ref in on:
            of_level = (replace(block, target=level) for block in self._declared(ref, merging))
            blocks.setdefault(ref, []).extend(of_level)
        return (tuple(block for ref in order for block in blocks[ref]) for order in every)

    def _declared(self, ref: Ref, merging: Merging) -> tuple[Declared, ...]:
        policy = self.policies[ref]
        own = merging if policy.folded is None else policy.kind.merged
        key = ("declared", ref, id(policy.spec), id(own))
        if key not in self.kept:
            self.kept[key] = declared(policy, own), own
        found: tuple[Declared, ...] = self.kept[key][0]
        return found


def _uncovered(settled: _Settled) -> _Settled:
    """What is in force for hostnames for which the controller carries nothing out: nothing."""
    lost = tuple(Overruled(ref, "", ref, _BEYOND) for ref in settled.stack)
    return replace(settled, likely=Outcome((), lost), others=())


def _merging_budget(policies: int) -> InputBudget:
    """Return the budget of one kind's policies, in rules that are met on a path, in one order."""
    cure = "join policies of one target, or let those of a gateway have fewer rules"
    return InputBudget(200_000 + 200 * policies, TOO_MUCH_MERGED, cure)


def _settle(choices: Sequence[_Choice], merging: Merging, budget: InputBudget) -> _Settled | None:
    stacks = [tuple(chain.from_iterable(each)) for each in arrange(choices)]
    on: dict[Ref, Ref] = {}
    for stack in stacks:
        for block in stack:
            on.setdefault(block.policy, block.target)
    if not on:
        return None
    rules = sum(1 + len(block.rules) for stack in stacks for block in stack)
    budget.spend(rules, "merging the policies of this kind", next(iter(on)))
    likely, *others = (run(merging, stack) if stack else Outcome(()) for stack in stacks)
    names = tuple(on)
    return _Settled(names, tuple(on.values()), likely, tuple(_distinct(likely, others)))


def _meant(choice: _Choice, matches: Any) -> _Choice:  # noqa: ANN401  (JSON of any shape)
    return tuple(tuple(block for block in order if is_meant(block, matches)) for order in choice)


def _distinct(likely: Outcome, others: Sequence[Outcome]) -> Iterator[Outcome]:
    """The outcomes that differ in a value, each of them once."""
    if not others:
        return
    seen = [_values(likely)]
    for outcome in others:
        values = _values(outcome)
        if values not in seen:
            seen.append(values)
            yield outcome


def _values(outcome: Outcome) -> dict[str, list[Any]]:
    """Values by key, whoever gives them; of a rule that is told in parts in one outcome, the parts.

    Of a key that several policies give, it does not matter in which order.
    """
    values: dict[str, list[Any]] = {}
    for rule in sorted(outcome.rules, key=lambda rule: rule.policy):
        for path, value in every_leaf(rule.value):
            values.setdefault(".".join((rule.key, *map(str, path))), []).append(value)
    return values
