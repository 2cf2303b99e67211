"""Advice on counters of rate limits that are split because objects have other names on some spokes.

Clusters may share Limitador's store (Redis). It identifies a counter by the route's namespace and
name, and by the limit's identifier, which contains a hash of the policy's namespace and name.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import INFO, Result
from spokerender.judging.advice.phrases import list_few
from spokerender.judging.advice.view import FleetView, JudgedSpokeView
from spokerender.judging.effective.outcomes import PolicyOutcome
from spokerender.judging.effective.rates import hash_limit_name
from spokerender.model import Ref, grouped

_COUNTERS_SHOWN = 2


class _CounterName(Struct, frozen=True, order=True):
    """The name of a limit's counter in the store of a spoke."""

    policy: Ref
    route: Ref
    identifier: str

    def __str__(self) -> str:
        """Return the identifier and the route, by which the store knows the counter."""
        return f"{self.identifier} of {self.route.full_name}"


_Limits = frozenset[str]
_Pair = tuple[Ref, Ref]
"""A policy of the hub, and a route for which its limits are in force."""
_Names = tuple[str, Ref, Ref]
"""The prefix of the identifiers of a pair's counters, and the pair's refs on a spoke."""
_SpokesByLimits = dict[_Limits, list[str]]
_Cases = dict[_Names, _SpokesByLimits]


def check_counters(fleet: FleetView) -> Iterator[Result]:
    """Yield a finding for each policy with limits that have different counters on some spokes."""
    cases_by_pair: dict[_Pair, _Cases] = {}
    first_view: dict[Ref, tuple[JudgedSpokeView, Ref]] = {}
    interned: dict[_Limits, _Limits] = {}
    for view, spokes in fleet.cases:
        for pair, limits_by_names in _find_limits(view).items():
            for (prefix, policy, route), limits in limits_by_names.items():
                first_view.setdefault(pair[0], (view, policy))
                # Equal sets become one object, so that many spokes share them.
                same_limits = interned.setdefault(limits, limits)
                for refs, same_spokes in fleet.resolve(spokes, (policy, route)):
                    cases = cases_by_pair.setdefault(pair, {}).setdefault((prefix, *refs), {})
                    cases.setdefault(same_limits, []).extend(same_spokes)
    find_split = cache(_find_split_limits)
    pairs_by_policy = grouped(
        (pair[0], pair)
        # One name everywhere is one counter.
        for pair in sorted(pair for pair, cases in cases_by_pair.items() if len(cases) > 1)
    )
    for hub_policy, pairs in pairs_by_policy.items():
        split = {
            pair: find_split(tuple(map(frozenset, cases_by_pair[pair].values()))) for pair in pairs
        }
        limits_split = sorted(frozenset().union(*split.values()))
        if limits_split:
            first = next(pair for pair in pairs if limits_split[0] in split[pair])
            counters = _name_counters(cases_by_pair[first], limits_split[0])
            view, policy = first_view[hub_policy]
            result = _report_split(view, policy, limits_split, counters)
            yield replace(result, resource=hub_policy)


def _find_limits(view: JudgedSpokeView) -> dict[_Pair, dict[_Names, _Limits]]:
    """Return the limits in force, by (policy, route) of the hub, then by names on the spoke."""
    limits_by_outcome: dict[tuple[int, str], Mapping[Ref, _Limits]] = {}
    limits_by_pair: dict[_Pair, dict[_Names, _Limits]] = {}
    visited = set()
    for effective in view.effective:
        counted, route = view.kind(effective).traits.counters, effective.path.route
        if counted is None or route is None:
            continue
        key = id(effective.likely), counted.limits
        if key not in limits_by_outcome:
            limits_by_outcome[key] = _read_limits(effective.likely, counted.limits)
        if (key, route) in visited:
            continue
        visited.add((key, route))
        for policy, limits in limits_by_outcome[key].items():
            pair = view.hub_ref(policy), view.hub_ref(route)
            limits_by_names = limits_by_pair.setdefault(pair, {})
            names = counted.prefix, policy, route
            # A spoke may have several copies of a pair of the hub; the last copy counts for all.
            for other in limits_by_names.keys() - {names}:
                limits_by_names[other] -= limits
            limits_by_names[names] = limits_by_names.get(names, limits) | limits
    return limits_by_pair


def _read_limits(outcome: PolicyOutcome, field: str) -> Mapping[Ref, _Limits]:
    names_by_policy: dict[Ref, set[str]] = {}
    for rule in outcome.rules:
        if rule.field[-2:-1] == (field,):
            names_by_policy.setdefault(rule.policy, set()).add(str(rule.field[-1]))
    return {policy: frozenset(names) for policy, names in names_by_policy.items()}


def _find_split_limits(limits_by_name: tuple[frozenset[_Limits], ...]) -> _Limits:
    counts = Counter(limit for limits in limits_by_name for limit in frozenset().union(*limits))
    # A limit under one name only is split nowhere.
    return frozenset(limit for limit, number in counts.items() if number > 1)


def _name_counters(cases: _Cases, limit: str) -> Mapping[_CounterName, Sequence[str]]:
    counters = {}
    for (prefix, policy, route), spokes_by_limits in cases.items():
        identifier = hash_limit_name(prefix, policy.namespace, policy.name, limit)
        spokes = [
            spoke
            for limits, names in spokes_by_limits.items()
            if limit in limits
            for spoke in names
        ]
        if spokes:
            counters[_CounterName(policy, route, identifier)] = spokes
    return counters


def _report_split(
    view: JudgedSpokeView,
    policy: Ref,
    limits: list[str],
    counters: Mapping[_CounterName, Sequence[str]],
) -> Result:
    # The counter of most spokes first, as it is the likely one to keep.
    groups = sorted(counters.items(), key=lambda item: (-len(item[1]), item[0]))
    names = (f"{counter} on {list_few(sorted(spokes))}" for counter, spokes in groups)
    result = view.result(
        codes.COUNTER_SPLIT,
        policy,
        f"limit {list_few(limits)} counts as {listed(names, _COUNTERS_SHOWN)}: in a store that "
        "these spokes share, each name counts up to the full limit by itself",
        "let the policy and the route have the same namespace and name on every spoke; separate "
        "counts do no harm if the spokes share no store",
        # With an identifier of its own on every spoke, separate counts are intended.
        severity=INFO if all(len(spokes) == 1 for _, spokes in groups) else None,
    )
    all_spokes = {spoke for spokes in counters.values() for spoke in spokes}
    return replace(result, spokes=tuple(sorted(all_spokes)))
