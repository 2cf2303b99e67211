"""Which gateways and spokes the rules mean, and every name and selector that means nobody."""

import pytest

from spokerender.findings.errors import InputError
from spokerender.model import Origin
from spokerender.rendering.placement.decide import decide, unplaced
from spokerender.rendering.placement.sources import read_declarations
from spokerender.rendering.values.placement import Decision
from tests.support import cases, each, rows_of
from tests.support.project import PLACEMENT
from tests.support.stages import gateway, graph, placement, render, told

HUB = (
    gateway("web", metadata="labels: {tier: public, team: a}"),
    gateway("api", metadata="labels: {tier: internal}"),
    gateway("web", "edge", metadata="labels: {tier: public}"),
)
SPOKES = """\
- {name: us-2, labels: {region: us, tier: prod}}
- {name: eu-1, labels: {region: eu, tier: prod}}
- {name: us-1, labels: {region: us, tier: test}}
- {name: lab}
"""
ALL = "{all: true}"


def decided(rules: str = "", overrides: str = "", spokes: str = SPOKES) -> Decision:
    text = placement(rules, spokes=spokes, overrides=overrides)
    return decide(read_declarations([("placement.yaml", text.encode())]), graph(*HUB))


def rule(gateways: str, spokes: str = ALL, more: str = "") -> str:
    return f"- {{gateways: {gateways}, spokes: {spokes}{more}}}\n"


def gateways(decision: Decision, spoke: str = "eu-1") -> list[str]:
    return [str(ref) for ref, _ in decision.gateways_on(spoke)]


def spokes(decision: Decision) -> list[str]:
    return [spoke.name for spoke in decision.spokes if decision.gateways_on(spoke.name)]


@cases(*rows_of(__file__, "gateways_by_name_or_label"))
def test_gateways_by_name_or_label(selection: str, expected: list[str]) -> None:
    decision = decided(rule(selection))
    assert told(decision.results) == []
    assert gateways(decision) == [f"Gateway {name}" for name in expected]


@cases(*rows_of(__file__, "spokes_by_name_label_expression_or_all"))
def test_spokes_by_name_label_expression_or_all(selection: str, expected: list[str]) -> None:
    decision = decided(rule("{names: [infra/web]}", selection))
    assert (told(decision.results), spokes(decision)) == ([], expected)


@each("{selector: {}}", "{selector: {matchLabels: {}}}", "{}")
def test_an_empty_selector_is_refused(selection: str) -> None:
    for text in (rule("{names: [infra/web]}", selection), rule(selection)):
        with pytest.raises(InputError):
            decided(text)


@cases(*rows_of(__file__, "a_rule_whose_gateway_does_not_exist_is_an_error"))
def test_a_rule_whose_gateway_does_not_exist_is_an_error(selection: str, expected: str) -> None:
    decision = decided(rule(selection))
    assert told(decision.results) == [expected]
    assert [result.origin for result in decision.results] == [Origin("placement.yaml", 0, 11)]
    assert decided(rule(selection, ALL, ", optional: true")).results == ()


def test_a_spoke_that_is_not_declared_is_an_error() -> None:
    text = rule("{names: [infra/web]}", "{names: [us1, us-1]}")
    decision = decided(text)
    assert told(decision.results) == [
        'SR1402 spec.rules[0].spokes.names: no spoke "us1" is declared (did you mean "us-1"?)'
    ]
    assert spokes(decision) == ["us-1"]
    relaxed = decided(text.replace("}\n", ", optional: true}\n"))
    assert (relaxed.results, spokes(relaxed)) == ((), ["us-1"])


def test_a_selector_that_selects_nobody_today_is_a_warning() -> None:
    text = rule("{names: [infra/web]}", "{selector: {matchLabels: {region: ap}}}")
    assert told(decided(text).results) == [
        (
            "SR1403 spec.rules[0].spokes.selector: the selector selects no spoke today (no spoke "
            "has region=ap; they have region=eu, region=us; set `optional: true` if that is "
            "intended)"
        )
    ]
    assert decided(text.replace("}\n", ", optional: true}\n")).results == ()


def test_a_selector_by_a_label_that_nobody_has_is_told_so() -> None:
    text = rule("{names: [infra/web]}", "{selector: {matchLabels: {regoin: eu}}}")
    (result,) = decided(text).results
    assert result.cure.startswith("no spoke has the label regoin; they have ")
    assert "region" in result.cure


