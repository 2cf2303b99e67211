"""What OCM's own code decides and releases, beside what we do, for random questions.

The scheduling controller decides a Placement of a hub; its plugins, the conditions and the groups
are compared part by part. The function of rollouts is OCM's, too. Of several faults of a Placement
OCM tells any, since Go walks maps in another order each time.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from spokerender.formats import yamlio
from tests.conftest import DATA
from tests.live import agreement, rollouts
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED, smallest
from tests.live.building import ENGINES_BY_NAME
from tests.live.ocm_judge import UNKNOWN, Judge, ask_placement, tell_placement
from tests.live.placements import hub

pytestmark = pytest.mark.live

Json = dict[str, Any]
EQUAL = "equal"
SHOWN = 5
FAULTS = re.compile(r":(incorrect builtin prioritizer: .*|addOn should not be empty)")


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    found = Judge(f"-crds={DATA / 'crds/ocm'}")
    yield found
    found.close()


def written(question: str, counts: Mapping[str, int]) -> agreement.Agreement:
    """The row of a question, from how often we answered how."""
    return agreement.Agreement(
        "Open Cluster Management",
        ENGINES_BY_NAME["ocm-judge"].version,
        question,
        HUBS,
        str(SEED),
        counts[EQUAL],
        counts[UNKNOWN],
        different=sum(counts.values()) - counts[EQUAL] - counts[UNKNOWN],
    )


def show(row: agreement.Agreement, report: Report) -> None:
    agreement.write([row])
    report(row)


def compare_placements(judge: Judge, objects: list[Json]) -> str:
    """How our decision is to OCM's: the parts that differ, or `EQUAL`."""
    theirs, ours = ask_placement(judge, objects), tell_placement(objects)
    if UNKNOWN in ours.parts:
        return UNKNOWN
    faults = [str(word.parts.get("misconfigured", "")) for word in (ours, theirs)]
    differing = ours.differences(theirs)
    if all(map(FAULTS.fullmatch, faults)):
        differing = [name for name in differing if name != "misconfigured"]
    return ", ".join(differing) or EQUAL


def test_placements_are_decided_as_ocm_does(judge: Judge, report: Report) -> None:
    counts, first = Counter[str](), dict[str, list[Json]]()
    for index in range(HUBS):
        objects = hub(Random(f"{SEED} {index}"))
        how = compare_placements(judge, objects)
        counts[how] += 1
        first.setdefault(how, objects)
    show(written("decisions of Placements", counts), report)
    shown = [
        f"{how}\n{smallest_hub(objects, judge, how)}"
        for how, objects in first.items()
        if how not in (EQUAL, UNKNOWN)
    ]
    assert not shown, "\n\n".join(shown)


def smallest_hub(objects: list[Json], judge: Judge, how: str) -> str:
    """The least of a hub about which we differ in this way, as YAML."""

    def makes_sense(part: Any) -> bool:
        return bool(part) and part[0].get("kind") == "Placement" and all(map(is_object, part))

    def is_object(one: Any) -> bool:
        metadata = one.get("metadata") or {}
        has_place = one.get("kind") != "Placement" or {"namespace", "name"} <= set(metadata)
        parts = {"spec", "status"} if one.get("kind") != "PlacementDecision" else {"status"}
        return (
            bool(one.get("apiVersion") and metadata.get("name"))
            and has_place
            and bool(parts & set(one) or one.get("kind") == "ManagedClusterSetBinding")
        )

    def tried(part: Any) -> bool:
        try:
            return makes_sense(part) and compare_placements(judge, part) == how
        except (AttributeError, KeyError, TypeError):  # half of an object is none
            return False

    return "---\n".join(map(yamlio.emit, smallest(objects, tried)))


def test_rollouts_are_released_as_ocm_does(judge: Judge, report: Report) -> None:
    counts, shown = Counter[str](), list[str]()

    def differs(question: Any) -> bool:
        try:
            theirs = rollouts.read(judge.ask({"rollout": question, "now": rollouts.NOW}))
            return "panic" not in theirs and not rollouts.is_same(rollouts.tell(question), theirs)
        except (AttributeError, KeyError, TypeError):
            return False

    questions = 20 * HUBS
    for index in range(questions):
        question = rollouts.question(Random(f"{SEED} {index}"))
        is_other = differs(question)
        counts["different" if is_other else EQUAL] += 1
        if is_other and len(shown) < SHOWN:
            shown.append(json.dumps(smallest(question, differs)))
    show(written("clusters that rollouts release", counts), report)
    assert not shown, "\n".join(shown)
