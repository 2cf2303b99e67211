"""What we say of random hubs without ages, beside Envoy Gateway's word in many orders of creation.

What Envoy Gateway makes of a condition over the orders has to be what we say: each of our outcomes
comes about, and nothing else does. Asked are our own worlds, in which only those objects differ
whose ages decide by our word, and orders of all objects by chance.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

import pytest

from spokerender import pipeline
from spokerender.judging.attachment.statuses import Condition
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model import Ref
from tests.live import agreement
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.envoy_gateway import (
    LIKELY,
    TYPES,
    UNKNOWN,
    UNVERIFIED,
    find_others,
    read_conditions,
    smallest_hub,
    write_project,
)
from tests.live.envoy_requests import translate
from tests.live.hub_routes import ROUTES
from tests.live.hubs import COMPLETE, find_ages, hub, is_declared
from tests.live.routing_statuses import (
    MORE,
    OF_ABSENT,
    UNCOMPARED,
    list_entries,
)
from tests.live.test_envoy_gateway import DECLARED, EQUAL, Tally
from tests.live.test_envoy_gateway_routes import find_left_out, read_answer
from tests.support import end_to_end as e2e
from tests.support.answers import statuses

pytestmark = pytest.mark.live

Json = dict[str, Any]
Key = tuple[str, ...]
"""A kind, a name, what an entry of its status is about, and a type of condition."""
Outcome = tuple[str, str] | None
"""A status and its reason; None where the condition is not there."""
Outcomes = Mapping[Key, frozenset[Outcome]]
SHUFFLES = 4
_NOTHING: frozenset[Outcome] = frozenset({None})
_POLICIES, _ROUTING = "statuses, by files", "statuses of routes and listeners, by files"
EXPLAINED = {
    f"{kind}: {MORE}": "files have no Services, say, and one that is there has no fault"
    for kind in ROUTES
}
_NO_SERVICE = "BackendTLSPolicy: Accepted ours False/NoValidCACertificate, theirs none"
EXPLAINED[_NO_SERVICE] = "it names a Service that no file has, and that is not there"
"""Differences that files can't show, with what decides there; others fail."""


def tell(objects: list[Json]) -> tuple[JudgedFleet, Outcomes]:
    """What we say of a hub's files."""
    rendered = e2e.rendered(write_project(objects))
    fleet = pipeline.judge(rendered, (), "policies", with_routing=True)
    return fleet, {
        (*key, item.type): _read(item)
        for key, conditions in _list_conditions(fleet)
        for item in conditions
    }


def _list_conditions(fleet: JudgedFleet) -> Iterator[tuple[Key, Iterable[Condition]]]:
    judged, others = fleet.judged["s1"], find_others(fleet, "s1")
    for status in statuses(fleet):
        for entry in status.ancestors:
            if entry.is_written and entry.ancestor.whole not in others:
                key = status.policy.kind, status.policy.name, str(entry.ancestor)
                yield key, (item for item in entry.conditions if item.type in TYPES)
    assert judged.routing is not None
    yield from list_entries(judged.routing)


def _read(condition: Condition) -> frozenset[Outcome]:
    each = condition.by_age.outcomes if condition.by_age is not None else (condition,)
    return frozenset((str(item.status), item.reason) if item.status else None for item in each)


def list_orders(objects: list[Json], fleet: JudgedFleet) -> Iterator[list[Ref]]:
    """Orders in which a hub's objects may have been made, the oldest first."""
    refs = sorted(find_ages(objects))
    for world in fleet.judged["s1"].in_worlds():
        aged = [ref for group in world for ref in group]
        yield [*(ref for ref in refs if ref not in aged), *aged]
    random = Random(str(refs))
    yield from (random.sample(refs, len(refs)) for _ in range(SHUFFLES))


def make_in_order(objects: list[Json], order: Iterable[Ref]) -> list[Json]:
    """The hub if its objects were made in an order."""
    times = {ref: f"2026-01-01T00:{minute:02}:00Z" for minute, ref in enumerate(order)}
    return [
        {**one, "metadata": {**one["metadata"], "creationTimestamp": times[ref]}} if ref else one
        for one in objects
        for ref in [next(iter(find_ages([one])), None)]
    ]


