"""The policies of random hubs: their targets, and values that tell one from another.

Every value that can have one has a number of five digits which no other policy of the hub has, so
what is in force somewhere can be traced back to its policy and field (`find_marks`).
"""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

Json = dict[str, Any]
GATEWAY_API, ENVOY = "gateway.networking.k8s.io", "gateway.envoyproxy.io"
LABELS: tuple[dict[str, str], ...] = ({"app": "one"}, {"app": "two"}, {})
ROUTE = "Route"
PARENTS = ("Gateway", "ListenerSet")
KINDS = (
    *("SecurityPolicy", "BackendTrafficPolicy", "ClientTrafficPolicy") * 3,
    *("EnvoyExtensionPolicy", "EnvoyExtensionPolicy", "EnvoyPatchPolicy", "BackendTLSPolicy"),
)
TARGETS = {
    "SecurityPolicy": (*PARENTS, "HTTPRoute", "GRPCRoute", "TCPRoute"),
    "ClientTrafficPolicy": PARENTS,
}
_SERVICE = {"group": "", "kind": "Service", "port": 8080}
_MARK = re.compile(r"(?<![\d.])2\d{4}(?!\d)")
_DURATION = re.compile(r'"(?:(\d+)h)?(?:(\d+)m)?(\d+)s"')


def find_marks(kind: str, part: object) -> frozenset[str]:
    """The numbers of a kind's policies in a part of a spec, or of what a controller makes of it."""
    text = _DURATION.sub(_seconds, json.dumps(part))
    own = f"2{[*FEATURES].index(kind)}"
    return frozenset(mark for mark in _MARK.findall(text) if mark.startswith(own))


def _seconds(match: re.Match[str]) -> str:
    hours, minutes, seconds = (int(text or 0) for text in match.groups())
    return str(3600 * hours + 60 * minutes + seconds)


Feature = Callable[[Random, int], Json]
"""Makes a field of a policy's spec, with the policy's number for it."""


def _backends(random: Random) -> list[Json]:
    reference: Json = {**_SERVICE, "name": random.choice(("backend",) * 15 + ("gone",))}
    if random.random() < 0.1:
        reference["namespace"] = random.choice(("infra", "shop", "team"))
    if random.random() < 0.05:
        reference["port"] = 9999
    return [reference]


def _config_map(random: Random, good: str) -> Json:
    name = random.choice((good,) * 14 + ("empty", "empty", "gone"))
    return {"group": "", "kind": "ConfigMap", "name": name}


def _authorization(_: Random, mark: int) -> Json:
    principal = {"clientCIDRs": ["10.0.0.0/24"]}
    rules = [{"name": f"rule-{mark}", "action": "Allow", "principal": principal}]
    return {"authorization": {"defaultAction": "Deny", "rules": rules}}


def _jwt(random: Random, mark: int) -> Json:
    provider: Json = {"name": "idp", "issuer": f"https://{mark}.example"}
    if random.random() < 0.7:
        provider["remoteJWKS"] = {"uri": "https://idp.example/keys"}
    else:
        reference = {**_config_map(random, "jwks")}
        provider["localJWKS"] = {"type": "ValueRef", "valueRef": reference}
    return {"jwt": {"providers": [provider]}}


def _secret(random: Random, good: str) -> Json:
    reference = {"group": "", "kind": "Secret", "name": random.choice((good,) * 11 + ("gone",))}
    if random.random() < 0.06:
        reference["namespace"] = random.choice(("infra", "shop", "team"))
    return reference


def _basic(random: Random, _: int) -> Json:
    return {"basicAuth": {"users": _secret(random, "users")}}


def _keys(random: Random, mark: int) -> Json:
    place: Json = {"headers": [f"x-{mark}"]}
    if random.random() < 0.1:
        place["params"] = ["key"]
    references = [_secret(random, "keys")]
    return {"apiKeyAuth": {"credentialRefs": references, "extractFrom": [place]}}


def _ext_auth(random: Random, mark: int) -> Json:
    return {"extAuth": {"http": {"backendRefs": _backends(random), "path": f"/{mark}"}}}


def _limit(_: Random, mark: int) -> Json:
    rules = [{"limit": {"requests": mark, "unit": "Hour"}}]
    return {"rateLimit": {"type": "Local", "local": {"rules": rules}}}


def _selected(random: Random, mark: int) -> Json:
    selector = {"headers": [{"name": "x-one", "value": "a"}]}
    rules: list[Json] = [
        {"clientSelectors": [selector], "limit": {"requests": mark, "unit": "Hour"}}
    ]
    if random.random() < 0.3:
        rules += [{"limit": {"requests": 100, "unit": random.choice(("Hour", "Hour", "Day"))}}]
    if random.random() < 0.1:
        return {"rateLimit": {"type": "Global", "global": {"rules": rules[:1]}}}
    return {"rateLimit": {"type": "Local", "local": {"rules": rules}}}


