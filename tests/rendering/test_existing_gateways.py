"""The gateways that the spokes have of their own, as the placement describes them."""

from typing import Any

from spokerender.judging.attachment.statuses import Truth
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from tests.support import cases, each, manifest
from tests.support.stages import CLASS, auth, gateway, render, route, told

LISTENERS = (
    "[{name: http, port: 80, protocol: HTTP, hostname: '*.a.example', "
    "allowedRoutes: {namespaces: {from: All}}}, "
    "{name: more, port: 81, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]"
)
WEB = gateway("web", listeners=LISTENERS, metadata="labels: {tier: gold}")
API = gateway("api", listeners=LISTENERS)
OPEN = "port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}"
SETTINGS = (
    "policiesToSync: [{group: gateway.kgateway.dev, kind: TrafficPolicy}, "
    "{group: gateway.networking.k8s.io, kind: ReferenceGrant}]"
)


SUBSTANCE = {
    "SecurityPolicy": "cors: {allowOrigins: ['https://a.example']}",
    "TrafficPolicy": "timeouts: {request: 5s}",
}


def existing(listeners: str, name: str = "web", more: str = "") -> str:
    return (
        f"- {{gateways: {{names: [infra/{name}]}}, spokes: {{names: [eu]}}, mode: existing, "
        f"as: {{name: one, listeners: [{listeners}]{more}}}}}\n"
    )


def shipped(rendered: Rendered, kind: str) -> dict[str, Any]:
    """The spec of the one object of a kind."""
    (spec,) = (
        variant.object["spec"]
        for variant in rendered.bundles["eu"].blueprint.variants
        if variant.ref.kind == kind
    )
    return dict(spec)


def selecting(kind: str = "SecurityPolicy", entry: str = "matchLabels: {tier: gold}") -> str:
    group = "gateway.kgateway.dev" if kind == "TrafficPolicy" else "gateway.envoyproxy.io"
    return manifest(
        f"{kind} infra/p",
        f"targetSelectors: [{{group: gateway.networking.k8s.io, kind: Gateway, {entry}}}], "
        f"{SUBSTANCE[kind]}",
        api=f"{group}/v1alpha1",
    )


# Sections.


def test_section_names_become_those_of_the_spoke_s_gateway() -> None:
    documents = (
        auth("p", "kind: Gateway, name: web, sectionName: http"),
        route("r", "[{name: web, namespace: infra, sectionName: http}]"),
        selecting("TrafficPolicy", "matchLabels: {tier: gold}, sectionName: more"),
    )
    rules = existing(
        f"{{name: plain, for: http, {OPEN}}}, {{name: rest, for: [more], {OPEN}}}",
        more=", labels: {tier: gold}",
    )
    rendered = render([CLASS, WEB, *documents], rules, settings=SETTINGS)
    assert [item for item in rendered.results if item.severity.name == "ERROR"] == []
    assert shipped(rendered, "AuthPolicy")["targetRef"] == {
        "group": "gateway.networking.k8s.io",
        "kind": "Gateway",
        "name": "one",
        "sectionName": "plain",
    }
    assert shipped(rendered, "HTTPRoute")["parentRefs"] == [
        {"name": "one", "namespace": "infra", "sectionName": "plain"}
    ]
    assert shipped(rendered, "TrafficPolicy")["targetSelectors"][0]["sectionName"] == "rest"


def test_a_name_of_the_spoke_may_be_an_expression() -> None:
    rules = existing(f"{{name: '{{{{ spoke.values.ns }}}}', for: http, {OPEN}}}")
    documents = (WEB, auth("p", "kind: Gateway, name: web, sectionName: http"))
    rendered = render([CLASS, *documents], rules)
    assert told(rendered.results, "SR1701", "SR1706", "SR1708") == []
    (file,) = (text for path, text in rendered.tree.files("eu").items() if "authpolicy" in path)
    assert b"sectionName: edge-eu" in file


def test_one_listener_may_stand_for_several_which_widens_what_names_one() -> None:
    rules = existing(f"{{name: web, for: [http, more], {OPEN}}}")
    documents = (WEB, auth("p", "kind: Gateway, name: web, sectionName: http"))
    results = render([CLASS, *documents], rules).results
    assert [line.partition(" (")[0] for line in told(results, "SR1708")] == [
        (
            "SR1708 AuthPolicy infra/p spec.targetRef: its target on the spoke is Gateway "
            "infra/web [more] as well, which it is not for on the hub"
        )
    ]


@each("more", "http")
def test_a_listener_that_stands_for_another_is_not_that_of_its_name(section: str) -> None:
    rules = existing(f"{{name: more, for: http, {OPEN}}}")
    documents = (WEB, route("r", f"[{{name: web, namespace: infra, sectionName: {section}}}]"))
    results = render([CLASS, *documents], rules).results
    assert told(results, "SR1701") == [
        (
            "SR1701 HTTPRoute shop/r spec.parentRefs[0].sectionName: no one listener of the "
            "spoke's gateway is declared for the hub's \"more\" (write "
            "`for: more` at the listener in the rule's `as.listeners`) [eu]"
        )
    ] * (section == "more")


def test_a_listener_that_the_hub_lacks_is_an_error() -> None:
    results = render([CLASS, WEB], existing(f"{{name: plain, for: htp, {OPEN}}}")).results
    assert told(results, "SR1407") == [
        (
            'SR1407 spec.rules[0].as.listeners[0].for: no Gateway of the rule has a listener "htp" '
            'on the hub (did you mean "http"?)'
        )
    ]


