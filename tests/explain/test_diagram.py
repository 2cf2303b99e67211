"""The diagram of a cluster: boxes, edges, marks of policies, and what a bound leaves out."""

from collections import Counter

from hypothesis import given, strategies as st

from spokerender.explain.diagram import (
    Box,
    Diagram,
    DrawnPolicy,
    PolicyMark,
    bound_diagram,
    draw_topology,
)
from spokerender.model import Ref
from spokerender.pipeline import judge, judge_hub, render
from tests.support import end_to_end as e2e, text_of

GROUP = "gateway.networking.k8s.io"
KINDS = ((GROUP, "HTTPRoute"), ("kuadrant.io", "AuthPolicy"), ("kuadrant.io", "RateLimitPolicy"))
HUB = e2e.WEB + text_of(__file__, "diagram.yaml")


def auth(name: str, kind: str, target: str, section: str = "", group: str = GROUP) -> str:
    """An AuthPolicy on a target in its namespace."""
    namespace = "infra" if kind == "Gateway" else "shop"
    of = f", sectionName: {section}" if section else ""
    return f"""\
---
apiVersion: kuadrant.io/v1
kind: AuthPolicy
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  targetRef: {{group: {group}, kind: {kind}, name: {target}{of}}}
  rules: {{authentication: {{key: {{jwt: {{issuerUrl: "https://{name}.example.com"}}}}}}}}
"""


def drawn(*policies: str, host: str = "shop.example.com") -> Diagram:
    """The hub with these policies."""
    text = HUB.replace("{{HOST}}", host) + "".join(policies)
    files = {
        "hub/all.yaml": text,
        "fleet.yaml": e2e.fleet(*KINDS),
        "placement.yaml": e2e.everywhere("infra/web"),
    }
    return draw_topology(judge_hub(render(e2e.project(files))))


def marks(diagram: Diagram) -> dict[str, list[tuple[str, str]]]:
    """The policies by the box that they stand in, with their marks."""
    return {
        str(box.ref): [(policy.ref.name, str(policy.mark)) for policy in box.policies]
        for box in diagram.boxes
        if box.policies
    }


def test_boxes_stand_before_what_they_lead_to() -> None:
    diagram = drawn()
    assert [(box.heading, box.name, box.details) for box in diagram.boxes] == [
        ("GatewayClass", "istio", ()),
        ("Gateway", "infra/web", ()),
        ("listener", "http", ("HTTP 80 all hostnames",)),
        ("HTTPRoute", "shop/shop", ("shop.example.com",)),
        ("rule", "buy", ("/buy",)),
        ("rule", "look", ("/look",)),
        ("HTTPRoute", "shop/lost", ("on no path from a Gateway",)),
    ]
    assert diagram.edges == ((0, 1), (1, 2), (2, 3), (3, 4), (3, 5))


def test_a_policy_stands_at_its_target_and_says_what_overrides_it() -> None:
    diagram = drawn(
        auth("wide", "Gateway", "web"), auth("near", "HTTPRoute", "shop", section="buy")
    )
    assert marks(diagram) == {
        "Gateway infra/web": [("wide", "partly overridden")],
        "HTTPRoute shop/shop [buy]": [("near", "in force")],
    }
    assert diagram.boxes[1].policies[0].note == "by AuthPolicy shop/near"
    everywhere = drawn(auth("wide", "Gateway", "web"), auth("near", "HTTPRoute", "shop"))
    assert marks(everywhere)["Gateway infra/web"] == [("wide", "overridden")]


def test_two_policies_on_one_target_conflict() -> None:
    diagram = drawn(auth("one", "HTTPRoute", "shop"), auth("two", "HTTPRoute", "shop"))
    (policies,) = marks(diagram).values()
    assert policies == [("one", "conflicted"), ("two", "conflicted")]
    notes = [policy.note for box in diagram.boxes for policy in box.policies]
    assert notes[0] == "with AuthPolicy shop/two, and only the cluster knows which is older"


def test_a_policy_whose_target_is_absent_is_drawn_at_it() -> None:
    diagram = drawn(auth("nowhere", "HTTPRoute", "gone"))
    assert marks(diagram) == {"HTTPRoute shop/gone": [("nowhere", "not accepted")]}
    box = next(box for box in diagram.boxes if box.policies)
    assert box.details == ("in no file",)


