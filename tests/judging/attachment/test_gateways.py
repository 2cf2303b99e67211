"""Policies and the gateways of their targets: whose they are, and which of their ports are open."""

from spokerender.judging.attachment.statuses import Truth
from tests.judging.attachment.policies import (
    GATEWAY,
    GATEWAYS,
    ROUTE,
    SECURITY,
    attachments,
    policy,
    section,
    status,
    told,
)
from tests.support import cases, each, manifest, rows_of

CLIENT = "gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy"
AUTH = "kuadrant.io/v1/AuthPolicy"


def a_class(controller: str, name: str = "istio") -> str:
    return manifest(f"GatewayClass {name}", f"controllerName: {controller}")


FOREIGN = "Gateway infra/web is Istio's, and Envoy Gateway looks at its own alone"


@each(GATEWAY, section(GATEWAY, "http"), ROUTE)
def test_on_the_gateway_of_another_controller_nobody_carries_it_out(target: str) -> None:
    """A GatewayClass has one controller, and that one alone acts on its Gateways."""
    istio = a_class("istio.io/gateway-controller")
    (item,) = attachments(
        GATEWAYS, istio, policy(SECURITY, "p", f"{{targetRefs: [{target}]}}")
    ).values()
    assert (*status(item), item.accepted.message) == ("False", "TargetNotFound", FOREIGN)
    assert [line.partition(":")[0] for line in told(item)] == ["SR2141 spec.targetRefs[0]"]


@cases(*rows_of(__file__, "its_own_gateways_and_those_of_which_nobody_knows"))
def test_its_own_gateways_and_those_of_which_nobody_knows(controller: str, kind: str) -> None:
    refs = f"targetRef: {GATEWAY}" if kind == AUTH else f"targetRefs: [{GATEWAY}]"
    documents = (GATEWAYS, a_class(controller), policy(kind, "p", f"{{{refs}}}"))
    (item,) = attachments(*documents).values()
    assert status(item) == ("True", "Accepted")


@each(GATEWAY, ROUTE)
def test_whether_an_unknown_controller_carries_it_out_is_not_known(target: str) -> None:
    """It may be Cilium's or HAProxy's, or Envoy Gateway under another name."""
    own = a_class("example.org/controller")
    spec = f"{{targetRefs: [{target}]}}"
    (item,) = attachments(GATEWAYS, own, policy(SECURITY, "p", spec)).values()
    assert status(item) == ("Unknown", "Unverified")
    assert item.targets
    assert item.accepted.message.endswith(
        "GatewayClass istio is of the controller example.org/controller, and whether that carries "
        "out policies of Envoy Gateway is not known"
    )


def test_the_name_of_a_class_proves_nothing() -> None:
    """Anybody can make a GatewayClass `istio`; one that is in no file may be whosever."""
    (item,) = attachments(GATEWAYS, policy(SECURITY, "p", f"{{targetRefs: [{GATEWAY}]}}")).values()
    assert status(item) == ("True", "Accepted")


def test_a_route_on_gateways_of_both_has_the_status_of_its_own() -> None:
    """Envoy Gateway writes of the parents that it manages."""
    other = GATEWAYS.partition("---")[0].replace("name: web", "name: own")
    other = other.replace("gatewayClassName: istio", "gatewayClassName: eg")
    both = GATEWAYS.replace("parentRefs: [", "parentRefs: [{name: own, sectionName: http}, ")
    classes = (
        a_class("istio.io/gateway-controller"),
        a_class("gateway.envoyproxy.io/gatewayclass-controller", "eg"),
    )
    documents = (both, other, *classes, policy(SECURITY, "p", f"{{targetRefs: [{ROUTE}]}}"))
    (item,) = attachments(*documents).values()
    assert status(item) == ("True", "Accepted")
    assert [str(ref) for ref in item.ancestors] == ["Gateway infra/own [http]"]


def test_a_listener_that_is_not_opened_shares_no_port() -> None:
    """GEP-1713: of a Gateway's listener and a ListenerSet's that are not distinct the first is."""
    more = manifest(
        "ListenerSet infra/more",
        "parentRef: {name: web}, listeners: [{name: again, port: 80, protocol: HTTP HOST}]",
    )
    gateways = GATEWAYS.replace(
        "gatewayClassName: istio",
        "gatewayClassName: eg\n  allowedListeners: {namespaces: {from: Same}}",
    )
    spec = f"{{targetRefs: [{section(GATEWAY, 'http')}]}}"
    refused = more.replace(" HOST", "")
    gateways += "---\n" + a_class("gateway.envoyproxy.io/gatewayclass-controller", "eg")
    (item,) = attachments(gateways, refused, policy(CLIENT, "p", spec)).values()
    assert status(item) == ("True", "Accepted")
    opened = more.replace(" HOST", ", hostname: a.example.com")
    (item,) = attachments(gateways, opened, policy(CLIENT, "p", spec)).values()
    assert status(item) == ("False", "Invalid")


