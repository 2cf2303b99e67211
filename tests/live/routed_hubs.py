"""Random hubs for the controllers that have no policies of Envoy Gateway's."""

import base64
from random import Random
from typing import Any

from tests.live.hub_policies import ENVOY
from tests.live.hub_routes import HTTP_ROUTES
from tests.live.hubs import CERTIFICATE, hub

Json = dict[str, Any]
UNREAD = ("UDPRoute",)
"""Kinds of the generator's that none of them looks at."""
OTHER_BACKENDS = (
    ("multicluster.x-k8s.io", "ServiceImport"),
    ("networking.istio.io", "Hostname"),
    ("", "ConfigMap"),
)


def routed_hub(random: Random, controller: str, certificate: tuple[str, str]) -> list[Json]:
    """A hub whose class is this controller's, with a real certificate and more kinds of rules."""
    objects = [fit(one, controller, certificate) for one in hub(random) if is_read(one)]
    for one in objects:
        if one["kind"].endswith("Route"):
            vary(random, one)
    return objects


def is_read(one: Json) -> bool:
    return one["apiVersion"].partition("/")[0] != ENVOY and one["kind"] not in UNREAD


def fit(one: Json, controller: str, certificate: tuple[str, str]) -> Json:
    if one["kind"] == "GatewayClass":
        return {**one, "spec": {"controllerName": controller}}
    if one["kind"] == "ConfigMap" and CERTIFICATE in one.get("data", {}).values():
        text = base64.b64decode(certificate[0]).decode()
        data = {key: text if value == CERTIFICATE else value for key, value in one["data"].items()}
        return {**one, "data": data}
    if one["kind"] == "Secret" and one.get("type") == "kubernetes.io/tls":
        return {**one, "data": dict(zip(("tls.crt", "tls.key"), certificate, strict=True))}
    return one


def vary(random: Random, route: Json) -> None:
    """Give a route filters, and backends of other kinds, of weight 0, or without a port."""
    backend = {"group": "", "kind": "Service", "name": "backend", "port": 8080}
    for rule in route["spec"]["rules"]:
        if any(each["type"] == "RequestRedirect" for each in rule.get("filters", ())):
            continue  # it has no backends, and few filters beside it
        backends = rule.setdefault("backendRefs", [])
        if random.random() < 0.15:
            group, kind = random.choice(OTHER_BACKENDS)
            backends.append({**backend, "group": group, "kind": kind, "name": "other"})
        if random.random() < 0.2:
            more = {"name": random.choice(("gone", "backend")), "weight": random.choice((0, 1))}
            backends.append({**backend, **more, "port": random.choice((8080, 9999))})
        if route["kind"] in HTTP_ROUTES and random.random() < 0.2:
            rule["filters"] = [filter_of(random, route["kind"])]
        if route["kind"] in HTTP_ROUTES and backends and random.random() < 0.1:
            backends[0]["filters"] = [filter_of(random, route["kind"])]


def filter_of(random: Random, kind: str) -> Json:
    name = random.choice(("backend", "gone"))
    mirrored = {"group": "", "kind": "Service", "name": name, "port": 8080}
    named = {"group": "example.com", "kind": "Filter", "name": "one"}
    every: list[Json] = [
        {"type": "RequestMirror", "requestMirror": {"backendRef": mirrored}},
        {"type": "ExtensionRef", "extensionRef": named},
        {"type": "RequestHeaderModifier", "requestHeaderModifier": {"remove": ["x"]}},
    ]
    if kind == "HTTPRoute":
        every += [
            {"type": "URLRewrite", "urlRewrite": {"hostname": "example.com"}},
            {"type": "CORS", "cors": {"allowOrigins": ["https://example.com"]}},
        ]
    return random.choice(every)
