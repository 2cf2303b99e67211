"""Random hubs of Envoy Gateway: gateways, ListenerSets, routes and policies, of several ages.

A hub is what an API server would take, and nothing else about it is made easy. Each policy has
values that no other has (`policies`), by which what is in force can be traced back to it.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.live.hub_policies import ENVOY, GATEWAY_API, LABELS, PARENTS, policy

Json = dict[str, Any]
CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller"
NAMESPACES = {"infra": {"tier": "gold"}, "shop": {"tier": "gold"}, "team": {}}
HOSTNAMES = (None, None, "*.shop.example", "a.shop.example", "b.example")
AGES = ("equal", "ordered", "reversed")
HTTP_ROUTES = ("HTTPRoute", "GRPCRoute")
ROUTES = (*HTTP_ROUTES, "TLSRoute", "TCPRoute", "UDPRoute")
PROTOCOLS = ("HTTP",) * 9 + ("HTTPS",) * 4 + ("TLS",) * 2 + ("TCP",) * 2 + ("UDP",)
PORTS = {
    "HTTP": (80, 80, 8080),
    "HTTPS": (443, 443, 8443),
    "TLS": (443, 9443),
    "TCP": (9000, 9001, 80),
    "UDP": (5300, 9000),
}
ROUTES_OF = {
    "HTTP": HTTP_ROUTES,
    "HTTPS": HTTP_ROUTES,
    "TLS": ("TLSRoute", "TLSRoute", "TCPRoute"),
    "TCP": ("TCPRoute",),
    "UDP": ("UDPRoute",),
}
USERS = "Zm9vOntTSEF9ZDk1bzJ1ellJN3E3dFk3YkhJNFUxeEJ1ZzdzPQ=="
CERTIFICATE = "CERTIFICATE"
"""Where a certificate stands: the judge puts a real one there."""


def hub(random: Random) -> list[Json]:
    """A hub: policies are on its gateways, routes and backends, or on what is not there."""
    parents = [*gateways(random), *listener_sets(random)]
    routes = [route(random, f"r{i}", parents) for i in range(random.randrange(1, 5))]
    grants = [grant(random, i) for i in range(random.randrange(3))]
    objects = [*parents, *routes]
    policies = [policy(random, index, objects) for index in range(1, random.randrange(2, 9))]
    for aged in (policies, routes, parents):
        age(random.choice(AGES), aged)
    return [*basis(), *objects, *grants, *policies]


def obj(  # noqa: PLR0913, PLR0917  (as many parts as an object has)
    kind: str,
    name: str,
    namespace: str,
    spec: Json,
    group: str = GATEWAY_API,
    labels: Json | None = None,
) -> Json:
    version = {GATEWAY_API: "v1", ENVOY: "v1alpha1"}[group]
    version = {"TCPRoute": "v1alpha2", "UDPRoute": "v1alpha2", "ReferenceGrant": "v1beta1"}.get(
        kind, version
    )
    metadata: Json = {"name": name, **({"namespace": namespace} if namespace else {})}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": f"{group}/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def core(kind: str, name: str, namespace: str = "", **fields: Any) -> Json:
    metadata: Json = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}


def basis() -> list[Json]:
    """What every hub has: a class, namespaces, and in these backends, certificates and users."""
    port = {"name": "http", "port": 8080, "targetPort": 8080, "protocol": "TCP"}
    ports = [port, {**port, "name": "more", "port": 8081}, {**port, "name": "dns", "port": 53}]
    ports[2]["protocol"] = "UDP"
    endpoint = {"ip": {"address": "10.0.0.9", "port": 8080}}
    objects = [obj("GatewayClass", "eg", "", {"controllerName": CONTROLLER})]
    for name, labels in NAMESPACES.items():
        namespace = core("Namespace", name)
        namespace["metadata"]["labels"] = {"kubernetes.io/metadata.name": name, **labels}
        objects += [
            namespace,
            core("Service", "backend", name, spec={"clusterIP": "10.0.0.1", "ports": ports}),
            endpoints(name),
            core("ConfigMap", "ca", name, data={"ca.crt": CERTIFICATE}),
            core("ConfigMap", "jwks", name, data={"jwks": '{"keys": []}'}),
            core("ConfigMap", "body", name, data={"response.body": "text"}),
            core("ConfigMap", "empty", name),
            core("Secret", "tls", name, type="kubernetes.io/tls"),
            core("Secret", "users", name, type="Opaque", data={".htpasswd": USERS}),
            core("Secret", "keys", name, type="Opaque", data={"client": "YWJj"}),
            obj("Backend", "outside", name, {"endpoints": [endpoint]}, ENVOY),
        ]
    return objects


def endpoints(namespace: str) -> Json:
    """The pods of a backend: without ready ones it can't be asked for authorization."""
    slice_ = core("EndpointSlice", "backend", namespace, addressType="IPv4")
    slice_["apiVersion"] = "discovery.k8s.io/v1"
    slice_["metadata"]["labels"] = {"kubernetes.io/service-name": "backend"}
    slice_["endpoints"] = [{"addresses": ["10.1.0.1"], "conditions": {"ready": True}}]
    ports = (("http", 8080, "TCP"), ("more", 8081, "TCP"), ("dns", 53, "UDP"))
    slice_["ports"] = [
        {"name": name, "port": port, "protocol": protocol} for name, port, protocol in ports
    ]
    return slice_


