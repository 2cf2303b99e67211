"""Random hubs with Kuadrant's policies: few names and paths, so that rules meet each other.

What the API server fills in is written out: the operator reads it from there. Drawn are classes of
Istio and of Envoy Gateway; listeners that conflict, lack a certificate or do not admit a route;
routes with several parents; policies that attach and that do not, with CEL that Kuadrant takes and
refuses.

Never drawn: classes of Istio and Envoy Gateway in one hub, where the operator keeps the errors in
CEL of one of them; classes of controllers that it may be told of (ISTIO_GATEWAY_CONTROLLER_NAMES),
or that no file has; ListenerSets, which the operator does not know; objects that are being deleted;
other routes than HTTPRoutes and GRPCRoutes; of Kuadrant's extensions others than plans and OIDC.
"""

from random import Random
from typing import Any

from spokerender.model import GATEWAY_API
from spokerender.topology.matches import Request

Json = dict[str, Any]
CORE = f"{GATEWAY_API}/v1"
LISTENERS = (None, None, "*.example", "*.b.example", "a.b.example", "c.example")
HOSTNAMES = ("*.example", "*.b.example", "a.b.example", "b.b.example", "c.example", "*.c.example")
HOSTS = ("a.b.example", "b.b.example", "x.a.b.example", "b.example", "c.example", "d.test")
PATHS = ("/", "/pay", "/pay/", "/pay/all", "/shop.Cart/Add", "/shop.Cart")
ASKED = (*PATHS, "/payX", "/v1/pay", "/x/v1", "/shop.Cart/Drop", "/other/Add")
EXPRESSIONS = ("/v[0-9]+", "^/pay$", "/p.y")
UNREADABLE = ("/v\\d+", "it's")
KINDS_OF_ROUTES = ("HTTPRoute",) * 4 + ("GRPCRoute",)
METHODS = ("GET", "POST")
VALUES = ("1", "2", "[12]")
KINDS = {"AuthPolicy": "v1", "RateLimitPolicy": "v1", "TokenRateLimitPolicy": "v1alpha1"}
WITHOUT_GRPC = "TokenRateLimitPolicy"
OF_GATEWAYS = ("DNSPolicy", "TLSPolicy")
CLASSES = {
    "istio": "istio.io/gateway-controller",
    "eg": "gateway.envoyproxy.io/gatewayclass-controller",
}
REFUSED = ("request.path ==", "nothing.there == '1'", "size(request.path, 1) == 2")
"""Predicates that do not compile."""
OF_AUTHENTICATED = "auth.identity.sub != 'x'"
"""A predicate that needs an AuthPolicy on the path, and after it."""


