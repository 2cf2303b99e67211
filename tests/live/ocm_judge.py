"""What OCM's own code makes of Placements and rollout strategies, and what we do."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from spokerender.wings.hubs.ocm.inventory import NotEvaluableError, SyncFailedError
from spokerender.wings.hubs.ocm.scheduling import Scheduled, schedule
from tests.live.building import program
from tests.live.placements import NOW, as_stored
from tests.support.ocm import inventory_of, question_of

Json = dict[str, Any]
UNKNOWN = "Unknown"
REFUSED = "refused"
MOST_IN_DECISION = 100
"""The clusters of one PlacementDecision."""


class Judge:
    """A program that answers one question after the other; it ends with this process."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [program("ocm-judge"), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, question: Json) -> Json:
        """The answer to a question."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: Json = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """End the program."""
        self._process.communicate()


class Word(Struct, frozen=True):
    """What is said about a Placement: each part by its name."""

    parts: Json

    def differences(self, other: Word) -> list[str]:
        """The parts that are not the same."""
        names = sorted({*self.parts, *other.parts})
        return [name for name in names if self.parts.get(name) != other.parts.get(name)]


def ask_placement(judge: Judge, objects: list[Json]) -> Word:
    """What OCM's controller writes, and the way to it."""
    answer = judge.ask({"objects": as_stored(objects), "now": NOW})
    if answer.get("panic"):
        return Word({"panic": answer["panic"]})
    if answer.get("error"):
        return Word({REFUSED: True})
    found = answer["placement"]
    status = found["status"]
    conditions = {one["type"]: one for one in status.get("conditions") or ()}
    if not conditions:
        failed = found.get("failed", "").partition(", Error: ")[2]
        return Word({"failed": failed} if failed else {"skipped": True})
    misconfigured = conditions["PlacementMisconfigured"]
    parts: Json = {
        "satisfied": _pick(conditions["PlacementSatisfied"], "status", "reason", "message"),
        "misconfigured": "",
    }
    if misconfigured["status"] == "True":
        parts["misconfigured"] = _shorten(misconfigured["message"])
    if parts["misconfigured"]:
        return Word(parts)
    return Word(
        parts
        | {
            "selected": found["selected"] or [],
            "ranked": found["ranked"] or [],
            "unscheduled": found["unscheduled"],
            "totals": found["totals"],
            "scores": sorted(
                (one["name"], one["weight"], sorted(one["scores"].items()))
                for one in found["scores"]
            ),
            "groups": [
                (
                    group["decisionGroupIndex"],
                    group["decisionGroupName"],
                    name,
                    found["decisions"][name],
                )
                for group in status["decisionGroups"]
                for name in group["decisions"]
            ],
        }
    )


def _shorten(message: str) -> str:
    """A message without what a compiler says, whose words are its own."""
    head, colon, _ = message.partition("compilation failed:")
    return head + colon


def _pick(data: Json, *keys: str) -> list[str]:
    return [data[key] for key in keys]


def tell_placement(objects: list[Json]) -> Word:
    """What we say, in the same form."""
    if inventory_of(objects).misread:
        return Word({REFUSED: True})
    question = question_of({"objects": objects, "now": NOW})
    if question.request.is_skipped:
        return Word({"skipped": True})
    try:
        scheduled = schedule(question)
    except SyncFailedError as error:
        return Word({"failed": str(error)})
    except NotEvaluableError as error:
        return Word({UNKNOWN: str(error)})
    return Word(_parts(scheduled))


def _parts(scheduled: Scheduled) -> Json:
    satisfied, fault = scheduled.satisfied, scheduled.misconfigured
    parts: Json = {
        "satisfied": [str(satisfied.is_true), satisfied.reason, satisfied.message],
        "misconfigured": _shorten(str(fault)) if fault is not None else "",
    }
    if fault is not None:
        return parts
    return parts | {
        "selected": list(scheduled.selected),
        "ranked": list(scheduled.ranked),
        "unscheduled": scheduled.unscheduled,
        "totals": dict(scheduled.totals),
        "scores": sorted(
            (one.name, one.weight, sorted(one.scores.items())) for one in scheduled.scored
        ),
        "groups": list(_decisions(scheduled)),
    }


def _decisions(scheduled: Scheduled) -> Iterable[tuple[int, str, str, list[str]]]:
    number = 0
    for group in scheduled.groups:
        for start in range(0, max(len(group.clusters), 1), MOST_IN_DECISION):
            number += 1
            clusters = list(group.clusters[start : start + MOST_IN_DECISION])
            yield group.index, group.name, f"web-decision-{number}", clusters