def listener(random: Random, name: str) -> Json:
    protocol = random.choice(PROTOCOLS)
    hostname = random.choice(HOSTNAMES) if protocol not in ("TCP", "UDP") else None
    made: Json = {
        "name": name,
        "port": random.choice(PORTS[protocol]),
        "protocol": protocol,
        "allowedRoutes": allowed(random),
        **({"hostname": hostname} if hostname else {}),
    }
    mode = "Passthrough" if protocol == "TLS" and random.random() < 0.6 else "Terminate"
    if protocol in ("HTTPS", "TLS"):
        made["tls"] = {"mode": mode}
    if protocol in ("HTTPS", "TLS") and mode == "Terminate":
        certificate: Json = {"group": "", "kind": "Secret", "name": "tls"}
        if random.random() < 0.1:
            certificate["namespace"] = random.choice(list(NAMESPACES))
        made["tls"]["certificateRefs"] = [certificate]
    if random.random() < 0.08:
        kind = random.choice(ROUTES_OF[protocol])
        made["allowedRoutes"]["kinds"] = [{"group": GATEWAY_API, "kind": kind}]
    return made


def allowed(random: Random) -> Json:
    chosen = random.choice(("All", "All", "All", "Same", "Selector"))
    if chosen != "Selector":
        return {"namespaces": {"from": chosen}}
    selector = {"matchLabels": {"tier": "gold"}}
    return {"namespaces": {"from": chosen, "selector": selector}}


def distinct(listeners: list[Json]) -> list[Json]:
    """The listeners that may stand in one object (the CRD compares port, protocol, hostname)."""
    by_door = {(each["port"], each["protocol"], each.get("hostname")): each for each in listeners}
    return list(by_door.values())


def gateways(random: Random) -> list[Json]:
    made = []
    for name, namespace in (("web", "infra"), ("api", "infra"), ("edge", "shop")):
        if name != "web" and random.random() < 0.5:
            continue
        listeners = [listener(random, f"l{i}") for i in range(random.randrange(1, 4))]
        from_ = random.choice(("All", "All", "Same", "None", "Selector"))
        selector = {"selector": {"matchLabels": {"tier": "gold"}}} if from_ == "Selector" else {}
        spec = {
            "gatewayClassName": "eg",
            "listeners": distinct(listeners),
            "allowedListeners": {"namespaces": {"from": from_, **selector}},
        }
        made.append(obj("Gateway", name, namespace, spec, labels=random.choice(LABELS)))
    return made


def listener_sets(random: Random) -> list[Json]:
    made = []
    for number in range(random.choice((0, 0, 0, 1, 1, 2, 3))):
        name, namespace = f"set{number}", random.choice(list(NAMESPACES))
        parent = {"group": GATEWAY_API, "kind": "Gateway", "namespace": "infra"}
        parent["name"] = random.choice(("web", "web", "web", "api", "gone"))
        listeners = [listener(random, f"s{i}") for i in range(random.randrange(1, 3))]
        spec = {"parentRef": parent, "listeners": distinct(listeners)}
        made.append(obj("ListenerSet", name, namespace, spec, labels=random.choice(LABELS)))
    return made


