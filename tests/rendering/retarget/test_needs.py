"""What an object can't work without ships with it, if its kind is listed."""

from spokerender.explain.spokes import explain_spoke
from tests.support import cases, each, manifest, rows_of
from tests.support.nearby import policy, reason, shipped, target
from tests.support.stages import CLASS, gateway, objects, render, route, told

GATEWAY_API = "gateway.networking.k8s.io"
ENVOY = "gateway.envoyproxy.io"
HERE = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}\n"
MOVED = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {namespace: gw}}\n"
EXISTING = (
    "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, mode: existing, "
    "as: {listeners: [{name: http}]}}\n"
)
BOTH = (
    "- {gateways: {names: [infra/web, infra/api]}, spokes: {names: [eu]}, "
    "as: {namespace: '{{ gateway.name }}'}}\n"
)


def listed(*kinds: str) -> str:
    entries = (f'{{group: "{kind.rpartition("/")[0]}", kind: {kind.rpartition("/")[2]}}}'
               for kind in kinds)  # fmt: skip
    return f"policiesToSync: [{', '.join(entries)}]"


LISTED = listed(
    f"{ENVOY}/SecurityPolicy",
    f"{ENVOY}/EnvoyProxy",
    f"{ENVOY}/Backend",
    f"{ENVOY}/EnvoyPatchPolicy",
    f"{ENVOY}/BackendTrafficPolicy",
    f"{GATEWAY_API}/BackendTLSPolicy",
    f"{GATEWAY_API}/HTTPRoute",
    "/ConfigMap",
    "/Service",
)


def made(kind: str, name: str, spec: str = "{}", namespace: str = "infra") -> str:
    return (
        f"apiVersion: {ENVOY}/v1alpha1\nkind: {kind}\n"
        f"metadata: {{name: {name}, namespace: {namespace}, labels: {{app: {name}}}}}\n"
        f"spec: {spec}\n"
    )


def core(kind: str, name: str, namespace: str = "infra") -> str:
    return manifest(f"{kind} {namespace}/{name}", api="v1")


def tls(targets: str, namespace: str = "infra", authority: str = "{}") -> str:
    return manifest(
        f"BackendTLSPolicy {namespace}/tls",
        f"targetRefs: [{targets}], validation: {{hostname: a.example, "
        f"caCertificateRefs: [{authority}]}}",
        api=f"{GATEWAY_API}/v1",
    )


PROXY = f"{{group: {ENVOY}, kind: EnvoyProxy, name: own}}"
WITH_PROXY = gateway("web", spec=f"infrastructure: {{parametersRef: {PROXY}}}")
WEB = gateway("web")
ON_WEB = target("Gateway", "web")
SERVICE = '{group: "", kind: Service, name: keys}'


def security(spec: str) -> str:
    return policy(ON_WEB).replace("spec: {", f"spec: {{{spec}, ")


ASKING = [
    f"extAuth: {{grpc: {{backendRefs: [{SERVICE}]}}}}",
    f"extAuth: {{http: {{backendRef: {SERVICE}}}}}",
    f"jwt: {{providers: [{{name: a, remoteJWKS: {{backendRefs: [{SERVICE}]}}}}]}}",
    f"oidc: {{provider: {{backendRefs: [{SERVICE}]}}}}",
]


@each(*ASKING)
@each("", core("Service", "keys"))
@each('""', "core")
@cases((HERE, "infra"), (MOVED, "gw"))
def test_a_policy_for_what_a_policy_asks_ships_with_it(
    rules: str, place: str, group: str, service: str, spec: str
) -> None:
    on_service = tls(f"{{group: {group}, kind: Service, name: keys}}")
    documents = [WEB, security(spec), on_service, *filter(None, [service])]
    found = render(documents, rules, settings=LISTED)
    is_another = rules == MOVED and not service
    assert [line[:6] for line in told(found.results)] == ["SR1709"] * is_another
    assert shipped(found, f"BackendTLSPolicy {place}/tls") == ["eu"]
    assert shipped(found, f"Service {place}/keys") == (["eu"] if service else [])


def test_what_a_policy_asks_that_ships_nowhere_is_told() -> None:
    unlisted = LISTED.replace("kind: SecurityPolicy", "kind: ClientTrafficPolicy")
    found = render([WEB, security(ASKING[0]), tls(SERVICE)], HERE, settings=unlisted)
    assert reason(found, "BackendTLSPolicy infra/tls") == [
        (
            "not shipped: nothing that names its target ships; the gateway that it hangs on is not "
            "placed there"
        )
    ]


