"""A counter that spokes would have in common, and that a rename on some of them splits.

Clusters may share Limitador's store (Redis). A counter there is known by the route's namespace and
name and by the limit's identifier, in which the policy's namespace and name are hashed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import INFO, Result
from spokerender.findings.words import listed
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.fleet import FleetView
from spokerender.judging.advice.identifiers import identifier
from spokerender.judging.advice.words import name, some
from spokerender.judging.effective.model import Outcome
from spokerender.model import Ref

_SHOWN = 2


class _Counter(Struct, frozen=True, order=True):
    """What a limit for a route counts as on a spoke."""

    policy: Ref
    route: Ref
    identifier: str

    def __str__(self) -> str:
        """The namespace and the identifier that the store has it under."""
        return f"{self.identifier} of {name(self.route)}"


Counted = Mapping[_Counter, Sequence[str]]
"""The spokes on which a limit counts so."""

_Limits = frozenset[str]
_Pair = tuple[Ref, Ref]
"""A policy, and a route that its limits are in force for."""
_Called = tuple[str, Ref, Ref]
"""Such a pair as a spoke has it, after the prefix of its counters."""
_Cases = dict[_Called, dict[_Limits, list[str]]]
"""Of a pair of the hub: what it is called, and which limits are in force on which spokes then."""


def check(fleet: FleetView) -> Iterator[Result]:
    """Yield a result for each policy whose limits count under different identifiers.

    It is an info where every spoke has an identifier of its own: then counts apart are wanted.
    """
    cases: dict[_Pair, _Cases] = {}
    firsts: dict[Ref, tuple[SpokeView, Ref]] = {}
    known: dict[_Limits, _Limits] = {}
    for view, spokes in fleet.cases:
        for pair, of_pair in _in_force(view).items():
            for (prefix, policy, route), limits in of_pair.items():
                firsts.setdefault(pair[0], (view, policy))
                same = known.setdefault(limits, limits)
                for (own, its), where in fleet.refs(spokes, policy, route):
                    called = cases.setdefault(pair, {}).setdefault((prefix, own, its), {})
                    called.setdefault(same, []).extend(where)
    several = cache(_in_several)
    of_policy: dict[Ref, list[_Pair]] = {}
    for pair in sorted(pair for pair, of_pair in cases.items() if len(of_pair) > 1):
        of_policy.setdefault(pair[0], []).append(pair)
    for ref, pairs in of_policy.items():
        apart = {pair: several(tuple(map(frozenset, cases[pair].values()))) for pair in pairs}
        names = sorted(frozenset().union(*apart.values()))
        if names:
            first = next(pair for pair in pairs if names[0] in apart[pair])
            view, policy = firsts[ref]
            result = _split(view, policy, names, _counted(cases[first], names[0]))
            yield replace(result, resource=ref)


def _in_force(view: SpokeView) -> dict[_Pair, dict[_Called, _Limits]]:
    """The limits in force for routes; paths share what is in force, which is looked at once."""
    limits_of: dict[tuple[int, str], Mapping[Ref, _Limits]] = {}
    found: dict[_Pair, dict[_Called, _Limits]] = {}
    told = set()
    for effective in view.effective:
        counted, route = view.kind(effective).traits.counters, effective.path.route
        if counted is None or route is None:
            continue
        key = id(effective.likely), counted.limits
        if key not in limits_of:
            limits_of[key] = _limits(effective.likely, counted.limits)
        if (key, route) not in told:
            told.add((key, route))
            for policy, limits in limits_of[key].items():
                of_pair = found.setdefault((view.hub(policy), view.hub(route)), {})
                called = counted.prefix, policy, route
                for other in of_pair.keys() - {called}:  # the last one stands for all of the spoke
                    of_pair[other] -= limits
                of_pair[called] = of_pair.get(called, limits) | limits
    return found


def _limits(outcome: Outcome, field: str) -> Mapping[Ref, _Limits]:
    """The names of the limits in force, by policy."""
    named: dict[Ref, set[str]] = {}
    for rule in outcome.rules:
        if rule.field[-2:-1] == (field,):
            named.setdefault(rule.policy, set()).add(str(rule.field[-1]))
    return {policy: frozenset(names) for policy, names in named.items()}


def _in_several(called: tuple[frozenset[_Limits], ...]) -> _Limits:
    """The limits that count under more than one identifier."""
    counts = Counter(limit for each in called for limit in frozenset().union(*each))
    return frozenset(limit for limit, number in counts.items() if number > 1)


def _counted(cases: _Cases, limit: str) -> Counted:
    """Where a limit counts as what."""
    return {
        _Counter(policy, route, identifier(prefix, policy.namespace, policy.name, limit)): where
        for (prefix, policy, route), of_limits in cases.items()
        if (where := [spoke for names, on in of_limits.items() if limit in names for spoke in on])
    }


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
