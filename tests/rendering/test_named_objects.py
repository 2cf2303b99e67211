"""What shipped objects name: it ships with them, or somebody is told."""

from tests.support import cases, each, manifest
from tests.support.stages import CLASS, EVERYWHERE, GATEWAY, gateway, render, route, told

FILTER = manifest(
    "HTTPRouteFilter shop/f",
    "directResponse: {statusCode: 503}",
    api="gateway.envoyproxy.io/v1alpha1",
)
DIRECT = manifest("DirectResponse shop/f", "status: 503", api="gateway.kgateway.dev/v1alpha1")
PROXY = manifest("EnvoyProxy infra/p", "logging: {level: {default: warn}}")
PROXIED = gateway(
    "web",
    spec="infrastructure: {parametersRef: "
    "{group: gateway.envoyproxy.io, kind: EnvoyProxy, name: p}}",
)
CA = "{apiVersion: v1, kind: ConfigMap, metadata: {name: ca, namespace: shop}, data: {ca.crt: x}}\n"
TLS = manifest(
    "BackendTLSPolicy shop/tls",
    "targetRefs: [{group: '', kind: Service, name: api}], validation: {hostname: a.example, "
    "caCertificateRefs: [{group: '', kind: ConfigMap, name: ca}]}",
)
BACKEND = manifest(
    "Backend shop/api",
    "endpoints: [{fqdn: {hostname: a.example, port: 443}}]",
    api="gateway.envoyproxy.io/v1alpha1",
)
SERVICE = "{apiVersion: v1, kind: Service, metadata: {name: api, namespace: shop}, spec: {}}\n"


def filtering(group: str, kind: str) -> str:
    extension = f"{{group: {group}, kind: {kind}, name: f}}"
    rule = f"{{filters: [{{type: ExtensionRef, extensionRef: {extension}}}]}}"
    return route("r", spec=f"rules: [{rule}]")


def backed(group: str = '""', kind: str = "Service") -> str:
    rule = f"{{backendRefs: [{{group: {group}, kind: {kind}, name: api, port: 80}}]}}"
    return route("r", spec=f"rules: [{rule}]")


CASES = {
    "HTTPRouteFilter": (
        "gateway.envoyproxy.io",
        (GATEWAY, filtering("gateway.envoyproxy.io", "HTTPRouteFilter"), FILTER),
    ),
    "DirectResponse": (
        "gateway.kgateway.dev",
        (GATEWAY, filtering("gateway.kgateway.dev", "DirectResponse"), DIRECT),
    ),
    "EnvoyProxy": ("gateway.envoyproxy.io", (PROXIED, PROXY)),
    "ConfigMap": ('""', (GATEWAY, backed(), TLS, CA)),
    "Backend": (
        "gateway.envoyproxy.io",
        (GATEWAY, backed("gateway.envoyproxy.io", "Backend"), BACKEND),
    ),
}


@each(*CASES)
def test_what_a_shipped_object_names_and_the_list_lacks_is_a_warning(kind: str) -> None:
    group, documents = CASES[kind]
    (line,) = told(render([CLASS, *documents]).results, "SR1517")
    entry = f"{{group: {group}, kind: {kind}}}"
    assert line.startswith(f"SR1517 {kind} ")
    assert f"\n- {entry})" in line
    rendered = render([CLASS, *documents], settings=f"policiesToSync: [{entry}]")
    assert told(rendered.results, "SR1517") == []
    kinds = {variant.ref.kind for variant in rendered.bundles["eu"].blueprint.variants}
    assert kind in kinds


@cases(
    ((GATEWAY, FILTER), EVERYWHERE),
    ((GATEWAY, backed(), SERVICE), EVERYWHERE),
    ((GATEWAY, CA), EVERYWHERE),
    # The gateway that names it is the cluster's own, or on no spoke.
    ((PROXIED, PROXY), EVERYWHERE.replace("{all: true}", "{all: true}, mode: existing")),
    ((gateway("other"), PROXIED, PROXY), EVERYWHERE.replace("infra/web", "infra/other")),
)
def test_nobody_misses_it(documents: tuple[str, ...], rules: str) -> None:
    assert told(render([CLASS, *documents], rules).results, "SR1517") == []


# Backends of policies that move.

MOVED = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {namespace: edge}}\n"
AUTH = "{apiVersion: v1, kind: Service, metadata: {name: auth, namespace: infra}, spec: {}}\n"


def guarded(backend: str) -> str:
    return manifest(
        "SecurityPolicy infra/p",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], "
        f"extAuth: {{http: {{backendRefs: [{backend}]}}}}",
    )


@each((), (AUTH,))
def test_a_backend_that_is_another_one_where_the_policy_lands_is_an_error(
    service: tuple[str, ...],
) -> None:
    documents = [CLASS, GATEWAY, guarded("{name: auth, port: 80}"), *service]
    assert told(render(documents, MOVED).results, "SR1709") == [
        (
            "SR1709 SecurityPolicy infra/p spec.extAuth.http.backendRefs[0]: it names Service "
            "infra/auth on the hub and Service edge/auth on the spoke, where the policy is in edge "
            "(write `namespace: infra` beside the name, with a ReferenceGrant there, list Service "
            "to sync if the hub has it, or keep the gateway in the hub's namespace) [eu]"
        )
    ]
    assert told(render(documents, MOVED.replace("edge", "infra")).results, "SR1709") == []
    written = [CLASS, GATEWAY, guarded("{name: auth, namespace: infra, port: 80}"), *service]
    assert told(render(written, MOVED).results, "SR1709") == []
    assert len(told(render(written, MOVED).results, "SR1705")) == 1


def test_a_service_that_goes_along_is_the_same_one() -> None:
    documents = [CLASS, GATEWAY, guarded("{name: auth, port: 80}"), AUTH]
    settings = 'policiesToSync: [{group: "", kind: Service}]'
    assert told(render(documents, MOVED, settings=settings).results, "SR1709") == []