@cases((HERE, "infra"), (MOVED, "gw"))
@each('""', "core")
def test_what_is_named_beside_it_moves_along(group: str, rules: str, place: str) -> None:
    authority = f"{{group: {group}, kind: ConfigMap, name: ca}}"
    documents = [
        WITH_PROXY,
        made("EnvoyProxy", "own"),
        security(ASKING[0]),
        tls(SERVICE, authority=authority),
        core("ConfigMap", "ca"),
    ]
    found = render(documents, rules, settings=LISTED)
    assert [line[:6] for line in told(found.results)] == ["SR1709"] * (rules == MOVED)
    assert sorted(name for name in objects(found) if not name.startswith("Gateway")) == [
        f"BackendTLSPolicy {place}/tls",
        f"ConfigMap {place}/ca",
        f"EnvoyProxy {place}/own",
        f"SecurityPolicy {place}/p",
    ]


def test_what_things_that_part_name_stays_where_it_is() -> None:
    api = WITH_PROXY.replace("name: web", "name: api")
    found = render([WITH_PROXY, api, made("EnvoyProxy", "own")], BOTH, settings=LISTED)
    assert told(found.results) == []
    assert shipped(found, "EnvoyProxy infra/own") == ["eu"]


def test_a_gateway_of_the_spoke_needs_what_nobody_knows() -> None:
    found = render([WITH_PROXY, made("EnvoyProxy", "own")], EXISTING, settings=LISTED)
    assert reason(found, "EnvoyProxy infra/own") == [
        "not shipped: nothing that names it ships; the gateway that it hangs on is not placed there"
    ]


def test_what_a_class_names_ships_but_for_a_sync_list() -> None:
    proxy = CLASS.partition("---\n")[0].replace("kind: ConfigMap", "kind: EnvoyProxy")
    proxy = proxy.replace('group: ""', f"group: {ENVOY}").replace("name: params", "name: own")
    found = render([proxy, WEB, made("EnvoyProxy", "own")], HERE, settings=LISTED)
    assert shipped(found, "EnvoyProxy infra/own") == ["eu"]
    found = render([CLASS, WEB], HERE, settings=LISTED)
    assert shipped(found, "ConfigMap infra/params") == []


BELOW = MOVED.replace("namespace: gw", "gatewayClassName: theirs")


@cases((HERE, "hub"), (MOVED, "hub"), (BELOW, "theirs"))
def test_a_policy_on_a_class_ships_with_its_gateways(rules: str, name: str) -> None:
    spec = f"{{targetRef: {target('GatewayClass', 'hub')}}}"
    web = gateway("web", class_name="hub")
    found = render([web, made("EnvoyPatchPolicy", "p", spec)], rules, settings=LISTED)
    assert told(found.results, "SR1513", "SR1707", "SR1708") == []
    patch = objects(found)["EnvoyPatchPolicy infra/p"]
    assert patch["spec"]["targetRef"]["name"] == name


SELECTING = f"{{targetSelectors: [{{group: {ENVOY}, kind: Backend, matchLabels: {{app: b}}}}]}}"
TO_BACKEND = f"rules: [{{backendRefs: [{{group: {ENVOY}, kind: Backend, name: b}}]}}]"
WAY = route("r", spec=TO_BACKEND)


@each("", made("Backend", "b", namespace="shop"))
def test_a_selector_over_backends_ships_with_the_routes_to_them(backend: str) -> None:
    selecting = made("BackendTrafficPolicy", "p", SELECTING, "shop")
    documents = [WEB, WAY, selecting, *filter(None, [backend])]
    found = render(documents, HERE, settings=LISTED)
    assert told(found.results, "SR1513") == []
    assert shipped(found, "BackendTrafficPolicy shop/p") == ["eu"]


def test_an_object_of_a_listed_kind_that_ships_nowhere_is_told() -> None:
    found = render([WEB, core("Service", "lost")], HERE, settings=LISTED)
    assert told(found.results, "SR1513") == [
        (
            "SR1513 Service infra/lost: not shipped: it hangs on no gateway of the hub (attach it "
            "to a Gateway that is placed, or take it out of the hub)"
        )
    ]


@cases(*rows_of(__file__, "a_plugin_of_kongs_is_the_namespaces_or_else_the_clusters"))
def test_a_plugin_of_kongs_is_the_namespaces_or_else_the_clusters(
    there: list[str], ships: list[str]
) -> None:
    """Kong/kubernetes-ingress-controller 1fa68f8, getKongPluginOrKongClusterPlugin."""
    api = "configuration.konghq.com"
    plugins = [manifest(one, api=f"{api}/v1", plugin="key-auth") for one in there]
    cart = route("cart", namespace="infra").replace(
        "{name: cart,", "{name: cart, annotations: {konghq.com/plugins: auth},"
    )
    kinds = listed(f"{GATEWAY_API}/HTTPRoute", f"{api}/KongPlugin", f"{api}/KongClusterPlugin")
    found = render([WEB, cart, *plugins], HERE, settings=kinds)
    assert sorted(text for text in objects(found) if "Kong" in text) == ships
    needed = explain_spoke(found, found.bundles["eu"]).requirements.objects
    kong = [str(one) for one in needed if "Kong" in str(one)]
    assert kong == ([] if ships else ["KongPlugin infra/auth, or KongClusterPlugin auth"])
