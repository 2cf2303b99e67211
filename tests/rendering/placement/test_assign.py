"""As what a gateway is placed: the rules' expressions evaluated, spoke by spoke."""

from spokerender.model import JsonValue, Origin, PlacedGateway, Ref
from spokerender.rendering.holding import Slots, SpokeSlots
from spokerender.rendering.placement.assign import Assigner
from spokerender.rendering.placement.decide import decide
from spokerender.rendering.placement.sources import read_declarations
from tests.rendering.placement.rules import HUB, SPOKES, assigned, decided, ref
from tests.support import cases, rows_of
from tests.support.stages import gateway, graph, placement, told


def one(as_: str, more: str = "") -> PlacedGateway:
    placed, values, results = assigned(decided(as_, more))
    assert (values, results) == ({}, ())
    return placed[0]


def test_what_is_left_out_stays_as_on_the_hub() -> None:
    assert one("{}") == PlacedGateway(hub=ref("web"), ref=ref("web"), rule=0)
    assert not one("{}").moved


def test_everything_can_be_said() -> None:
    placed = one("""{
        name: "{{ spoke.values.name }}",
        namespace: "{{ spoke.values.ns }}-{{ spoke.labels.region }}",
        gatewayClassName: "class-{{ spoke.values.number }}",
        hostnames: {"*.a.example": "*.{{ spoke.name }}.example", "b.example": "c.example"},
        labels: {tier: "{{ gateway.labels.tier }}", gone: null, z: plain},
        annotations: {
          a: "{{ gateway.namespace }}/{{ gateway.name }} {{ gateway.gatewayClassName }}"},
        listeners: [
          {name: http, port: "{{ spoke.values.number }}", tls: {deep: ["{{ spoke.values.deep }}"]}}]
      }""")
    assert placed == PlacedGateway(
        hub=ref("web"),
        ref=ref("edge-eu", "ingress-eu"),
        rule=0,
        gateway_class="class-5",
        hostnames=(("*.a.example", "*.eu.example"), ("b.example", "c.example")),
        labels=(("gone", None), ("tier", "public"), ("z", "plain")),
        annotations=(("a", "infra/web hub"),),
        listeners=JsonValue.of([{"name": "http", "port": 5, "tls": {"deep": [{"a": "b"}]}}]),
    )
    assert placed.moved


def test_an_existing_gateway_is_marked() -> None:
    assert one("{namespace: x}", ", mode: existing") == PlacedGateway(
        hub=ref("web"), ref=ref("web", "x"), rule=0, existing=True
    )


@cases(
    ("{naming: kuadrant-mgc}", ref("web", "kuadrant-infra"), {"kuadrant.io/managed": "true"}),
    ("{naming: kuadrant-mgc, name: x, namespace: z}", ref("x", "z"),
     {"kuadrant.io/managed": "true"}),
    ('{naming: kuadrant-mgc, labels: {kuadrant.io/managed: "false"}}', ref("web", "kuadrant-infra"),
     {"kuadrant.io/managed": "false"}),
    ("{naming: hub}", ref("web"), {}),
)  # fmt: skip
def test_naming(as_: str, expected: Ref, labels: dict[str, str]) -> None:
    placed = one(as_)
    assert (placed.ref, dict(placed.labels)) == (expected, labels)


CURE = " (correct the rule, or the spoke's labels and values that it uses)"


@cases(*rows_of(__file__, "what_is_wrong_on_a_spoke_is_told_at_the_rule"))
def test_what_is_wrong_on_a_spoke_is_told_at_the_rule(as_: str, expected: str) -> None:
    _, _, results = assigned(decided(as_))
    assert told(results) == [expected + CURE]
    assert [result.origin for result in results] == [Origin("placement.yaml", 0, 12)]


def test_a_namespace_that_the_convention_makes_too_long_is_an_error() -> None:
    long = "n" * 60
    hub = graph(gateway("web", long))
    text = placement(
        f"- {{gateways: {{names: [{long}/web]}}, spokes: {{all: true}}, as: {{naming: "
        f"kuadrant-mgc}}}}"
    )
    decision = decide(read_declarations([("placement.yaml", text.encode())]), hub)
    _, results = Assigner(decision, hub).assign(decision.spokes[0], SpokeSlots(Slots(None)))
    assert told(results) == [
        f'SR1407 spec.rules[0].as.namespace: "kuadrant-{long}" is longer than 63 characters{CURE}'
    ]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    _, _, results = assigned(
        decided('{name: A, namespace: B, labels: {a: "{{ x }}"}, hostnames: {a.example: C}}')
    )
    assert [result.field.removeprefix("spec.rules[0].as.") for result in results] == [
        "name",
        "namespace",
        "hostnames[a.example]",
        "labels.a",
    ]


def test_one_gateway_placed_twice_on_a_spoke_is_an_error() -> None:
    rules = """\
        - {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {name: first}}
        - {gateways: {selector: {matchLabels: {tier: public}}}, spokes: {all: true}}
        """
    text = placement(rules, spokes=SPOKES)
    decision = decide(read_declarations([("placement.yaml", text.encode())]), HUB)
    placed, _, results = assigned(decision)
    assert [each.ref for each in placed] == [ref("first")]
    assert told(results) == [
        (
            "SR1405 Gateway infra/web spec.rules[1]: already placed on this spoke by the rule at "
            "placement.yaml:12 (make the two rules' spokes disjoint)"
        )
    ]
    assert assigned(decision, spoke="us")[2] == ()


def test_gateways_come_in_the_order_of_the_hub() -> None:
    placed, _, _ = assigned(decided("{}", selection="{names: [infra/web, infra/api]}"))
    assert [each.hub.name for each in placed] == ["api", "web"]


def test_a_spoke_that_no_rule_means_gets_nothing() -> None:
    text = placement("- {gateways: {names: [infra/web]}, spokes: {names: [us]}}", spokes=SPOKES)
    decision = decide(read_declarations([("placement.yaml", text.encode())]), HUB)
    assert assigned(decision) == ((), {}, ())
