"""Conditions and ancestors: what a policy's status says."""

from msgspec.structs import replace

from spokerender.judging.attachment.statuses import Elsewhere, Subject, Truth
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.merging import Merging, Process
from spokerender.model import GATEWAY_API, Ref
from tests.judging.attachment.policies import (
    GATEWAY,
    GATEWAYS,
    OURS,
    ROUTE,
    SECURITY,
    TLS,
    attachments,
    policy,
    ref_of,
    section,
    status,
)
from tests.support import cases, each, manifest, rows_of
from tests.support.attaching import attach
from tests.support.stages import auth, gateway, graph, route, values

AUTH = "kuadrant.io/v1/AuthPolicy"
WEB = Ref(GATEWAY_API, "Gateway", "infra", "web")
CART = Ref(GATEWAY_API, "HTTPRoute", "infra", "cart")
FAR = '{group: "", kind: Service, name: far}'
GONE = GATEWAY.replace("web", "gone")
TRUST = "validation: {hostname: a.example, wellKnownCACertificates: System}"


def targeting(*targets: str) -> str:
    return f"{{targetRefs: [{', '.join(targets)}]}}"


@cases(*rows_of(__file__, "conditions"))
def test_conditions(spec: str, condition: list[str], message: str, resolved: list[str]) -> None:
    found = attachments(GATEWAYS, policy(OURS, "p", spec))["infra/p"]
    assert ([*status(found)], found.accepted.message) == (condition, message)
    refs = found.resolved_refs
    assert [refs.status.value, refs.reason, refs.message] == resolved
    assert (found.accepted.type, refs.type) == ("Accepted", "ResolvedRefs")
    assert found.is_accepted is (found.accepted.status is not Truth.FALSE)
    assert bool(found.targets) <= found.is_accepted


def test_reasons_come_in_their_order() -> None:
    """Invalid, TargetNotFound, Conflicted: each policy has the first that applies."""
    kind = "kuadrant.io/v1/DNSPolicy"
    documents = (
        GATEWAYS,
        policy(kind, "a", f"{{targetRef: {GATEWAY}}}"),
        policy(kind, "b", f"{{targetRef: {GATEWAY}, x: 1}}"),
        policy(kind, "c", f"{{targetRef: {GONE}}}"),
        policy(kind, "d", f"{{targetRef: {ROUTE.replace('cart', 'gone')}}}"),
    )
    ages = {"infra/a": 1, "infra/b": 2, "infra/c": 3, "infra/d": 4}
    found = attachments(*documents, ages=ages)
    assert {name: status(item)[1] for name, item in found.items()} == {
        "infra/a": "Accepted",
        "infra/b": "Conflicted",
        "infra/c": "TargetNotFound",
        "infra/d": "Invalid",
    }


def test_what_the_api_server_would_refuse_is_invalid_and_contends_with_nobody() -> None:
    documents = (
        GATEWAYS,
        policy(SECURITY, "a", f"{{targetRefs: [{GATEWAY}], x: 1}}"),
        policy(SECURITY, "b", f"{{targetRefs: [{GATEWAY}], x: 2}}"),
    )
    refused = {
        Ref("gateway.envoyproxy.io", "SecurityPolicy", "infra", "a"): "spec.x: no such field"
    }
    found = attachments(*documents, refused=refused)
    assert status(found["infra/a"]) == ("False", "Invalid")
    assert found["infra/a"].accepted.message == "spec.x: no such field"
    assert found["infra/a"].targets == ()
    assert status(found["infra/b"]) == ("True", "Accepted")
    assert found["infra/b"].contentions == ()


@cases(*rows_of(__file__, "nginx_writes_no_status_without_a_target"))
def test_nginx_writes_no_status_without_a_target(target: str, more: str, is_silent: bool) -> None:
    """References to what is not there are dropped (`state/graph/policies.go`)."""
    kind = "gateway.nginx.org/v1alpha1/ProxySettingsPolicy"
    nginx = manifest(
        "GatewayClass istio", "controllerName: gateway.nginx.org/nginx-gateway-controller"
    )
    judged = attachments(GATEWAYS, nginx, policy(kind, "p", f"{{targetRefs: [{target}{more}]}}"))
    assert judged["infra/p"].is_silent is is_silent


def test_what_is_malformed_is_told_in_the_words_of_its_finding() -> None:
    target = "{group: gateway.networking.k8s.io, kind: Gateway}"
    found = attachments(GATEWAYS, policy(AUTH, "p", f"{{targetRef: {target}}}"))["infra/p"]
    assert found.accepted.message == "spec.targetRef.name is missing"


OTHER = gateway("api", listeners="[{name: http, port: 80, protocol: HTTP}]")


