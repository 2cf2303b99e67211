"""The statuses of routes, listeners and ListenerSets that agentgateway's own tests expect.

A case is all that its cluster has. Its module is not to be had, so its cases are kept here.
"""

from typing import Any

from tests.conftest import DATA
from tests.live.judges import Hub, judge_hub
from tests.support import each, rows_of
from tests.support.stages import values

CASES = DATA / "cases/agentgateway.yaml"
MADE = "2026-01-01T00:00:00Z"
DIFFERENT = rows_of(__file__, "different")
"""The cases about which we say something else, and why."""
Case = dict[str, Any]


def cases() -> list[Case]:
    folders: list[Case] = values(CASES.read_text(encoding="utf-8"))[0]["folders"]
    return [{**case, "basis": each["basis"]} for each in folders for case in each["cases"]]


def cluster(case: Case) -> Hub:
    """All objects of a case; of two of one name, the case's own."""
    by_name = {
        (one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]): one
        for one in (*case["basis"], *case["objects"])
    }
    return [
        {**one, "metadata": {"creationTimestamp": MADE, **one["metadata"]}}
        for one in by_name.values()
    ]


def differences(case: Case) -> dict[str, tuple[str, str]]:
    """What we say, and what is expected, where the two are not the same."""
    _, answers = judge_hub(cluster(case))
    ours = {
        " | ".join(key): " ".join(
            sorted(f"{kind}={status}/{reason}" for kind, status, reason in one)
        )
        for key, one in answers.items()
    }
    return {
        key: (ours.get(key, ""), expected)
        for key, expected in case["statuses"].items()
        if ours.get(key, "") != expected
    }


def test_no_case_is_left_out() -> None:
    assert len(cases()) == 54
    assert {case["case"] for case in cases()} >= DIFFERENT.keys()


@each(*cases(), ids=lambda case: str(case["case"]))
def test_the_statuses_are_those_that_agentgateway_writes(case: Case) -> None:
    assert bool(differences(case)) == (case["case"] in DIFFERENT), differences(case)
