"""What OCM's own scheduler decided is decided here (tests/data/cases/ocm)."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from spokerender.wings.hubs.ocm.expressions import prepare_expressions
from spokerender.wings.hubs.ocm.inventory import (
    Inventory,
    MisconfiguredError,
    NotEvaluableError,
    SyncFailedError,
)
from spokerender.wings.hubs.ocm.scheduling import Scheduled, schedule
from tests.support import each
from tests.support.ocm import inventory_of, load_cases, question_of

MOST_IN_DECISION = 100
"""The clusters of one PlacementDecision."""
PLACEMENTS = [
    case
    for name in ("placement.yaml", "placement-judged.yaml")
    for case in load_cases(name)["cases"]
]


@each(*PLACEMENTS, ids=[case["name"] for case in PLACEMENTS])
def test_a_placement_is_decided_as_in_a_hub(case: Mapping[str, Any]) -> None:
    expected = dict(case["expect"])
    expected.pop("needs", None)
    question = question_of(case)
    if expected.pop("skipped", False):
        assert question.request.is_skipped
        expected.pop("decisions", None)
        assert not expected
        return
    if "error" in expected:
        with pytest.raises(SyncFailedError, match=re.escape(expected["error"])):
            schedule(question)
        return
    scheduled = schedule(question)
    assert {key: ANSWERS[key](scheduled, expected[key]) for key in expected} == expected


def _misconfigured(scheduled: Scheduled) -> str:
    return scheduled.misconfigured.message if scheduled.misconfigured is not None else ""


def _scores(scheduled: Scheduled) -> dict[str, Any]:
    return {
        one.name: {"weight": one.weight, "scores": dict(one.scores)} for one in scheduled.scored
    }


ANSWERS: Mapping[str, Callable[[Scheduled, Any], Any]] = {
    "decisions": lambda scheduled, _: list(scheduled.selected),
    "ranked": lambda scheduled, _: list(scheduled.ranked),
    "unscheduled": lambda scheduled, _: scheduled.unscheduled,
    "scores": lambda scheduled, named: {
        name: scores for name, scores in _scores(scheduled).items() if name in named
    },
    "total": lambda scheduled, _: dict(scheduled.totals),
    "condition": lambda scheduled, _: scheduled.satisfied.reason,
    "message": lambda scheduled, _: scheduled.satisfied.message,
    "misconfigured": lambda scheduled, expected: (
        _misconfigured(scheduled) if isinstance(expected, str) else bool(_misconfigured(scheduled))
    ),
    "decisionGroups": lambda scheduled, _: list(_rows(scheduled)),
}
"""The answer to each key of `expect`, which has only the keys that the case is about."""


def _rows(scheduled: Scheduled) -> Iterator[dict[str, Any]]:
    number = 0
    for group in scheduled.groups:
        for start in range(0, max(len(group.clusters), 1), MOST_IN_DECISION):
            number += 1
            clusters = list(group.clusters[start : start + MOST_IN_DECISION])
            name = f"placement1-decision-{number}"
            yield {"index": group.index, "name": group.name, "decision": name, "clusters": clusters}


@each("cel.yaml", "cel-documented.yaml", "cel-judged.yaml")
def test_expressions_are_answered_as_in_a_hub(name: str) -> None:
    """OCM's code was given the objects without the defaults of CRDs, about which one case is."""
    cases = load_cases(name)
    inventory = inventory_of(cases["objects"])
    answers = {
        case["expression"]: (
            _evaluate(case["expression"], inventory),
            {case["answer"], case.get("or", case["answer"])},
        )
        for case in cases["expressions"]
        if case["expression"] != "has(managedCluster.spec.leaseDurationSeconds)"
    }
    assert {source: pair for source, pair in answers.items() if pair[0] not in pair[1]} == {}


def _evaluate(source: str, inventory: Inventory) -> str:
    try:
        (expression,) = prepare_expressions([source], inventory, "spec")
        return "yes" if expression.matches(inventory.clusters["c1"]) else "no"
    except MisconfiguredError:
        return "refused"
    except NotEvaluableError:
        return "unknown"
