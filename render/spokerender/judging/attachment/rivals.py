"""Who contends with whom: policies of one kind that can't all hold where they are attached (P12).

How a kind's policies come together decides it (`spokerender.kinds.merging`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from spokerender.judging.attachment.case import Case, said
from spokerender.judging.attachment.model import Contention, Rivalry
from spokerender.kinds import Merging, Process, Several, Ties, read
from spokerender.kinds.cutting import beside_rules, cut, overlapping
from spokerender.kinds.paths import segments
from spokerender.model import FieldPath, Ref, shown
from spokerender.topology.precedence import Ages, Orders, Ranks, orders, rank_of

Cases = Mapping[Ref, Case]


def contentions(cases: Iterable[Case], ages: Ages) -> tuple[Contention, ...]:
    """Where not all of several policies can hold, sorted by target.

    P13: a policy for a section and one for the whole are on two targets, so they don't meet here;
    unless their controller says so.
    """
    kinds: dict[tuple[str, str], dict[Ref, Case]] = {}
    for case in cases:
        kind = case.subject.kind
        kinds.setdefault((kind.group, kind.kind), {})[case.subject.ref] = case
    unsorted = (each for own in kinds.values() for each in _of_kind(own, ages))
    return tuple(sorted(unsorted, key=lambda each: (each.target, each.orders.likely)))


def _of_kind(cases: Cases, ages: Ages) -> Iterator[Contention]:
    kind = next(iter(cases.values())).subject.kind.merged
    if kind.several is Several.EQUAL:
        yield from _unequal(cases, kind, ages)
        return
    if kind.several is Several.DISJOINT:
        yield from _overlapping(cases, kind, ages)
        return
    for target, rivals in _on_target(cases).items():
        merging = _merging(rivals)
        if len(rivals) == 1:
            continue
        if merging.several is Several.ALONE or not merging.is_known:
            yield _unknown(target, rivals, ages)
        elif merging.refuses:
            yield _one(target, rivals, merging, ages)


def _on_target(cases: Cases) -> dict[Ref, dict[Ref, Case]]:
    """The policies on each target; where a section competes with the whole, those of both."""
    cases_on: dict[Ref, dict[Ref, Case]] = {}
    for ref, case in cases.items():
        for target in _targets(case):
            cases_on.setdefault(target, {})[ref] = case
    for target in [target for target in cases_on if target.section_name]:
        whole = cases_on.get(target.whole, {})
        rivals = {**cases_on[target], **whole}
        if whole and _merging(rivals).process is Process.OLDEST:
            cases_on[target] = rivals
    return cases_on


def _targets(case: Case) -> tuple[Ref, ...]:
    return tuple(target.ref for target in case.attached if target.ref.name)


def _merging(rivals: Cases) -> Merging:
    """How these policies come together: as the controllers that they reach have it, if they agree.

    What is otherwise on paths through a kind of route does not decide who is accepted.
    """
    case = next(iter(rivals.values()))
    kind, around = case.subject.kind, case.around
    if kind.controller.id or kind.is_configured:
        return kind.merged
    gateways = sorted(frozenset().union(*(case.gateways for case in rivals.values())))
    said_by = [around.controller(ref).merging(kind.group, kind.kind) for ref in gateways]
    first = said_by[0] if said_by else None
    agreed = first is not None and all(each == first for each in said_by)
    return first if agreed and first is not None else kind.merged


def _ranks(cases: Cases, merging: Merging) -> Ranks:
    rank = merging.first.rank
    if rank is None:
        return {}
    return {ref: rank_of(case.subject.object, rank) for ref, case in cases.items()}


def _orders(cases: Cases, merging: Merging, ages: Ages) -> Orders:
    return orders(cases, ages, merging.first, _ranks(cases, merging))


def _one(target: Ref, rivals: Cases, merging: Merging, ages: Ages) -> Contention:
    ways = _orders(rivals, merging, ages)
    first = ways.likely[0]
    equals = tuple(ref for ref in ways.likely if ages.get(ref) == ages.get(first))
    sayings = [said(case) for case in rivals.values()]
    return Contention(
        target,
        ways,
        holding=equals if merging.ties is Ties.UNBROKEN else (first,),
        differs=any(saying != sayings[0] for saying in sayings),
        order=merging.first.order,
    )


def _unknown(target: Ref, rivals: Cases, ages: Ages) -> Contention:
    ways = orders(rivals, ages)
    return Contention(target, ways, ways.likely, rivalry=Rivalry.UNKNOWN)


def _unequal(cases: Cases, merging: Merging, ages: Ages) -> Iterator[Contention]:
    """Policies of which two on one rule differ in a field: none holds anywhere on that route."""
    objects: dict[Ref, dict[Ref, Case]] = {}
    for ref, case in cases.items():
        for target in _targets(case):
            objects.setdefault(target.whole, {})[ref] = case
    place = segments(merging.equal)
    for whole, on in sorted(objects.items()):
        at_odds = {
            ref
            for one, other in combinations(on, 2)
            if read(on[one].spec, place) != read(on[other].spec, place)
            and _share_a_part(on[one], on[other], whole)
            for ref in (one, other)
        }
        if at_odds:
            ways = orders(at_odds, ages)
            fields = (merging.equal,)
            yield Contention(whole, Orders(ways.likely), (), True, Rivalry.UNEQUAL, fields)


def _share_a_part(one: Case, other: Case, whole: Ref) -> bool:
    """Whether both are on one section of an object; the whole is on all of them."""
    sections = [
        {target.section_name for target in _targets(case) if target.whole == whole}
        for case in (one, other)
    ]
    return "" in sections[0] | sections[1] or bool(sections[0] & sections[1])


def _overlapping(cases: Cases, merging: Merging, ages: Ages) -> Iterator[Contention]:
    """Policies that set a field of an earlier one on a target of theirs: refused on all of them."""
    likely = _orders(cases, merging, ages).likely
    rules = {ref: _rules(cases[ref], merging) for ref in likely}
    refused: set[Ref] = set()
    for place, ref in enumerate(likely):
        for rival in likely[:place]:
            shared = sorted(set(_targets(cases[ref])) & set(_targets(cases[rival])))
            fields = overlapping(merging, rules[rival], rules[ref])
            if shared and fields and rival not in refused:
                refused.add(ref)
                ways = _orders({each: cases[each] for each in (rival, ref)}, merging, ages)
                names = tuple(map(shown, fields))
                differs = said(cases[ref]) != said(cases[rival])
                yield Contention(shared[0], ways, (rival,), differs, Rivalry.OVERLAPPING, names)
                break


def _rules(case: Case, merging: Merging) -> list[FieldPath]:
    beside = beside_rules(case.subject.kind, merging)
    proper = {key: value for key, value in case.spec.items() if key not in beside}
    return [path for path, _, _ in cut(proper, merging.rules)]
