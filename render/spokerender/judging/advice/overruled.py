"""A policy of which no rule is in force anywhere: others override all of it, on every path."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import Shipped, SpokeView
from spokerender.judging.advice.words import name, some
from spokerender.judging.effective.declared import Side
from spokerender.kinds import Process
from spokerender.kinds.paths import segments
from spokerender.model import Ref

_LATER = "nothing is wrong if it is there for what comes later"
_NEVER = "remove it"
_MERGED = {
    _LATER: "; `strategy: merge` lets its rules hold beside theirs",
    _NEVER: ", or let the rules of both hold with `strategy: merge` in the one that overrides",
}
"""For kinds that have this strategy."""


def check(view: SpokeView) -> Iterator[Result]:
    """Yield an info for each, with who overrides it; not where a tie may bring it into force."""
    by: dict[Ref, set[Ref]] = {}
    in_force: set[Ref] = set()
    for likely, otherwise in view.outcomes:
        for outcome in (likely, *otherwise):
            in_force.update(rule.policy for rule in outcome.rules)
        for lost in likely.overruled:
            by.setdefault(lost.policy, set()).add(lost.by)
    for policy, overrulers in sorted(by.items()):
        others = sorted(overrulers - {policy})
        is_attached = view.attachments[policy].is_accepted
        if is_attached and policy not in in_force and others:
            cure = _LATER if _is_default(view, policy, others) else _NEVER
            yield view.result(
                codes.WHOLLY_OVERRULED,
                policy,
                f"nothing of it is in force: it is overridden by {some(map(name, others))} on "
                "every path",
                cure + (_MERGED[cure] if _may_merge(view.objects[policy]) else ""),
            )


def _may_merge(policy: Shipped) -> bool:
    """Whether its rules can hold beside others: a default that denies all would shut all out."""
    narrowing = {segments(pattern) for pattern in policy.kind.traits.narrowing}
    return policy.kind.merged.process is Process.KUADRANT and not any(
        len(path) == len(rule)
        and all(part in ("*", key) for key, part in zip(path, rule, strict=True))
        for block in policy.declared
        for path in block.rules
        for rule in narrowing
    )


def _is_default(view: SpokeView, policy: Ref, others: list[Ref]) -> bool:
    """Whether it gives way to what is below it: then it holds for what has no policy of its own."""
    here = set(view.attachments[policy].targets)
    return not any(
        _overrides(view, other) or here & set(view.attachments[other].targets) for other in others
    )


def _overrides(view: SpokeView, policy: Ref) -> bool:
    return any(block.side is Side.OVERRIDES for block in view.objects[policy].declared)
