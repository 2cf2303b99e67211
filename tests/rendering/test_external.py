"""What reaches the clusters by other ways: declared once, and policies ship there with it."""

from spokerender.explain.objects import explain_object
from spokerender.judging.attachment.statuses import Truth
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from tests.support import cases, each, manifest, rows_of
from tests.support.stages import CLASS, GATEWAY, auth, gateway, render, route, told

ROUTES = '{kind: HTTPRoute, namespace: "team-*", name: "web-?*"%s}'
HANGS = ", gateways: [infra/web]"
ONLY_EU = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}\n"
SPEC = "rules: {authentication: {a: {anonymous: {}}}}"


def on_route(name: str = "web-shop", namespace: str = "team-a") -> str:
    return auth("p", f"kind: HTTPRoute, name: {name}", namespace, spec=SPEC)


def external(entry: str) -> str:
    return f"external: [{entry}]\n"


def shipped(rendered: Rendered, kind: str = "AuthPolicy") -> dict[str, list[str]]:
    """The namespaces and names of the objects of a kind, by spoke."""
    return {
        spoke: [
            variant.ref.full_name
            for variant in bundle.blueprint.variants
            if variant.ref.kind == kind
        ]
        for spoke, bundle in rendered.bundles.items()
    }


def test_a_policy_ships_with_the_gateway_that_its_external_route_hangs_on() -> None:
    rendered = render([CLASS, GATEWAY, on_route()], ONLY_EU, settings=external(ROUTES % HANGS))
    assert told(rendered.results, "SR1010", "SR1509", "SR1401") == []
    assert shipped(rendered) == {"eu": ["team-a/p"], "us": []}
    (attachment,) = judge(rendered).judged["eu"].judgement.attachments.values()
    assert (attachment.accepted.status, attachment.accepted.message) == (
        Truth.TRUE,
        "attached to HTTPRoute team-a/web-shop",
    )


def test_explain_names_the_route_and_where_it_ships() -> None:
    rendered = render([CLASS, GATEWAY, on_route()], ONLY_EU, settings=external(ROUTES % HANGS))
    (manifest,) = (item for item in rendered.hub.manifests if item.ref.kind == "AuthPolicy")
    explanation = explain_object(rendered, manifest, rendered.bundles.values())
    assert [[str(step.ref) for step in chain] for chain in explanation.chains] == [
        ["HTTPRoute team-a/web-shop"]
    ]


@each(on_route("web"), on_route("api-shop"), on_route(namespace="shop"))
def test_what_no_pattern_matches_is_missing(policy: str) -> None:
    rendered = render([CLASS, GATEWAY, policy], settings=external(ROUTES % HANGS))
    assert len(told(rendered.results, "SR1010")) == 1
    assert shipped(rendered) == {"eu": [], "us": []}


def test_without_a_gateway_the_policy_stays_and_the_cure_says_why() -> None:
    rendered = render([CLASS, GATEWAY, on_route()], settings=external(ROUTES % ""))
    assert told(rendered.results, "SR1010") == []
    (line,) = told(rendered.results, "SR1513")
    assert "name under spec.external of fleet.yaml the Gateways that its target hangs on" in line


def test_a_gateway_that_the_hub_lacks_is_an_error() -> None:
    rendered = render([CLASS, GATEWAY], settings=external(ROUTES % ", gateways: [infra/wbe]"))
    assert told(rendered.results, "SR1401") == [
        (
            'SR1401 spec.external[0].gateways[0]: no Gateway "infra/wbe" in the hub (did you mean '
            '"infra/web"?)'
        )
    ]


def test_the_cure_of_a_missing_target_is_the_line_to_add() -> None:
    (line,) = told(render([CLASS, GATEWAY, on_route()]).results, "SR1010")
    entry = "- {kind: HTTPRoute, namespace: team-a, name: web-shop, gateways: [NAMESPACE/NAME]}"
    assert entry in line
    entry = entry.removeprefix("- ").replace("NAMESPACE/NAME", "infra/web")
    assert shipped(render([CLASS, GATEWAY, on_route()], settings=external(entry)))["eu"]


def test_a_policy_on_a_service_of_a_chart_ships() -> None:
    tls = manifest(
        "BackendTLSPolicy team-a/tls",
        "targetRefs: [{group: '', kind: Service, name: api}], "
        "validation: {hostname: api.example, wellKnownCACertificates: System}",
    )
    service = '{group: "", kind: Service, namespace: "*", name: "*", gateways: [infra/web]}'
    assert shipped(render([CLASS, GATEWAY, tls]), "BackendTLSPolicy")["eu"] == []
    rendered = render([CLASS, GATEWAY, tls], settings=external(service))
    assert shipped(rendered, "BackendTLSPolicy") == {"eu": ["team-a/tls"], "us": ["team-a/tls"]}


