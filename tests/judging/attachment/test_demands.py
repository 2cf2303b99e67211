"""P19: what a controller asks of values that any API server takes (Envoy Gateway's sources)."""

from spokerender.judging.fleet.slotted_rules import holds_rule_of_slots
from spokerender.kinds.catalogue import Catalogue
from spokerender.model.slots import number_slot, recording, text_slot
from tests.judging.attachment.policies import (
    GATEWAY,
    GATEWAYS,
    ROUTE,
    SECURITY,
    attachments,
    policy,
    section,
    status,
    subjects_of,
    told,
)
from tests.support import cases, manifest, rows_of
from tests.support.attaching import attach
from tests.support.stages import graph, values

_API = "gateway.envoyproxy.io/v1alpha1"
BACKEND, CLIENT = f"{_API}/BackendTrafficPolicy", f"{_API}/ClientTrafficPolicy"
TCP = manifest(
    "TCPRoute infra/raw",
    "parentRefs: [{name: web}], rules: [{backendRefs: [{name: cart, port: 80}]}]",
    api="gateway.networking.k8s.io/v1",
)
RAW = ROUTE.replace("HTTPRoute", "TCPRoute").replace("cart", "raw")
HTTP, HTTPS = section(GATEWAY, "http"), section(GATEWAY, "https")


def only(kind: str, target: str, says: str) -> tuple[tuple[str, str], list[str], str]:
    """Its condition, the findings (code and field), and why requests are refused."""
    documents = (GATEWAYS, TCP, policy(kind, "p", f"{{targetRefs: [{target}], {says}}}"))
    (item,) = attachments(*documents).values()
    return status(item), [line.partition(":")[0] for line in told(item)], item.failing


def limited(*rules: str) -> str:
    return f"rateLimit: {{local: {{rules: [{', '.join(rules)}]}}}}"


def limit(unit: str, selector: str = "") -> str:
    selectors = f", clientSelectors: [{{{selector}}}]" if selector else ""
    return f"{{limit: {{requests: 1, unit: {unit}}}{selectors}}}"


@cases(*rows_of(__file__, "requests_are_refused"))
def test_requests_are_refused(kind: str, says: str, field: str) -> None:
    condition, lines, failing = only(kind, GATEWAY, says)
    assert condition == ("False", "Invalid")
    assert lines == [f"SR2143 spec.{field}" if field else "SR2143 spec"]
    assert failing.startswith(f"spec.{field}" if field else "spec")


@cases(*rows_of(__file__, "others_are_taken"))
def test_others_are_taken(kind: str, says: str) -> None:
    assert only(kind, GATEWAY, says) == (("True", "Accepted"), [], "")


@cases((HTTP, False), (HTTPS, True))
def test_what_is_for_tls_is_asked_where_there_is_any(target: str, is_asked: bool) -> None:
    _, lines, _ = only(CLIENT, target, "tls: {ciphers: [NONE]}")
    assert bool(lines) is is_asked


@cases(*rows_of(__file__, "nothing_of_it_is_carried_out"))
def test_nothing_of_it_is_carried_out(target: str, says: str, field: str) -> None:
    """What a validator refuses is as if it were not there: the policy above stays."""
    condition, lines, failing = only(SECURITY, target, says)
    assert condition == ("False", "Invalid")
    assert lines == [f"SR2144 {field or 'spec.apiKeyAuth.extractFrom[0]'}"]
    assert failing == ""


def test_addresses_are_all_that_counts_for_a_tcp_route() -> None:
    says = "authorization: {rules: [{principal: {clientCIDRs: [10.0.0.0/8]}}]}"
    assert only(SECURITY, RAW, says)[1] == []
    assert only(SECURITY, ROUTE, "authorization: {rules: [{principal: {jwt: {}}}]}")[1] == []


@cases(*rows_of(__file__, "what_its_controller_has_to_find_out_is_not_known"))
def test_what_its_controller_has_to_find_out_is_not_known(kind: str, says: str, why: str) -> None:
    text = policy(kind, "p", f"{{targetRefs: [{GATEWAY}], {says}}}")
    (item,) = attachments(GATEWAYS, text).values()
    assert status(item) == ("Unknown", "Unverified")
    assert item.accepted.message == f"attached to Gateway infra/web; {why}"


@cases(*rows_of(__file__, "what_only_its_controller_can_tell"))
def test_what_only_its_controller_can_tell(
    kind: str, target: str, says: str, is_known: bool
) -> None:
    condition, _, _ = only(kind, target, says)
    assert condition == (("True", "Accepted") if is_known else ("Unknown", "Unverified"))


def test_what_is_written_out_need_not_be_found() -> None:
    provider = "issuer: a.example, authorizationEndpoint: b.example"
    condition, _, _ = only(SECURITY, GATEWAY, f"oidc: {{provider: {{{provider}}}}}")
    assert condition == ("True", "Accepted")


def test_a_value_of_a_spoke_is_asked_about_by_itself() -> None:
    slot = text_slot(0)
    spec = f"{{targetRefs: [{GATEWAY}], timeout: {{tcp: {{connectTimeout: 10s}}}}}}"
    (data,) = values(policy(BACKEND, "p", spec))
    data["spec"]["timeout"]["tcp"]["connectTimeout"] = slot
    with recording() as record:
        (item,) = attach(
            graph(GATEWAYS), subjects_of([data], Catalogue.of([])), holds=holds_rule_of_slots
        )
    assert status(item) == ("True", "Accepted")
    assert record.is_true_of({slot: "10s"})
    assert not record.is_true_of({slot: "10 lightyears"})


def test_a_spoke_may_have_a_text_where_another_has_a_number() -> None:
    """Found by a law: whether spokes are alike is asked with the values of each."""
    slot = number_slot(0)
    (data,) = values(policy(BACKEND, "p", f"{{targetRefs: [{GATEWAY}], timeout: {{tcp: {{}}}}}}"))
    data["spec"]["timeout"]["tcp"]["connectTimeout"] = slot
    with recording() as record:
        attach(graph(GATEWAYS), subjects_of([data], Catalogue.of([])), holds=holds_rule_of_slots)
    assert not record.is_true_of({f"{slot}": "10 lightyears"})


TRAFFIC = "gateway.kgateway.dev/v1alpha1/TrafficPolicy"


@cases(*rows_of(__file__, "what_kgateway_s_crd_takes_for_routes_alone"))
def test_what_kgateway_s_crd_takes_for_routes_alone(target: str, says: str, reason: str) -> None:
    """api/v1alpha1/kgateway/traffic_policy_types.go, its rules of validation."""
    gateways = GATEWAYS.replace("gatewayClassName: istio", "gatewayClassName: kgateway")
    text = policy(TRAFFIC, "p", f"{{targetRefs: [{target}], {says}}}")
    (item,) = attachments(gateways, text).values()
    assert status(item) == ("False" if reason == "Invalid" else "True", reason)
