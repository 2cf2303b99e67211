"""The conditions on targets that tell which policies affect them (GEP-2648, GEP-713)."""

from spokerender.explain.routing import share_routing
from spokerender.model import GATEWAY_API
from spokerender.pipeline import judge
from tests.support import end_to_end as e2e, manifest
from tests.support.stages import auth, gateway, route

LISTENERS = "[{name: http, port: 80, protocol: HTTP}, {name: more, port: 81, protocol: HTTP}]"


def affected(*policies: str, kinds: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The conditions of each Gateway, listener and route that end with `Affected`: who affects."""
    hub = (
        gateway("web", listeners=LISTENERS),
        route("cart", "[{name: web, sectionName: http}]", namespace="infra"),
        route("lost", "[{name: web, sectionName: none}]", namespace="infra"),
        *policies,
    )
    files = {
        "fleet.yaml": e2e.fleet((GATEWAY_API, "HTTPRoute"), *kinds),
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