def ask(hubs: list[list[Json]]) -> Iterator[Mapping[Key, Outcome]]:
    """What the translator writes about each hub."""
    for answer in translate(hubs):
        yield {
            (*key, kind): (status, reason)
            for key, conditions in (*read_conditions(answer).items(), *read_answer(answer).items())
            for kind, status, reason in conditions
        }


def compare(
    objects: list[Json], ours: Outcomes, answers: list[Mapping[Key, Outcome]]
) -> dict[Key, str]:
    """How our outcomes are to theirs over several orders, condition by condition."""
    is_left_out = find_left_out(objects)
    told: dict[Key, str] = {}
    for key in sorted({*ours, *(key for answer in answers for key in answer)}):
        one = ours.get(key, _NOTHING)
        other = frozenset(answer.get(key) for answer in answers)
        if key[-1] == "ResolvedRefs" and key[0].endswith("Policy"):
            # Envoy Gateway has it of policies for TLS to backends that it accepts, and of no other.
            one, other = one - _NOTHING, other - _NOTHING
        if other and not is_left_out(key[:-1]) and key[-1] not in _NOT_COMPARED:
            told[key] = _compare(key, one, other)
    return told


_NOT_COMPARED = (*UNCOMPARED, "attachedRoutes", "attachedListenerSets", "supportedKinds")
"""Numbers and kinds are no conditions; the tests of routes compare them."""


def _compare(key: Key, ours: frozenset[Outcome], theirs: frozenset[Outcome]) -> str:
    if ours == theirs:
        return EQUAL if len(ours) == 1 else LIKELY
    if any(item is not None and {UNKNOWN, UNVERIFIED} & {*item} for item in ours):
        return UNKNOWN
    mine, other = _list_reasons(ours), _list_reasons(theirs)
    if key[-1] == "ResolvedRefs" and mine < other <= mine | {("False", one) for one in OF_ABSENT}:
        return f"{key[0]}: {MORE}"
    return f"{key[0]}: {key[-1]} ours {_words(ours)}, theirs {_words(theirs)}"


def _list_reasons(outcomes: frozenset[Outcome]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (item[0], reason) for item in outcomes if item is not None for reason in item[1].split(",")
    )


def _words(outcomes: frozenset[Outcome]) -> str:
    return " or ".join(sorted("/".join(item) if item else "none" for item in outcomes))


def compare_hubs(hubs: list[list[Json]]) -> Iterator[dict[Key, str]]:
    """How our outcomes are to theirs, hub by hub."""
    words = [tell(objects) for objects in hubs]
    aged = [
        [make_in_order(objects, order) for order in list_orders(objects, fleet)]
        for objects, (fleet, _) in zip(hubs, words, strict=True)
    ]
    answers = ask([one for each in aged for one in each])
    for objects, (_, ours), each in zip(hubs, words, aged, strict=True):
        yield compare(objects, ours, [next(answers) for _ in each])


def has_answer(how: str, objects: list[Json]) -> bool:
    """Tell whether our outcomes of a condition of a hub are to theirs as `how` says."""
    return how.removeprefix(DECLARED) in next(compare_hubs([objects])).values()


def test_outcomes_of_age_are_envoy_gateways(report: Report) -> None:
    """Most of its CPU seconds are those of the judge, which is asked for each order."""
    hubs = [hub(Random(f"{SEED} {index}")) for index in range(HUBS)]
    tallies = {question: Tally(question, HUBS, EXPLAINED) for question in (_POLICIES, _ROUTING)}
    for number, answers in enumerate(compare_hubs(hubs)):
        for question, tally in tallies.items():
            is_about_policies = question == _POLICIES
            own = {
                key: how
                for key, how in answers.items()
                if key[0].endswith("Policy") is is_about_policies
            }
            is_complete = is_declared(hubs[number], COMPLETE)
            tally.add(number, own, is_complete=is_complete)
    agreement.write(tally.row() for tally in tallies.values())
    for tally in tallies.values():
        report(tally.row())
        for how in tally.different:
            report(f"{tally.counts[how]:6} {how}")
    shown = [
        f"{how}\n{smallest_hub(hubs[tally.first[how]], partial(has_answer, how))}"
        for tally in tallies.values()
        for how in tally.different
        if how not in EXPLAINED
    ]
    assert not shown, "\n\n".join(shown[:3])
    assert all(tally.counts[LIKELY] for tally in tallies.values()), "some are decided by age"
