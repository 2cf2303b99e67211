"""A counter that spokes would have in common, and that a rename on some of them splits.

Clusters may share Limitador's store (Redis). A counter there is known by the route's namespace and
name and by the limit's identifier, in which the policy's namespace and name are hashed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from render.findings.codes import advice as codes
from render.findings.results import INFO, Result
from render.findings.words import listed
from render.judging.advice.context import SpokeView
from render.judging.advice.fleet import FleetView
from render.judging.advice.identifiers import identifier
from render.judging.advice.words import name, some
from render.model import Ref

_SHOWN = 2


@dataclass(frozen=True, slots=True, order=True)
class _Limit:
    """A limit for a route, as the hub has both."""

    policy: Ref
    limit: str
    route: Ref


@dataclass(frozen=True, slots=True, order=True)
class _Counter:
    """What a limit for a route counts as on a spoke."""

    policy: Ref
    route: Ref
    identifier: str

    def __str__(self) -> str:
        """The namespace and the identifier that the store has it under."""
        return f"{self.identifier} of {name(self.route)}"


Counted = dict[_Counter, list[str]]
"""The spokes on which a limit counts so."""


def check(fleet: FleetView) -> Iterator[Result]:
    """Yield a result for each policy whose limits count under different identifiers.

    It is an info where every spoke has an identifier of its own: then counts apart are wanted.
    """
    called = cache(identifier)
    counted: dict[_Limit, Counted] = {}
    firsts: dict[Ref, tuple[SpokeView, Ref]] = {}
    for view, spokes in fleet.cases:
        for limit, (prefix, *refs) in _limits(view).items():
            firsts.setdefault(limit.policy, (view, refs[0]))
            for (policy, route), where in fleet.refs(spokes, *refs):
                made = called(prefix, policy.namespace, policy.name, limit.limit)
                counter = _Counter(policy, route, made)
                counted.setdefault(limit, {}).setdefault(counter, []).extend(where)
    limits_of: dict[Ref, list[_Limit]] = {}
    for limit, counters in sorted(counted.items()):
        if len(counters) > 1:
            limits_of.setdefault(limit.policy, []).append(limit)
    for policy, limits in limits_of.items():
        view, ref = firsts[policy]
        result = _split(view, ref, sorted({each.limit for each in limits}), counted[limits[0]])
        yield replace(result, resource=policy)


def _limits(view: SpokeView) -> dict[_Limit, tuple[str, Ref, Ref]]:
    """Each limit in force for a route: with its prefix, and policy and route on the spoke."""
    limits: dict[_Limit, tuple[str, Ref, Ref]] = {}
    for effective in view.effective:
        counted, route = view.kind(effective).traits.counters, effective.path.route
        if counted is None or route is None:
            continue
        for rule in effective.likely.rules:
            if rule.field[-2:-1] == (counted.limits,):
                limit = _Limit(view.hub(rule.policy), str(rule.field[-1]), view.hub(route))
                limits[limit] = counted.prefix, rule.policy, route
    return limits


def _split(view: SpokeView, policy: Ref, limits: list[str], counters: Counted) -> Result:
    groups = sorted(counters.items(), key=lambda item: (-len(item[1]), item[0]))
    shown = listed((f"{counter} on {some(sorted(spokes))}" for counter, spokes in groups), _SHOWN)
    apart = all(len(spokes) == 1 for _, spokes in groups)
    result = view.result(
        codes.COUNTER_SPLIT,
        policy,
        f"limit {some(limits)} counts as {shown}: a store that these spokes share keeps "
        "separate counts, each up to the full limit",
        "let the policy and the route have the same namespace and name on every spoke; separate "
        "counts are no harm if the spokes share no store",
        severity=INFO if apart else None,
    )
    everywhere = {spoke for spokes in counters.values() for spoke in spokes}
    return replace(result, spokes=tuple(sorted(everywhere)))
