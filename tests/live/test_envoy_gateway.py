"""What `status` says of policies on random hubs, beside what Envoy Gateway's translator writes.

Each policy and ancestor is one answer: is it accepted, with which reason, overridden, merged. An
answer that we leave open (Unknown, or likely by age alone) is counted apart.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from random import Random
from typing import Any

import pytest

from spokerender.explain import statuses
from spokerender.formats import yamlio
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.model import Ref
from spokerender.pipeline import judge
from tests.live.asking import HUBS, SEED, smallest
from tests.live.building import program
from tests.live.hubs import ENVOY, GATEWAY_API, VALUES, hub
from tests.support import end_to_end as e2e
from tests.support.carried import carried_files

pytestmark = pytest.mark.live

Json = dict[str, Any]
Key = tuple[str, str, str]
"""A policy's kind and name, and an ancestor."""
Conditions = frozenset[tuple[str, str, str]]
"""Types of conditions with their statuses and reasons."""
NOTHING: Conditions = frozenset()
FIXED = ("GatewayClass", "Namespace", "Service")
"""Kinds that a hub needs; it is not made smaller by them."""
_ACCEPTED = "Accepted=True/Accepted"
_OVERRIDDEN = f"{_ACCEPTED} Overridden=True/Overridden"
_MERGED = f"{_ACCEPTED} Merged=True/Merged"
_ELSEWHERE = "a route whose parent is in no file: it writes nothing, we say what holds there"
_ROUTELESS = "it looks at targets alone; with us nothing is overridden where no route is"
_LISTENERS = "which listeners it merges on, where a route is on some, or two have one hostname"
_BOTH = f"{_ACCEPTED} Merged=True/Merged Overridden=True/Overridden"
KNOWN = {
    "ours Accepted=False/TargetNotFound, theirs none": "it writes nothing about absent targets",
    f"ours {_ACCEPTED}, theirs none": _ELSEWHERE,
    "ours Accepted=False/Conflicted, theirs none": _ELSEWHERE,
    f"ours {_ACCEPTED}, theirs {_OVERRIDDEN}": _ROUTELESS,
    f"ours {_MERGED}, theirs {_BOTH}": _ROUTELESS,
    f"ours Accepted=False/Invalid, theirs {_ACCEPTED}": (
        "a ClientTrafficPolicy on one of two listeners that have one hostname: it sees no second"
    ),
    f"ours {_ACCEPTED}, theirs {_MERGED}": _LISTENERS,
    f"ours {_MERGED}, theirs {_ACCEPTED}": _LISTENERS,
    f"ours {_OVERRIDDEN}, theirs {_BOTH}": _LISTENERS,
    f"ours {_BOTH}, theirs {_OVERRIDDEN}": _LISTENERS,
    "ours none, theirs Merged=True/Merged": _LISTENERS,
    "ours Merged=True/Merged, theirs none": _LISTENERS,
}
"""Disagreements that are known, with what is behind them; others fail."""
TYPES = ("Accepted", "Overridden", "Merged")
ROUTES = ("HTTPRoute", "GRPCRoute")
FLEET = e2e.fleet(
    *((ENVOY, kind) for kind in VALUES),
    *((GATEWAY_API, kind) for kind in (*ROUTES, "ListenerSet")),
)


def theirs(hubs: list[list[Json]]) -> list[dict[Key, Conditions]]:
    """What the translator writes about each hub."""
    done = subprocess.run(
        [program("envoy-gateway-judge")],
        input=json.dumps(hubs),
        capture_output=True,
        text=True,
        check=True,
    )
    return [_written(answer) for answer in json.loads(done.stdout)]


def _written(answer: Json) -> dict[Key, Conditions]:
    assert "error" not in answer, answer
    policies = [each for kind in answer["policies"] for each in kind or ()]
    return {
        (each["kind"], each["metadata"]["name"], _ancestor(entry["ancestorRef"])): frozenset(
            (item["type"], item["status"], item["reason"])
            for item in entry["conditions"]
            if item["type"] in TYPES
        )
        for each in policies
        for entry in each.get("status", {}).get("ancestors") or ()
    }


