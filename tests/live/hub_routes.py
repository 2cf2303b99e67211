"""The routes of random hubs: their parents, hostnames, rules, backends and filters."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.live.hub_policies import ENVOY, GATEWAY_API, LABELS

Json = dict[str, Any]
NAMESPACES = {
    "infra": {"tier": "gold"},
    "shop": {"tier": "gold", "side": "left"},
    "team": {},
}
HOSTNAMES = (
    *(None, None, "*.shop.example", "a.shop.example", "b.example"),
    *("*.example", "*.a.shop.example", "c.a.shop.example"),
)
HTTP_ROUTES = ("HTTPRoute", "GRPCRoute")
ROUTES = (*HTTP_ROUTES, "TLSRoute", "TCPRoute", "UDPRoute")
ROUTES_OF = {
    "HTTP": HTTP_ROUTES,
    "HTTPS": HTTP_ROUTES,
    "TLS": ("TLSRoute", "TLSRoute", "TCPRoute"),
    "TCP": ("TCPRoute",),
    "UDP": ("UDPRoute",),
}
_MATCHES: tuple[Json, ...] = (
    {},
    {},
    {"headers": [{"name": "x-one", "value": "a"}]},
    {"method": "GET"},
    {"queryParams": [{"type": "RegularExpression", "name": "q", "value": "a.*"}]},
)
_HEADER = {"set": [{"name": "x-one", "value": "a"}]}
_FIXED = {"set": [{"name": "Host", "value": "a"}]}


def route(random: Random, number: int, parents: list[Json]) -> Json:
    """A route; it may have the name of another one in another namespace."""
    namespace = random.choice(list(NAMESPACES))
    chosen = random.sample(parents, k=min(len(parents), random.choice((1, 1, 1, 2, 3))))
    protocols = [one["protocol"] for parent in chosen for one in parent["spec"]["listeners"]]
    kind = random.choice(ROUTES_OF[random.choice(protocols)])
    if random.random() < 0.05:
        kind = random.choice(ROUTES)
    references = [parent_ref(random, parent, namespace) for parent in chosen]
    if random.random() < 0.06:
        references += [parent_ref(random, chosen[0], namespace)]
    count = 1 if kind not in HTTP_ROUTES else random.choice((1, 1, 2, 3))
    if kind not in HTTP_ROUTES and random.random() < 0.04:
        count = 2
    name = f"r{number}"
    rules = [rule(random, kind, name, i) for i in range(count)]
    spec: Json = {"parentRefs": distinct_references(references, namespace), "rules": rules}
    names = {random.choice(HOSTNAMES) for _ in range(random.randrange(1, 4))} - {None}
    if kind == "TLSRoute":
        names = names or {"a.shop.example"}
    if names and kind not in ("TCPRoute", "UDPRoute"):
        spec["hostnames"] = sorted(map(str, names))
    version = "v1alpha2" if kind in ("TCPRoute", "UDPRoute") else "v1"
    metadata: Json = {"name": name, "namespace": namespace}
    if labels := random.choice(LABELS):
        metadata["labels"] = labels
    return {
        "apiVersion": f"{GATEWAY_API}/{version}",
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    }


def distinct_references(references: list[Json], own: str) -> list[Json]:
    """The references that may stand beside each other (the CRD asks for a section in each)."""
    left: list[Json] = []
    for reference in references:
        same = [one for one in left if _names(one, own) == _names(reference, own)]
        if all({"sectionName", "port"} & one.keys() for one in (*same, reference)) or not same:
            keys = [(one.get("sectionName"), one.get("port")) for one in same]
            if (reference.get("sectionName"), reference.get("port")) not in keys:
                left.append(reference)
    return left


def _names(reference: Json, own: str) -> tuple[str, ...]:
    return reference["kind"], reference.get("namespace", own), reference["name"]


def parent_ref(random: Random, parent: Json, namespace: str) -> Json:
    metadata = parent["metadata"]
    names = [one["name"] for one in parent["spec"]["listeners"]]
    ports = [one["port"] for one in parent["spec"]["listeners"]]
    reference: Json = {"group": GATEWAY_API, "kind": parent["kind"], "name": metadata["name"]}
    if metadata["namespace"] != namespace or random.random() < 0.8:
        reference["namespace"] = metadata["namespace"]
    if random.random() < 0.06:
        reference["name"] = "gone"
    if random.random() < 0.35:
        reference["sectionName"] = random.choice((*names, *names, "gone"))
    if random.random() < 0.1:
        reference["port"] = random.choice((*ports, 80, 443, 8080))
    return reference


def rule(random: Random, kind: str, route_name: str, number: int) -> Json:
    count = random.choice((1, 1, 1, 2, 2, 0)) if kind in HTTP_ROUTES else 1
    made: Json = {"backendRefs": [backend(random, kind) for _ in range(count)]}
    if count > 1 and random.random() < 0.3:
        made["backendRefs"][0]["weight"] = 0
    if random.random() < 0.8:
        made["name"] = f"rule{number}"
    if kind == "HTTPRoute":
        made["matches"] = [
            {"path": _path(random, f"/{route_name}/{number}/{i}"), **random.choice(_MATCHES)}
            for i in range(random.choice((1, 1, 2)))
        ]
    elif kind == "GRPCRoute":
        made["matches"] = [{"method": {"type": "Exact", "service": f"{route_name}{number}"}}]
    if kind in HTTP_ROUTES and random.random() < 0.25:
        made["filters"] = [http_filter(random, kind)]
    if kind == "HTTPRoute" and random.random() < 0.1:
        made["timeouts"] = {"request": "7s"}
    if any(one["type"] == "RequestRedirect" for one in made.get("filters", ())):
        del made["backendRefs"]
    return made


def _path(random: Random, value: str) -> Json:
    kind = random.choice(("PathPrefix",) * 4 + ("Exact", "RegularExpression"))
    return {"type": kind, "value": value}


def http_filter(random: Random, kind: str) -> Json:
    """A filter of a rule; a few are not supported, or name what is not there."""
    changed = random.choice((_HEADER,) * 9 + (_FIXED,))
    made = random.choice(("header", "header", "mirror", "mirror", "extension", "redirect", "cors"))
    if made == "mirror":
        return {"type": "RequestMirror", "requestMirror": {"backendRef": _mirror(random, kind)}}
    if made == "extension":
        name = random.choice(("rewrite", "rewrite", "answer", "gone"))
        extension = {"group": ENVOY, "kind": "HTTPRouteFilter", "name": name}
        return {"type": "ExtensionRef", "extensionRef": extension}
    if made == "redirect" and kind == "HTTPRoute":
        return {"type": "RequestRedirect", "requestRedirect": {"scheme": "https"}}
    if made == "cors" and kind == "HTTPRoute":
        return {"type": "CORS", "cors": {"allowOrigins": ["https://a.example"]}}
    return {"type": "RequestHeaderModifier", "requestHeaderModifier": changed}


def _mirror(random: Random, kind: str) -> Json:
    return {key: value for key, value in backend(random, kind).items() if key != "weight"}


def backend(random: Random, kind: str) -> Json:
    port = 53 if kind == "UDPRoute" else random.choice((8080, 8080, 8081))
    reference: Json = {"group": "", "kind": "Service", "name": "backend", "port": port}
    if random.random() < 0.02:
        reference["port"] = 9999
    if random.random() < (0.2 if kind in HTTP_ROUTES else 0.1):
        name = random.choice(("outside",) * 4 + ("named", "mixed"))
        reference = {"group": ENVOY, "kind": "Backend", "name": name}
    if random.random() < 0.1:
        reference["namespace"] = random.choice(list(NAMESPACES))
    if random.random() < 0.04:
        reference["name"] = "gone"
    return {**reference, "weight": 1}
