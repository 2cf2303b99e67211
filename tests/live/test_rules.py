"""Every rule of the CRDs: an object that it refuses and one that it passes, as the API server says.

The objects are those of upstream's tests and examples and of ours, in every served version, and
what comes of changing one thing in them: the same every time. A rule for which that finds nothing
is counted, and agrees by compiling only; so do those of a status, which is dropped when an object
is created.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.live.agreement import Report
from tests.live.definitions import gateway_api
from tests.live.mutations import mutated
from tests.live.test_agreement import CHANNELS, SEED, Judge, cases, examples
from tests.support.cases import each

pytestmark = pytest.mark.live

Json = dict[str, Any]
TRIES = 2000
"""Mutations for each kind and version; those of one kind are tried until all its rules refused."""
LEAST = {"standard": (100, 150), "experimental": (200, 300)}
"""How many rules of a channel refuse at least, and how many have an object that they pass."""


@dataclass(frozen=True)
class Rule:
    """A rule of a CRD: the version and kind, where in an object it holds, and what it says."""

    version: str
    kind: str
    place: tuple[str, ...]
    rule: str
    message: str


def rules(crds: list[Json]) -> list[Rule]:
    """The rules of all served versions."""
    return [
        Rule(f"{spec['group']}/{version['name']}", spec["names"]["kind"], place, *said)
        for spec in (crd["spec"] for crd in crds)
        for version in spec["versions"]
        if version["served"]
        for place, *said in _rules(version["schema"]["openAPIV3Schema"], ())
    ]


def _rules(schema: Json, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    for rule in schema.get("x-kubernetes-validations", ()):
        yield place, rule["rule"], rule.get("message") or f"failed rule: {rule['rule']}"
    for key, below in schema.get("properties", {}).items():
        yield from _rules(below, (*place, key))
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _rules(schema[key], (*place, "*"))


def reaches(value: Any, place: tuple[str, ...]) -> bool:
    """Whether an object has something where a rule holds."""
    if not place:
        return True
    if place[0] == "*":
        below = value.values() if isinstance(value, dict) else value
        return any(reaches(each, place[1:]) for each in below or ())
    return isinstance(value, dict) and place[0] in value and reaches(value[place[0]], place[1:])


@dataclass
class Found:
    """For each rule an object that it refuses, and one that is taken and that it looks at."""

    refused: dict[Rule, Json]
    taken: dict[Rule, Json]


def found(judge: Judge, wanted: list[Rule], pool: list[Json]) -> Found:
    """Look for the objects of all rules, by what we say of them."""
    refused: dict[Rule, Json] = {}
    taken: dict[Rule, Json] = {}
    for version, kind in sorted({(rule.version, rule.kind) for rule in wanted}):
        own = [rule for rule in wanted if (rule.version, rule.kind) == (version, kind)]
        values = [
            {**{k: v for k, v in value.items() if k != "status"}, "apiVersion": version}
            for value in pool
            if value["kind"] == kind and same_group(value["apiVersion"], version)
        ]

        def take(value: Json, own: list[Rule] = own) -> bool:
            said = judge.ours(value)
            for rule in own:
                if said and any(each.endswith(rule.message) for each in said):
                    refused.setdefault(rule, value)
                if not said and reaches(value, rule.place):
                    taken.setdefault(rule, value)
            return not said

        good, random = [value for value in values if take(value)], Random(SEED)
        for _ in range(TRIES if good else 0):
            if all(rule in refused and rule in taken for rule in own):
                break
            take(mutated(random.choice(good), random))
    return Found(refused, taken)


def same_group(one: str, other: str) -> bool:
    return one.rpartition("/")[0] == other.rpartition("/")[0]


@each(*CHANNELS)
def test_every_rule(
    channel: str, request: pytest.FixtureRequest, fixtures: Path, report: Report
) -> None:
    """Most of its CPU seconds are our own, for thousands of objects."""
    judge = Judge(request.getfixturevalue("api_server"), channel)
    wanted = rules(gateway_api(channel))
    pool = [value for _, value in cases(fixtures, channel)]
    tried = found(judge, wanted, [*pool, *examples()])
    each = {
        str(value): value for part in (tried.refused, tried.taken) for value in part.values()
    }.values()
    report(
        f"{channel}: {len(wanted)} rules; {len(tried.refused)} with an object that they "
        f"refuse, {len(tried.taken)} with one that they pass; {len(each)} objects asked for"
    )
    assert [what for value in each for what in judge.disagreements(value)] == []
    refusing, passing = LEAST[channel]
    assert len(tried.refused) >= refusing
    assert len(tried.taken) >= passing
