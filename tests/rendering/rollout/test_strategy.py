"""The strategy's answers, held against those of Open Cluster Management's own code."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from spokerender.config.rollout import RolloutStrategy
from spokerender.model.rollout import (
    SUCCEEDED,
    MandatoryGroup,
    Release,
    RolloutStatus,
    StrategySettings,
)
from spokerender.model.spokes import DecisionGroup
from spokerender.model.times import read_time
from spokerender.rendering.rollout.waves import release
from tests.support import cyaml, each

_CASES = cyaml.safe_load(
    (Path(__file__).parents[2] / "data" / "cases" / "ocm" / "rollout.yaml").read_text()
)["cases"]


@each(*_CASES, ids=lambda case: case["name"])
def test_it_answers_as_upstream_does(case: dict[str, Any]) -> None:
    strategy = RolloutStrategy.model_validate(case["strategy"]).value
    groups = [
        DecisionGroup(group["name"], group["index"], tuple(group["clusters"]))
        for group in case["groups"]
    ]
    statuses = [
        RolloutStatus(item["cluster"], item["status"], _time(item.get("since")))
        for item in case["existing"]
    ]
    now = read_time(case["now"])
    assert _written(release(strategy, groups, statuses, now)) == case["expect"]


def test_there_are_all_cases() -> None:
    assert len(_CASES) == 22


def _time(text: str | None) -> int | None:
    return read_time(text) if text is not None else None


def _write(time: int) -> str:
    """A time of `read_time`, as the cases have it."""
    since = dt.datetime(1, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=time // 1_000)
    return since.isoformat().replace("+00:00", "Z")


def _written(answer: Release) -> dict[str, Any]:
    def entries(statuses: tuple[RolloutStatus, ...]) -> list[dict[str, str]]:
        return [
            {"cluster": item.cluster, "status": item.status}
            | ({"since": _write(item.since)} if item.since is not None else {})
            for item in statuses
        ]

    recheck = answer.recheck_after
    return {
        "rollout": entries(answer.rollout),
        "timeout": entries(answer.timed_out),
        "removed": entries(answer.removed),
        "breach": answer.is_breached,
    } | ({"recheckAfterSeconds": recheck / 10**9} if recheck is not None else {})


def test_another_type_is_refused() -> None:
    with pytest.raises(ValueError, match="incorrect rollout strategy type Sometimes"):
        release(StrategySettings("Sometimes"), (), (), 0)


def test_a_group_behind_a_gap_is_not_seen() -> None:
    groups = (DecisionGroup("a", 0, ("c1",)), DecisionGroup("b", 2, ("c2",)))
    answer = release(StrategySettings("All"), groups, (), 0)
    assert [item.cluster for item in answer.rollout] == ["c1"]


_STRATEGIES = st.builds(
    StrategySettings,
    st.sampled_from(["All", "Progressive", "ProgressivePerGroup"]),
    max_concurrency=st.one_of(st.integers(0, 9), st.sampled_from(["10%", "50%", "100%"])),
    soak=st.integers(0, 5),
    mandatory=st.lists(
        st.builds(MandatoryGroup, st.sampled_from(["", "a", "b", "x"]), st.integers(0, 4)),
        max_size=3,
    ).map(tuple),
)


@given(_STRATEGIES, st.lists(st.sampled_from("abc"), min_size=1, max_size=8))
def test_every_cluster_is_released_once_when_all_goes_well(
    strategy: StrategySettings, members: list[str]
) -> None:
    groups = [
        DecisionGroup(name, index, tuple(f"c{i}" for i, x in enumerate(members) if x == name))
        for index, name in enumerate(dict.fromkeys(members))
    ]
    released: list[str] = []
    while True:
        done = [RolloutStatus(name, SUCCEEDED, 0) for name in released]
        answer = release(strategy, groups, done, 10)
        if not answer.rollout:
            break
        released += [item.cluster for item in answer.rollout]
    assert sorted(released) == sorted(f"c{i}" for i in range(len(members)))
