"""Random hubs with Kuadrant's policies: few names and paths, so that rules meet each other.

What the API server fills in is written out: the operator reads it from there.
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
METHODS = ("GET", "POST")
VALUES = ("1", "2", "[12]")
KINDS = {"AuthPolicy": "v1", "RateLimitPolicy": "v1", "TokenRateLimitPolicy": "v1alpha1"}
WITHOUT_GRPC = "TokenRateLimitPolicy"


def kuadrant_hub(random: Random) -> list[Json]:
    """A hub of one to two Gateways, with routes and policies of all three kinds."""
    gateway_class = {
        "apiVersion": CORE,
        "kind": "GatewayClass",
        "metadata": {"name": "istio"},
        "spec": {"controllerName": "istio.io/gateway-controller"},
    }
    gateways = [make_gateway(random, f"g{n}") for n in range(random.choice((1, 1, 2)))]
    routes = [make_route(random, f"r{n}", gateways) for n in range(random.randrange(1, 6))]
    targets = [*gateways, *routes]
    policies = [make_policy(random, f"p{n}", targets) for n in range(random.randrange(1, 9))]
    return [gateway_class, *(age(random, each) for each in (*targets, *policies))]


def age(random: Random, one: Json) -> Json:
    """An object with the minute of its creation, which others may share."""
    minute = random.randrange(4)
    one["metadata"]["creationTimestamp"] = f"2026-01-01T00:{minute:02}:00Z"
    return one


def make_gateway(random: Random, name: str) -> Json:
    listeners = []
    for number in range(random.choice((1, 2, 2, 3))):
        hostname = random.choice(LISTENERS)
        more = {"hostname": hostname} if hostname else {}
        admits = {"allowedRoutes": {"namespaces": {"from": "All"}}}
        port = 80 + number
        listeners.append({"name": f"l{number}", "port": port, "protocol": "HTTP", **more, **admits})
    spec = {"gatewayClassName": "istio", "listeners": listeners}
    return {
        "apiVersion": CORE,
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": "infra"},
        "spec": spec,
    }


def make_route(random: Random, name: str, gateways: list[Json]) -> Json:
    kind = random.choice(("HTTPRoute",) * 4 + ("GRPCRoute",))
    gateway = random.choice(gateways)
    parent: Json = {
        "group": GATEWAY_API,
        "kind": "Gateway",
        "name": gateway["metadata"]["name"],
        "namespace": "infra",
    }
    if random.random() < 0.3:
        parent["sectionName"] = random.choice(gateway["spec"]["listeners"])["name"]
    rules = [make_rule(random, kind, number) for number in range(random.choice((1, 2, 2, 3)))]
    hostnames = random.sample(HOSTNAMES, random.choice((0, 1, 1, 2)))
    spec = {"parentRefs": [parent], "rules": rules}
    return {
        "apiVersion": CORE,
        "kind": kind,
        "metadata": {"name": name, "namespace": random.choice(("shop", "shop-b"))},
        "spec": {**spec, **({"hostnames": hostnames} if hostnames else {})},
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


def make_policy(random: Random, name: str, targets: list[Json]) -> Json:
    """A policy for an object or a section of one, with rules that tell which policy they are of."""
    kind, target = random.choice((*KINDS, "AuthPolicy")), random.choice(targets)
    spec = target["spec"]
    sections = [part["name"] for part in spec.get("listeners", ())] or [
        rule.get("name", f"rule-{number}") for number, rule in enumerate(spec.get("rules", ()), 1)
    ]
    chosen = {"sectionName": random.choice(sections)} if random.random() < 0.4 else {}
    how = random.choice(("", "", "defaults", "overrides"))
    # Only of defaults the CRDs do not ask for a rule.
    proper = make_proper(random, kind, name, is_empty=how == "defaults" and random.random() < 0.3)
    strategy = {"strategy": random.choice(("atomic", "merge"))}
    reference = {"group": GATEWAY_API, "kind": target["kind"], "name": target["metadata"]["name"]}
    return {
        "apiVersion": f"kuadrant.io/{KINDS[kind]}",
        "kind": kind,
        "metadata": {"name": name, "namespace": target["metadata"]["namespace"]},
        "spec": {
            "targetRef": {**reference, **chosen},
            **({how: {**strategy, **proper}} if how else proper),
        },
    }


def make_proper(random: Random, kind: str, name: str, *, is_empty: bool) -> Json:
    """What a policy asks, if anything; some have a condition."""
    own = random.choice((name, "shared"))
    when = {"when": [{"predicate": f"request.path != '/{name}'"}]} if random.random() < 0.2 else {}
    if is_empty:
        return when
    if kind == "AuthPolicy":
        return {"rules": {"authentication": {own: {"anonymous": {}}}}, **when}
    return {"limits": {own: {"rates": [{"limit": 1 + int(name[1:]), "window": "1m"}]}}, **when}


def make_request(random: Random) -> Request:
    """A request of the alphabet that the matches are of."""
    headers = {name: random.choice(VALUES) for name in ("x-a", "x-b") if random.random() < 0.5}
    query = {"q": random.choice(VALUES)} if random.random() < 0.4 else {}
    host, path, method = (random.choice(each) for each in (HOSTS, ASKED, METHODS))
    return Request("http", host, 80, method, path, query, headers)