def test_a_hostname_that_the_mapped_listener_does_not_serve_is_an_error() -> None:
    rules = existing(f"{{name: plain, for: http, hostname: x.b.example, {OPEN}}}")
    parent = "[{name: web, namespace: infra, sectionName: http}]"
    text = route("r", parent, spec="hostnames: [x.a.example]")
    assert [line[:28] for line in told(render([CLASS, WEB, text], rules).results, "SR1704")] == [
        "SR1704 HTTPRoute shop/r spec"
    ]


# Several of the hub that are one.


def test_parents_and_targets_of_two_gateways_become_one() -> None:
    rules = "".join(existing(f"{{name: web, for: http, {OPEN}}}", name) for name in ("web", "api"))
    parents = (
        "[{name: api, namespace: infra, sectionName: http}, {name: web, namespace: infra}, "
        "{name: web, namespace: infra, sectionName: http}]"
    )
    policy = manifest(
        "SecurityPolicy infra/p",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web, "
        "sectionName: http}, {group: gateway.networking.k8s.io, kind: Gateway, name: api, "
        "sectionName: http}]",
    )
    grant = manifest(
        "ReferenceGrant infra/g",
        "from: [{group: gateway.envoyproxy.io, kind: SecurityPolicy, namespace: infra}], "
        "to: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}, "
        "{group: gateway.networking.k8s.io, kind: Gateway, name: api}]",
    )
    parents = parents.replace(", {name: web, namespace: infra, sectionName: http}", "")
    documents = (WEB, API, route("r", parents), policy, grant)
    rendered = render([CLASS, *documents], rules, settings=SETTINGS)
    assert [item for item in rendered.results if item.severity.name == "ERROR"] == []
    assert shipped(rendered, "HTTPRoute")["parentRefs"] == [{"name": "one", "namespace": "infra"}]
    assert [
        entry["sectionName"] for entry in shipped(rendered, "SecurityPolicy")["targetRefs"]
    ] == ["web"]
    assert len(shipped(rendered, "ReferenceGrant")["to"]) == 1


def test_a_policy_of_one_of_them_widens() -> None:
    rules = "".join(existing(f"{{name: web, for: http, {OPEN}}}", name) for name in ("web", "api"))
    results = render([CLASS, WEB, API, auth("p", "kind: Gateway, name: web")], rules).results
    assert [line.partition(" (")[0] for line in told(results, "SR1708")] == [
        (
            "SR1708 AuthPolicy infra/p spec.targetRef: its target on the spoke is Gateway "
            "infra/api as well, which it is not for on the hub"
        )
    ]


def test_two_rules_that_give_one_gateway_different_labels_are_an_error() -> None:
    rules = "".join(existing("", name, f", labels: {{tier: {name}}}") for name in ("web", "api"))
    results = render([CLASS, WEB, API], rules).results
    assert ['declare its label "tier" differently' in line for line in told(results, "SR1511")] == [
        True
    ]


# Labels.

SELECTORS = [
    ("matchLabels: {tier: gold}", "{tier: gold}", Truth.TRUE),
    ("matchLabels: {tier: gold}", "{tier: gold, team: a}", Truth.TRUE),
    ("matchLabels: {tier: gold}", "{tier: silver}", Truth.FALSE),
    ("matchLabels: {tier: gold}", "{tier: null}", Truth.FALSE),
    ("matchLabels: {tier: gold}", "{team: a}", Truth.UNKNOWN),
    ("matchLabels: {tier: gold}", "{}", Truth.UNKNOWN),
    ("matchExpressions: [{key: tier, operator: NotIn, values: [x]}]", "{tier: other}", Truth.TRUE),
    ("matchExpressions: [{key: tier, operator: NotIn, values: [x]}]", "{tier: null}", Truth.TRUE),
    ("matchExpressions: [{key: tier, operator: NotIn, values: [x]}]", "{}", Truth.UNKNOWN),
    ("matchExpressions: [{key: canary, operator: DoesNotExist}]", "{canary: one}", Truth.FALSE),
    ("matchExpressions: [{key: canary, operator: DoesNotExist}]", "{a: b}", Truth.UNKNOWN),
    ("matchExpressions: [{key: canary, operator: DoesNotExist}]", "{canary: null}", Truth.TRUE),
]


@each("SecurityPolicy", "TrafficPolicy")
@cases(*SELECTORS)
def test_a_selector_is_judged_by_the_labels_that_are_declared(
    entry: str, labels: str, truth: Truth, kind: str
) -> None:
    rules = existing(f"{{name: http, {OPEN}}}", more=f", labels: {labels}")
    parent = route("r", spec="rules: [{name: a}]")
    rendered = render([CLASS, WEB, parent, selecting(kind, entry)], rules, settings=SETTINGS)
    assert bool(told(rendered.results, "SR1706")) is (truth is Truth.FALSE)
    judged = judge(rendered)
    warnings = told(judged.results, "SR2224")
    assert len(warnings) == (truth is Truth.UNKNOWN)
    if truth is Truth.UNKNOWN:
        assert "which the spoke has of its own, is not known (say what it has" in warnings[0]
        assert told(judged.results, "SR2201") == []
    judgement = judged.judged["eu"].judgement
    (attachment,) = judgement.attachments.values()
    assert attachment.accepted.status is truth
    outcomes = [(bool(e.likely.policies), len(e.others)) for e in judgement.effective]
    assert (
        outcomes == {Truth.TRUE: [(True, 0)], Truth.FALSE: [], Truth.UNKNOWN: [(False, 1)]}[truth]
    )
