"""A gateway moves: its listeners take routes of other namespaces, or the routes follow it."""

from spokerender.findings.results import Severity
from spokerender.rendering.values.rendered import Rendered
from tests.support import cases, manifest, rows_of
from tests.support.nearby import policy, target
from tests.support.stages import EVERYWHERE, gateway, hub, objects, render, route, told

GATEWAY_API = "gateway.networking.k8s.io"
ENVOY = "gateway.envoyproxy.io"
SAME = "[{name: http, port: 80, protocol: HTTP}, {name: alt, port: 81, protocol: HTTP}]"
WEB = gateway("web", listeners=SAME)
SELF = "[{name: web}]"
ALL = "as: {namespace: gw, allowedRoutes: {namespaces: {from: All}}}"
FOLLOW = "as: {namespace: gw}, routes: follow"
SETTINGS = (
    "policiesToSync: ["
    + ", ".join(
        f'{{group: "{group}", kind: {kind}}}'
        for group, kind in (
            (GATEWAY_API, "HTTPRoute"),
            (GATEWAY_API, "ListenerSet"),
            (GATEWAY_API, "BackendTLSPolicy"),
            (ENVOY, "SecurityPolicy"),
            (ENVOY, "HTTPRouteFilter"),
            ("", "ConfigMap"),
        )
    )
    + "]"
)


def moved(*documents: str, how: str = FOLLOW) -> Rendered:
    rule = f"- {{gateways: {{names: [infra/web]}}, spokes: {{names: [eu]}}, {how}}}\n"
    return render([WEB, *documents], rule, settings=SETTINGS)


def wrong(found: Rendered) -> list[str]:
    return [result.code for result in found.results if result.severity is Severity.ERROR]


def names(found: Rendered) -> list[str]:
    return sorted(objects(found))


def test_without_a_word_the_route_is_lost() -> None:
    assert wrong(moved(route("r", SELF, "infra"), how="as: {namespace: gw}")) == ["SR1703"]


def test_its_listeners_take_routes_of_all_namespaces() -> None:
    found = moved(route("r", SELF, "infra"), policy(target("HTTPRoute", "r")), how=ALL)
    assert wrong(found) == []
    assert names(found) == ["Gateway gw/web", "HTTPRoute infra/r", "SecurityPolicy infra/p"]
    web = objects(found)["Gateway gw/web"]
    admitting = {"namespaces": {"from": "All"}}
    assert [each["allowedRoutes"] for each in web["spec"]["listeners"]] == [admitting, admitting]
    assert objects(found)["HTTPRoute infra/r"]["spec"]["parentRefs"] == [
        {"name": "web", "namespace": "gw"}
    ]


def test_listeners_keep_the_kinds_that_they_take_and_what_the_rule_says_of_one() -> None:
    kinds = (
        "allowedRoutes: {kinds: [{kind: HTTPRoute}], namespaces: {from: Selector, selector: {}}}"
    )
    web = gateway("web", listeners=SAME.replace("{name: alt, ", f"{{name: alt, {kinds}, "))
    same = "{name: http, allowedRoutes: {namespaces: {from: Same}}}"
    declared = f"listeners: [{same}, {{name: new, port: 82, protocol: HTTP}}]"
    rule = (
        "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, "
        f"{ALL.removesuffix('}')}, {declared}}}}}\n"
    )
    found = render([web], rule, settings=SETTINGS)
    listeners = objects(found)["Gateway gw/web"]["spec"]["listeners"]
    assert {each["name"]: each["allowedRoutes"] for each in listeners} == {
        "http": {"namespaces": {"from": "Same"}},
        "alt": {"kinds": [{"kind": "HTTPRoute"}], "namespaces": {"from": "All"}},
        "new": {"namespaces": {"from": "All"}},
    }


FILTER = manifest("HTTPRouteFilter infra/rewrite", "", api=f"{ENVOY}/v1alpha1")
TLS = manifest(
    "BackendTLSPolicy infra/tls",
    "targetRefs: [{group: '', kind: Service, name: svc}], "
    "validation: {hostname: a.example, caCertificateRefs: [{group: '', kind: ConfigMap, "
    "name: ca}]}",
    api=f"{GATEWAY_API}/v1",
)
CA = manifest("ConfigMap infra/ca")
GRANT = manifest(
    "ReferenceGrant shop/in",
    f"from: [{{group: {GATEWAY_API}, kind: HTTPRoute, namespace: infra}}], "
    "to: [{group: '', kind: Service}]",
    api=f"{GATEWAY_API}/v1beta1",
)
RULES = (
    "rules: [{filters: [{type: ExtensionRef, extensionRef: "
    f"{{group: {ENVOY}, kind: HTTPRouteFilter, name: rewrite}}}}], "
    "backendRefs: [{name: svc, port: 80}, {name: far, namespace: shop, port: 80}]}]"
)


