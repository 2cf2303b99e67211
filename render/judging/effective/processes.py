"""Processes: from the policies on a path to what is in force there, one function for each.

A stack has the least specific policy first, and on one target the established one first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from render.judging.effective.declared import Declared, Side
from render.judging.effective.model import EffectiveRule, Outcome, Overruled
from render.judging.effective.strategies import Standing, Strategy, outcome, step, told
from render.kinds import Merging, Process, Ties
from render.model import Ref

Stack = Sequence[Declared]

_ESTABLISHED = (
    "only one policy holds on {}: the oldest, and of those made at once the first by its "
    "`namespace/name`"
)


def run(merging: Merging, stack: Stack) -> Outcome:
    """What is in force where these policies are on a path; there is at least one.

    Of kinds with `one_each` only the established one on each target takes part.
    """
    if merging.process is Process.NONE and merging.ties is Ties.UNBROKEN:
        return _UNBROKEN(stack)
    if not merging.one_each:
        return _PROCESSES[merging.process](stack)
    first: dict[Ref, Ref] = {}
    for block in stack:
        first.setdefault(block.target, block.policy)
    found = _PROCESSES[merging.process](
        [block for block in stack if block.policy == first[block.target]]
    )
    lost = (
        Overruled(block.policy, "", first[block.target], _ESTABLISHED.format(block.target))
        for block in stack
        if block.policy != first[block.target]
    )
    return replace(found, overruled=(*found.overruled, *dict.fromkeys(lost)))


def _kuadrant(stack: Stack) -> Outcome:
    """kuadrant-operator, `EffectivePolicyForPath`: each higher policy by its own strategy."""
    *above, last = stack
    standing, overruled = Standing.of(last), _ignored(stack)
    for policy in reversed(above):
        standing, fallen = step(_strategy(policy), Standing.of(policy), standing)
        overruled += fallen
    return outcome(standing, overruled)


def _gep_713(stack: Stack) -> Outcome:
    """GEP-713, abstract process: what stands takes the strategy of the policy it took in last.

    A policy that asks to be merged (Envoy Gateway, `mergeType`) is a patch of what stands above.
    """
    first, *below = stack
    standing, overruled, strategy = Standing.of(first), _ignored(stack), _strategy(first)
    for policy in below:
        if policy.asked is not None:
            strategy = Strategy(policy.asked, Side.DEFAULTS, strategy.target)
        standing, fallen = step(strategy, standing, Standing.of(policy))
        overruled += fallen
        strategy = _strategy(policy)
    return outcome(standing, overruled)


def _strategy(policy: Declared) -> Strategy:
    return Strategy(policy.strategy, policy.side, policy.target)


def _ignored(stack: Stack) -> list[Overruled]:
    return [
        Overruled(
            policy.policy,
            key,
            policy.policy,
            f"it stands beside {policy.beside}, and only what is in there counts",
        )
        for policy in stack
        for key in policy.ignored
    ]


def _none(stack: Stack, *, breaks_ties: bool) -> Outcome:
    """GEP-713, strategy None: the established policy of the most specific target, whole."""
    target = stack[-1].target
    beside = [policy for policy in stack if policy.target == target]
    holding = beside[:1] if breaks_ties else beside
    by = holding[0].policy
    section = f"section {target.section_name} of {target.whole}" if target.section_name else target
    return _all(
        holding,
        [
            *(
                Overruled(policy.policy, "", by, f"{section} has a policy of its own")
                for policy in stack
                if policy.target != target
            ),
            *(
                Overruled(
                    policy.policy,
                    "",
                    by,
                    _ESTABLISHED.format(target),
                )
                for policy in beside[len(holding) :]
            ),
        ],
    )


def _all(stack: Stack, overruled: Sequence[Overruled] = ()) -> Outcome:
    """All of them are in force, side by side."""
    return Outcome(
        tuple(
            sorted(
                (rule for policy in stack for rule in _rules(policy)),
                key=lambda rule: (rule.key, rule.policy),
            )
        ),
        tuple(overruled),
    )


def _rules(policy: Declared) -> list[EffectiveRule]:
    return [rule for path, item in policy.rules.items() for rule in told(path, item)]


def _single(stack: Stack) -> Outcome:
    """The RFC's: of `override` the least specific holds, then of `default` the most specific.

    On one target the established one holds, in both. A field is taken whole (GEP-2649).
    """
    overrides = [policy for policy in stack if policy.side is Side.OVERRIDES]
    defaults = [policy for policy in stack if policy.side is Side.DEFAULTS]
    places = {target: place for place, target in enumerate(dict.fromkeys(p.target for p in stack))}
    defaults.sort(key=lambda policy: -places[policy.target])
    held: dict[str, tuple[EffectiveRule, Declared]] = {}
    overruled = []
    for policy in [*overrides, *defaults]:
        for rule in _rules(policy):
            first, holder = held.setdefault(rule.key, (rule, policy))
            if first is not rule:
                why = f"{holder.beside or 'default'} on {holder.target} has the same field"
                overruled.append(Overruled(policy.policy, rule.key, holder.policy, why))
    rules = sorted((rule for rule, _ in held.values()), key=lambda rule: rule.key)
    return Outcome(tuple(rules), tuple(overruled))


_UNBROKEN = partial(_none, breaks_ties=False)
_PROCESSES: Mapping[Process, Callable[[Stack], Outcome]] = {
    Process.NONE: partial(_none, breaks_ties=True),
    Process.ALL: _all,
    Process.GEP_713: _gep_713,
    Process.KUADRANT: _kuadrant,
    Process.SINGLE: _single,
}


def order_matters(merging: Merging) -> bool:
    """Whether it makes a difference which of two policies on one target is the established one."""
    unbroken = merging.process is Process.NONE and merging.ties is Ties.UNBROKEN
    return merging.one_each or not (unbroken or merging.process is Process.ALL)