@cases(*rows_of(__file__, "ancestors_are_the_gateways_that_it_reaches_else_its_targets"))
def test_ancestors_are_the_gateways_that_it_reaches_else_its_targets(
    target: str, ancestors: list[str]
) -> None:
    found = attachments(
        GATEWAYS,
        OTHER,
        route("both", "[{name: web}, {name: api}]", "infra"),
        route("outside", "[{name: web, sectionName: https}]", "infra", spec="hostnames: [a.b]"),
        policy(OURS, "p", targeting(target)),
    )["infra/p"]
    assert [str(ref) for ref in found.ancestors] == ancestors


def test_admission_goes_by_the_labels_of_the_hubs_namespaces() -> None:
    """A spoke's own Namespaces are not among its objects."""
    admits = "allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {a: b}}}}"
    spoke = (
        gateway("web", listeners=f"[{{name: http, port: 80, protocol: HTTP, {admits}}}]"),
        route("cart"),
        policy(OURS, "p", targeting(ROUTE), "shop"),
    )
    hub = graph(manifest("Namespace shop", metadata="labels: {a: b}"))
    found = attachments(*spoke, namespaces=hub)["shop/p"]
    assert [str(ref) for ref in found.ancestors] == ["Gateway infra/web"]
    other = attachments(*spoke, namespaces=hub.with_labels({"shop": {"a": "c"}}))["shop/p"]
    assert [str(ref) for ref in other.ancestors] == ["HTTPRoute shop/cart"]


def test_listener_sets_are_admitted_by_the_labels_of_the_hubs_namespaces() -> None:
    selector = "{from: Selector, selector: {matchLabels: {a: b}}}"
    more = manifest(
        "ListenerSet shop/more",
        "parentRef: {name: web, namespace: infra}, listeners: [{name: http, protocol: HTTP}]",
    )
    target = "{group: gateway.networking.k8s.io, kind: ListenerSet, name: more}"
    spoke = (
        gateway("web", spec=f"allowedListeners: {{namespaces: {selector}}}"),
        more,
        policy(OURS, "p", targeting(section(target, "http")), "shop"),
    )
    hub = graph(manifest("Namespace shop", metadata="labels: {a: b}"))
    found = attachments(*spoke, namespaces=hub)["shop/p"]
    assert [str(ref) for ref in found.ancestors] == ["Gateway infra/web"]
    other = attachments(*spoke, namespaces=hub.with_labels({"shop": {"a": "c"}}))["shop/p"]
    assert [str(ref) for ref in other.ancestors] == ["ListenerSet shop/more"]


def test_a_label_that_names_a_gateway_is_a_target() -> None:
    spec = "{selector: {matchLabels: {gateway.networking.k8s.io/gateway-name: NAME}}}"
    kind = "security.istio.io/v1/AuthorizationPolicy"
    found = attachments(
        GATEWAYS,
        policy(kind, "p", spec.replace("NAME", "web")),
        policy(kind, "q", spec.replace("NAME", "gone")),
    )
    assert (status(found["infra/p"]), found["infra/p"].targets) == (("True", "Accepted"), (WEB,))
    assert status(found["infra/q"]) == ("Unknown", "Unverified")


@cases(*rows_of(__file__, "labels_beside_the_name_of_a_gateway"))
def test_labels_beside_the_name_of_a_gateway(selector: str, expected: str) -> None:
    """Pods have the labels of their Gateway, and others that no file has."""
    key = "gateway.networking.k8s.io/gateway-name"
    spec = selector.replace("NAME", f"{key}: web")
    spec = spec.replace("EXPRESSION", f"{{key: {key}, operator: In, values: [web]}}")
    own = manifest("Gateway infra/web", "listeners: []", metadata="labels: {team: a}")
    isolated = manifest("NetworkPolicy infra/p", f"podSelector: {{{spec}}}")
    assert status(attachments(own, isolated)["infra/p"])[0] == expected


def test_targets_have_their_sections() -> None:
    spec = targeting(section(GATEWAY, "http"), section(GATEWAY, "https"), ROUTE, GONE)
    found = attachments(GATEWAYS, policy(OURS, "p", spec))["infra/p"]
    assert found.targets == (
        replace(WEB, section_name="http"),
        replace(WEB, section_name="https"),
        CART,
    )


def test_several_sections_in_one_reference_are_several_targets() -> None:
    target = GATEWAY.replace("}", ", sectionNames: [http, https]}")
    kind = "alb.networking.azure.io/v1/FrontendTLSPolicy"
    found = attachments(GATEWAYS, policy(kind, "p", f"{{targetRef: {target}}}"))["infra/p"]
    assert [ref.section_name for ref in found.targets] == ["http", "https"]


