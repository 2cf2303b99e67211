"""What we say of random hubs, beside what Envoy Gateway's translator makes of them.

Compared are the conditions of each policy on each ancestor, and the values in force on each
listener and each rule of a route. Who is older decides much, and files have no ages: here we are
told them, as a cluster knows them, and in `test_envoy_gateway_ages` not.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
from random import Random
from typing import Any

import pytest

from tests.live import agreement
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.building import ENGINES_BY_NAME
from tests.live.envoy_gateway import (
    LIKELY,
    MISAPPLIED,
    UNKNOWN,
    Word,
    ask,
    compare_in_force,
    compare_statuses,
    smallest_hub,
    tell,
)
from tests.live.hubs import COMPLETE, hub, is_declared

pytestmark = pytest.mark.live

Json = dict[str, Any]
EQUAL = "equal"
EXPLAINED = {
    f"SecurityPolicy: {MISAPPLIED}": "v1.9.1, internal/gatewayapi/securitypolicy.go:1394: the "
    "policy of a TCPRoute goes to every route of the listener, for their names aren't compared",
    "BackendTLSPolicy: ours Accepted=False/NoValidCACertificate, theirs none": "it names a Service "
    "that no file has, and that is not there",
}
"""Differences that files can't show, with what decides there; others fail."""
DECLARED = "all is in files: "
"""Before a difference on a hub that has all that its cluster has, as fleet.yaml declares."""
EXPLAINED |= {f"{DECLARED}{how}": EXPLAINED[how] for how in EXPLAINED if MISAPPLIED in how}


class Tally:
    """The answers to one question, by how they are to Envoy Gateway's, and a hub of each.

    `halves` counts those on hubs with all that their clusters have, as declared, and on others.
    """

    def __init__(
        self, question: str, hubs: int | None = None, explained: Collection[str] = EXPLAINED
    ) -> None:
        self.question, self.hubs, self.explained = question, hubs or ASKED, explained
        self.counts: Counter[str] = Counter()
        self.halves: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self.first: dict[str, int] = {}

    def add(self, number: int, answers: Mapping[Any, str], *, is_complete: bool) -> None:
        for how in answers.values():
            is_known = how in (EQUAL, UNKNOWN, LIKELY) or not is_complete
            named = how if is_known else f"{DECLARED}{how}"
            self.counts[named] += 1
            self.halves[not is_complete][how] += 1
            self.first.setdefault(named, number)

    @property
    def unknown(self) -> str:
        """How much of each half is Unknown."""
        counts = [(half[UNKNOWN], max(half.total(), 1)) for half in self.halves]
        shares = (f"{part} of {whole} ({part / whole:.1%})" for part, whole in counts)
        return "Unknown where all is in files {}, where it is not {}".format(*shares)

    @property
    def different(self) -> list[str]:
        return [how for how in self.counts if how not in (EQUAL, UNKNOWN, LIKELY)]

    def row(self) -> agreement.Agreement:
        different = sum(self.counts[how] for how in self.different)
        return agreement.Agreement(
            "Envoy Gateway",
            ENGINES_BY_NAME["envoy-gateway-judge"].version,
            self.question,
            self.hubs,
            str(SEED),
            self.counts[EQUAL],
            self.counts[UNKNOWN],
            self.counts[LIKELY],
            different,
            sum(self.counts[how] for how in self.different if how in self.explained),
        )


ASKED = max(HUBS, agreement.ENOUGH)
"""Of fewer hubs the share of what files can't tell is chance."""
Compare = Callable[[Word, Word], Mapping[Any, str]]


def has_answer(compare: Compare, how: str, objects: list[Json]) -> bool:
    """Tell whether one of our answers about a hub is to theirs as `how` says."""
    answers = compare(tell(objects), ask([objects])[0])
    return how.removeprefix(DECLARED) in answers.values()


def name_kinds(compare: Compare, place: int) -> Compare:
    """Begin what differs with the kind of policy."""

    def named(ours: Word, theirs: Word) -> dict[Any, str]:
        answers = compare(ours, theirs)
        return {
            key: how if how in (EQUAL, UNKNOWN, LIKELY) else f"{key[place]}: {how}"
            for key, how in answers.items()
        }

    return named


def test_status_and_what_is_in_force_are_envoy_gateways(report: Report) -> None:
    """Its CPU seconds are those of 500 hubs, and no fewer tell a share."""
    hubs = [hub(Random(f"{SEED} {index}")) for index in range(ASKED)]
    statuses, in_force = name_kinds(compare_statuses, 0), name_kinds(compare_in_force, 3)
    tallies = [Tally("statuses of policies"), Tally("values in force")]
    for number, (objects, theirs) in enumerate(zip(hubs, ask(hubs), strict=True)):
        ours, is_complete = tell(objects), is_declared(objects, COMPLETE)
        tallies[0].add(number, statuses(ours, theirs), is_complete=is_complete)
        tallies[1].add(number, in_force(ours, theirs), is_complete=is_complete)
    if HUBS >= agreement.ENOUGH:
        agreement.write(tally.row() for tally in tallies)
    for tally in tallies:
        report(tally.row())
        report(tally.unknown)
        for how in tally.different:
            report(f"{tally.counts[how]:6} {how}")
    shown = [
        f"{how}\n{smallest_hub(hubs[tally.first[how]], partial(has_answer, compare, how))}"
        for tally, compare in zip(tallies, (statuses, in_force), strict=True)
        for how in tally.different
        if how not in EXPLAINED
    ]
    assert not shown, "\n\n".join(shown)
    for tally in tallies:
        assert tally.counts[UNKNOWN] <= 0.05 * sum(tally.counts.values()), tally.row()
