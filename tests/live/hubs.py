"""Random hubs of Envoy Gateway: gateways, ListenerSets, routes and policies, of several ages.

A hub is what an API server would take, and nothing else about it is made easy. Each policy has
values that no other has (`policies`), by which what is in force can be traced back to it.
"""

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

from spokerender.model import Ref
from tests.live.hub_policies import ENVOY, GATEWAY_API, LABELS, PARENTS, choose_labels, policy
from tests.live.hub_routes import HOSTNAMES, HTTP_ROUTES, NAMESPACES, ROUTES, ROUTES_OF, route

Json = dict[str, Any]
CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller"
AGES = ("equal", "ordered", "reversed")
PROTOCOLS = ("HTTP",) * 9 + ("HTTPS",) * 4 + ("TLS",) * 2 + ("TCP",) * 2 + ("UDP",)
PORTS = {
    "HTTP": (80, 80, 8080),
    "HTTPS": (443, 443, 8443),
    "TLS": (443, 9443),
    "TCP": (9000, 9001, 80),
    "UDP": (5300, 9000),
}
USERS = "Zm9vOntTSEF9ZDk1bzJ1ellJN3E3dFk3YkhJNFUxeEJ1ZzdzPQ=="
COMPLETE, BACKENDS = "judge/completeKinds", "judge/enableBackend"
"""Annotations of the class `eg`: the hub has all that the cluster has; Backends are read."""
LOST = ("Service", "Secret", "ConfigMap", "Backend", "HTTPRouteFilter")
"""Kinds of which all objects may be in files."""
_USUAL = {COMPLETE: "false", BACKENDS: "true"}
CERTIFICATE = "CERTIFICATE"
"""Where a certificate stands: the judge puts a real one there."""


def hub(random: Random) -> list[Json]:
    """A hub: policies are on its gateways, routes and backends, or on what is not there."""
    made = gateways(random)
    parents = [*made, *listener_sets(random, made)]
    numbers = [max(0, i - (random.random() < 0.15)) for i in range(random.randrange(1, 5))]
    routes = distinct_objects(route(random, number, parents) for number in numbers)
    grants = [grant(random, i) for i in range(random.randrange(3))]
    objects = [*parents, *routes]
    policies = [policy(random, index, objects) for index in range(1, random.randrange(2, 9))]
    for aged in (policies, routes, parents):
        age(random.choice(AGES), aged)
    classes = [other_class()] if any(one["kind"] == "Gateway" for one in objects) else []
    is_merged = random.random() < 0.06
    if is_merged:
        for each in made:
            each["spec"].pop("infrastructure", None)  # the provider refuses it there
    common = basis(is_merged=is_merged, declared=choose_declared(random))
    if is_declared(common, COMPLETE) and random.random() < 0.5:
        lose(random, [*common, *objects, *policies])
    return [*common, *classes, *objects, *grants, *policies]


def lose(random: Random, objects: Iterable[Json]) -> None:
    """Let some of what objects name be nowhere."""
    for reference in list_references([one["spec"] for one in objects if "spec" in one]):
        if random.random() < 0.1:
            reference["name"] = "gone"


def list_references(part: Any) -> Iterator[Json]:
    """Yield the references to what is not an object of the Gateway API, and no policy."""
    if isinstance(part, dict):
        if part.get("kind") in LOST and "name" in part:
            yield part
        part = list(part.values())
    for inner in part if isinstance(part, list) else ():
        yield from list_references(inner)


def choose_declared(random: Random) -> dict[str, str]:
    """What fleet.yaml says about the cluster of a hub."""
    is_complete, has_backends = random.random() < 0.5, random.random() < 0.92
    return {COMPLETE: f"{is_complete}".lower(), BACKENDS: f"{has_backends}".lower()}


def is_declared(objects: Iterable[Json], what: str) -> bool:
    """Tell whether fleet.yaml of a hub says something; what is not said is the usual."""
    classes = {one["metadata"]["name"]: one for one in objects if one["kind"] == "GatewayClass"}
    annotations = classes["eg"]["metadata"].get("annotations", {})
    return bool(annotations.get(what, _USUAL[what]) == "true")


def distinct_objects(objects: Iterable[Json]) -> list[Json]:
    """The objects that may be there together: of one name the last."""
    identities = {
        (one["kind"], one["metadata"]["namespace"], one["metadata"]["name"]): one for one in objects
    }
    return list(identities.values())


def other_class() -> Json:
    """A class of a controller that nobody knows."""
    return obj("GatewayClass", "other", "", {"controllerName": "gateways.example/other"})


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


