"""Random hubs to be asked for requests: rules that overlap, and backends that tell who they are."""

from random import Random
from typing import Any

from tests.live.envoy_credentials import JWKS, USERS
from tests.live.hub_routes import HOSTNAMES, NAMESPACES
from tests.live.hubs import hub
from tests.live.sound_hubs import Sound

Json = dict[str, Any]
SOUND = 0.8
"""In so many hubs most of what is named is there."""
PATHS = ("/", "/a", "/a/", "/a/b", "/a/b/c", "/ab", "/A", "/b", "/b/a", "/a/b/")
"""What requests ask for, and rules, but for those that no API server takes."""
METHODS = ("GET", "POST", "OPTIONS", "DELETE")
VALUES = ("a", "ab", "b")
_TYPES = ("PathPrefix",) * 5 + ("Exact",) * 2 + ("RegularExpression",)
_EXPRESSIONS = ("/a.*", "/a", "/[ab]/b", "/(a|b)", "/a/[^/]+", ".*b", "/a|/b")
_ORIGINS = ("https://a.example", "https://*.b.example")


def request_hub(seed: str) -> list[Json]:
    """A hub: its rules are for few paths, so that several are for a request."""
    random = Random(f"{seed} requests")
    objects = hub((Sound if random.random() < SOUND else Random)(seed))
    for number, name in enumerate(NAMESPACES):
        for each in objects:
            if each["metadata"].get("namespace") == name:
                _tell_apart(each, number, objects)
    for each in objects:
        if each["kind"] == "HTTPRoute":
            for rule in each["spec"]["rules"]:
                vary(random, rule)
                for one in rule.get("filters", ()):  # what an API server writes there
                    one.get("requestRedirect", {}).setdefault("statusCode", 302)
            if random.random() < 0.3:
                each["spec"].pop("hostnames", None)
        if each["kind"] == "SecurityPolicy" and random.random() < 0.3:
            _vary_policy(random, each["spec"])
    return objects


def _tell_apart(each: Json, namespace: int, objects: list[Json]) -> None:
    """Give an object values by which requests show that they met it."""
    kind, name = each["kind"], each["metadata"]["name"]
    if kind == "EndpointSlice":
        each["endpoints"][0]["addresses"] = [f"10.1.{namespace}.1"]
    elif kind == "Backend":
        number = 1 + [one["metadata"]["name"] for one in _alike(objects, each)].index(name)
        number += 20 * namespace
        for endpoint in each["spec"].get("endpoints", ()):
            if "ip" in endpoint:
                endpoint["ip"]["address"] = f"10.2.0.{number}"
            if "fqdn" in endpoint:
                endpoint["fqdn"]["hostname"] = f"h{number}.outside.example"
    elif kind == "ConfigMap" and name == "jwks":
        each["data"]["jwks"] = JWKS
    elif kind == "Secret" and name == "users":
        each["data"][".htpasswd"] = USERS


def _alike(objects: list[Json], each: Json) -> list[Json]:
    return [
        one
        for one in objects
        if one["kind"] == each["kind"]
        and one["metadata"]["namespace"] == each["metadata"]["namespace"]
    ]


def vary(random: Random, rule: Json) -> None:
    """Let a rule be for some of few requests, and do more to them."""
    if random.random() < 0.8:
        count = random.choice((0, 1, 1, 1, 2, 3))
        matches = [_match(random) for _ in range(count)]
        rule["matches"] = [one for i, one in enumerate(matches) if one not in matches[:i]]
    if not rule.get("filters") and random.random() < 0.35:
        rule["filters"] = [_filter(random, rule)]
        if rule["filters"][0]["type"] == "RequestRedirect":
            rule.pop("backendRefs", None)
            rule.pop("retry", None)


def _match(random: Random) -> Json:
    match: Json = {}
    if random.random() < 0.85:
        kind = random.choice(_TYPES)
        regular = kind == "RegularExpression"
        match["path"] = {"type": kind, "value": random.choice(_EXPRESSIONS if regular else PATHS)}
    if random.random() < 0.2:
        match["method"] = random.choice(METHODS)
    for field, name in (("headers", "x-one"), ("headers", "X-Two"), ("queryParams", "q")):
        if random.random() < 0.15:
            entry = {"name": name, "value": random.choice(VALUES)}
            if random.random() < 0.3:
                entry |= {"type": "RegularExpression", "value": random.choice(("a.*", "a", "[ab]"))}
            match.setdefault(field, []).append(entry)
    return match


def _filter(random: Random, rule: Json) -> Json:
    prefixes = all(one.get("path", {}).get("type") == "PathPrefix" for one in rule["matches"])
    may_replace = prefixes and len(rule["matches"]) == 1
    replaced = {
        "type": "ReplacePrefixMatch",
        "replacePrefixMatch": random.choice(("/", "/x")),
    }
    whole = {"type": "ReplaceFullPath", "replaceFullPath": random.choice(("/y", "/y/z"))}
    path = replaced if may_replace and random.random() < 0.7 else whole
    rewrite = random.choice(({"path": path}, {"hostname": "c.example"}))
    redirect: Json = random.choice(
        (
            {"statusCode": 301},
            {"hostname": "c.example"},
            {"path": path, "statusCode": 302},
            {"scheme": "https", "port": 8443},
            {"port": 8080},
        )
    )
    changed = {
        "set": [{"name": "x-one", "value": "set"}],
        "add": [{"name": "x-two", "value": "added"}],
        "remove": ["x-three"],
    }
    field = random.choice(tuple(changed))
    return random.choice(
        (
            {"type": "URLRewrite", "urlRewrite": rewrite},
            {"type": "URLRewrite", "urlRewrite": rewrite},
            {"type": "RequestRedirect", "requestRedirect": redirect},
            {"type": "RequestHeaderModifier", "requestHeaderModifier": {field: changed[field]}},
            {"type": "CORS", "cors": {"allowOrigins": [random.choice(_ORIGINS)]}},
        )
    )


def _vary_policy(random: Random, spec: Json) -> None:
    """Let a policy ask for claims, for a method, or let in all but some."""
    if "authorization" not in spec:
        return
    (rule,) = spec["authorization"]["rules"]
    if random.random() < 0.4:
        spec["authorization"]["defaultAction"], rule["action"] = "Allow", "Deny"
    if random.random() < 0.4:
        rule["operation"] = {"methods": ["GET"]}


HOSTS = tuple(name.replace("*", label) for name in HOSTNAMES if name for label in ("some", "c.d"))