def kuadrant_hub(random: Random) -> list[Json]:
    """A hub of one to two Gateways, with routes and policies of all kinds."""
    of_class = random.choice(list(CLASSES))
    gateways = [make_gateway(random, f"g{n}", of_class) for n in range(random.choice((1, 1, 2)))]
    routes = [make_route(random, f"r{n}", gateways) for n in range(random.randrange(1, 6))]
    targets = [*gateways, *routes]
    policies = [make_any_policy(random, f"p{n}", targets) for n in range(random.randrange(1, 11))]
    issuers = [make_issuer(kind) for kind in ("Issuer", "ClusterIssuer") if random.random() < 0.8]
    metadata = {"name": "tls", "namespace": "infra"}
    secret = {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls"}
    aged = (age(random, each) for each in (*targets, *policies))
    secrets = [{**secret, "metadata": metadata}] if random.random() < 0.8 else []
    return [make_class(of_class), *aged, *issuers, *secrets]


def make_class(name: str) -> Json:
    return {
        "apiVersion": CORE,
        "kind": "GatewayClass",
        "metadata": {"name": name},
        "spec": {"controllerName": CLASSES[name]},
    }


def make_issuer(kind: str) -> Json:
    place = {"namespace": "infra"} if kind == "Issuer" else {}
    metadata = {"name": "ca", **place}
    spec: Json = {"selfSigned": {}}
    return {"apiVersion": "cert-manager.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def age(random: Random, one: Json) -> Json:
    """An object with the minute of its creation, which others may share."""
    minute = random.randrange(4)
    one["metadata"]["creationTimestamp"] = f"2026-01-01T00:{minute:02}:00Z"
    return one


def make_gateway(random: Random, name: str, of_class: str) -> Json:
    conflict = random.random() < 0.15
    listeners = [
        make_listener(random, number, 80 if conflict else 80 + number)
        for number in range(random.choice((1, 2, 2, 3)))
    ]
    spec = {"gatewayClassName": of_class, "listeners": listeners}
    return {
        "apiVersion": CORE,
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": "infra"},
        "spec": spec,
    }


def make_listener(random: Random, number: int, port: int) -> Json:
    hostname = random.choice(LISTENERS)
    listener: Json = {"name": f"l{number}", "port": port, "protocol": "HTTP"}
    if hostname:
        listener["hostname"] = hostname
    if random.random() < 0.25:
        listener["protocol"] = "HTTPS"
        listener["tls"] = {
            "mode": "Terminate",
            "certificateRefs": [
                {"group": "", "kind": "Secret", "name": name}
                for name in random.choice((("tls",), ("tls",), ("gone",), ("tls", "gone")))
            ],
        }
    admitted = random.choice(("All",) * 8 + ("Same",))
    return {**listener, "allowedRoutes": {"namespaces": {"from": admitted}}}


def make_route(random: Random, name: str, gateways: list[Json]) -> Json:
    kind = random.choice(KINDS_OF_ROUTES)
    parents = [
        make_parent(random, random.choice(gateways)) for _ in range(random.choice((1, 1, 2)))
    ]
    rules = [make_rule(random, kind, number) for number in range(random.choice((1, 2, 2, 3)))]
    hostnames = random.sample(HOSTNAMES, random.choice((0, 1, 1, 2)))
    distinct = [one for n, one in enumerate(parents) if one not in parents[:n]]
    # Of one Gateway, either all parents name a section, or there is one (CRD, parentRefs).
    if len({one["name"] for one in distinct}) < len(distinct):
        distinct = [one for one in distinct if "sectionName" in one] or distinct[:1]
    return {
        "apiVersion": CORE,
        "kind": kind,
        "metadata": {"name": name, "namespace": random.choice(("shop", "shop-b"))},
        "spec": {
            "parentRefs": distinct,
            "rules": rules,
            **({"hostnames": hostnames} if hostnames else {}),
        },
    }


def make_parent(random: Random, gateway: Json) -> Json:
    listener = random.choice(gateway["spec"]["listeners"])
    name = listener["name"] if random.random() < 0.9 else "gone"
    section = {"sectionName": name} if random.random() < 0.3 else {}
    port = {"port": listener["port"]} if random.random() < 0.05 else {}
    return {
        "group": GATEWAY_API,
        "kind": "Gateway",
        "name": gateway["metadata"]["name"],
        "namespace": "infra",
        **section,
        **port,
    }


def make_rule(random: Random, kind: str, number: int) -> Json:
    make = make_match if kind == "HTTPRoute" else make_grpc_match
    matches = [make(random) for _ in range(random.choice((1, 1, 1, 2)))]
    if kind == "GRPCRoute" and random.random() < 0.2:
        matches = []
    named = {"name": f"n{number}"} if random.random() < 0.3 else {}
    return {**named, **({"matches": matches} if matches else {})}


def make_match(random: Random) -> Json:
    kind = random.choice(("PathPrefix", "PathPrefix", "PathPrefix", "Exact", "RegularExpression"))
    path = random.choice(EXPRESSIONS if kind == "RegularExpression" else PATHS)
    match: Json = {"path": {"type": kind, "value": path}}
    if random.random() < 0.3:
        match["method"] = random.choice(METHODS)
    if random.random() < 0.3:
        match["headers"] = make_values(random, ("X-A", "x-b"))
    if random.random() < 0.15:
        match["queryParams"] = make_values(random, ("q", "r"))
    return match


def make_values(random: Random, names: tuple[str, ...]) -> list[Json]:
    chosen = random.sample(names, random.choice((1, 1, 2)))
    types = ("Exact", "Exact", "RegularExpression")
    return [
        {
            "type": random.choice(types),
            "name": name,
            "value": random.choice(UNREADABLE if random.random() < 0.03 else VALUES),
        }
        for name in chosen
    ]


def make_grpc_match(random: Random) -> Json:
    match: Json = {}
    if random.random() < 0.8:
        names = {"service": "shop.Cart", "method": random.choice(("Add", "Drop"))}
        keys = random.choice((("service",), ("method",), ("service", "method")))
        kind = random.choice(("Exact", "Exact", "RegularExpression"))
        match["method"] = {"type": kind, **{key: names[key] for key in keys}}
    if random.random() < 0.2:
        match["headers"] = make_values(random, ("X-A", "x-b"))
    return match


def make_any_policy(random: Random, name: str, targets: list[Json]) -> Json:
    if random.random() < 0.3:
        gateways = [one for one in targets if one["kind"] == "Gateway"]
        return make_gateway_policy(random, name, random.choice(gateways))
    return make_policy(random, name, targets)


def make_policy(random: Random, name: str, targets: list[Json]) -> Json:
    """A policy for an object or a section of one, with rules that tell which policy they are of."""
    if random.random() < 0.1:
        return make_extension(random, name, targets)
    kind = random.choice((*KINDS, "AuthPolicy"))
    able = [one for one in targets if kind != WITHOUT_GRPC or one["kind"] != "GRPCRoute"]
    target = random.choice(able)
    how = random.choice(("", "", "defaults", "overrides"))
    proper = make_proper(random, kind, name)
    strategy = {"strategy": random.choice(("atomic", "merge"))}
    body = {how: {**strategy, **proper}} if how else proper
    return attach(random, make_named(kind, KINDS[kind], name, body), target)


def make_extension(random: Random, name: str, targets: list[Json]) -> Json:
    """A policy for which an extension of the operator writes another one."""
    kind = random.choice(("PlanPolicy", "OIDCPolicy"))
    if kind == "PlanPolicy":
        limits: Json = {"daily": 5, "custom": [{"limit": 2, "window": "1m"}]}
        tiers = random.sample(("gold", "shared"), random.choice((1, 2)))
        plans = [{"tier": tier, "predicate": "true", "limits": limits} for tier in tiers]
        body: Json = {"plans": plans}
    else:
        body = {"provider": {"issuerURL": "https://login.example", "clientID": "shop"}}
        if random.random() < 0.5:
            body["auth"] = {"claims": {"group": "admin"}}
    able = [one for one in targets if kind == "PlanPolicy" or one["kind"] != "GRPCRoute"]
    policy = make_named(kind, "v1alpha1", name, body)
    policy["apiVersion"] = "extensions.kuadrant.io/v1alpha1"
    return attach(random, policy, random.choice(able))


def make_named(kind: str, version: str, name: str, spec: Json) -> Json:
    metadata = {"name": name}
    version = f"kuadrant.io/{version}"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def attach(random: Random, policy: Json, target: Json) -> Json:
    """Let a policy name an object or a section of it, that is mostly there."""
    spec = target["spec"]
    sections = [part["name"] for part in spec.get("listeners", ())] or [
        rule.get("name", f"rule-{number}") for number, rule in enumerate(spec.get("rules", ()), 1)
    ]
    chosen = random.choice((*sections, "gone") if random.random() < 0.1 else sections)
    section = {"sectionName": chosen} if random.random() < 0.4 else {}
    name = "gone" if random.random() < 0.04 else target["metadata"]["name"]
    namespace = "shop" if random.random() < 0.03 else target["metadata"]["namespace"]
    reference = {"group": GATEWAY_API, "kind": target["kind"], "name": name, **section}
    policy["metadata"]["namespace"] = namespace
    policy["spec"]["targetRef"] = reference
    return policy


def make_gateway_policy(random: Random, name: str, gateway: Json) -> Json:
    """A policy for DNS records or certificates."""
    kind = random.choice(OF_GATEWAYS)
    if kind == "TLSPolicy":
        kinds = ("Issuer",) * 4 + ("ClusterIssuer", "", "Other")
        issuer = {"name": random.choice(("ca",) * 5 + ("gone",)), "group": "cert-manager.io"}
        of = random.choice(kinds)
        body: Json = {"issuerRef": {**issuer, **({"kind": of} if of else {})}}
        if random.random() < 0.2:
            body |= {"duration": "2160h0m0s", "privateKey": {"algorithm": "ECDSA", "size": 256}}
    else:
        body = {"providerRefs": [{"name": "aws"}]}
        if random.random() < 0.4:
            addresses = ("10.0.0.0/8", "10.0.0.1", "1.1.1.1/345", "a.example")
            body["excludeAddresses"] = random.sample(addresses, 2)
        if random.random() < 0.3:
            balancing = {"weight": 120, "geo": "EU", "defaultGeo": random.random() < 0.5}
            body["loadBalancing"] = balancing
        if random.random() < 0.2:
            times = {"failureThreshold": 3, "interval": "5m0s"}
            body["healthCheck"] = {"path": "/", "port": 80, "protocol": "HTTP", **times}
    return attach(random, make_named(kind, "v1", name, body), gateway)


def make_proper(random: Random, kind: str, name: str) -> Json:
    """What a policy asks; some have a condition."""
    own = random.choice((name, "shared"))
    when = make_when(random, name) if random.random() < 0.25 else {}
    if kind == "AuthPolicy":
        return {**make_auth(random, own), **when}
    windows = random.choice((("1m",), ("1m",), ("10s", "24h"), ("1h30m",)))
    limit: Json = {"rates": [{"limit": 1 + int(name[1:]), "window": each} for each in windows]}
    if random.random() < 0.2:
        limit["counters"] = [{"expression": random.choice(("source.address", "auth.identity.sub"))}]
    if random.random() < 0.1:
        limit |= make_when(random, name)
    return {"limits": {own: limit}, **when}


def make_when(random: Random, name: str) -> Json:
    drawn = random.random()
    predicate = f"request.path != '/{name}'"
    if drawn < 0.06:
        predicate = random.choice(REFUSED)
    elif drawn < 0.16:
        predicate = OF_AUTHENTICATED
    return {"when": [{"predicate": predicate}]}


def make_auth(random: Random, own: str) -> Json:
    """Rules of an AuthPolicy: one at least."""
    selector = {"selector": "auth.identity.sub"}
    plain = {"plain": selector}
    key: Json = {"selector": {"matchLabels": {"app": "shop"}}, "allNamespaces": True}
    ways: tuple[Json, ...] = (
        {"anonymous": {}},
        {"apiKey": key},
        {"jwt": {"issuerUrl": "http://i"}},
    )
    way = random.choice(ways)
    rules: Json = {"authentication": {own: way}}
    if random.random() < 0.2:
        patterns = [{"predicate": "auth.identity.sub != 'x'"}]
        rules["authorization"] = {own: {"patternMatching": {"patterns": patterns}}}
    if random.random() < 0.1:
        rules["metadata"] = {own: {"http": {"url": "http://m.example"}}}
    if random.random() < 0.1:
        rules["callbacks"] = {own: {"http": {"url": "http://c.example"}}}
    response: Json = {}
    if random.random() < 0.1:
        response[random.choice(("unauthenticated", "unauthorized"))] = {"code": 302}
    if random.random() < 0.15:
        part = random.choice(("headers", "filters"))
        response["success"] = {part: {own: plain}}
    if response:
        rules["response"] = response
    if random.random() < 0.15:
        rules.pop("authentication")
        rules = rules or {"authorization": {own: {"opa": {"rego": "allow = true"}}}}
    pattern = {"selector": "a", "operator": "eq", "value": "b"}
    named = {"patterns": {own: {"allOf": [pattern]}}} if random.random() < 0.1 else {}
    return {"rules": rules, **named}


def make_request(random: Random) -> Request:
    """A request of the alphabet that the matches are of."""
    headers = {name: random.choice(VALUES) for name in ("x-a", "x-b") if random.random() < 0.5}
    query = {"q": random.choice(VALUES)} if random.random() < 0.4 else {}
    host, path, method = (random.choice(each) for each in (HOSTS, ASKED, METHODS))
    return Request("http", host, 80, method, path, query, headers)
