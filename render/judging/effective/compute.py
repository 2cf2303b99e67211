"""Effective policies: on every path, for every kind, what is in force and where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from render.judging.effective.declared import Declared, declared
from render.judging.effective.model import AttachedPolicy, EffectivePolicy, Outcome
from render.judging.effective.processes import order_matters, run
from render.judging.effective.scopes import Objects, is_meant, matches_of
from render.judging.effective.strategies import every_leaf
from render.judging.effective.ways import Way, Ways
from render.model import Ref
from render.topology import Topology
from render.topology.precedence import Ages, arrangements, orders

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
    ways = Ways(topology, namespaces)
    kinds: dict[tuple[str, str], list[AttachedPolicy]] = {}
    for policy in policies:
        kinds.setdefault((policy.kind.group, policy.kind.kind), []).append(policy)
    found: dict[Way, list[EffectivePolicy]] = {}
    for identity in sorted(kinds):
        computation = _Computation(kinds[identity], ages or {}, objects or {}, kept)
        for way, policy_in_force in computation.on(ways):
            found.setdefault(way, []).append(policy_in_force)
    return tuple(item for way in sorted(found, key=lambda way: way.order) for item in found[way])


@dataclass(frozen=True, slots=True)
class _Settled:
    """What is in force wherever the same policies are on a path."""

    stack: tuple[Ref, ...]
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
        kept = {} if kept is None else kept
        self.kind = policies[0].kind
        self.specs = {policy.ref: id(policy.spec) for policy in policies}
        self.declared = {policy.ref: _kept_declared(policy, kept) for policy in policies}
        self.attached: dict[Ref, list[Ref]] = {}
        for policy in policies:
            for target in dict.fromkeys(policy.targets):
                self.attached.setdefault(target, []).append(policy.ref)
        self.is_scoped = any(
            block.scope is not None for blocks in self.declared.values() for block in blocks
        )
        self.ages = ages
        self.objects = objects
        self.choices: dict[Ref, _Choice] = {}
        self.standing: dict[Ref, tuple[tuple[Ref, int], ...]] = {}
        self.settled: dict[Any, _Settled | None] = (
            {} if self.is_scoped else kept.setdefault(("settled", self.kind), {})
        )

    def on(self, ways: Ways) -> Iterator[tuple[Way, EffectivePolicy]]:
        """What is in force on each path that a policy is on."""
        group, kind = self.kind.group, self.kind.kind
        for way in ways.of(self.kind, self.attached):
            found = self._settled(way)
            if found is not None:
                yield (
                    way,
                    EffectivePolicy(way.path, group, kind, found.stack, found.likely, found.others),
                )

    def _settled(self, way: Way) -> _Settled | None:
        levels = tuple(level for level in way.levels if level in self.attached)
        if self.is_scoped:
            key: Any = (levels, way.path.route, way.path.rule)
        else:
            key = tuple((level, self._stand_on(level)) for level in levels)
        if key not in self.settled:
            choices = [self._choice(level) for level in levels]
            if self.is_scoped:
                matches = matches_of(self.objects, way.path)
                choices = [_meant(choice, matches) for choice in choices]
            self.settled[key] = self._settle(choices)
        return self.settled[key]

    def _stand_on(self, level: Ref) -> tuple[tuple[Ref, int], ...]:
        """Which policies are on a level: equal for equal specs."""
        if level not in self.standing:
            self.standing[level] = tuple((ref, self.specs[ref]) for ref in self.attached[level])
        return self.standing[level]

    def _choice(self, level: Ref) -> _Choice:
        if level not in self.choices:
            found = orders(self.attached[level], self.ages)
            blocks = {
                ref: tuple(replace(block, target=level) for block in self.declared[ref])
                for ref in found.likely
            }
            others = found.others if order_matters(self.kind.merged) else ()
            self.choices[level] = tuple(
                tuple(block for ref in order for block in blocks[ref])
                for order in (found.likely, *others)
            )
        return self.choices[level]

    def _settle(self, choices: Sequence[_Choice]) -> _Settled | None:
        stacks = [tuple(chain.from_iterable(each)) for each in arrangements(choices)]
        if not stacks[0]:
            return None
        likely, *others = (run(self.kind.merged, stack) for stack in stacks)
        names = tuple(dict.fromkeys(block.policy for block in stacks[0]))
        return _Settled(names, likely, tuple(_distinct(likely, others)))


def _kept_declared(policy: AttachedPolicy, kept: Kept) -> tuple[Declared, ...]:
    key = ("declared", policy.ref, id(policy.spec))
    if key not in kept:
        kept[key] = declared(policy)
    found: tuple[Declared, ...] = kept[key]
    return found


def _meant(choice: _Choice, matches: Any) -> _Choice:  # noqa: ANN401  (JSON of any shape)
    return tuple(tuple(block for block in order if is_meant(block, matches)) for order in choice)


def _distinct(likely: Outcome, others: Iterable[Outcome]) -> Iterator[Outcome]:
    """The outcomes that differ in a value, each of them once."""
    seen = [_values(likely)]
    for outcome in others:
        values = _values(outcome)
        if values not in seen:
            seen.append(values)
            yield outcome


def _values(outcome: Outcome) -> dict[str, Any]:
    """Values by key; of a rule that is told in parts in one outcome only, the parts."""
    return {
        ".".join((rule.key, *map(str, path))): value
        for rule in outcome.rules
        for path, value in every_leaf(rule.value)
    }
