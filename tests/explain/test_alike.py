"""Spokes that differ in their own names and values alone are told at once, exceptions apart."""

import json
import re

from spokerender.explain.in_force import share_in_force
from spokerender.explain.routing import share_routing
from spokerender.explain.statuses import share_statuses
from spokerender.explain.values import PathQuestion
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.effective import effective_json, effective_text
from spokerender.report.reports import EffectiveReport, Look, StatusReport
from spokerender.report.statuses import status_json, status_table
from tests.judging.advice.spokes import auth, policy
from tests.judging.fleet.exact import exactly
from tests.support import each, rows_of, stages

HUB = (
    stages.CLASS,
    stages.gateway(
        "web",
        listeners='[{name: http, hostname: "*.shop.example", port: 80, \
protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]',
    ),
    stages.route("cart", spec="hostnames: [a.shop.example], rules: [{name: all}]"),
    auth("guard", "Gateway/web", "rules: {authorization: {deny: {opa: {rego: x}}}}"),
    auth("cart", "HTTPRoute/cart", "rules: {authentication: {key: {apiKey: {}}}}", "shop"),
    policy(
        "DNSPolicy",
        "dns",
        "Gateway/web/http",
        "loadBalancing: {weight: 7, geo: EU, defaultGeo: true}",
    ),
)
RULES = rows_of(__file__, "rules")
OVERRIDES = """\
- target: {kind: DNSPolicy}
  spokes: {all: true}
  merge: {spec: {loadBalancing: {weight: "{{ spoke.values.weight }}"}}}
"""
EXCEPTIONS = (
    OVERRIDES
    + """\
- target: {kind: AuthPolicy, name: cart}
  spokes: {names: [s03, s05]}
  merge: {spec: {rules: {authentication: {key: null, basic: {anonymous: {}}}}}}
"""
)


def spokes(count: int) -> str:
    """Spokes of which the seventh has the very weight that the hub spells out."""
    values = "values: {{domain: {0}.example, weight: {1}}}"
    return "".join(
        f"- {{name: s{n:02}, {values.format(f's{n:02}', n + 1)}}}\n" for n in range(count)
    )


def fleet(count: int, overrides: str = OVERRIDES) -> Rendered:
    return stages.render(HUB, RULES, spokes=spokes(count), overrides=overrides)


def tell(rendered: Rendered) -> tuple[str, str]:
    """What `status` and `effective -v` print."""
    judged, total = judge(rendered, (), Aspect.POLICIES, with_routing=True), len(rendered.bundles)
    status = StatusReport(
        statuses=share_statuses(judged), routing=share_routing(judged), spokes=total
    )
    question = PathQuestion()
    answers = share_in_force(rendered, judged, question)
    effective = EffectiveReport(answers=answers, question=question, spokes=total)
    look = Look(width=200, verbose=True)
    return status_table(status, look), effective_text(effective, look)


def without_counts(text: str) -> str:
    """The text without numbers of spokes, and the line of the override, which follows them."""
    return re.sub(r"\b\d+(?= spokes| more|\n)|(?<=placement.yaml:)\d+", "N", text)


def test_a_text_does_not_grow_with_the_spokes() -> None:
    few, many = tell(fleet(10)), tell(fleet(30))
    assert list(map(without_counts, few)) == list(map(without_counts, many))
    assert "infra/web-{{ spoke.name }}" in few[0]
    assert "a.{{ spoke.values.domain }}" in few[1]
    assert 'weight: "{{ spoke.values.weight }}"' in few[1]
    assert few[1].count("on all 10 spokes\n      ") == few[1].count("Policy on ") == 2


def test_what_two_spokes_have_otherwise_is_an_exception() -> None:
    _, told = tell(fleet(10, EXCEPTIONS))
    usual, other = (line for line in told.splitlines() if "AuthPolicy on rule all" in line)
    assert usual.partition(", on 8 spokes")[1]
    assert other.endswith("on 2 spokes: s03, s05")
    assert told.count("rules.authentication.basic ") == 1


@each(OVERRIDES, EXCEPTIONS)
def test_slots_change_no_word(overrides: str) -> None:
    """Of a fleet that is rendered with values, because a stage asks for them, the same is told."""
    found = fleet(8, overrides)
    assert tell(exactly(found)) == tell(found)


def test_one_spoke_is_told_with_its_values() -> None:
    status, effective = tell(fleet(1))
    assert "{{ spoke." not in status + effective
    assert "infra/web-s00" in status


def test_what_is_like_a_name_by_chance_is_none() -> None:
    """The hub's own `web` is no spoke's name, though a spoke is called so."""
    rules = RULES.replace("web-{{ spoke.name }}", "web")
    named = spokes(4).replace("name: s02", "name: web")
    status, effective = tell(stages.render(HUB, rules, spokes=named, overrides=OVERRIDES))
    assert "{{ spoke.name }}" not in status + effective
    assert "infra/web" in status
    assert effective.count("Gateway infra/web (") == 1


def test_json_has_the_values_of_every_spoke() -> None:
    rendered = fleet(6, EXCEPTIONS)
    judged = judge(rendered, (), Aspect.POLICIES, with_routing=True)
    report = StatusReport(statuses=share_statuses(judged), routing=share_routing(judged))
    status = json.loads("".join(status_json(report, Look())))
    of_gateways = sorted(item["resourceRef"]["name"] for item in status["gateways"])
    assert of_gateways == [f"web-s{n:02}" for n in range(6)]
    answers = share_in_force(rendered, judged, PathQuestion())
    effective = EffectiveReport(answers=answers, question=PathQuestion())
    told = json.loads("".join(effective_json(effective, Look())))["effectivePolicies"]
    weights = {
        item["spokes"][0]: item["rules"][0]["value"]["weight"]
        for item in told
        if item.get("policyKind", {}).get("kind") == "DNSPolicy"
    }
    assert weights == {f"s{n:02}": n + 1 for n in range(6)}
    assert {name for item in told for name in item["path"]["hostnames"]} >= {"a.s00.example"}
    assert "{{ spoke." not in json.dumps([status, told])
