"""Random questions to a RolloutStrategy: groups, statuses of clusters, and the strategy."""

from random import Random
from typing import Any

from msgspec.structs import replace

from spokerender.config.rollout import RolloutStrategy
from spokerender.model.rollout import Release, RolloutStatus
from spokerender.model.spokes import DecisionGroup
from spokerender.model.times import read_duration, read_time
from spokerender.rendering.rollout.waves import release

Json = dict[str, Any]
NOW = "2026-11-24T12:00:00Z"
NAMES = tuple(f"c{i}" for i in range(1, 13))
STATUSES = ("ToApply", "Progressing", "Succeeded", "Failed", "TimeOut", "Skip", "other")
TIMES = (
    "2026-11-24T12:00:00Z",
    "2026-11-24T11:59:30Z",
    "2026-11-24T11:58:30Z",
    "2026-11-24T11:58:30.5Z",
    "2026-11-24T11:00:00Z",
    "2026-11-23T12:00:00Z",
    "2026-11-24T12:00:10Z",
)
SIZES = (0, 1, 2, 3, 5, 10, -1, "10%", "25%", "34%", "50%", "100%", "0%", "150%", "0.1%")
DEADLINES = ("None", "", "0s", "30s", "90s", "1m", "1h", "24h")
SOAKS = ("0s", "30s", "90s", "1h", "1m30s", "-1s")
RARE = 15


def question(random: Random) -> Json:
    """A strategy, its groups and what is known of clusters."""
    names = random.sample(NAMES, random.randrange(len(NAMES) + 1))
    return {
        "strategy": strategy(random),
        "groups": groups(random, names),
        "existing": existing(random),
    }


def rarely(random: Random) -> bool:
    return not random.randrange(RARE)


def strategy(random: Random) -> Json:
    kind = random.choice(("All", "Progressive", "Progressive", "ProgressivePerGroup"))
    settings: Json = {}
    if random.randrange(2):
        settings["progressDeadline"] = random.choice(DEADLINES)
        if rarely(random):
            settings["progressDeadline"] = random.choice(("1d", "x", "90", "-1s", "1.5h", "1h30m"))
    if kind != "All":
        if random.randrange(2):
            settings["minSuccessTime"] = random.choice(SOAKS)
        if random.randrange(2):
            settings["maxFailures"] = random.choice(SIZES)
        if random.randrange(2):
            settings["mandatoryDecisionGroups"] = [
                mandatory(random) for _ in range(random.randrange(4))
            ]
    if kind == "Progressive" and random.randrange(3):
        settings["maxConcurrency"] = random.choice(SIZES)
    if rarely(random):
        odd = ("two", "2", "%", "x%", "1e2%", "1e999%", "-5%", "inf%")
        settings["maxFailures" if kind != "All" else "progressDeadline"] = random.choice(odd)
    field = kind[0].lower() + kind[1:]
    return {"type": kind, field: settings} if settings or random.randrange(2) else {"type": kind}


def mandatory(random: Random) -> Json:
    return random.choice(
        (
            {"groupName": random.choice(("a", "b", "gone"))},
            {"groupIndex": random.randrange(5)},
            {},
            {"groupName": "a", "groupIndex": 3},
        )
    )


def groups(random: Random, names: list[str]) -> list[Json]:
    found, index, rest = [], 0, list(names)
    while rest or rarely(random):
        size = random.randrange(min(len(rest), 5) + 1)
        chosen, rest = rest[:size], rest[size:]
        found.append(
            {"name": random.choice(("a", "b", "")), "index": index, "clusters": sorted(chosen)}
        )
        index += 1 if not rarely(random) else 2
    random.shuffle(found)
    return found


def existing(random: Random) -> list[Json]:
    found = []
    for name in random.sample((*NAMES, "gone"), random.randrange(len(NAMES))):
        one: Json = {
            "cluster": name,
            "status": random.choice(STATUSES[: 7 if rarely(random) else 6]),
        }
        if random.randrange(5):
            one["since"] = random.choice(TIMES)
        found.append(one)
    return found


def tell(asked: Json) -> Json:
    """What we release, in the form of the judge; sizes and times are not held against the CRD."""
    fields = dict(asked["strategy"])
    kind = fields.pop("type")
    part = dict(fields.get(kind[0].lower() + kind[1:]) or {})
    sizes = {key: part.pop(key, 0) for key in ("maxFailures", "maxConcurrency")}
    soak = part.pop("minSuccessTime", "0s")
    if not part.get("progressDeadline", "None"):  # as None
        del part["progressDeadline"]
    try:
        read = RolloutStrategy.model_validate({"type": kind, kind[0].lower() + kind[1:]: part})
        settings = replace(
            read.value,
            max_failures=sizes["maxFailures"],
            max_concurrency=sizes["maxConcurrency"],
            soak=read_duration(soak),
        )
        return _written(release(settings, _groups(asked), _statuses(asked), read_time(NOW)))
    except ValueError as error:
        return {"error": str(error)}


def _groups(asked: Json) -> list[DecisionGroup]:
    return [
        DecisionGroup(one["name"], one["index"], tuple(one["clusters"])) for one in asked["groups"]
    ]


def _statuses(asked: Json) -> list[RolloutStatus]:
    return [
        RolloutStatus(one["cluster"], one["status"], _nanoseconds(one)) for one in asked["existing"]
    ]


def _nanoseconds(one: Json) -> int | None:
    return read_time(one["since"]) if one.get("since") else None


def _written(answer: Release) -> Json:
    recheck = answer.recheck_after
    parts = {"rollout": answer.rollout, "timeout": answer.timed_out, "removed": answer.removed}
    found: Json = {
        name: [(one.cluster, one.status, one.since) for one in statuses]
        for name, statuses in parts.items()
    }
    return found | {
        "breach": answer.is_breached,
        "recheckAfter": recheck / 10**9 if recheck is not None else None,
    }


def read(answer: Json) -> Json:
    """What the judge answers, in the same form."""
    if "rollout" not in answer:
        return {key: answer[key] for key in ("error", "panic") if key in answer}
    written = answer["rollout"]
    found: Json = {
        name: [(one["cluster"], one["status"], _nanoseconds(one)) for one in written[name]]
        for name in ("rollout", "timeout", "removed")
    }
    return found | {
        "breach": written["breach"],
        "recheckAfter": written.get("recheckAfterSeconds"),
    }


def is_same(ours: Json, theirs: Json) -> bool:
    """Whether both answer alike; errors are in words of their own."""
    if "error" in theirs:
        return "error" in ours
    return ours == theirs
