"""Label selectors as apimachinery evaluates them."""

from typing import Any

from spokerender.kinds.reference import TargetSelector
from spokerender.model.selectors import Selector
from tests.support import cases, each, rows_of


def selector(*expressions: tuple[str, str, list[str]], **labels: str) -> Selector:
    entries = [{"key": key, "operator": o, "values": v} for key, o, v in expressions]
    return Selector.read({"matchLabels": labels, "matchExpressions": entries})


@cases(*rows_of(__file__, "matches"))
def test_matches(chosen: Any, labels: dict[str, str], matches: bool) -> None:
    assert Selector.read(chosen).matches(labels) is matches


@each(*rows_of(__file__, "an_odd_selector_selects_nothing"))
def test_an_odd_selector_selects_nothing(odd: Any) -> None:
    assert not Selector.read(odd).matches({})
    assert not Selector.read(odd).matches({"tier": "gold"})


def test_written_as_kubectl_takes_it() -> None:
    chosen = selector(
        ("tier", "In", ["gold", "silver"]),
        ("zone", "NotIn", ["x"]),
        ("a", "Exists", []),
        ("b", "DoesNotExist", []),
        region="eu",
    )
    assert str(chosen) == "region=eu,tier in (gold,silver),zone notin (x),a,!b"
    assert str(selector()) == ""


def test_namespaces_of_targets() -> None:
    team = {"team": "edge"}
    same = TargetSelector(selector())
    assert same.admits_namespace("infra", "infra", {})
    assert not same.admits_namespace("infra", "edge", team)
    assert TargetSelector(selector(), "All").admits_namespace("infra", "edge", {})
    chosen = TargetSelector(selector(), "Selector", selector(team="edge"))
    assert chosen.admits_namespace("infra", "edge", team)
    assert not chosen.admits_namespace("infra", "infra", {})
    assert not TargetSelector(selector(), "Nonsense").admits_namespace("infra", "infra", {})
