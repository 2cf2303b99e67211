"""Facts about controllers that few hubs have: what is carried out, and what is not known."""

from tests.judging.advice.spokes import CART, gateway, listener, view
from tests.support import cases, each, manifest, rows_of
from tests.support.stages import route

CLASS = manifest("GatewayClass hub", "controllerName: NAME")
GATEWAY_API = "gateway.networking.k8s.io"
GLOO = CLASS.replace("NAME", "solo.io/gloo-gateway")
APISIX = CLASS.replace("NAME", "apisix.apache.org/apisix-ingress-controller")
BACKEND = "{group: gateway.networking.k8s.io, kind: HTTPRoute, name: child, namespace: shop}"
PARENT = route("parent", spec=f"rules: [{{backendRefs: [{BACKEND}]}}]")
CHILD = route("child", "[]", spec="rules: [{backendRefs: [{name: a, port: 80}]}]")


def option(target: str) -> str:
    return manifest(
        f"RouteOption shop/on-{target}",
        f"targetRefs: [{{group: {GATEWAY_API}, kind: HTTPRoute, name: {target}}}], "
        f"options: {{timeout: {target}}}",
        api="gateway.solo.io/v1",
    )


def layer_4(section: str) -> str:
    return manifest(
        "L4RoutePolicy shop/p",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: TCPRoute, "
        f"name: tcp{section}}}], plugins: [{{name: ip-restriction}}]",
        api="apisix.apache.org/v1alpha1",
    )


def test_options_on_both_ends_of_a_delegation_are_not_known() -> None:
    """Gloo prefers the parent's, unless an annotation of the child turns that round."""
    web = gateway(listener("http"))
    both = view(GLOO, web, PARENT, CHILD, option("parent"), option("child"))
    assert any("annotations of routes decide it" in item.likely.unknown for item in both.effective)
    one = view(GLOO, web, PARENT, CHILD, option("parent"))
    assert [item.likely.unknown for item in one.effective if item.likely.unknown] == []
    assert one.effective


def test_a_policy_for_a_rule_of_layer_4_is_ignored() -> None:
    tcp = route("tcp", spec="rules: [{name: a}]").replace("HTTPRoute", "TCPRoute")
    web = gateway(listener("tcp", more="port: 90, protocol: TCP"))
    whole = view(APISIX, web, tcp, layer_4(""))
    assert [rule.policy.name for item in whole.effective for rule in item.likely.rules] == ["p"]
    of_rule = view(APISIX, web, tcp, layer_4(", sectionName: a"))
    assert of_rule.effective == ()
    (attachment,) = of_rule.attachments.values()
    assert attachment.is_silent
    assert attachment.accepted.message == "APISIX ignores a target with a section name"


@cases(*rows_of(__file__, "an_access_log_without_a_namespace_is_for_the_default_one"))
def test_an_access_log_without_a_namespace_is_for_the_default_one(
    namespace: str, spec: str, expected: str
) -> None:
    """AWS' controller takes an absent namespace for `default`, and refuses any but its own."""
    aws = CLASS.replace("NAME", "application-networking.k8s.aws/gateway-api-controller")
    log = manifest(
        f"AccessLogPolicy {namespace}/p",
        f"destinationArn: a, targetRef: {{group: {GATEWAY_API}, kind: Gateway, name: web{spec}}}",
        api="application-networking.k8s.aws/v1alpha1",
    )
    spoke = view(aws, gateway(listener("http"), namespace=namespace), log)
    (attachment,) = spoke.attachments.values()
    assert attachment.accepted.reason == expected


@each("v1alpha2/kind: ObservabilityPolicy", "v1alpha1/kind: WAFPolicy")
def test_what_a_nginx_proxy_decides_is_not_known(kind: str) -> None:
    """NGINX Gateway Fabric refuses both where its NginxProxy has not switched the feature on."""
    nginx = CLASS.replace("NAME", "gateway.nginx.org/nginx-gateway-controller")
    version, name = kind.split("/kind: ")
    policy = manifest(
        f"{name} shop/p",
        f"targetRefs: [{{group: {GATEWAY_API}, kind: HTTPRoute, name: cart}}]",
        api=f"gateway.nginx.org/{version}",
    )
    spoke = view(nginx, gateway(listener("http")), CART, policy)
    (attachment,) = spoke.attachments.values()
    assert attachment.accepted.status.value == "Unknown"
    assert "NginxProxy" in attachment.accepted.message


def test_a_policy_that_a_rule_names_comes_before_its_route_s() -> None:
    """Field by field: kgateway, ExtensionRef before rule before route."""
    kgateway = CLASS.replace("NAME", "kgateway.dev/kgateway")
    named = route(
        "cart",
        spec="rules: [{name: a, filters: [{type: ExtensionRef, extensionRef: "
        "{group: gateway.kgateway.dev, kind: TrafficPolicy, name: named}}]}]",
    )
    policy = manifest("TrafficPolicy shop/NAME", "SPEC")
    target = f"targetRefs: [{{group: {GATEWAY_API}, kind: HTTPRoute, name: cart}}]"
    spoke = view(
        kgateway,
        gateway(listener("http")),
        named,
        policy.replace("NAME", "named").replace("SPEC", "cors: {a: 1}"),
        policy.replace("NAME", "wide").replace("SPEC", f"{target}, cors: {{a: 2}}, csrf: {{b: 1}}"),
    )
    (effective,) = (item for item in spoke.effective if item.path.rule)
    rules = {rule.key: rule.policy.name for rule in effective.likely.rules}
    assert rules == {"cors": "named", "csrf": "wide"}


ISTIO = CLASS.replace("NAME", "istio.io/gateway-controller")
SERVICE = manifest("Service shop/a", "ports: [{port: 80}]")


def backend_traffic(name: str, spec: str) -> str:
    return manifest(
        f"XBackendTrafficPolicy shop/{name}",
        f"targetRefs: [{{group: '', kind: Service, name: a}}], {spec}",
        api="gateway.networking.x-k8s.io/v1alpha1",
    )


def test_of_several_backend_traffic_policies_istio_reads_the_oldest_alone() -> None:
    """backend_policies.go: each has load balancing, and of the second one nothing is read."""
    web = gateway(listener("http"))
    cart = route("cart", spec=RULES)
    sessions = backend_traffic("p1", "sessionPersistence: {sessionName: a}")
    retries = backend_traffic("p2", "retryConstraint: {budget: {percent: 20}}")
    (item,) = view(ISTIO, web, cart, SERVICE, sessions, retries).effective
    assert [rule.key for rule in item.likely.rules] == []  # Istio persists no session
    assert [[rule.key for rule in other.rules] for other in item.others] == [["retryConstraint"]]


RULES = "rules: [{backendRefs: [{name: a, port: 80}]}]"
