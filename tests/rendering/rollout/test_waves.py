"""The groups of spokes, the waves of a strategy, and the names of the waves."""

from spokerender.model.rollout import MandatoryGroup, StrategySettings
from spokerender.model.spokes import DecisionGroup
from spokerender.rendering.rollout.waves import plan_waves
from tests.support import cases, each, manifest, rows_of, text_of
from tests.support.project import FLEET, PLACEMENT, rendered

HUB = manifest(
    "Gateway infra/web",
    "gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]",
)
SPOKES = f"""\
{PLACEMENT}  spokes:
  - {{name: a, labels: {{tier: test}}}}
  - {{name: b, labels: {{tier: prod}}}}
  - {{name: c}}
  rules: [{{gateways: {{names: [infra/web]}}, spokes: {{all: true}}}}]
"""


def findings(rollout: str) -> list[tuple[str, str, str]]:
    answer = rendered(HUB, SPOKES, f"{FLEET}  policiesToSync: []\n  rollout: {rollout}\n")
    return [
        (result.field.removeprefix("spec.rollout."), result.message, result.cure)
        for result in answer.results
        if result.code.startswith("SR26")
    ]


@cases(*rows_of(__file__, "what_is_wrong_with_groups_is_told"))
def test_what_is_wrong_with_groups_is_told(
    rollout: str, expected: list[tuple[str, str, str]]
) -> None:
    assert findings(rollout) == [*map(tuple, expected)]


def waves(strategy: StrategySettings, *groups: tuple[str, str]) -> list[tuple[str, str]]:
    """The waves of groups, whose clusters have names of one letter."""
    planned = plan_waves(
        strategy,
        [DecisionGroup(name, index, tuple(text)) for index, (name, text) in enumerate(groups)],
    )
    return [(wave.name, "".join(wave.spokes)) for wave in planned]


def test_a_wave_for_each_group() -> None:
    strategy = StrategySettings("ProgressivePerGroup")
    assert waves(strategy, ("canary", "c"), ("eu", "ab"), ("rest", "xd")) == [
        ("canary", "c"),
        ("eu", "ab"),
        ("rest", "dx"),
    ]


def test_a_group_in_several_waves_has_numbers() -> None:
    strategy = StrategySettings(
        "Progressive", max_concurrency=2, mandatory=(MandatoryGroup("canary"),)
    )
    assert waves(strategy, ("canary", "z"), ("rest", "abcde")) == [
        ("canary", "z"),
        ("rest.1", "ab"),
        ("rest.2", "cd"),
        ("rest.3", "e"),
    ]


def test_a_wave_of_several_groups_has_its_position() -> None:
    strategy = StrategySettings("Progressive", max_concurrency="50%")
    assert waves(strategy, ("one", "ac"), ("two", "bd")) == [("wave.1", "ab"), ("wave.2", "cd")]


def test_names_of_waves_are_never_equal() -> None:
    strategy = StrategySettings("ProgressivePerGroup")
    names = [name for name, _ in waves(strategy, ("a", "x"), ("a.1", "y"), ("a", "z"), ("", "q"))]
    assert names == ["a.2", "a.1", "a.3", "rest"]


def test_soaking_and_deadlines_make_no_other_waves() -> None:
    strategy = StrategySettings("ProgressivePerGroup", soak=10**15, deadline=0)
    assert waves(strategy, ("a", "x"), ("b", "y")) == [("a", "x"), ("b", "y")]


def test_all_is_one_wave() -> None:
    assert waves(StrategySettings("All"), ("a", "x"), ("b", "y")) == [("wave.1", "xy")]


def test_groups_without_clusters_make_no_wave() -> None:
    assert waves(StrategySettings("ProgressivePerGroup"), ("", "")) == []


OCM = text_of(__file__, "waves.yaml")
CLUSTER = rows_of(__file__, "cluster")


@each(
    "{placement: apps/all}",
    "{groups: [{name: canary, spokes: {placement: apps/all, decisionGroup: canary}}]}",
)
def test_decision_groups_are_groups(rollout: str) -> None:
    clusters = "".join(
        CLUSTER.replace("NAME", name).replace("TIER", tier)
        for name, tier in (("a", "prod"), ("b", "test"), ("c", "prod"))
    )
    rule = "{gateways: {names: [infra/web]}, spokes: {placement: apps/all}}"
    placement = f"{PLACEMENT}  rules: [{rule}]\n"
    fleet = f"{FLEET}  policiesToSync: []\n  rollout: {rollout}\n"
    state = rendered(f"{HUB}---\n{OCM}{clusters}", placement, fleet).rollout
    assert state is not None
    assert [(wave.name, wave.spokes) for wave in state.waves] == [
        ("canary", ("b",)),
        ("rest", ("a", "c")),
    ]


def test_a_decision_group_that_is_not_there_is_told() -> None:
    (finding,) = findings("{groups: [{name: one, spokes: {placement: apps/all}}]}")
    assert finding[:2] == ("groups[0].spokes", "no Placement apps/all decides on spokes")