def test_a_port_is_a_section_too() -> None:
    target = GATEWAY.replace("}", ", port: 443}")
    kind = "agentgateway.dev/v1alpha1/AgentgatewayPolicy"
    found = attachments(GATEWAYS, policy(kind, "p", targeting(target)))["infra/p"]
    assert (status(found), found.targets) == (
        ("True", "Valid"),
        (replace(WEB, section_name="443"),),
    )


def test_elsewhere_has_what_files_need_not_tell_of() -> None:
    external = Elsewhere(frozenset({replace(WEB, name="out")}))
    assert Ref("", "Service", "a", "b") in external
    assert replace(WEB, name="out", section_name="http") in external
    assert WEB not in external
    assert CART not in external
    assert "Gateway infra/out" not in external


def test_an_external_gateway_is_taken_to_be_there() -> None:
    found = attachments(
        policy(AUTH, "p", f"{{targetRef: {GATEWAY}}}"), unseen=Elsewhere(frozenset({WEB}))
    )["infra/p"]
    assert status(found) == ("Unknown", "Unverified")
    assert (found.is_accepted, found.targets, found.ancestors) == (True, (WEB,), (WEB,))


@cases(*rows_of(__file__, "labels_of_what_only_the_spoke_has_are_in_no_file"))
def test_labels_of_what_only_the_spoke_has_are_in_no_file(
    kind: str, selector: str, reason: str
) -> None:
    text = policy(kind, "p", f"{{targetSelectors: [{selector}]}}")
    found = attachments(GATEWAYS, text)["infra/p"]
    assert (found.accepted.reason, found.targets) == (reason, ())
    theirs = Ref(WEB.group, WEB.kind, "infra", "theirs")
    found = attachments(GATEWAYS, text, unseen=Elsewhere(frozenset({theirs})))["infra/p"]
    assert (found.accepted.reason, found.targets, found.ancestors) == ("Unverified", (), ())
    assert found.faults == ()


def test_nothing_needs_to_be_unseen() -> None:
    """Where all objects of a cluster are given, what is not among them is not there."""
    spec = f"{{targetRefs: [{FAR}], {TRUST}}}"
    found = attachments(policy(TLS, "p", spec), unseen=())["infra/p"]
    assert status(found) == ("False", "TargetNotFound")


@each(*rows_of(__file__, "odd_objects_have_one_accepted_condition_too"))
def test_odd_objects_have_one_accepted_condition_too(text: str) -> None:
    catalogue = Catalogue.of([])
    for kind in catalogue.all_kinds().values():
        if kind.is_policy:
            (data,) = values(f"apiVersion: a/v1\nkind: A\nmetadata: {{name: p}}\n{text}\n")
            subject = Subject(replace(ref_of(data), group=kind.group, kind=kind.kind), kind, data)
            (found,) = attach(graph(GATEWAYS), [subject])
            refusals = {"Invalid", "Unverified", "TargetNotFound"}
            assert found.accepted.reason in {kind.controller.valid, *refusals}


def test_both_strategies_are_one_policy_where_the_process_is_for_that() -> None:
    """The RFC on a single policy per route has `defaults` and `overrides` side by side."""
    (data,) = values(
        policy(AUTH, "p", f"{{targetRef: {GATEWAY}, defaults: {{a: b}}, overrides: {{c: d}}}}")
    )
    kind = Catalogue.of([]).kind("kuadrant.io", "AuthPolicy")
    for process, reason in (
        (Process.SINGLE, "Accepted"),
        (Process.GEP_713, "Invalid"),
        (Process.KUADRANT, "Invalid"),
    ):
        subject = Subject(ref_of(data), replace(kind, merging=Merging(process)), data)
        (found,) = attach(graph(GATEWAYS), [subject])
        assert found.accepted.reason == reason


def test_they_are_sorted_by_policy() -> None:
    documents = (auth("b", "kind: Gateway, name: web"), auth("a", "kind: Gateway, name: web"))
    assert list(attachments(GATEWAYS, *documents)) == ["infra/a", "infra/b"]


@cases(("https", "Accepted"), ("none", "TargetNotFound"))
def test_ports_of_what_is_a_service_elsewhere(section: str, reason: str) -> None:
    """Istio, backend_policies.go: a section of a ServiceEntry is the name of a port."""
    entry = manifest(
        "ServiceEntry infra/far",
        "hosts: [a.example], ports: [{number: 443, name: https, protocol: HTTPS}]",
        api="networking.istio.io/v1",
    )
    target = (
        f"{{group: networking.istio.io, kind: ServiceEntry, name: far, sectionName: {section}}}"
    )
    trust = "validation: {hostname: a.example, wellKnownCACertificates: System}"
    (found,) = attachments(
        GATEWAYS, entry, policy(TLS, "p", f"{{targetRefs: [{target}], {trust}}}")
    ).values()
    assert found.accepted.reason == reason
