"""The conditions on targets that tell which policies affect them (GEP-2648, GEP-713)."""

from spokerender.explain.routing import share_routing
from spokerender.model import GATEWAY_API
from spokerender.pipeline import judge
from tests.report import test_statuses as retries
from tests.support import end_to_end as e2e, manifest
from tests.support.stages import auth, gateway, route
from tests.support.texts import text_of

LISTENERS = "[{name: http, port: 80, protocol: HTTP}, {name: more, port: 81, protocol: HTTP}]"
SPEC = "rules: [{backendRefs: [{name: pool, port: 80}]}]"
EXTERNAL = """[{group: "", kind: Secret, namespace: infra, name: key, gateways: [infra/web]},
    {group: "", kind: Service, namespace: infra, name: pool}]"""


def affected(*policies: str, kinds: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The conditions of each Gateway, listener and route that end with `Affected`: who affects."""
    hub = (
        gateway("web", listeners=LISTENERS),
        route("cart", "[{name: web, sectionName: http}]", namespace="infra", spec=SPEC),
        route("lost", "[{name: web, sectionName: none}]", namespace="infra"),
        *policies,
    )
    files = {
        "fleet.yaml": e2e.fleet((GATEWAY_API, "HTTPRoute"), *kinds, external=EXTERNAL),
        "placement.yaml": e2e.everywhere("infra/web"),
        "hub/hub.yaml": "---\n".join(hub),
    }
    shared = share_routing(judge(e2e.rendered(files), with_routing=True))
    places = {}
    for status in (alike.common for alike in shared):
        name, holder = status.ref.name, status.holder
        parts = [(name, entry.conditions) for entry in status.parents]
        if holder is not None:
            parts += [(name, holder.conditions)]
            parts += [(f"{name}/{it.name}", it.conditions) for it in holder.listeners]
        parts.append((f"{name} {'labels' if status.labels else ''}".strip(), status.affected))
        for place, conditions in parts:
            for item in conditions:
                if item.type.endswith("Affected"):
                    places[f"{place} {item.type}"] = item.message.removeprefix("affected by ")
                    assert item.status.value == "True"
    return places


def test_kuadrants_are_on_targets_and_below_them() -> None:
    limit = "limits: {all: {rates: [{limit: 1, window: 1s}]}}"
    of = {"kind": "RateLimitPolicy", "spec": limit}
    policies = (
        auth("all", "kind: Gateway, name: web", spec="rules: {authentication: {a: {}}}"),
        auth("http", "kind: Gateway, name: web, sectionName: http", **of),
        auth("more", "kind: Gateway, name: web, sectionName: more", **of),
        auth("cart", "kind: HTTPRoute, name: cart", **of),
    )
    limits, guards = "kuadrant.io/RateLimitPolicyAffected", "kuadrant.io/AuthPolicyAffected"
    kinds = (("kuadrant.io", "AuthPolicy"), ("kuadrant.io", "RateLimitPolicy"))
    assert affected(*policies, kinds=kinds) == {
        f"web {guards}": "AuthPolicy infra/all",
        f"web/http {guards}": "AuthPolicy infra/all",
        f"web/more {guards}": "AuthPolicy infra/all",
        f"web/http {limits}": "RateLimitPolicy infra/http",
        f"web/more {limits}": "RateLimitPolicy infra/more",
        f"cart {guards}": "AuthPolicy infra/all",
        f"cart {limits}": "RateLimitPolicy infra/cart and RateLimitPolicy infra/http",
    }


def test_nginx_has_them_on_targets_alone() -> None:
    target = f"targetRef: {{group: {GATEWAY_API}, kind: Gateway, name: web}}"
    settings = manifest(
        "ClientSettingsPolicy infra/p",
        f"{target}, body: {{maxSize: 1m}}",
        api="gateway.nginx.org/v1alpha1",
    )
    nginx = manifest(
        "GatewayClass hub", "controllerName: gateway.nginx.org/nginx-gateway-controller"
    )
    kinds = (("gateway.nginx.org", "ClientSettingsPolicy"),)
    conditions = affected(settings, nginx, kinds=kinds)
    assert conditions == {"web ClientSettingsPolicyAffected": "ClientSettingsPolicy infra/p"}


def test_those_of_a_direct_policy_are_in_the_domain_of_the_gateways_controller() -> None:
    """GEP-2648: on the target, whichever section is meant; a label where it has no conditions."""
    targets = {
        "gate": "group: gateway.networking.k8s.io, kind: Gateway, name: web, sectionName: http",
        "route": "group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart",
        "pool": 'group: "", kind: Service, name: pool',
        "key": 'group: "", kind: Secret, name: key',
    }
    policies = [
        manifest(f"RetryPolicy infra/{name}", f"targetRef: {{{ref}}}", api="networking.acme.io/v1")
        for name, ref in targets.items()
    ]
    others = (
        text_of(retries.__file__, "retries.yaml"),
        manifest("GatewayClass hub", "controllerName: acme.io/gateways"),
    )
    assert affected(*policies, *others, kinds=(("networking.acme.io", "RetryPolicy"),)) == {
        "web acme.io/PolicyAffected": "RetryPolicy infra/gate",
        "web/http acme.io/PolicyAffected": "RetryPolicy infra/gate",
        "cart acme.io/PolicyAffected": "RetryPolicy infra/route",
        "pool acme.io/PolicyAffected": "RetryPolicy infra/pool",
        "key labels acme.io/PolicyAffected": "RetryPolicy infra/key",
    }
