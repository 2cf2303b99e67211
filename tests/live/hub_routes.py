"""The routes of random hubs: their parents, hostnames, rules, backends and filters."""

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
_WRONG_MATCHES: tuple[Json, ...] = (
    {"queryParams": [{"type": "RegularExpression", "name": "q", "value": "a("}]},
    {"headers": [{"type": "RegularExpression", "name": "x-one", "value": "*"}]},
)
_HEADER = {"set": [{"name": "x-one", "value": "a"}]}
_FIXED = {"set": [{"name": "Host", "value": "a"}]}
_SPACED = {"add": [{"name": "x-two", "value": "a  b"}]}
_ONCE = ("header", "response", "redirect", "cors", "external", "hostname", "path")
"""Filters that a rule may have once; the last two are of one type."""
_BESIDE = ("header", "response", "extension", "hostname", "path", "cors")
"""Filters of a backend; the last two are not supported there."""
_EXTENSIONS = (
    *("rewrite", "rewrite", "answer", "answer", "gone", "matched", "matched", "unmatched"),
    *("success", "told", "untold", "credential", "credential", "no-credential", "pattern"),
)
"""Names of filters of Envoy Gateway's (`hubs.filters`), and of one that is not there."""


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
            {"path": _path(random, f"/{route_name}/{number}/{i}"), **_match(random, kind)}
            for i in range(random.choice((1, 1, 2)))
        ]
    elif kind == "GRPCRoute":
        method = {"type": "Exact", "service": f"{route_name}{number}"}
        if random.random() < 0.1:
            expression = random.choice(("a.*", "a.*", "a["))
            method = {"type": "RegularExpression", "service": method["service"] + expression}
        made["matches"] = [{"method": method, **_match(random, kind)}]
    if kind in HTTP_ROUTES and random.random() < 0.3:
        made["filters"] = http_filters(random, kind)
    if kind == "HTTPRoute":
        made |= _patience(random)
    if any(one["type"] == "RequestRedirect" for one in made.get("filters", ())):
        del made["backendRefs"]
    return made


def _patience(random: Random) -> Json:
    """How long a rule of HTTP waits, how often it tries, and whether it keeps to a backend."""
    made: Json = {}
    if random.random() < 0.1:
        made["timeouts"] = random.choice(({"request": "7s"}, {"backendRequest": "6s"}))
    if random.random() < 0.05:
        made["retry"] = {"attempts": 2, "codes": [503]}
    if random.random() < 0.05:
        kind = random.choice(("Cookie", "Header"))
        made["sessionPersistence"] = {"sessionName": "s", "type": kind}
    return made


def _match(random: Random, kind: str) -> Json:
    """What a match asks for besides its path; few are no expressions."""
    if random.random() < 0.02:
        return random.choice(_WRONG_MATCHES[kind == "GRPCRoute" :])
    return random.choice(_MATCHES) if kind == "HTTPRoute" else {}


def _path(random: Random, value: str) -> Json:
    kind = random.choice(("PathPrefix",) * 4 + ("Exact", "RegularExpression"))
    if kind == "RegularExpression" and random.random() < 0.1:
        value += "(a"
    return {"type": kind, "value": value}


def http_filters(random: Random, kind: str) -> list[Json]:
    """One to three filters that may stand in one rule."""
    chosen = [_choose_filter(random, kind) for _ in range(random.choice((1, 1, 1, 2, 3)))]
    once = {name for name in _ONCE if name in chosen}
    if once & {"hostname", "path"}:
        once -= {"redirect"}
    if {"hostname", "path"} <= once:
        once -= {"path"}
    made = []
    for name in chosen:
        if name not in _ONCE or name in once:
            made.append(http_filter(random, kind, name))
            once.discard(name)
    return made


def _choose_filter(random: Random, kind: str) -> str:
    names = ("header", "header", "response", "mirror", "mirror", *("extension",) * 3)
    return random.choice((*names, *_ONCE[2:]) if kind == "HTTPRoute" else names)


def http_filter(random: Random, kind: str, name: str) -> Json:
    """A filter of a rule; a few are not supported, or name what is not there."""
    changed = random.choice((_HEADER,) * 15 + (_FIXED, _SPACED))
    extension = {"group": ENVOY, "kind": "HTTPRouteFilter", "name": random.choice(_EXTENSIONS)}
    mirror = {"backendRef": _mirror(random, kind)} if name == "mirror" else {}
    path = {"type": "ReplaceFullPath", "replaceFullPath": "/a"}
    asked = {"group": "", "kind": "Service", "name": "backend", "port": 8080}
    external = {"protocol": "HTTP", "backendRef": asked, "http": {"path": "/auth"}}
    return {
        "header": {"type": "RequestHeaderModifier", "requestHeaderModifier": changed},
        "response": {"type": "ResponseHeaderModifier", "responseHeaderModifier": changed},
        "mirror": {"type": "RequestMirror", "requestMirror": mirror},
        "extension": {"type": "ExtensionRef", "extensionRef": extension},
        "redirect": {"type": "RequestRedirect", "requestRedirect": {"scheme": "https"}},
        "external": {"type": "ExternalAuth", "externalAuth": external},
        "cors": {"type": "CORS", "cors": {"allowOrigins": ["https://a.example"]}},
        "hostname": {"type": "URLRewrite", "urlRewrite": {"hostname": "b.example"}},
        "path": {"type": "URLRewrite", "urlRewrite": {"path": path}},
    }[name]


def _mirror(random: Random, kind: str) -> Json:
    left_out = ("weight", "filters")
    return {key: value for key, value in backend(random, kind).items() if key not in left_out}


def backend(random: Random, kind: str) -> Json:
    port = 53 if kind == "UDPRoute" else random.choice((8080, 8080, 8081))
    reference: Json = {"group": "", "kind": "Service", "name": "backend", "port": port}
    if random.random() < 0.02:
        reference["port"] = 9999
    if random.random() < 0.02:
        reference["name"] = "alias"
    if random.random() < 0.01:
        reference |= {"group": "multicluster.x-k8s.io", "kind": "ServiceImport"}
    if random.random() < (0.2 if kind in HTTP_ROUTES else 0.1):
        names = ("outside",) * 6 + ("named", "named", "mixed", "secure", "secure", "pinned", "lax")
        name = random.choice(
            (*names, "unpinned", "untrusted", "client", "no-client", "dynamic", "socket")
        )
        reference = {"group": ENVOY, "kind": "Backend", "name": name}
    if random.random() < 0.1:
        reference["namespace"] = random.choice(list(NAMESPACES))
    if random.random() < 0.04:
        reference["name"] = "gone"
    if kind in HTTP_ROUTES and random.random() < 0.05:
        chosen = random.choice(_BESIDE if kind == "HTTPRoute" else _BESIDE[:3])
        reference["filters"] = [http_filter(random, kind, chosen)]
    return {**reference, "weight": 1}
