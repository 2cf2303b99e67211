"""What overrides and rules make of an object is what an API server takes, without any CRD."""

from tests.support import cases, each, rows_of
from tests.support.overriding import HUB, SPOKES, override
from tests.support.stages import CLASS, GATEWAY, gateway, render, told

SECOND = "{name: b, port: 80, protocol: HTTP"
RULE = "(correct the listeners, or the spoke's labels and values that they use)"
STRING = (
    "(make it a string: end the expression in `| string`, as in "
    '"{{ spoke.values.NAME | string }}", or put quotes around the value)'
)
OVERRIDE = "(correct the override, or the spoke's labels and values that it uses)"
IN_RULE = "SR1407 Gateway infra/web spec.rules[0].as.listeners: "


def ruled(listeners: str, text: str = GATEWAY) -> list[str]:
    rule = "gateways: {names: [infra/web]}, spokes: {all: true}"
    return told(render([CLASS, text], f"- {{{rule}, as: {{listeners: {listeners}}}}}\n").results)


@cases(*rows_of(__file__, "a_rules_listeners_are_complete_and_distinct"))
def test_a_rules_listeners_are_complete_and_distinct(listeners: str, expected: str) -> None:
    cure = STRING if "a string, but is the number" in expected else RULE
    assert ruled(listeners) == [f"{IN_RULE}{expected} {cure} [eu us]"]


@each(*rows_of(__file__, "listeners_that_are_right"))
def test_listeners_that_are_right(listeners: str) -> None:
    assert ruled(listeners) == []


def test_the_hubs_own_mistakes_are_not_the_rules() -> None:
    text = gateway("web", listeners="[{name: a}, {name: B, port: 80, protocol: HTTP}]")
    assert ruled("[{name: c, port: 81, protocol: HTTP}]", text) == []


def test_it_is_told_of_the_spoke_whose_value_is_wrong() -> None:
    """Also where a slot stands for the value at first."""
    spokes = "- {name: eu, values: {d: eu.example}}\n- {name: us, values: {d: US_example}}\n"
    rule = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {listeners: "
        f"[{SECOND}, hostname: '{{{{ spoke.values.d }}}}'}}]}}}}\n"
    )
    assert told(render([CLASS, GATEWAY], rule, spokes=spokes).results) == [
        (
            f'{IN_RULE}listener "b": hostname: "US_example" is not a DNS name (a-z, 0-9, "-", ".") '
            f"{RULE} [us]"
        )
    ]


CART = "{kind: HTTPRoute, name: cart}"


@cases(*rows_of(__file__, "an_override_makes_no_object_that_is_refused"))
def test_an_override_makes_no_object_that_is_refused(
    target: str, patch: str, expected: str
) -> None:
    found = render(HUB, spokes=SPOKES, overrides=override(target, patch, spokes="{names: [eu]}"))
    (result,) = (result for result in found.results if result.code == "SR1604")
    assert (result.message, f"({result.cure})") == (
        expected,
        STRING if "a string, but is the number" in expected else OVERRIDE,
    )
    assert (result.field, result.spokes) == (f"spec.overrides[0].{patch[:5]}", ("eu",))
    assert str(result.origin).startswith("placement.yaml:")


def test_only_the_override_that_made_it_is_told() -> None:
    """Not the next one on the same object."""
    entries = override(CART, "merge: {metadata: {labels: {a: 5}}}") + override(
        CART, "merge: {metadata: {labels: {b: c}, annotations: {Example.com/a: c}}}"
    )
    found = render(HUB, spokes=SPOKES, overrides=entries)
    assert [result.field for result in found.results if result.code == "SR1604"] == [
        "spec.overrides[0].merge"
    ]