def test_the_routes_follow_with_all_that_is_local_to_them() -> None:
    found = moved(
        route("r", namespace="infra", spec=RULES),
        policy(target("HTTPRoute", "r")),
        FILTER,
        TLS,
        CA,
        GRANT,
    )
    assert wrong(found) == []
    assert names(found) == [
        "BackendTLSPolicy gw/tls",
        "ConfigMap gw/ca",
        "Gateway gw/web",
        "HTTPRoute gw/r",
        "HTTPRouteFilter gw/rewrite",
        "ReferenceGrant shop/in",
        "SecurityPolicy gw/p",
    ]
    made = objects(found)
    assert made["HTTPRoute gw/r"]["spec"]["parentRefs"] == [{"name": "web", "namespace": "gw"}]
    backends = made["HTTPRoute gw/r"]["spec"]["rules"][0]["backendRefs"]
    assert [each.get("namespace") for each in backends] == [None, "shop"]
    grant = made["ReferenceGrant shop/in"]["spec"]
    assert [each["namespace"] for each in grant["from"]] == ["gw"]


def test_the_routes_of_other_namespaces_stay() -> None:
    found = moved(
        route("r"), how=FOLLOW.replace("gw}", "gw, allowedRoutes: {namespaces: {from: All}}}")
    )
    assert "HTTPRoute shop/r" in names(found)


LISTENER_SET = manifest(
    "ListenerSet infra/more",
    "parentRef: {name: web}, listeners: [{name: extra, port: 82, protocol: HTTP}]",
)
ON_SET = f"[{{group: {GATEWAY_API}, kind: ListenerSet, name: more}}]"


def test_listener_sets_follow_and_the_routes_on_them() -> None:
    web = gateway("web", listeners=SAME, spec="allowedListeners: {namespaces: {from: Same}}")
    documents = [web, LISTENER_SET, route("r", ON_SET, "infra")]
    rule = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {namespace: gw}%s}\n"
    assert told(render(documents, rule % "", settings=SETTINGS).results, "SR1703") != []
    found = render(documents, rule % ", routes: follow", settings=SETTINGS)
    assert wrong(found) == []
    assert names(found) == ["Gateway gw/web", "HTTPRoute gw/r", "ListenerSet gw/more"]


def test_a_route_that_follows_two_gateways_apart_is_an_error() -> None:
    documents = [
        WEB,
        gateway("api", listeners=SAME),
        route("r", "[{name: web}, {name: api}]", "infra"),
    ]
    rule = (
        "- {gateways: {names: [infra/web, infra/api]}, spokes: {names: [eu]}, "
        "as: {namespace: '{{ gateway.name }}'}, routes: follow}\n"
    )
    assert wrong(render(documents, rule, settings=SETTINGS)) == ["SR1703", "SR1703"]


@cases((FOLLOW, "gw"), (FOLLOW.replace("namespace: gw", "name: edge"), "infra"))
def test_a_route_follows_where_its_gateway_goes(how: str, expected: str) -> None:
    assert f"HTTPRoute {expected}/r" in names(moved(route("r", SELF, "infra"), how=how))


LONG = "a" * 60
ISOLATED = manifest(
    "NetworkPolicy infra/isolated",
    "podSelector: {matchLabels: {gateway.networking.k8s.io/gateway-name: web}}",
)
LISTED = "policiesToSync: [{group: networking.k8s.io, kind: NetworkPolicy}]"


@cases(*rows_of(__file__, "a_name_in_a_label_is_no_longer_than_its_value_may_be"))
def test_a_name_in_a_label_is_no_longer_than_its_value_may_be(name: str, codes: list[str]) -> None:
    """GEP-1762 puts it there; a Gateway's name may be longer (apimachinery, labels)."""
    rule = (
        f"- {{gateways: {{names: [infra/web]}}, spokes: {{names: [eu]}}, as: {{name: '{name}'}}}}\n"
    )
    assert wrong(render([WEB, ISOLATED], rule, settings=LISTED)) == codes
    assert wrong(render([WEB], rule, settings=LISTED)) == []


PROCESSED = hub(
    manifest(
        "EnvoyExtensionPolicy infra/p",
        f"targetRefs: [{target('Gateway', 'web')}], extProc: [{{backendRefs: [{{name: s, "
        "port: 1}]}]",
    ),
    manifest(
        "BackendTLSPolicy infra/tls",
        'targetRefs: [{group: "", kind: Service, name: s}], validation: {hostname: a.example}',
    ),
)


def test_tls_to_the_backends_of_a_policy_ships_with_it() -> None:
    """An external processor, which no route names."""
    listed = SETTINGS.replace("SecurityPolicy", "EnvoyExtensionPolicy")
    found = render([WEB, PROCESSED], EVERYWHERE, settings=listed)
    assert names(found) == [
        "BackendTLSPolicy infra/tls",
        "EnvoyExtensionPolicy infra/p",
        "Gateway infra/web",
    ]