def _ancestor(ref: Json) -> str:
    return str(
        Ref("", ref["kind"], ref.get("namespace", ""), ref["name"], ref.get("sectionName", ""))
    )


def ours(objects: list[Json]) -> tuple[dict[Key, Conditions], set[str]]:
    """What `status` says of a hub, and the policies of which it is the likely one."""
    names = [each["metadata"] for each in objects if each["kind"] == "Gateway"]
    files = {
        "hub/all.yaml": "---\n".join(map(yamlio.emit, objects)),
        "fleet.yaml": FLEET,
        "placement.yaml": e2e.everywhere(*(f"{m['namespace']}/{m['name']}" for m in names)),
    }
    fleet = judge(e2e.rendered(files), carried_files("envoy-gateway"))
    policies = list(statuses(fleet))
    answers = {
        (status.policy.kind, status.policy.name, str(entry.ancestor)): frozenset(
            map(_condition, entry.conditions)
        )
        for status in policies
        for entry in status.ancestors
    }
    return answers, {status.policy.name for status in policies if status.is_likely}


def _condition(condition: Condition) -> tuple[str, str, str]:
    return (condition.type, str(condition.status.value), condition.reason)


def outcomes(objects: list[Json], written: dict[Key, Conditions]) -> dict[Key, str]:
    """How our answers are to theirs, one for each policy and ancestor that either names."""
    answers, likely = ours(objects)
    return {
        key: outcome(answers.get(key, NOTHING), written.get(key, NOTHING), key[1] in likely)
        for key in sorted(answers.keys() | written.keys())
    }


def outcome(answer: Conditions, written: Conditions, is_likely: bool) -> str:
    compared = frozenset(item for item in answer if item[0] in TYPES)
    if compared == written:
        return "equal"
    if any(status == Truth.UNKNOWN.value for _, status, _ in compared):
        return "Unknown"
    return "likely" if is_likely else f"ours {words(compared)}, theirs {words(written)}"


def words(conditions: Conditions) -> str:
    return (
        " ".join(f"{kind}={status}/{reason}" for kind, status, reason in sorted(conditions))
        or "none"
    )


def smallest_hub(objects: list[Json], wanted: str) -> list[Json]:
    """The fewest objects of a hub about which we differ in these words."""
    fixed = [each for each in objects if each["kind"] in FIXED]
    rest = [each for each in objects if each["kind"] not in FIXED]

    def differs(indexes: list[int]) -> bool:
        part = [*fixed, *(rest[index] for index in indexes)]
        if all(each["kind"] != "Gateway" for each in part):
            return False
        return wanted in outcomes(part, *theirs([part])).values()

    return [rest[index] for index in smallest(list(range(len(rest))), differs)]


def written_out(objects: list[Json]) -> str:
    return "---\n".join(map(yamlio.emit, objects))


def test_status_is_what_envoy_gateway_writes(capsys: pytest.CaptureFixture[str]) -> None:
    hubs = [hub(Random(f"{SEED} {index}")) for index in range(HUBS)]
    counts: Counter[str] = Counter()
    first: dict[str, list[Json]] = {}
    for objects, written in zip(hubs, theirs(hubs), strict=True):
        for how in outcomes(objects, written).values():
            counts[how] += 1
            first.setdefault(how, objects)
    with capsys.disabled():
        print(f"\nEnvoy Gateway, {HUBS} hubs of seed {SEED}")  # noqa: T201  (it is asked for)
        for how, count in counts.most_common():
            cause = f"  (known: {KNOWN[how]})" if how in KNOWN else ""
            print(f"{count:6} {how}{cause}")  # noqa: T201  (as above)
    new = [how for how in counts if how.startswith("ours") and how not in KNOWN]
    shown = (f"{how}\n{written_out(smallest_hub(first[how], how))}" for how in new)
    assert not new, "\n\n".join(shown)
    assert counts["equal"] > sum(counts.values()) // 2