def test_a_spoke_has_its_own_values() -> None:
    spokes = "[{name: s1, values: {d: one.example}}, {name: s2, values: {d: two.example}}]"
    as_ = 'as: {hostnames: {shop.example.com: "shop.{{ spoke.values.d }}"}}'
    rule = f"{{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, {as_}}}"
    files = {
        "hub/all.yaml": HUB.replace("{{HOST}}", "shop.example.com"),
        "fleet.yaml": e2e.fleet(*KINDS),
        "placement.yaml": e2e.placement(spokes, f"[{rule}]"),
    }
    judged = judge(render(e2e.project(files)))
    hosts = [
        bundle.filled(draw_topology(judged.judged[name].judgement)).boxes[3].details
        for name, bundle in judged.bundles.items()
    ]
    assert hosts == [("shop.one.example",), ("shop.two.example",)]


POLICY = DrawnPolicy(Ref("kuadrant.io", "AuthPolicy", "a", "p"), PolicyMark.IN_FORCE)


@st.composite
def diagrams(draw: st.DrawFn) -> Diagram:
    """Diagrams of a tree of Gateways, routes and rules, with a few more edges."""
    columns = sorted(draw(st.lists(st.integers(0, 4), max_size=40)))
    boxes = []
    for place, column in enumerate(columns):
        kind = ("GatewayClass", "Gateway", "Gateway", "HTTPRoute", "HTTPRoute")[column]
        section = f"s{place}" if column in (2, 4) else ""
        policies = (POLICY,) * draw(st.sampled_from([0, 0, 1, 20]))
        boxes.append(Box(Ref(GROUP, kind, "a", f"n{place}", section), column, policies=policies))
    pairs = [
        (a, b)
        for a, start in enumerate(columns)
        for b, end in enumerate(columns)
        if start + 1 == end
    ]
    edges = draw(st.sets(st.sampled_from(pairs), max_size=60)) if pairs else set()
    return Diagram(tuple(boxes), tuple(sorted(edges)))


def counted(diagram: Diagram) -> Counter[str]:
    """Everything in a diagram, by heading, with what it counts as left out."""
    numbers = Counter(box.heading for box in diagram.boxes)
    numbers["policy"] = sum(len(box.policies) for box in diagram.boxes)
    return numbers + Counter(dict(diagram.left_out))


@given(diagrams(), st.integers(1, 40))
def test_what_a_bound_leaves_out_is_counted(diagram: Diagram, most: int) -> None:
    bounded = bound_diagram(diagram, most)
    assert len(bounded.boxes) <= most
    boxes = counted(bounded)
    assert {**boxes, "policy": 0} == {**counted(diagram), "policy": 0}
    refs = {box.ref for box in diagram.boxes}
    names = {(diagram.boxes[a].ref, diagram.boxes[b].ref) for a, b in diagram.edges}
    left = {(bounded.boxes[a].ref, bounded.boxes[b].ref) for a, b in bounded.edges}
    shown = {box.ref for box in bounded.boxes}
    assert shown <= refs
    assert left == {(a, b) for a, b in names if a in shown and b in shown}
    if len(diagram.boxes) <= most and all(len(box.policies) <= 8 for box in diagram.boxes):
        assert bounded == diagram


def test_rules_without_policies_go_first_and_what_conflicts_stays() -> None:
    route = Ref(GROUP, "HTTPRoute", "a", "r")
    worst = DrawnPolicy(Ref("kuadrant.io", "AuthPolicy", "a", "z"), PolicyMark.CONFLICTED)
    diagram = Diagram(
        (
            Box(route, 0, policies=(*(POLICY,) * 20, worst)),
            Box(route.section("one"), 1),
            Box(route.section("two"), 1, policies=(POLICY,)),
        ),
        ((0, 1), (0, 2)),
    )
    bounded = bound_diagram(diagram, 2)
    assert [box.name for box in bounded.boxes] == ["a/r", "two"]
    assert worst in bounded.boxes[0].policies
    assert dict(bounded.boxes[0].left_out) == {"policy": 13, "rule": 1}
