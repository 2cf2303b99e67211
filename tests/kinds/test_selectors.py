"""Label selectors as apimachinery evaluates them."""

from typing import Any

from spokerender.kinds.reference import TargetSelector
from spokerender.model.selectors import Selector
from tests.support import cases, each, rows_of


def selector(*expressions: tuple[str, str, list[str]], **labels: str) -> Selector:
    entries = [{"key": key, "operator": o, "values": v} for key, o, v in expressions]
    return Selector.read({"matchLabels": labels, "matchExpressions": entries})


@cases(
    (selector(), {}, True),
    (selector(), {"tier": "gold"}, True),
    (selector(tier="gold"), {"tier": "gold", "x": "y"}, True),
    (selector(tier="gold"), {"tier": "silver"}, False),
    (selector(tier="gold"), {}, False),
    (selector(("tier", "In", ["gold", "silver"])), {"tier": "silver"}, True),
    (selector(("tier", "In", ["gold"])), {}, False),
    (selector(("tier", "NotIn", ["gold"])), {"tier": "gold"}, False),
    (selector(("tier", "NotIn", ["gold"])), {}, True),
    (selector(("tier", "Exists", [])), {"tier": ""}, True),
    (selector(("tier", "Exists", [])), {}, False),
    (selector(("tier", "DoesNotExist", [])), {}, True),
    (selector(("tier", "DoesNotExist", [])), {"tier": "gold"}, False),
    (selector(("tier", "Gt", ["1"])), {"tier": "2"}, False),
    (selector(("tier", "Exists", []), region="eu"), {"tier": "gold"}, False),
)
def test_matches(chosen: Selector, labels: dict[str, str], matches: bool) -> None:
    assert chosen.matches(labels) is matches


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