def basis(*, is_merged: bool = False, declared: Mapping[str, str] | None = None) -> list[Json]:
    """What every hub has: a class, namespaces, and in these backends, certificates and users.

    The Gateways of the class may be merged into one. What fleet.yaml declares is written into
    annotations of the class, where the judge reads it.
    """
    port = {"name": "http", "port": 8080, "targetPort": 8080, "protocol": "TCP"}
    ports = [port, {**port, "name": "more", "port": 8081}, {**port, "name": "dns", "port": 53}]
    ports[2]["protocol"] = "UDP"
    class_spec: Json = {"controllerName": CONTROLLER}
    objects = [obj("GatewayClass", "eg", "", class_spec)]
    if declared is not None:
        objects[0]["metadata"]["annotations"] = {**declared}
    if is_merged:
        merge_gateways(objects[0], objects)
    for name, labels in NAMESPACES.items():
        namespace = core("Namespace", name)
        namespace["metadata"]["labels"] = {"kubernetes.io/metadata.name": name, **labels}
        objects += [
            namespace,
            core("Service", "backend", name, spec={"clusterIP": "10.0.0.1", "ports": ports}),
            core("Service", "alias", name, spec=_alias(ports)),
            endpoints(name),
            core("ConfigMap", "ca", name, data={"ca.crt": CERTIFICATE}),
            core("ConfigMap", "jwks", name, data={"jwks": '{"keys": []}'}),
            core("ConfigMap", "body", name, data={"response.body": "text"}),
            core("ConfigMap", "keyed", name, data={"tls.crt": CERTIFICATE, "other": "text"}),
            core("ConfigMap", "empty", name),
            core("Secret", "tls", name, type="kubernetes.io/tls"),
            core("Secret", "users", name, type="Opaque", data={".htpasswd": USERS}),
            core("Secret", "keys", name, type="Opaque", data={"client": "YWJj"}),
            core("Secret", "injected", name, type="Opaque", data={"credential": "YWJj"}),
            core("Secret", "oidc", name, type="Opaque", data={"client-secret": "YWJj"}),
            *backends(name),
            *filters(name),
            *proxies(name),
        ]
    return objects


def merge_gateways(gateway_class: Json, objects: list[Json]) -> None:
    """Have the Gateways of a class merged into one."""
    proxy = {"group": ENVOY, "kind": "EnvoyProxy", "namespace": "infra", "name": "merged"}
    gateway_class["spec"]["parametersRef"] = proxy
    objects.append(obj("EnvoyProxy", "merged", "infra", {"mergeGateways": True}, ENVOY))


def _alias(ports: list[Json]) -> Json:
    return {"type": "ExternalName", "externalName": "outside.example", "ports": ports}


def proxies(namespace: str) -> list[Json]:
    """Parameters of single Gateways: their certificates for backends are there, or not."""
    specs: dict[str, Json] = {"plain": {}}
    for name, secret in (("certified", "tls"), ("uncertified", "gone")):
        certificate = {"group": "", "kind": "Secret", "name": secret}
        specs[name] = {"backendTLS": {"clientCertificateRef": certificate}}
    return [obj("EnvoyProxy", name, namespace, spec, ENVOY) for name, spec in specs.items()]


def backends(namespace: str) -> list[Json]:
    """Backends of Envoy Gateway: of addresses, hostnames and both, and with TLS of all sorts."""
    address = {"ip": {"address": "10.0.0.9", "port": 8080}}
    hostname = {"fqdn": {"hostname": "outside.example", "port": 8080}}
    system = {"wellKnownCACertificates": "System"}
    specs: dict[str, Json] = {
        "outside": {"endpoints": [address]},
        "named": {"endpoints": [hostname]},
        "mixed": {"endpoints": [address, hostname]},
        "secure": {"endpoints": [hostname], "tls": {**system, "sni": "outside.example"}},
        "pinned": {"endpoints": [address], "tls": {"caCertificateRefs": [_local("ca")]}},
        "unpinned": {"endpoints": [address], "tls": {"caCertificateRefs": [_local("empty")]}},
        "lax": {"endpoints": [address], "tls": {"insecureSkipVerify": True}},
        "untrusted": {"endpoints": [address], "tls": {"sni": "outside.example"}},
        "socket": {"endpoints": [{"unix": {"path": "/run/backend"}}]},
        "dynamic": {"type": "DynamicResolver"},
    }
    for name, secret in (("client", "tls"), ("no-client", "gone")):
        certificate = {"group": "", "kind": "Secret", "name": secret}
        tls = {**system, "clientCertificateRef": certificate}
        specs[name] = {"endpoints": [address], "tls": tls}
    return [obj("Backend", name, namespace, spec, ENVOY) for name, spec in specs.items()]


def _local(name: str, kind: str = "ConfigMap") -> Json:
    return {"group": "", "kind": kind, "name": name}


