"""Real controllers: how they merge, refuse and report policies, case by case."""

from itertools import product
from typing import Any

from spokerender.judging.effective.outcomes import EffectivePolicy
from tests.conftest import DATA
from tests.support import controllers, each
from tests.support.stages import values

CASES = DATA / "cases/controllers.yaml"
Case = dict[str, Any]


def cases() -> list[Case]:
    found: list[Case] = values(CASES.read_text(encoding="utf-8"))[0]
    return found


def test_no_case_is_left_out() -> None:
    assert len(cases()) == 41


@each(*cases(), ids=lambda case: str(case["id"]))
def test_what_the_controller_says_of_each_policy(case: Case) -> None:
    judgement = controllers.judged(case)
    for name, expected in case["expect"]["policies"].items():
        word = "invalid" if expected == "rejected" else expected
        found = controllers.words(judgement, name)
        assert word in {each.replace("Invalid", "invalid") for each in found}, name


@each(*cases(), ids=lambda case: str(case["id"]))
def test_what_is_in_force_on_each_path(case: Case) -> None:
    found = controllers.paths(controllers.judged(case))
    for path, expected in case["expect"]["paths"].items():
        policies = [policy for name, here in found.items() if _is_on(path, name) for policy in here]
        outcomes = expected.get("either", [expected])
        assert _told(policies, case) == {_sorted(each) for each in outcomes}, path


def _is_on(path: str, name: str) -> bool:
    """Whether a path is one that the case means: where it ends at a listener, any through it."""
    return path in ("*", name) or (path.count("/") == 1 and name.startswith(f"{path}/"))


def _sorted(units: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        sorted((unit, tuple([by] if isinstance(by, str) else by)) for unit, by in units.items())
    )


def _told(policies: list[EffectivePolicy], case: Case) -> set[tuple[Any, ...]]:
    """All outcomes, each as units with who gives them, named as the case names them."""
    if any(each.likely.unknown for each in policies):
        return {
            _sorted({_named(rule.key, case): rule.policy.name})
            for each in policies
            for rule in each.likely.candidates
        }
    every = product(*[(each.likely, *each.others) for each in policies])
    return {_sorted(_as_named(controllers.units(outcomes), case)) for outcomes in every}


def _as_named(units: dict[str, list[str]], case: Case) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for key, policies in units.items():
        unit = _named(key, case)
        if unit:
            known = told.setdefault(unit, [])
            known += [name for name in policies if name not in known]
    return told


def _named(key: str, case: Case) -> str:
    """The case's name of a unit; empty for what orders policies and is no unit of it."""
    wanted = {
        unit
        for expected in case["expect"]["paths"].values()
        for outcome in expected.get("either", [expected])
        for unit in outcome
    }
    if key == "phase" and "AUTHN" in wanted:
        return "AUTHN"
    if key in ("priority", "action"):
        return ""
    for unit in sorted(wanted, key=len, reverse=True):
        if key == unit or key.startswith(f"{unit}.") or key.endswith(f".{unit}"):
            return str(unit)
    return key
