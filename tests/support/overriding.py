"""A hub whose objects spokes override."""

from typing import Any

from spokerender.rendering.values.rendered import Rendered
from tests.support.stages import CLASS, auth, gateway, objects, render, route

LISTENERS = (
    '[{name: http, port: 80, protocol: HTTP, hostname: "*.shop.example", '
    "allowedRoutes: {namespaces: {from: All}}}]"
)
HUB = (
    CLASS,
    gateway("web", listeners=LISTENERS),
    auth(
        "web",
        "kind: Gateway, name: web",
        metadata="labels: {team: a}, annotations: {note: old}",
        spec="rules: {a: 1, b: 2}, list: [one, two]",
    ),
    auth("web", "kind: Gateway, name: web", kind="DNSPolicy", spec="weight: 1"),
    auth("cart", "kind: HTTPRoute, name: cart", "shop", metadata="labels: {team: b}"),
    route("cart", "[{name: web, namespace: infra}]", spec="hostnames: [a.shop.example]"),
)
SPOKES = (
    "- {name: eu, labels: {region: eu}, values: {number: 5}}\n- {name: us, labels: {region: us}}\n"
)
ALL = "{all: true}"
MOVED = "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {name: edge, namespace: gw}}"
POLICY = "AuthPolicy infra/web"


def override(target: str, patch: str, spokes: str = ALL, more: str = "") -> str:
    return f"- {{target: {target}, spokes: {spokes}, {patch}{more}}}\n"


def overridden(*entries: str, rules: str = "") -> Rendered:
    settings = {"rules": rules} if rules else {}
    return render(HUB, spokes=SPOKES, overrides="".join(entries), **settings)


def spec(found: Rendered, name: str = POLICY, spoke: str = "eu") -> Any:
    data = dict(objects(found, spoke)[name]["spec"])
    data.pop("targetRef", None)
    return data
