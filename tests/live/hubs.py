"""Random hubs of Envoy Gateway: gateways, ListenerSets, routes and policies, of several ages."""

from __future__ import annotations

import json
from random import Random
from typing import Any

Json = dict[str, Any]
GATEWAY_API, ENVOY = "gateway.networking.k8s.io", "gateway.envoyproxy.io"
NAMESPACES = ("infra", "shop")
HOSTNAMES = (None, "*.shop.example", "a.shop.example", "b.example")
AGES = ("equal", "ordered", "reversed")


def hub(random: Random) -> list[Json]:
    """A hub: policies are on its gateways and routes, or on what is not there."""
    objects = [*gateways(random), *routes(random)]
    sections = {sections_key(each): section_names(each) for each in objects}
    policies = [policy(random, index, sections) for index in range(random.randrange(1, 6))]
    age(random.choice(AGES), policies)
    return [*basis(), *objects, *policies]


def obj(kind: str, name: str, namespace: str, spec: Json, group: str = GATEWAY_API) -> Json:
    version = "v1" if group == GATEWAY_API else "v1alpha1"
    metadata: Json = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": f"{group}/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def basis() -> list[Json]:
    """What every hub has: a class, its namespaces, and a Service that the routes lead to."""
    controller = "gateway.envoyproxy.io/gatewayclass-controller"
    core = {"apiVersion": "v1"}
    ports = [{"name": "http", "port": 8080, "targetPort": 8080, "protocol": "TCP"}]
    return [
        obj("GatewayClass", "eg", "", {"controllerName": controller}),
        *({**core, "kind": "Namespace", "metadata": {"name": each}} for each in NAMESPACES),
        *(
            {
                **core,
                "kind": "Service",
                "metadata": {"name": "backend", "namespace": each},
                "spec": {"clusterIP": "10.0.0.1", "ports": ports},
            }
            for each in NAMESPACES
        ),
    ]


def listener(random: Random, name: str) -> Json:
    hostname = random.choice(HOSTNAMES)
    return {
        "name": name,
        "port": random.choice((80, 80, 8080)),
        "protocol": "HTTP",
        "allowedRoutes": {"namespaces": {"from": random.choice(("All", "All", "Same"))}},
        **({"hostname": hostname} if hostname else {}),
    }


def gateways(random: Random) -> list[Json]:
    parents = []
    for name in ("web", "api")[: random.randrange(1, 3)]:
        listeners = [listener(random, f"l{i}") for i in range(random.randrange(1, 3))]
        allowed = {"namespaces": {"from": random.choice(("All", "Same", "None"))}}
        spec = {"gatewayClassName": "eg", "listeners": listeners, "allowedListeners": allowed}
        parents.append(obj("Gateway", name, "infra", spec))
    if random.random() < 0.4:
        parent = {"group": GATEWAY_API, "kind": "Gateway", "name": "web", "namespace": "infra"}
        spec = {"parentRef": parent, "listeners": [{**listener(random, "s0"), "port": 9090}]}
        parents.append(obj("ListenerSet", "set", random.choice(NAMESPACES), spec))
    return parents


def routes(random: Random) -> list[Json]:
    return [route(random, f"r{i}") for i in range(random.randrange(1, 4))]


def route(random: Random, name: str) -> Json:
    kind = random.choice(("HTTPRoute", "HTTPRoute", "GRPCRoute"))
    is_set = random.random() < 0.15
    parent = {
        "group": GATEWAY_API,
        "kind": "ListenerSet" if is_set else "Gateway",
        "name": "set" if is_set else random.choice(("web", "web", "api", "gone")),
        "namespace": "infra",
        **({"sectionName": random.choice(("l0", "l1"))} if random.random() < 0.3 else {}),
    }
    backend = {"group": "", "kind": "Service", "name": "backend", "port": 8080, "weight": 1}
    match = {"path": {"type": "PathPrefix", "value": f"/{name}"}}
    match = match if kind == "HTTPRoute" else {"method": {"type": "Exact", "service": name}}
    rules = [
        {"name": f"rule{i}", "matches": [match], "backendRefs": [backend]}
        for i in range(random.randrange(1, 3))
    ]
    hostname = random.choice(HOSTNAMES)
    names = {"hostnames": [hostname]} if hostname else {}
    return obj(
        kind, name, random.choice(NAMESPACES), {"parentRefs": [parent], "rules": rules, **names}
    )


def sections_key(each: Json) -> tuple[str, str, str]:
    return each["kind"], each["metadata"]["namespace"], each["metadata"]["name"]


def section_names(each: Json) -> list[str]:
    return [item["name"] for item in each["spec"].get("rules") or each["spec"].get("listeners")]


VALUES = {
    "SecurityPolicy": {"cors": {"allowOrigins": ["https://INDEX.example"]}},
    "BackendTrafficPolicy": {"timeout": {"http": {"requestTimeout": "INDEXs"}}},
    "ClientTrafficPolicy": {"timeout": {"http": {"requestReceivedTimeout": "INDEXs"}}},
}


def policy(random: Random, index: int, sections: dict[tuple[str, str, str], list[str]]) -> Json:
    kind = random.choice((*VALUES, "SecurityPolicy", "BackendTrafficPolicy"))
    is_client = kind == "ClientTrafficPolicy"
    above = ("Gateway", "ListenerSet")
    choices = [each for each in sections if not is_client or each[0] in above]
    target_kind, namespace, name = random.choice(choices)
    reference: Json = {"group": GATEWAY_API, "kind": target_kind, "name": name}
    if random.random() < 0.08:
        reference["name"] = "gone"
    if random.random() < 0.3:
        reference["sectionName"] = random.choice((*sections[target_kind, namespace, name], "gone"))
    text = json.dumps(VALUES[kind]).replace("INDEX", str(index + 1))
    spec = {"targetRefs": [reference], **json.loads(text)}
    if target_kind.endswith("Route") and random.random() < 0.3:
        spec["mergeType"] = random.choice(("StrategicMerge", "JSONMerge"))
    return obj(kind, f"p{index}", namespace, spec, ENVOY)


def age(ages: str, policies: list[Json]) -> None:
    """Give policies their times of creation, which go with their names, or against them."""
    for index, each in enumerate(policies):
        minute = {"equal": 0, "ordered": index, "reversed": 59 - index}[ages]
        each["metadata"]["creationTimestamp"] = f"2026-01-01T00:{minute:02}:00Z"
