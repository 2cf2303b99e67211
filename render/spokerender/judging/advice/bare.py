"""Two policies without a merge strategy on one target: they don't come together, one is lost.

Of atomic defaults the challenger wins (GEP-713; kuadrant-operator does the same), and on one
target that is the newer policy: contrary to what the rule on conflicts has people expect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.undetermined import rivals
from spokerender.judging.advice.words import name, some
from spokerender.model import Ref
from spokerender.topology.precedence import orders


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each target with several such policies, at the one that likely loses.

    Not where it changes what is in force: `undetermined` tells that. What is left
    are those of which nothing is in force as yet, for policies below them take their place.
    """
    on_target: dict[tuple[str, str, Ref], list[Ref]] = {}
    for policy, attachment in view.policies:
        if policy.is_bare:
            for target in attachment.targets:
                key = (policy.ref.group, policy.ref.kind, target)
                on_target.setdefault(key, []).append(policy.ref)
    contending = rivals(view) if any(len(policies) > 1 for policies in on_target.values()) else ()
    for (_, kind, target), policies in sorted(on_target.items()):
        is_told = any(len(each.intersection(policies)) > 1 for each in contending)
        if len(policies) < _SEVERAL or is_told or _are_alike(view, policies):
            continue
        *losers, winner = orders(policies, {}).likely
        yield view.result(
            codes.SECOND_BARE,
            losers[0],
            f"{target} has {len(policies)} policies of kind {kind} without a merge strategy "
            f"({some(map(name, [*losers, winner]))}): the newest holds whole and the others "
            f"do nothing. Made in one apply, that is the last by name, {name(winner)}",
            f"make one policy of them, or {view.objects[winner].remedy}",
        )


_SEVERAL = 2


def _are_alike(view: SpokeView, policies: Sequence[Ref]) -> bool:
    """Whether all of them say the same, so that it does not matter which one holds."""
    said = [
        {
            path: rule.value
            for block in view.objects[ref].declared
            for path, rule in block.rules.items()
        }
        for ref in policies
    ]
    return all(each == said[0] for each in said)
