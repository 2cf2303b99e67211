"""The rules of the lock (tests/data/cases/ocm/lock.yaml): what holds, and what is decided anew."""

from collections.abc import Mapping
from typing import Any

from spokerender.rendering.values.decisions import DecisionOptions, PlacementLock
from spokerender.wings.hubs.ocm.deciding import Decided, decide_all
from tests.support import each
from tests.support.ocm import inventory_of, load_cases

CASES = load_cases("lock.yaml")["cases"]


@each(*CASES, ids=[case["name"] for case in CASES])
def test_a_decision_is_kept_as_long_as_it_holds(case: Mapping[str, Any]) -> None:
    expected = case["expect"]
    answers = _decide(case)
    refused = [answer.key for answer in answers if answer.refused is not None]
    assert refused == expected.get("refused", [])
    if "holds" in expected:
        assert {answer.key: answer.is_held for answer in answers} == expected["holds"]
        assert _clusters(answers) == expected["build"]
        updated = _clusters(_decide(case, "*"))
        assert updated == expected.get("update", expected["build"])


def test_the_entry_of_a_placement_that_is_gone_counts_no_more() -> None:
    case = next(case for case in CASES if "balance each other" in case["name"])
    gone = {"ns1/gone": ["cluster1"], "ns1/also": ["cluster1"]}
    assert _clusters(_decide({**case, "lock": gone})) == case["expect"]["build"]


def test_a_decision_that_holds_needs_no_time_for_scores() -> None:
    """It is the decision, whatever scores say; what it would be without it depends on the time."""
    case = next(case for case in CASES if "better resource score" in case["name"])
    addon = {"type": "AddOn", "addOn": {"resourceName": "load", "scoreName": "a"}}
    policy = {"configurations": [{"scoreCoordinate": addon}]}
    score = {
        "apiVersion": "cluster.open-cluster-management.io/v1alpha1",
        "kind": "AddOnPlacementScore",
        "metadata": {"name": "load", "namespace": "cluster2"},
        "status": {"scores": [{"name": "a", "value": 5}], "validUntil": "2026-01-01T00:00:00Z"},
    }
    objects = [
        {**one, "spec": {**one["spec"], "prioritizerPolicy": policy}}
        if one["kind"] == "Placement"
        else one
        for one in case["objects"]
    ]
    timed = {**case, "objects": [*objects, score]}
    (held,) = _decide(timed)
    assert (held.is_held, held.clusters, held.refused) == (True, ("cluster1",), None)
    for answers in (_decide(timed, "*"), _decide({**timed, "lock": {}})):
        assert [str(answer.refused) for answer in answers] == ["the score load/a of cluster2"]
    (moved,) = _decide({**timed, "now": "2025-12-31T00:00:00Z"}, "*")
    assert moved.clusters == ("cluster1",), "Steady has the same weight"


def _decide(case: Mapping[str, Any], *updates: str) -> tuple[Decided, ...]:
    lock = {key: tuple(clusters) for key, clusters in case["lock"].items()}
    options = DecisionOptions(now=case.get("now", ""), updates=frozenset(updates))
    return decide_all(inventory_of(case["objects"]), PlacementLock(lock), options)


def _clusters(answers: tuple[Decided, ...]) -> dict[str, list[str]]:
    return {answer.key: list(answer.clusters) for answer in answers}