def _upgrade(random: Random, mark: int) -> Json:
    connection = {"bufferLimit": mark}
    if random.random() < 0.2:
        return {"connection": connection, "requestBuffer": {"limit": "4Ki"}}
    if random.random() < 0.2:
        return {"connection": connection, "httpUpgrade": [{"type": "websocket"}]}
    return {"connection": connection}


def _oidc(random: Random, mark: int) -> Json:
    provider = {
        "issuer": "https://idp.example",
        "authorizationEndpoint": f"https://{mark}.example/auth",
        "tokenEndpoint": "https://idp.example/token",
    }
    secret = _secret(random, "oidc")
    return {"oidc": {"provider": provider, "clientID": "me", "clientSecret": secret}}


def _ext_auth_grpc(random: Random, mark: int) -> Json:
    headers = {"headersToExtAuth": [f"x-{mark}"]}
    return {"extAuth": {"grpc": {"backendRefs": _backends(random)}, **headers}}


def _override(random: Random, mark: int) -> Json:
    match = {"statusCodes": [{"type": "Value", "value": 404}]}
    body = {"type": "ValueRef", "valueRef": _config_map(random, "body")}
    response = {"contentType": f"text/{mark}", "body": body}
    return {"responseOverride": [{"match": match, "response": response}]}


def _balancer(_: Random, mark: int) -> Json:
    return {"loadBalancer": {"type": "LeastRequest", "slowStart": {"window": f"{mark}s"}}}


def _validation(random: Random, _: int) -> Json:
    reference = _config_map(random, "ca")
    if random.random() < 0.1:
        reference["namespace"] = random.choice(("infra", "shop", "team"))
    return {"tls": {"clientValidation": {"caCertificateRefs": [reference]}}}


def _headers(_: Random, mark: int) -> Json:
    header = {"name": f"x-{mark}", "value": "a"}
    return {"headers": {"earlyRequestHeaders": {"set": [header]}}}


def _processor(random: Random, mark: int) -> Json:
    processor = {"backendRefs": _backends(random), "messageTimeout": f"{mark}s"}
    return {"extProc": [processor]}


def _patch(_: Random, mark: int) -> Json:
    kind = "type.googleapis.com/envoy.config.listener.v3.Listener"
    operation = {"op": "add", "path": "/a", "value": "b"}
    patches = [{"type": kind, "name": f"{mark}", "operation": operation}]
    return {"type": "JSONPatch", "jsonPatches": patches}


def _authorities(random: Random, mark: int) -> Json:
    validation: Json = {"hostname": f"{mark}.example"}
    if random.random() < 0.4:
        validation["wellKnownCACertificates"] = "System"
    else:
        validation["caCertificateRefs"] = [_config_map(random, "ca")]
    return {"validation": validation}


FEATURES: dict[str, tuple[Feature, ...]] = {
    "SecurityPolicy": (
        lambda _, mark: {"cors": {"allowOrigins": [f"https://{mark}.example"]}},
        *(_authorization, _authorization, _jwt, _basic, _keys, _ext_auth),
        *(_oidc, _ext_auth_grpc),
    ),
    "BackendTrafficPolicy": (
        lambda _, mark: {"timeout": {"http": {"requestTimeout": f"{mark}s"}}},
        lambda _, mark: {"retry": {"numRetries": mark}},
        lambda _, mark: {"circuitBreaker": {"maxConnections": mark}},
        lambda _, mark: {"tcpKeepalive": {"probes": mark}},
        *(_limit, _override, _balancer, _selected, _upgrade),
        lambda _, mark: {"faultInjection": {"delay": {"fixedDelay": f"{mark}s"}}},
    ),
    "ClientTrafficPolicy": (
        lambda _, mark: {"timeout": {"http": {"requestReceivedTimeout": f"{mark}s"}}},
        lambda _, mark: {"connection": {"bufferLimit": mark}},
        lambda _, mark: {"tcpKeepalive": {"probes": mark}},
        *(_validation, _headers),
        lambda _, mark: {"clientIPDetection": {"xForwardedFor": {"numTrustedHops": mark}}},
        lambda _, mark: {"http2": {"maxConcurrentStreams": mark}},
        lambda _, mark: {"healthCheck": {"path": f"/{mark}"}},
    ),
    "EnvoyExtensionPolicy": (_processor,),
    "EnvoyPatchPolicy": (_patch,),
    "BackendTLSPolicy": (_authorities,),
}