def filters(namespace: str) -> list[Json]:
    """Filters of Envoy Gateway: each does one thing, some of them wrong."""
    cookie = {"name": "c", "value": "a.*", "type": "RegularExpression"}
    pattern = {"pattern": "(", "substitution": "/a"}
    specs: dict[str, Json] = {
        "rewrite": {"urlRewrite": {"hostname": {"type": "Header", "header": "x-host"}}},
        "pattern": {
            "urlRewrite": {"path": {"type": "ReplaceRegexMatch", "replaceRegexMatch": pattern}}
        },
        "answer": _answer(503, {"type": "Inline", "inline": "closed"}),
        "success": _answer(200, {"type": "Inline", "inline": "fine"}),
        "told": _answer(503, {"type": "ValueRef", "valueRef": _local("body")}),
        "untold": _answer(503, {"type": "ValueRef", "valueRef": _local("empty")}),
        "matched": {"matches": [{"cookies": [cookie]}]},
        "unmatched": {"matches": [{"cookies": [{**cookie, "value": "a["}]}]},
    }
    for name, secret in (("credential", "injected"), ("no-credential", "keys")):
        credential = {"valueRef": _local(secret, "Secret")}
        specs[name] = {"credentialInjection": {"credential": credential}}
    return [obj("HTTPRouteFilter", name, namespace, spec, ENVOY) for name, spec in specs.items()]


def _answer(status: int, body: Json) -> Json:
    return {"directResponse": {"statusCode": status, "body": body}}


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
        if random.random() < 0.06:
            certificate["name"] = "users"
        made["tls"]["certificateRefs"] = [certificate]
        if random.random() < 0.1:
            other = random.choice(("users", "gone"))
            made["tls"]["certificateRefs"] += [{"group": "", "kind": "Secret", "name": other}]
    if random.random() < 0.08:
        kind = random.choice(ROUTES_OF[protocol])
        made["allowedRoutes"]["kinds"] = [{"group": GATEWAY_API, "kind": kind}]
    return made


def allowed(random: Random) -> Json:
    chosen = random.choice(("All", "All", "All", "Same", "Selector"))
    return {"namespaces": admitted(random, chosen)}


def admitted(random: Random, from_: str) -> Json:
    """The namespaces that may attach something."""
    if from_ != "Selector":
        return {"from": from_}
    labels = random.choice(({"tier": "gold"}, {"side": "left"}, {"tier": "silver"}))
    return {"from": from_, "selector": choose_labels(random, labels)}


def distinct(listeners: list[Json]) -> list[Json]:
    """The listeners that may stand in one object (the CRD compares port, protocol, hostname)."""
    by_door = {(each["port"], each["protocol"], each.get("hostname")): each for each in listeners}
    return list(by_door.values())


def gateways(random: Random) -> list[Json]:
    """One to three Gateways; a second may have the first one's name in another namespace."""
    made: list[Json] = []
    third = random.choice(("edge", "edge", "web")), "shop"
    for name, namespace in (("web", "infra"), ("api", "infra"), third):
        if made and random.random() < 0.5:
            continue
        listeners = [listener(random, f"l{i}") for i in range(random.randrange(1, 4))]
        from_ = random.choice(("All", "All", "Same", "None", "Selector"))
        spec: Json = {
            "gatewayClassName": "other" if made and random.random() < 0.06 else "eg",
            "listeners": distinct(listeners),
            "allowedListeners": {"namespaces": admitted(random, from_)},
        }
        if from_ == "None" and random.random() < 0.5:
            del spec["allowedListeners"]
        if tls := gateway_tls(random):
            spec["tls"] = tls
        if random.random() < 0.06:
            proxy = random.choice(("plain", "certified", "uncertified"))
            parameters = {"group": ENVOY, "kind": "EnvoyProxy", "name": proxy}
            spec["infrastructure"] = {"parametersRef": parameters}
        made.append(obj("Gateway", name, namespace, spec, labels=random.choice(LABELS)))
    return made


def gateway_tls(random: Random) -> Json:
    """How a Gateway checks its clients, by default and on ports, and shows itself to backends."""
    made: Json = {}
    if random.random() < 0.25:
        default = random.choice((client_validation(random), client_validation(random), {}))
        made["frontend"] = {"default": default}
        ports = random.sample((80, 443, 443, 8443, 9443), k=random.choice((0, 0, 0, 1, 2)))
        per_port = [
            {"port": port, "tls": random.choice((client_validation(random), {}))}
            for port in sorted({*ports})
        ]
        if per_port:
            made["frontend"]["perPort"] = per_port
    if random.random() < 0.06:
        reference = {"group": "", "kind": "Secret", "name": random.choice(("tls", "tls", "users"))}
        if random.random() < 0.3:
            reference["namespace"] = random.choice(list(NAMESPACES))
        if random.random() < 0.15:
            reference["name"] = "gone"
        made["backend"] = {"clientCertificateRef": reference}
    return made


