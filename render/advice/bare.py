"""Two policies without a merge strategy on one target: they don't come together, one is lost.

Of atomic defaults the challenger wins (GEP-713; kuadrant-operator does the same), and on one
target that is the newer policy: contrary to what the rule on conflicts has people expect.
"""

from __future__ import annotations

from collections.abc import Iterator

from render.advice.context import Shipped, SpokeView
from render.advice.words import name, some
from render.codes import advice as codes
from render.effective.declared import Side
from render.kinds import Merge, Process
from render.model import Ref
from render.precedence import orders
from render.results import Result

_MERGING = (Process.KUADRANT, Process.GEP_713)


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each target with several such policies, at the one that likely loses."""
    on_target: dict[tuple[str, str, Ref], list[Ref]] = {}
    for policy, attachment in view.policies:
        if _is_atomic_default(policy):
            for target in attachment.targets:
                key = (policy.ref.group, policy.ref.kind, target)
                on_target.setdefault(key, []).append(policy.ref)
    for (_, kind, target), policies in sorted(on_target.items()):
        if len(policies) > 1:
            *losers, winner = orders(policies, {}).likely
            yield view.result(
                codes.SECOND_BARE,
                losers[0],
                f"{target} has {len(policies)} policies of kind {kind} without a merge strategy "
                f"({some(map(name, [*losers, winner]))}): the newest holds whole and the others "
                f"do nothing. Made in one apply, that is the last by name, {name(winner)}",
                "make one policy of them, or write `defaults: {strategy: merge}` in all of them",
            )


def _is_atomic_default(policy: Shipped) -> bool:
    """Whether it is lost beside a newer one; of a kind that nobody described, nobody knows."""
    merging = policy.kind.merging
    if merging is None or merging.process not in _MERGING or merging.one_each:
        return False
    return all(
        block.side is Side.DEFAULTS and block.strategy is Merge.ATOMIC and block.asked is None
        for block in policy.declared
    )
