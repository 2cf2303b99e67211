"""The counters of rate limits: what one of them counted before, and several do after a change."""

from collections.abc import Iterator

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import listed
from spokerender.judging.effective.outcomes import EffectiveRule
from spokerender.model import Ref
from spokerender.model.refs import GroupKind
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.values import Topic

_Counter = tuple[Ref, str, Ref]
"""A counter: the policy, the key of its limit, and the route (`kinds.columns.Counters`)."""


def find_split_limits(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield each limit whose requests were counted together and are counted apart now."""
    for policy_kind in sorted(successors.old.in_force):
        if successors.old.kind(policy_kind).traits.counters is None:
            continue
        together: dict[_Counter, dict[Way, set[_Counter]]] = {}
        for old, new in successors.pairs:
            # What a nearer rule takes is told as that: who adds a route means it to be another.
            if successors.find_taken(old, new) is not None:
                continue
            after = dict(_counters(successors.new, policy_kind, new))
            for counter, rule in _counters(successors.old, policy_kind, old):
                # The later one takes the other's place.
                names = {
                    k for k, it in after.items() if it.key == rule.key or it.value == rule.value
                }
                together.setdefault(counter, {}).setdefault(new, set()).update(names)
        for counter, ways in together.items():
            yield from _draft_split(counter, ways, successors, objects)


def _counters(
    view: SpokeView, policy_kind: GroupKind, way: Way
) -> Iterator[tuple[_Counter, EffectiveRule]]:
    counters = view.kind(policy_kind).traits.counters
    assert counters is not None  # noqa: S101  (the caller looked)
    for _, item in view.below(policy_kind, way):
        for rule in view.fill(item.likely).rules:
            if rule.field[-2:-1] == (counters.limits,):
                yield (rule.policy, rule.key, way.levels[-2]), rule


def _draft_split(
    counter: _Counter,
    ways: dict[Way, set[_Counter]],
    successors: Successors,
    objects: ObjectChanges,
) -> Iterator[Draft]:
    counted = [counters for counters in ways.values() if counters]
    distinct = {name for counters in counted for name in counters}
    if len(counted) < 2 or any(all(name in each for each in counted) for name in distinct):  # noqa: PLR2004
        return
    policies = tuple(sorted({policy for policy, _, _ in distinct}))
    policy, key, _ = counter
    for way in ways:
        yield Draft.on(
            way,
            codes.LIMIT_SPLIT,
            Topic.LIMITS,
            f"{policy.kind} {key}: requests that one counter counted are counted apart, each up to "
            "the full limit",
            objects.cause((*policies, successors.name(policy), *reversed(way.levels))),
            cure="keep one policy for all of them, or lower the limits of the parts",
            policies=policies,
            was=str(policy),
            now=listed(map(str, policies)),
        )