def client_validation(random: Random) -> Json:
    """Clients have to have certificates of one to three authorities, some of which are amiss."""
    names = ("ca",) * 12 + ("keyed", "empty", "gone")
    references: list[Json] = []
    for _ in range(random.choice((1, 1, 1, 1, 2, 2, 3))):
        reference = {"group": "", "kind": "ConfigMap", "name": random.choice(names)}
        if random.random() < 0.12:
            kind, name = random.choice(
                (("Secret", "tls"), ("Secret", "gone"), ("Service", "backend"))
            )
            reference |= {"kind": kind, "name": name}
        if random.random() < 0.2:
            reference["namespace"] = random.choice(list(NAMESPACES))
        if reference not in references:
            references.append(reference)
    validation: Json = {"caCertificateRefs": references}
    if random.random() < 0.3:
        validation["mode"] = random.choice(("AllowValidOnly", "AllowInsecureFallback"))
    return {"validation": validation}


def listener_sets(random: Random, gateways: list[Json]) -> list[Json]:
    made: list[Json] = []
    for number in range(random.choice((0, 0, 0, 1, 1, 2, 3))):
        name, namespace = f"set{number - (random.random() < 0.1)}", random.choice(list(NAMESPACES))
        named = random.choice((gateways[0], gateways[0], *gateways))["metadata"]
        parent = {"group": GATEWAY_API, "kind": "Gateway", "name": named["name"]}
        if named["namespace"] != namespace or random.random() < 0.8:
            parent["namespace"] = named["namespace"]
        if random.random() < 0.06:
            parent["name"] = "gone"
        listeners = [listener(random, f"s{i}") for i in range(random.randrange(1, 4))]
        spec = {"parentRef": parent, "listeners": distinct(listeners)}
        made.append(obj("ListenerSet", name, namespace, spec, labels=random.choice(LABELS)))
    return distinct_objects(made)


def grant(random: Random, number: int) -> Json:
    """A ReferenceGrant for routes to backends, for Gateways to certificates, or for selectors."""
    namespace, other = random.sample(list(NAMESPACES), k=2)
    source, target = random.choice(
        (
            ((GATEWAY_API, random.choice(ROUTES)), ("", "Service")),
            ((GATEWAY_API, random.choice(HTTP_ROUTES)), (ENVOY, "Backend")),
            ((GATEWAY_API, random.choice(PARENTS)), ("", "Secret")),
            ((GATEWAY_API, random.choice(PARENTS)), ("", "ConfigMap")),
            ((ENVOY, "SecurityPolicy"), ("", "Secret")),
            ((ENVOY, "ClientTrafficPolicy"), ("", "ConfigMap")),
            ((ENVOY, "SecurityPolicy"), ("", "Service")),
            ((ENVOY, "SecurityPolicy"), (GATEWAY_API, "HTTPRoute")),
            ((ENVOY, "BackendTrafficPolicy"), (GATEWAY_API, "HTTPRoute")),
            ((ENVOY, "ClientTrafficPolicy"), (GATEWAY_API, "Gateway")),
        )
    )
    from_ = {"group": source[0], "kind": source[1], "namespace": other}
    to = {"group": target[0], "kind": target[1]}
    if target[1] == "Service" and random.random() < 0.3:
        to["name"] = random.choice(("backend", "gone"))
    spec = {"from": [from_], "to": [to]}
    return obj("ReferenceGrant", f"grant{number}", namespace, spec)


def age(ages: str, objects: list[Json]) -> None:
    """Give objects their times of creation, which go with their names, or against them."""
    for index, each in enumerate(objects):
        minute = {"equal": 0, "ordered": index, "reversed": 59 - index}[ages]
        each["metadata"]["creationTimestamp"] = f"2026-01-01T00:{minute:02}:00Z"


def find_ages(objects: list[Json]) -> dict[Ref, int]:
    """The order in which a hub's objects were made: what a cluster knows, and files don't.

    Of one age those come first that do by namespace and name: Envoy Gateway (resource.go, Sort),
    Istio (gatewaycommon, orderedMergedListeners; conversion.go, sortConfigByCreationTime).
    """
    times = {
        Ref(
            one["apiVersion"].rpartition("/")[0],
            one["kind"],
            one["metadata"].get("namespace", ""),
            one["metadata"]["name"],
        ): one["metadata"]["creationTimestamp"]
        for one in objects
        if "creationTimestamp" in one["metadata"]
    }
    order = sorted(times, key=lambda ref: (times[ref], ref.namespace, ref.name))
    return {ref: number for number, ref in enumerate(order)}