def route(random: Random, name: str, parents: list[Json]) -> Json:
    namespace = random.choice(list(NAMESPACES))
    chosen = random.sample(parents, k=min(len(parents), random.choice((1, 1, 1, 2))))
    protocols = [one["protocol"] for parent in chosen for one in parent["spec"]["listeners"]]
    kind = random.choice(ROUTES_OF[random.choice(protocols)])
    if random.random() < 0.05:
        kind = random.choice(ROUTES)
    references = [parent_ref(random, parent) for parent in chosen]
    one_only = kind in ("UDPRoute", "TCPRoute", "TLSRoute")
    rules = [rule(random, kind, name, i) for i in range(1 if one_only else random.randrange(1, 3))]
    spec: Json = {"parentRefs": references, "rules": rules}
    names = {random.choice(HOSTNAMES) for _ in range(random.randrange(1, 3))} - {None}
    if kind == "TLSRoute":
        names = names or {"a.shop.example"}
    if names and kind not in ("TCPRoute", "UDPRoute"):
        spec["hostnames"] = sorted(map(str, names))
    return obj(kind, name, namespace, spec, labels=random.choice(LABELS))


def parent_ref(random: Random, parent: Json) -> Json:
    metadata = parent["metadata"]
    names = [one["name"] for one in parent["spec"]["listeners"]]
    reference: Json = {"group": GATEWAY_API, "kind": parent["kind"], "name": metadata["name"]}
    reference["namespace"] = metadata["namespace"]
    if random.random() < 0.07:
        reference["name"] = "gone"
    if random.random() < 0.35:
        reference["sectionName"] = random.choice((*names, *names, "gone"))
    elif random.random() < 0.1:
        reference["port"] = random.choice((80, 443, 8080))
    return reference


def rule(random: Random, kind: str, route_name: str, number: int) -> Json:
    made: Json = {"backendRefs": [backend(random, kind)]}
    if random.random() < 0.8:
        made["name"] = f"rule{number}"
    if kind == "HTTPRoute":
        made["matches"] = [{"path": {"type": "PathPrefix", "value": f"/{route_name}/{number}"}}]
    elif kind == "GRPCRoute":
        made["matches"] = [{"method": {"type": "Exact", "service": f"{route_name}{number}"}}]
    return made


def backend(random: Random, kind: str) -> Json:
    port = 53 if kind == "UDPRoute" else random.choice((8080, 8080, 8081))
    reference: Json = {"group": "", "kind": "Service", "name": "backend", "port": port}
    if kind in HTTP_ROUTES and random.random() < 0.2:
        reference = {"group": ENVOY, "kind": "Backend", "name": "outside"}
    if random.random() < 0.1:
        reference["namespace"] = random.choice(list(NAMESPACES))
    if random.random() < 0.05:
        reference["name"] = "gone"
    return {**reference, "weight": 1}


def grant(random: Random, number: int) -> Json:
    """A ReferenceGrant for routes to backends, for Gateways to certificates, or for selectors."""
    namespace, other = random.sample(list(NAMESPACES), k=2)
    source, target = random.choice(
        (
            ((GATEWAY_API, random.choice(HTTP_ROUTES)), ("", "Service")),
            ((GATEWAY_API, random.choice(PARENTS)), ("", "Secret")),
            ((ENVOY, "SecurityPolicy"), ("", "Service")),
            ((ENVOY, "SecurityPolicy"), (GATEWAY_API, "HTTPRoute")),
            ((ENVOY, "BackendTrafficPolicy"), (GATEWAY_API, "HTTPRoute")),
            ((ENVOY, "ClientTrafficPolicy"), (GATEWAY_API, "Gateway")),
        )
    )
    from_ = {"group": source[0], "kind": source[1], "namespace": other}
    spec = {"from": [from_], "to": [{"group": target[0], "kind": target[1]}]}
    return obj("ReferenceGrant", f"grant{number}", namespace, spec)


def age(ages: str, objects: list[Json]) -> None:
    """Give objects their times of creation, which go with their names, or against them."""
    for index, each in enumerate(objects):
        minute = {"equal": 0, "ordered": index, "reversed": 59 - index}[ages]
        each["metadata"]["creationTimestamp"] = f"2026-01-01T00:{minute:02}:00Z"