def policy(random: Random, index: int, objects: list[Json]) -> Json:
    """A policy with its targets, in the namespace of the first of these."""
    kind = random.choice(KINDS)
    first = 10 * [*FEATURES].index(kind)
    makers = list(enumerate(FEATURES[kind], first))
    chosen = random.sample(makers, k=min(len(makers), random.choice((1, 1, 2, 3))))
    spec: Json = {}
    for number, make in chosen:
        spec.update(make(random, 20000 + 100 * number + index))
    if kind == "BackendTLSPolicy":
        namespace = random.choice(("infra", "shop", "team"))
        targets: Json = {"targetRefs": [_backend_target(random)]}
        second = _backend_target(random)
        if second["kind"] != targets["targetRefs"][0]["kind"] and random.random() < 0.5:
            targets["targetRefs"].append(second)
    elif kind == "EnvoyPatchPolicy":
        gateway = random.choice([one for one in objects if one["kind"] == "Gateway"])
        namespace = gateway["metadata"]["namespace"]
        targets = {"targetRef": _reference(random, gateway)}
        if random.random() < 0.1:
            targets["targetRef"] |= {"kind": "GatewayClass", "name": "eg"}
        spec["priority"] = random.choice((0, 0, 1))
    else:
        namespace, targets = _choose_targets(random, kind, objects)
        is_on_route = all(one["kind"].endswith(ROUTE) for one in _of(targets))
        if kind != "ClientTrafficPolicy" and is_on_route and random.random() < 0.4:
            spec["mergeType"] = random.choice(("StrategicMerge", "JSONMerge"))
    metadata = {"name": f"p{index}", "namespace": namespace}
    group, version = (GATEWAY_API, "v1") if kind == "BackendTLSPolicy" else (ENVOY, "v1alpha1")
    named = targets.get("targetRefs", ())
    if len(named) == len(targets) == 1 and group == ENVOY and random.random() < 0.1:
        targets = {"targetRef": named[0]}  # the deprecated form
    return {
        "apiVersion": f"{group}/{version}",
        "kind": kind,
        "metadata": metadata,
        "spec": {**targets, **spec},
    }


def _of(targets: Json) -> list[Json]:
    return [*targets.get("targetRefs", ()), *targets.get("targetSelectors", ())]


def _backend_target(random: Random) -> Json:
    if random.random() < 0.25:
        target = {"group": ENVOY, "kind": "Backend", "name": "outside"}
        return {**target, "sectionName": "9999"} if random.random() < 0.3 else target
    target = {"group": "", "kind": "Service", "name": random.choice(("backend",) * 5 + ("gone",))}
    if random.random() < 0.4:
        target["sectionName"] = random.choice(("http", "more", "gone"))
    return target


def _choose_targets(random: Random, kind: str, objects: list[Json]) -> tuple[str, Json]:
    kinds = TARGETS.get(kind)
    choices = [one for one in objects if kinds is None or one["kind"] in kinds]
    first = random.choice(choices)
    namespace = first["metadata"]["namespace"]
    how = random.random()
    if how < 0.18:
        return namespace, {"targetSelectors": [_selector(random, first)]}
    near = [one for one in choices if one["metadata"]["namespace"] == namespace]
    # The CRD takes targets of one kind of thing where a policy asks to be merged.
    targets = [first] if how < 0.75 else random.sample(near, k=min(len(near), 2))
    references = [_reference(random, target, may_be_section=True) for target in targets]
    if how > 0.95:
        return namespace, {"targetRefs": references, "targetSelectors": [_selector(random, first)]}
    return namespace, {"targetRefs": references}


def _selector(random: Random, target: Json) -> Json:
    labels = target["metadata"].get("labels") or random.choice(LABELS[:2])
    selector: Json = {"group": GATEWAY_API, "kind": target["kind"]}
    selector.update(choose_labels(random, labels))
    if random.random() < 0.25:
        from_ = random.choice(("All", "Same", "Selector"))
        selector["namespaces"] = {"from": from_}
        if from_ == "Selector":
            labels = random.choice(({"tier": "gold"}, {"side": "left"}))
            selector["namespaces"]["selector"] = choose_labels(random, labels)
    return selector


def choose_labels(random: Random, labels: dict[str, str]) -> Json:
    """Select what has a label, by its value or by an expression, or what has it not."""
    ((key, value), *_) = labels.items()
    if random.random() < 0.7:
        return {"matchLabels": labels}
    operator = random.choice(("In", "NotIn", "Exists", "DoesNotExist"))
    expression: Json = {"key": key, "operator": operator}
    if "In" in operator:
        expression["values"] = random.choice(([value], [value, "other"]))
    return {"matchExpressions": [expression]}


def _reference(random: Random, target: Json, *, may_be_section: bool = False) -> Json:
    name = target["metadata"]["name"]
    reference: Json = {"group": GATEWAY_API, "kind": target["kind"], "name": name}
    if random.random() < 0.06:
        reference["name"] = "gone"
    parts = target["spec"].get("rules") or target["spec"].get("listeners")
    names = [part["name"] for part in parts if "name" in part]
    if may_be_section and random.random() < 0.3:
        reference["sectionName"] = random.choice((*names, *names, "gone"))
    return reference
