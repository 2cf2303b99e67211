"""Policies without a target: what of them a fleet is told."""

from spokerender.explain.values import PathQuestion
from spokerender.judging.fleet.judged import Aspect
from spokerender.model import GATEWAY_API, Ref
from spokerender.pipeline import judge
from tests.support import cases, each, manifest, rows_of
from tests.support.answers import in_force, statuses
from tests.support.stages import CLASS, GATEWAY, render, route

ROUTE = route("cart", spec="rules: [{name: all}]")
WEB = Ref(GATEWAY_API, "Gateway", "infra", "web")
LABEL = "gateway.networking.k8s.io/gateway-name"


def authorization(spec: str) -> str:
    return manifest("AuthorizationPolicy infra/callers", f"{spec}rules: [{{}}]")


def test_a_selector_of_a_gateway_s_pods_is_attached_to_that_gateway() -> None:
    policy = authorization(f"selector: {{matchLabels: {{{LABEL}: web}}}}, ")
    fleet = render([CLASS, GATEWAY, ROUTE, policy])
    judged = judge(fleet, (), Aspect.POLICIES)
    (status,) = statuses(judged)
    assert (status.targets, status.spokes) == ((WEB,), ("eu", "us"))
    conditions = {each.type: each.reason for each in status.ancestors[0].conditions}
    assert (conditions["Accepted"], conditions["Programmed"]) == ("Accepted", "Programmed")
    (answer,) = in_force(fleet, judged, PathQuestion())
    assert [rule.rule.key for rule in answer.rules] == ["rules"]


def test_for_other_pods_it_is_told_and_not_counted() -> None:
    policy = authorization("selector: {matchLabels: {app: cart}}, ")
    fleet = render([CLASS, GATEWAY, ROUTE, policy])
    told = [r for r in fleet.results if r.resource and r.resource.kind == "AuthorizationPolicy"]
    assert [result.message for result in told] == ["not shipped: it hangs on no gateway of the hub"]
    judged = judge(fleet, (), Aspect.POLICIES)
    (status,) = statuses(judged)
    assert (status.targets, status.spokes) == ((), ())
    assert in_force(fleet, judged, PathQuestion()) == ()


@cases(("infra", True), ("istio-system", True), ("shop", False))
@each("", "selector: {}, ", "selector: {matchLabels: {}}, ", "selector: null, ", "targetRefs: [], ")
def test_without_a_selector_it_is_for_the_gateways_of_its_namespace(
    selector: str, namespace: str, holds: bool
) -> None:
    """Of the root namespace: for all there are (Istio, ShouldAttachPolicy)."""
    policy = authorization(selector).replace("namespace: infra", f"namespace: {namespace}")
    fleet = render([CLASS, GATEWAY, ROUTE, policy])
    judged = judge(fleet, (), Aspect.POLICIES)
    found = [
        (status.targets, status.ancestors[0].ancestor, status.ancestors[0].conditions[-1].reason)
        for status in statuses(judged)
        if status.spokes
    ]
    assert found == ([((Ref("", "Namespace", "", namespace),), WEB, "Programmed")] if holds else [])
    answers = in_force(fleet, judged, PathQuestion())
    assert [[rule.rule.key for rule in each.rules] for each in answers] == [["rules"]] * holds


@cases(*rows_of(__file__, "a_gateway_s_name_in_the_root_namespace_selects_in_every_namespace"))
def test_a_gateway_s_name_in_the_root_namespace_selects_in_every_namespace(
    namespace: str, kind: str, holds: bool
) -> None:
    """pilot/pkg/model/policyattachment.go, ShouldAttachPolicy: it asks for labels alone."""
    text = authorization(f"selector: {{matchLabels: {{{LABEL}: web}}}}, ")
    policy = text.replace("namespace: infra", f"namespace: {namespace}")
    if kind == "Telemetry":
        policy = policy.replace("security.istio.io", "telemetry.istio.io")
        policy = policy.replace("AuthorizationPolicy", kind).replace("rules: [{}]", "metrics: []")
    fleet = render([CLASS, GATEWAY, ROUTE, policy])
    judged = judge(fleet, (), Aspect.POLICIES)
    targets = [status.targets for status in statuses(judged) if status.spokes]
    assert targets == ([(WEB,)] if holds else [])
    assert bool(in_force(fleet, judged, PathQuestion())) is holds


FILTERED = manifest("TrafficPolicy shop/slow", "timeouts: {request: 9s}")


def test_a_filter_is_for_the_rules_that_name_it() -> None:
    extension = "{group: gateway.kgateway.dev, kind: TrafficPolicy, name: slow}"
    spec = (
        f"rules: [{{name: slow, filters: [{{type: ExtensionRef, extensionRef: {extension}}}]}}, "
        "{name: fast}]"
    )
    cart = route("cart", spec=spec)
    kinds = "policiesToSync: [{group: gateway.kgateway.dev, kind: TrafficPolicy}]\n"
    fleet = render([CLASS, GATEWAY, cart, FILTERED], settings=kinds)
    answers = in_force(fleet, judge(fleet, (), Aspect.POLICIES), PathQuestion())
    assert [(each.path.rule, [rule.rule.key for rule in each.rules]) for each in answers] == [
        ("slow", ["timeouts"])
    ]