def test_an_override_names_and_selects_spokes_by_the_same_rules() -> None:
    entry = "- {target: {kind: AuthPolicy}, merge: {a: b}, spokes: %s}\n"
    decision = decided(
        overrides=entry % "{names: [us1]}"
        + entry % "{selector: {matchLabels: {region: ap}}}"
        + entry % "{selector: {matchLabels: {region: us}}}"
        + entry % ALL
    )
    assert told(decision.results) == [
        'SR1402 spec.overrides[0].spokes.names: no spoke "us1" is declared (did you mean "us-1"?)',
        (
            "SR1403 spec.overrides[1].spokes.selector: the selector selects no spoke today (no "
            "spoke has region=ap; they have region=eu, region=us; set `optional: true` if that is "
            "intended)"
        ),
    ]
    numbers = {
        name: [override.number for override in found]
        for name, found in decision.overrides_of_spoke.items()
    }
    assert numbers == {"us-1": [2, 3], "us-2": [2, 3], "eu-1": [3], "lab": [3]}
    assert [override.number for override in decision.overrides_in_use] == [2, 3]


def test_a_gateway_on_no_spoke_is_a_warning() -> None:
    decision = decided(
        rule("{names: [infra/web]}") + rule("{names: [infra/api]}", "{names: [nobody]}")
    )
    origins = {ref: Origin("hub/a.yaml", 1, 5) for ref, _ in decision.gateways_on("eu-1")}
    assert told(unplaced(decision, graph(*HUB), origins)) == [
        f"SR1404 Gateway {name}: the Gateway is placed on no spoke (name it in a rule of the "
        "placement, or take it out of the hub)"
        for name in ("edge/web", "infra/api")
    ]


def test_rules_keep_the_order_of_the_documents_names_whatever_the_order_of_files() -> None:
    one = PLACEMENT.replace("shop", "one") + f"  rules:\n  {rule('{names: [infra/web]}')}"
    two = PLACEMENT.replace("shop", "two") + (
        f"  rules:\n  {rule('{names: [infra/api]}')}  spokes: [{{name: b}}, {{name: a}}]\n"
    )
    files = [("x.yaml", two.encode()), ("y.yaml", one.encode())]
    for order in (files, files[::-1]):
        found = read_declarations(order)
        assert [spoke.name for spoke in found.spokes] == ["a", "b"]
        assert [(each.number, str(each.origin), each.field) for each in found.rules] == [
            (0, "y.yaml:6", "spec.rules[0]"),
            (1, "x.yaml:6", "spec.rules[0]"),
        ]
        assert gateways(decide(found, graph(*HUB)), "a") == [
            "Gateway infra/web",
            "Gateway infra/api",
        ]


def test_a_hub_without_any_spoke_says_why_nothing_ships() -> None:
    found = render(
        [*HUB], spokes="", settings="policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]"
    )
    assert told(found.results, "SR1404", "SR1501") == [
        (
            "SR1404 Gateway edge/web: the Gateway is placed on no spoke (name it in a rule of the "
            "placement, or take it out of the hub)"
        ),
        (
            "SR1404 Gateway infra/api: the Gateway is placed on no spoke (name it in a rule of the "
            "placement, or take it out of the hub)"
        ),
        (
            "SR1404 Gateway infra/web: the Gateway is placed on no spoke (name it in a rule of the "
            "placement, or take it out of the hub)"
        ),
        "SR1501 Gateway edge/web: not shipped: no spoke is declared",
        "SR1501 Gateway infra/api: not shipped: no spoke is declared",
        "SR1501 Gateway infra/web: not shipped: no spoke is declared",
    ]


def test_a_spoke_may_say_which_crds_it_has() -> None:
    spokes = """\
- {name: a, gatewayAPI: {bundle: v1.4.1, channel: experimental}}
- {name: b, gatewayAPI: {channel: standard}}
- {name: c}
"""
    found = decided(spokes=spokes).spokes
    assert [(spoke.name, spoke.bundle, spoke.channel) for spoke in found] == [
        ("a", "v1.4.1", "experimental"),
        ("b", "", "standard"),
        ("c", "", ""),
    ]
    assert [sorted(spoke.context) for spoke in found] == [
        ["claims", "labels", "name", "values"]
    ] * 3


@cases(
    ("{all: true, except: [us-1, lab]}", ["eu-1", "us-2"]),
    ("{selector: {matchLabels: {region: us}}, except: [us-1]}", ["us-2"]),
)
def test_spokes_are_left_out_by_name(selection: str, chosen: list[str]) -> None:
    decision = decided(rule("{names: [infra/web]}", selection))
    assert (sorted(spokes(decision)), decision.results) == (chosen, ())


def test_what_is_left_out_must_be_declared() -> None:
    decision = decided(rule("{names: [infra/web]}", "{all: true, except: [us1]}"))
    assert told(decision.results) == [
        'SR1402 spec.rules[0].spokes.except: no spoke "us1" is declared (did you mean "us-1"?)'
    ]
