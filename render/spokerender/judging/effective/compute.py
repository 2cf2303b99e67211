"""Computes the effective policies: the effective rules on each path, by kind, with their source."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.hub import TOO_MUCH_MERGED
from spokerender.findings.errors import InputBudget
from spokerender.judging.effective import outcomes
from spokerender.judging.effective.blocks import (
    PolicyBlock,
    is_in_scope,
    read_blocks,
    read_rule_matches,
)
from spokerender.judging.effective.kind_paths import KindPath, KindPaths
from spokerender.judging.effective.processes import order_matters, run_process
from spokerender.judging.effective.sourced_rules import list_values
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Exemption, Merging, Process
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.model.refs import DataByRef
from spokerender.model.shapes import Json
from spokerender.topology.graph import Topology
from spokerender.topology.precedence import Ages, arrange, find_orders


class _Settled(Struct, frozen=True, eq=False):
    """The part of `EffectivePolicy` that is the same on all paths with the same policies."""

    stack: tuple[Ref, ...]
    targets: tuple[Ref, ...]
    likely: outcomes.PolicyOutcome
    others: tuple[outcomes.PolicyOutcome, ...]


_NOTHING = outcomes.PolicyOutcome(())
"""The outcome for the case that the path does not exist."""

_Orders = tuple[tuple[PolicyBlock, ...], ...]
"""The blocks of the policies on one target, in each possible order of precedence."""


class ReusableParts(Struct, eq=False):
    """Results that later computations on the same topology with the same ages can reuse.

    Specs and mergings are identified by `id()`, because hashing them is slow. So the policies and
    namespaces of all computations must stay referenced, in `alive` or elsewhere.
    """

    paths: KindPaths | None = None
    blocks: dict[tuple[Ref, int, int], tuple[tuple[PolicyBlock, ...], Merging]] = {}
    settled: dict[Kind, dict[Any, _Settled | None]] = {}
    alive: list[object] = []


def compute_effective_policies(
    topology: Topology,
    policies: Iterable[outcomes.AttachedPolicy],
    ages: Ages | None = None,
    *,
    objects: DataByRef | None = None,
    reusable: ReusableParts | None = None,
) -> tuple[outcomes.EffectivePolicy, ...]:
    """Return the effective policy of each kind on each path, sorted by path, then by kind.

    `policies` are the accepted policies, in any order, including each policy that is accepted only
    in some orders of creation: its effect is then among `others`. `objects` are the routes, whose
    `matches` `Process.SINGLE` reads; a policy with matches of a missing route is on no path.
    `reusable` holds results of earlier computations with mostly the same policies.
    """
    reusable = ReusableParts() if reusable is None else reusable
    paths = reusable.paths = reusable.paths or KindPaths(topology)
    policies_by_kind = grouped(((policy.row.group, policy.row.kind), policy) for policy in policies)
    by_path: dict[KindPath, list[outcomes.EffectivePolicy]] = {}
    for kind in sorted(policies_by_kind):
        computation = _Computation(policies_by_kind[kind], ages or {}, objects or {}, reusable)
        for path, policy_in_force in computation.run(paths):
            by_path.setdefault(path, []).append(policy_in_force)
    return tuple(
        item for path in sorted(by_path, key=lambda path: path.path.order) for item in by_path[path]
    )


class _Computation:
    """The computation for one kind, which merges each distinct sequence of policies once."""

    def __init__(
        self,
        policies: Sequence[outcomes.AttachedPolicy],
        ages: Ages,
        objects: DataByRef,
        reusable: ReusableParts,
    ) -> None:
        self.blocks = reusable.blocks
        self.kind = policies[0].row
        self.policies = {policy.ref: policy for policy in policies}
        self.ranks = {policy.ref: policy.rank for policy in policies if policy.rank}
        self.attached = grouped(
            (target, policy.ref) for policy in policies for target in dict.fromkeys(policy.targets)
        )
        self.parts: dict[Ref, dict[tuple[Ref, Ref], Exemption]] = {}
        for policy in policies:
            for section, target, part in policy.parts:
                self.parts.setdefault(section, {}).setdefault((policy.ref, target), part)
        self.is_scoped = any(
            block.scope is not None
            for policy in policies
            for block in self._read_blocks(policy.ref, policy.row.merged)
        )
        self.ages = ages
        self.objects = objects
        # The unit is one rule of one policy, in one order, on one path.
        cure = "join policies of one target, or let those of a gateway have fewer rules"
        self.budget = InputBudget(200_000 + 200 * len(policies), TOO_MUCH_MERGED, cure)
        self.orders: dict[tuple[tuple[Ref, ...], int], _Orders] = {}
        # What is in force for a scope depends on the route's object, so it is not reused.
        self.settled: dict[Any, _Settled | None] = (
            {} if self.is_scoped else reusable.settled.setdefault(self.kind, {})
        )

    def run(self, paths: KindPaths) -> Iterator[tuple[KindPath, outcomes.EffectivePolicy]]:
        """Yield the effective policy on each path that a policy is on."""
        group, kind = self.kind.group, self.kind.kind
        change_outcome = cache(_change_outcome)
        for path in paths.list_paths(self.kind, self.attached):
            settled = self._settle_path(path, paths.find_merging(self.kind, path))
            if settled is None:
                continue
            if path.unknown or path.failing or not path.is_covered:
                settled = change_outcome(
                    settled, path.unknown, path.failing, is_covered=path.is_covered
                )
            effective_policy = outcomes.EffectivePolicy(
                path.path,
                group,
                kind,
                settled.stack,
                settled.targets,
                settled.likely,
                settled.others if path.path.is_certain else (*settled.others, _NOTHING),
                is_beyond=not path.is_covered,
            )
            yield path, effective_policy

    def _settle_path(self, path: KindPath, merging: Merging) -> _Settled | None:
        levels = tuple(level for level in path.levels if level in self.attached)
        parts = self.parts.get(path.path.section)
        if parts:
            choices = self._list_choices(levels, merging)
            return _settle([_adapt(choice, parts) for choice in choices], merging, self.budget)
        if self.is_scoped:
            key: Any = (levels, path.path.route, path.path.rule)
        else:
            key = id(merging), tuple((level, self._identify(level)) for level in levels)
        # Most paths have the same policies on the same levels, so few stacks are settled.
        if key not in self.settled:
            choices = self._list_choices(levels, merging)
            if self.is_scoped:
                matches = read_rule_matches(self.objects, path.path)
                choices = [_select_in_scope(choice, matches) for choice in choices]
            self.settled[key] = _settle(choices, merging, self.budget)
        return self.settled[key]

    @memoised
    def _identify(self, level: Ref) -> tuple[tuple[Ref, int, bool], ...]:
        """Return a key for the policies on a target; equal keys mean equal specs."""
        on_level = (self.policies[ref] for ref in self.attached[level])
        return tuple((policy.ref, id(policy.spec), level in policy.unsure) for policy in on_level)

    def _list_choices(self, levels: Sequence[Ref], merging: Merging) -> list[_Orders]:
        if merging.process is Process.OLDEST:
            # The controller compares the policies of all levels by age.
            return [self._list_orders(levels, merging)] if levels else []
        return [self._list_orders((level,), merging) for level in levels]

    def _list_orders(self, levels: Sequence[Ref], merging: Merging) -> _Orders:
        key = tuple(levels), id(merging)
        if key not in self.orders:
            pairs = [(level, ref) for level in levels for ref in self.attached[level]]
            by_age = find_orders((ref for _, ref in pairs), self.ages, merging.first, self.ranks)
            others = by_age.others if order_matters(merging) else ()
            stacks = list(self._order_blocks((by_age.likely, *others), pairs, merging))
            unsure = {ref for level, ref in pairs if level in self.policies[ref].unsure}
            if unsure and (not merging.holds_one or len(unsure) == len(set(pairs))):
                # A policy that likely loses its target is not there in the likely order.
                likely = tuple(block for block in stacks[0] if block.policy not in unsure)
                stacks = [likely, *stacks]
            self.orders[key] = tuple(stacks)
        return self.orders[key]

    def _order_blocks(
        self, every: Iterable[Iterable[Ref]], pairs: Iterable[tuple[Ref, Ref]], merging: Merging
    ) -> Iterator[tuple[PolicyBlock, ...]]:
        blocks: dict[Ref, list[PolicyBlock]] = {}
        for level, ref in pairs:
            on_level = (replace(block, target=level) for block in self._read_blocks(ref, merging))
            blocks.setdefault(ref, []).extend(on_level)
        return (tuple(block for ref in order for block in blocks[ref]) for order in every)

    def _read_blocks(self, ref: Ref, merging: Merging) -> tuple[PolicyBlock, ...]:
        policy = self.policies[ref]
        policy_merging = merging if policy.folded is None else policy.kind.merged
        key = ref, id(policy.spec), id(policy_merging)
        if key not in self.blocks:
            self.blocks[key] = read_blocks(policy, policy_merging), policy_merging
        return self.blocks[key][0]


def _change_outcome(settled: _Settled, unknown: str, failing: str, *, is_covered: bool) -> _Settled:
    """Return `settled` without rules, as the path is not covered, `unknown` or `failing`."""
    likely = settled.likely
    if not is_covered:
        why = "a hostname that reaches beyond the listener's has no policy there"
        lost = tuple(outcomes.Overruled(ref, "", ref, why) for ref in settled.stack)
        likely = outcomes.PolicyOutcome((), lost)
    elif unknown:
        candidates = likely.rules or likely.candidates
        likely = outcomes.PolicyOutcome((), unknown=unknown, candidates=candidates)
    else:
        likely = outcomes.PolicyOutcome((), likely.overruled, failing=failing)
    return replace(settled, likely=likely, others=())


def _settle(choices: Sequence[_Orders], merging: Merging, budget: InputBudget) -> _Settled | None:
    stacks = [tuple(chain.from_iterable(choice)) for choice in arrange(choices)]
    targets: dict[Ref, Ref] = {}
    for stack in stacks:
        for block in stack:
            targets.setdefault(block.policy, block.target)
    if not targets:
        return None
    rules = sum(1 + len(block.rules) for stack in stacks for block in stack)
    budget.spend(rules, "merging the policies of this kind", next(iter(targets)))
    likely, *others = (
        run_process(merging, stack) if stack else outcomes.PolicyOutcome(()) for stack in stacks
    )
    return _Settled(
        tuple(targets), tuple(targets.values()), likely, tuple(_list_distinct(likely, others))
    )


def _select_in_scope(choice: _Orders, matches: Json) -> _Orders:
    return tuple(tuple(block for block in order if is_in_scope(block, matches)) for order in choice)


def _adapt(choice: _Orders, parts: Mapping[tuple[Ref, Ref], Exemption]) -> _Orders:
    """Return the orders with blocks changed or left out as their exemptions in `parts` require."""
    return tuple(
        tuple(
            replace(
                block,
                is_hollow=part is Exemption.HOLLOW,
                failures=() if part is Exemption.SPARED else block.failures,
            )
            for block in order
            if (part := parts.get((block.policy, block.target))) is not Exemption.LEFT_OUT
        )
        for order in choice
    )


def _list_distinct(
    likely: outcomes.PolicyOutcome, others: Sequence[outcomes.PolicyOutcome]
) -> Iterator[outcomes.PolicyOutcome]:
    """Yield the distinct outcomes among `others` whose values differ from those of `likely`."""
    if not others:
        return
    distinct = [list_values(likely)]
    for outcome in others:
        values = list_values(outcome)
        if values not in distinct:
            distinct.append(values)
            yield outcome
