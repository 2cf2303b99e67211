"""`spec.rollout`: what is taken, and what is refused with its line and cure."""

import pytest

from spokerender.config.rollout import RolloutStrategy
from spokerender.findings.errors import InputError
from spokerender.model.rollout import MandatoryGroup, StrategySettings
from spokerender.wings.combined import read_fleet
from tests.support import cases, rows_of

FLEET = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec:\n  rollout: "

SECOND = 10**9


def refusal(rollout: str) -> tuple[str, str]:
    with pytest.raises(InputError) as refused:
        read_fleet(("fleet.yaml", f"{FLEET}{rollout}\n".encode()))
    (result,) = refused.value.results
    assert str(result.origin) == "fleet.yaml:4"
    assert result.cure
    return result.field.removeprefix("spec.rollout"), result.message


@cases(*rows_of(__file__, "what_is_wrong_is_refused"))
def test_what_is_wrong_is_refused(rollout: str, field: str, message: str) -> None:
    assert refusal(rollout) == (field, message)


def test_a_strategy_is_read_as_ocm_reads_it() -> None:
    written = rows_of(__file__, "a_strategy_is_read_as_ocm_reads_it")
    assert RolloutStrategy.model_validate(written).value == StrategySettings(
        "Progressive",
        max_concurrency="25%",
        max_failures=1,
        deadline=5400 * SECOND,
        soak=300 * SECOND,
        mandatory=(MandatoryGroup("canary", 3), MandatoryGroup("", 0)),
    )


def test_all_takes_what_has_no_effect_with_it() -> None:
    """As OCM's CRD does; `release` asks for no soaking then."""
    written = {"type": "All", "all": {"minSuccessTime": "5m", "maxFailures": "10%"}}
    settings = StrategySettings("All", soak=300 * SECOND, max_failures="10%")
    assert RolloutStrategy.model_validate(written).value == settings


def test_the_defaults_are_those_of_ocm() -> None:
    assert RolloutStrategy().value == StrategySettings("All")
    written = {"type": "ProgressivePerGroup", "progressivePerGroup": {}}
    assert RolloutStrategy.model_validate(written).value == StrategySettings("ProgressivePerGroup")


def test_without_a_strategy_groups_go_one_by_one() -> None:
    fleet = read_fleet(("fleet.yaml", f"{FLEET}{{groups: [{{name: a}}]}}\n".encode()))
    rollout = fleet.model.spec.rollout
    assert rollout is not None
    assert rollout.strategy.type == "ProgressivePerGroup"