PROXY = manifest("EnvoyProxy infra/one", "mergeGateways: IS_MERGED")
PARAMETERS = "{group: gateway.envoyproxy.io, kind: EnvoyProxy, name: one, namespace: infra}"


@cases(*rows_of(__file__, "gateways_that_are_one_share_ports_and_patches"))
def test_gateways_that_are_one_share_ports_and_patches(kind: str, spec: str, merged: str) -> None:
    other = GATEWAYS.partition("---")[0].replace("name: web", "name: own")
    envoy = f"{a_class(ENVOY)[:-2]}, parametersRef: {PARAMETERS}}}\n"
    documents = (GATEWAYS, other, envoy, policy(kind, "p", f"{{{spec}}}"))
    for switch, expected in (("true", [merged]), ("false", [])):
        (item,) = attachments(*documents, PROXY.replace("IS_MERGED", switch)).values()
        assert [line.partition(":")[0] for line in told(item)] == expected
        assert item.is_accepted is (expected == [])


def test_what_is_not_there_has_an_ancestor_with_its_section() -> None:
    """Envoy Gateway, securitypolicy.go: of a rule that is missing, the parents of its route."""
    spec = "{{targetRefs: [{}]}}"
    refs = (section(GATEWAY, "none"), section(ROUTE, "none"))
    found = [
        [str(ref) for ref in item.ancestors]
        for ref in refs
        for item in attachments(GATEWAYS, policy(SECURITY, "p", spec.format(ref))).values()
    ]
    assert found == [["Gateway infra/web [none]"], ["Gateway infra/web [http]"]]


ENVOY = "gateway.envoyproxy.io/gatewayclass-controller"
ASKING = "extAuth: {http: {backendRefs: [{name: auth, port: 80}]}}"
TRUSTING = "validation: {hostname: a.example, wellKnownCACertificates: System}"


def served(service: str) -> str:
    spec = f'{{targetRefs: [{{group: "", kind: Service, name: {service}}}], {TRUSTING}}}'
    return policy("gateway.networking.k8s.io/v1/BackendTLSPolicy", "tls", spec)


@cases(*rows_of(__file__, "ancestors_of_a_policy_for_backends_are_its_gateways_controllers"))
def test_ancestors_of_a_policy_for_backends_are_its_gateways_controllers(
    controller: str, service: str, ancestors: list[str]
) -> None:
    asking = policy(SECURITY, "p", f"{{targetRefs: [{GATEWAY}], {ASKING}}}")
    found = attachments(GATEWAYS, a_class(controller), served(service), asking)
    assert [str(ref) for ref in found["infra/tls"].ancestors] == ancestors


def test_an_ancestor_over_a_backend_in_no_file_is_in_doubt() -> None:
    """Envoy Gateway asks for the policy where a route's backend is there."""
    service = manifest("Service infra/auth")
    stock, auth = (f'{{group: "", kind: Service, name: {name}}}' for name in ("stock", "auth"))
    spec = f"{{targetRefs: [{stock}, {auth}], {TRUSTING}}}"
    both = policy("gateway.networking.k8s.io/v1/BackendTLSPolicy", "tls", spec)
    documents = (GATEWAYS, a_class(ENVOY), both, service)
    found = attachments(*documents)["infra/tls"]
    assert found.accepted.status is Truth.TRUE
    ((ancestor, why),) = found.doubtful
    assert str(ancestor) == "Gateway infra/web [http]"
    assert why == "the spoke has to have Service infra/stock"
    other = manifest("Service infra/stock")
    assert attachments(*documents, other)["infra/tls"].doubtful == ()


def test_the_ancestor_of_a_policy_for_a_class_is_the_class() -> None:
    """Envoy Gateway, envoypatchpolicy.go: where Gateways are merged."""
    to = "{group: gateway.networking.k8s.io, kind: GatewayClass, name: istio}"
    patch = policy("gateway.envoyproxy.io/v1alpha1/EnvoyPatchPolicy", "p", f"{{targetRef: {to}}}")
    (item,) = attachments(GATEWAYS, a_class(ENVOY), patch).values()
    assert [str(ref) for ref in item.ancestors] == ["GatewayClass istio"]