@cases(*rows_of(__file__, "a_selector_may_select_external_routes"))
def test_a_selector_may_select_external_routes(namespace: str, more: str, ships: bool) -> None:
    policy = f"""\
    apiVersion: gateway.envoyproxy.io/v1alpha1
    kind: SecurityPolicy
    metadata: {{name: p, namespace: {namespace}}}
    spec:
      targetSelectors: [{{kind: HTTPRoute, matchLabels: {{app: web}}{more}}}]
      cors: {{allowOrigins: ["https://a.example"]}}
    """
    rendered = render([CLASS, GATEWAY, policy], settings=external(ROUTES % HANGS))
    assert bool(shipped(rendered, "SecurityPolicy")["eu"]) is ships
    for attachment in judge(rendered).judged["eu"].judgement.attachments.values():
        assert attachment.accepted.status is Truth.UNKNOWN


def test_an_external_route_stays_in_its_namespace_and_so_do_its_policies() -> None:
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, routes: follow, "
        "as: {namespace: edge}}\n"
    )
    entry = '{kind: HTTPRoute, namespace: infra, name: "*", gateways: [infra/web]}'
    rendered = render(
        [CLASS, GATEWAY, on_route(namespace="infra")], rules, settings=external(entry)
    )
    assert shipped(rendered)["eu"] == ["infra/p"]


def test_a_route_of_the_hub_is_no_external_one() -> None:
    """The pattern matches it, but the hub says on which gateway it hangs."""
    documents = (
        GATEWAY,
        gateway("api"),
        route("web-shop", "[{name: api, namespace: infra}]", "team-a"),
    )
    rendered = render([CLASS, *documents, on_route()], ONLY_EU, settings=external(ROUTES % HANGS))
    assert shipped(rendered) == {"eu": [], "us": []}


CALLING = "rules: [{backendRefs: [{name: api, port: 80}]}]"
SERVICE = manifest("Service shop/NAME", "ports: [{port: 80}]")
GATED = manifest(
    "SecurityPolicy shop/gate",
    "targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}], "
    "basicAuth: {users: {name: users}}",
)
SERVICES = 'external: [{group: "", kind: Service, namespace: "*", name: "NAME"}]\n'


def absent(settings: str, *documents: str) -> list[str]:
    """What `check` says of references to what no spoke has."""
    web = gateway("web", spec="").replace("gatewayClassName: hub", "gatewayClassName: eg")
    eg = manifest(
        "GatewayClass eg", "controllerName: gateway.envoyproxy.io/gatewayclass-controller"
    )
    cart = route("cart", spec=CALLING)
    synced = (
        "policiesToSync: [{group: gateway.networking.k8s.io, kind: HTTPRoute}, "
        "{group: gateway.envoyproxy.io, kind: SecurityPolicy}]\n"
    )
    rendered = render([eg, web, cart, *documents], settings=f"{synced}{settings}")
    return told(judge(rendered).results, "SR2243", "SR2142")


@cases(
    ("", ()),
    ("completeKinds: [Secret, ConfigMap]\n", ()),
    ("completeKinds: [Service]\n" + SERVICES.replace("NAME", "a*"), ()),
    ("completeKinds: [Service]\n", (SERVICE.replace("NAME", "api"),)),
)
def test_what_may_be_there_is_not_missed(settings: str, documents: tuple[str, ...]) -> None:
    assert absent(settings, *documents) == []


@each("[Service]", "[Secret, Service]", '["*"]')
def test_what_is_of_a_complete_kind_and_in_no_file_is_missed(kinds: str) -> None:
    settings = f"completeKinds: {kinds}\n" + SERVICES.replace("NAME", "apis")
    (line,) = absent(settings, SERVICE.replace("NAME", "app"))
    assert line.startswith(
        "SR2243 HTTPRoute shop/cart spec.rules[0].backendRefs[0]: Service shop/api is neither in "
        "the hub nor under spec.external of fleet.yaml"
    )
    assert line.endswith("[eu us]")


def test_what_refuses_a_policy_is_told_once() -> None:
    (line,) = absent("completeKinds: [Secret]\n", GATED)
    assert line.startswith(
        "SR2142 SecurityPolicy shop/gate spec.basicAuth.users: Secret shop/users"
    )


@cases(
    ("Backend", "known are Backend.gateway.envoyproxy.io, Backend.gateway.kgateway.dev"),
    ("Secrte", 'did you mean "Secret"?'),
)
def test_a_complete_kind_that_nobody_knows(kind: str, cure: str) -> None:
    rendered = render([CLASS, GATEWAY], settings=f"completeKinds: [Secret, {kind}]")
    assert told(rendered.results, "SR1105") == [
        f"SR1105 spec.completeKinds[1]: nobody knows the kind {kind} ({cure})"
    ]
